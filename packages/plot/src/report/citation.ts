import { formatAmount } from "../scene/number.ts";

/** A dataset at a version, whose columns a plan joins to those of its own. */
export interface JoinedTable {
  readonly name: string;
  readonly version: number;
}

/** "visits, version 2, joined by person with adults, version 1" */
export const datasetText = ({
  datasetName,
  version,
  joined,
}: Pick<Cited, "datasetName" | "version" | "joined">): string =>
  `${datasetName}, version ${version}${joined == null ? "" : `, joined by person with ${joined.name}, version ${joined.version}`}`;

const marks = { user: "", service: " (service)", agent: " (AI agent)" } as const;

/** Who asked, by name; marked where it was no person. */
export const askedBy = ({ byName, byKind = "user" }: { byName: string; byKind?: keyof typeof marks }): string =>
  `${byName}${marks[byKind]}`;

/** What a citation says of a release, and where it is found. */
export interface Cited {
  readonly id: string;
  readonly title: string;
  /** null: it is public, and names no one. */
  readonly byName: string | null;
  readonly datasetName: string;
  readonly version: number;
  /** The dataset that its plan joins. */
  readonly joined?: JoinedTable | null | undefined;
  readonly releasedAt: string | null;
  readonly chargedAt: string;
  readonly epsilon: string | null;
  readonly delta: string;
  readonly receipt: { readonly answersHash: string } | null;
}

/** A release as others cite it: who, what, from which data, under which guarantee, and the hash that proves which answers. */
export function citation(
  cited: Cited,
  address: string,
): { readonly text: string; readonly apa: string; readonly bibtex: string } {
  const { byName, title, receipt } = cited;
  const day = (cited.releasedAt ?? cited.chargedAt).slice(0, 10);
  const privacy = `differentially private, ${priceText(cited)}`;
  const hash = receipt === null ? "" : ` Hash of the answers: ${receipt.answersHash}.`;
  const dataset = datasetText(cited);
  const fields = [
    ...(byName === null ? [] : [["author", `{${tex(byName)}}`] as const]),
    ["title", `{${tex(title)}}`],
    ["year", day.slice(0, 4)],
    ["month", String(Number(day.slice(5, 7)))],
    [
      "note",
      tex(
        `${dataset}; ${privacy}; released ${day}${receipt === null ? "" : `; answers SHA-256 ${receipt.answersHash}`}`,
      ),
    ],
    ["url", address.replaceAll(/[{}\\]/g, "")],
  ] as const;
  return {
    text: `${byName === null ? `${title} (${day})` : `${byName} (${day}). ${title}`}. Dataset: ${dataset}; ${privacy}. ${address}${hash === "" ? "" : `.${hash}`}`,
    apa: `${byName === null ? `${title} (${apaDay(day)})` : `${byName}. (${apaDay(day)}). ${title}`} [${privacy.charAt(0).toUpperCase()}${privacy.slice(1)}]. ${dataset}. ${address}`,
    bibtex: `@misc{${cited.id.replaceAll(/[^\w-]/g, "")},\n${fields.map(([name, value]) => `  ${name} = {${value}}`).join(",\n")}\n}\n`,
  };
}

const MONTHS = "January February March April May June July August September October November December".split(" ");

/** "2026, November 9" */
const apaDay = (day: string): string =>
  `${day.slice(0, 4)}, ${MONTHS[Number(day.slice(5, 7)) - 1]} ${Number(day.slice(8, 10))}`;

function priceText({ epsilon, delta }: Cited): string {
  const parts = [
    ...(epsilon === null ? [] : [`ε = ${epsilon}`]),
    ...(delta === "0" ? [] : [`δ = ${formatAmount(delta, "up")}`]),
  ];
  return parts.length === 0 ? "Gaussian noise" : parts.join(", ");
}

const escapes: Readonly<Record<string, string>> = {
  "\\": "\\textbackslash{}",
  "~": "\\textasciitilde{}",
  "^": "\\textasciicircum{}",
  ε: "$\\varepsilon$",
  δ: "$\\delta$",
  ρ: "$\\rho$",
};

/** A text inside braces of a BibTeX entry. */
const tex = (text: string): string =>
  text.replaceAll(/[\\~^εδρ{}$&%#_]|\s+/g, (part) => escapes[part] ?? (/\s/.test(part) ? " " : `\\${part}`));
