import { readFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { readClaims } from "../../scripts/claims.ts";

const front = join(resolve(import.meta.dirname, "../.."), "docs/math.md");
const CLAIM = /^## ((M\d+) · .+)\n/gm;

interface Chapter {
  readonly file: string;
  readonly id: string;
  readonly title: string;
  readonly text: string;
}

const opening = readFileSync(front, "utf8");

/** The chapters that `docs/math.md` lists, each a file next to the code it proves and a page of the book. */
export const mathChapters: readonly Chapter[] = [...opening.matchAll(/^\* \[.+\]\((.+\/claims\.md)\)$/gm)].map(
  ([, path = ""]) => {
    const chapter = join(dirname(front), path);
    const [heading = "", ...lines] = readFileSync(chapter, "utf8").split("\n");
    const title = heading.slice("# ".length);
    return { file: chapter, id: `math/${title.toLowerCase().replaceAll(/\W+/g, "-")}`, title, text: lines.join("\n") };
  },
);

const placed = new Map(
  mathChapters.flatMap(({ id, text }) =>
    claimsOf(text).map(({ claim }) => [claim, `${id}.html#${claim.toLowerCase()}`] as const),
  ),
);

/** Where in the book the claim stands whose number the words begin with. */
export const placeOf = (words: string): string | undefined => placed.get(/^m\d+/i.exec(words)?.[0].toUpperCase() ?? "");

/** The front of the chapters, which lists every claim, and the chapters: each page's id and text. */
export function mathPages(): readonly (readonly [id: string, text: string])[] {
  const lists = mathChapters.map(({ title, text }) => {
    const claims = claimsOf(text).map(({ heading }) => `* ${heading}`);
    return `## ${title}\n\n${claims.join("\n")}\n`;
  });
  const pages = mathChapters.map(({ id, title, text }) => {
    const [head = "", ...claims] = text.split(/^(?=## M\d)/m);
    const marked = [head, ...claims.map(withFiles)]
      .join("")
      .replaceAll(CLAIM, (_, heading, claim) => `<div id="${claim.toLowerCase()}"></div>\n\n## ${heading}\n`)
      // Each part of a claim is a paragraph: what is assumed, the proof, the code.
      .replaceAll(/\n(?=\*\*)/g, "\n\n");
    // A word of a claim is rarely what is asked for: search names other pages first.
    const weighed = `<div data-pagefind-weight="0.3">\n${marked}\n</div>\n`;
    return [id, `# ${title}: claims\n\n[Notation, and all claims](../math.md)\n\n${weighed}`] as const;
  });
  return [["math", `${opening}\n${lists.join("\n")}`], ...pages];
}

const cited = new Map(readClaims().map(({ number, code, tests }) => [number, { code, tests }]));

/** A claim with all files that rely on it or could refute it: a chapter names those alone that do not cite it. */
function withFiles(claim: string): string {
  const { code = [], tests = [] } = cited.get(/M\d+/.exec(claim)?.[0] ?? "") ?? {};
  const [said = ""] = claim.split(/\*\*(?:Code|Tests?)\.\*\*/);
  const list = (files: readonly string[]): string => files.map((file) => `\`${file}\``).join(", ");
  return `${said.trimEnd()}\n**Code.** ${list(code)}.\n**Test.** ${list(tests)}.\n\n`;
}

function claimsOf(text: string): readonly { readonly claim: string; readonly heading: string }[] {
  return [...text.matchAll(CLAIM)].map(([, heading = "", claim = ""]) => ({ claim, heading }));
}
