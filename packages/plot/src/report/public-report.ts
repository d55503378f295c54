import { casesText, periodText } from "@dosimeter/core";
import { accessRight, LINKED, linkedDate, present } from "@dosimeter/core/internal";
import type { ChartSize } from "../chart.ts";
import { type IntervalDotSpec, intervalDot } from "../charts/interval-dot.ts";
import { ink } from "../scene/ink.ts";
import { intervalText, measureText } from "../scene/number.ts";
import { node, type Scene } from "../scene/scene.ts";
import { toSvg } from "../scene/svg.ts";
import type { ReportedRelease } from "./answer.ts";
import { answerChart } from "./answer-chart.ts";
import { titleOf } from "./answer-words.ts";
import { citation, datasetText } from "./citation.ts";
import { reportHtml } from "./html.ts";
import { answerBlocks, howToRead, receiptFacts } from "./release-report.ts";
import { type Block, REPORT_WIDTH } from "./report.ts";

/** A release as everyone reads it: nothing of who asked. */
export interface PublicRelease extends Omit<ReportedRelease, "byName" | "byKind" | "note" | "id"> {
  readonly epsilon: string | null;
  readonly delta: string;
  /** The answers of one number, with what they are drawn against. */
  readonly numbers:
    | readonly (Omit<IntervalDotSpec, "title"> & { readonly row: string; readonly label: string })[]
    | null;
  readonly address: string;
  /** Whether search engines may list it. */
  readonly isIndexed: boolean;
}

/** The page of a public release: one file, without scripts, links and pictures from elsewhere, in the colours of its reader. */
export function publicHtml(release: PublicRelease): string {
  const { title, receipt, answers, numbers, address, isIndexed } = release;
  const cited = citation({ ...release, byName: null, id: receipt?.answersHash.slice(0, 12) ?? "" }, address);
  const blocks: readonly Block[] = [
    ...(answers ?? []).flatMap((answer) => {
      const number = numbers?.find(({ row }) => row === answer.id);
      // After its heading, the number and what it means.
      return answerBlocks(answer).toSpliced(3, 0, ...(number === undefined ? [] : [dotBlock(number)]));
    }),
    ...howToRead(release),
    { kind: "heading", text: "What vouches for it" },
    ...(receipt === null ? [] : [{ kind: "text", text: receipt.guarantee } as const]),
    { kind: "facts", facts: receiptFacts(release) },
    { kind: "heading", text: "Cite" },
    { kind: "code", caption: "Text", language: "shell", text: cited.text },
    { kind: "code", caption: "BibTeX", language: "shell", text: cited.bibtex },
  ];
  const subtitle = `${datasetText(release)}. Released ${(release.releasedAt ?? release.chargedAt).slice(0, 10)}, with noise that protects the people in the data.`;
  const robots = isIndexed ? "" : '<meta name="robots" content="noindex">\n';
  const head = `${robots}<script type="application/ld+json">${jsonLd(release)}</script>\n`;
  return reportHtml({ title, subtitle, blocks }, { head, theme: "auto" });
}

const dotBlock = (number: NonNullable<PublicRelease["numbers"]>[number]): Block => ({
  kind: "chart",
  draw: (size) => intervalDot({ ...number, title: number.label, ends: true }, size),
  caption: "",
});

/** One answer as a picture that stands alone, by its row or the first that has one; null where there is none. */
export function publicSvg({ answers, numbers }: PublicRelease, row?: string): string | null {
  for (const answer of answers ?? []) {
    if (row !== undefined && answer.id !== row) continue;
    const number = numbers?.find((one) => one.row === answer.id);
    const scene =
      answerChart(answer)?.({ width: REPORT_WIDTH, heading: true }).scene ??
      (number === undefined ? null : numberScene({ ...number, title: titleOf(answer) }, { width: REPORT_WIDTH }));
    if (scene !== null) return toSvg(scene);
  }
  return null;
}

function numberScene(spec: IntervalDotSpec, { width }: ChartSize): Scene {
  const { scene } = intervalDot({ ...spec, ends: true }, { width: width - 32 });
  const said = spec.interval === null ? "" : intervalText(spec.interval, spec);
  const text = (y: number, size: number, fill: "text" | "muted", words: string) =>
    node("text", { x: 16, y, "font-size": size, fill: ink(fill) }, [words]);
  const nodes = [
    text(30, 16, "text", spec.title),
    text(68, 28, "text", measureText(spec.value, spec, 6)),
    text(90, 14, "muted", said),
    node("g", { transform: "translate(16 106)" }, scene.nodes),
  ];
  return { ...scene, width, height: scene.height + 122, nodes };
}

/** What search engines and catalogues read, in the words of schema.org and DCAT-AP: released numbers only. `<` is escaped: it could end the script. */
const jsonLd = ({
  title,
  datasetName,
  version,
  address,
  answers,
  numbers,
  receipt,
  releasedAt,
  ...release
}: PublicRelease): string =>
  JSON.stringify({
    "@context": LINKED,
    "@id": address,
    "@type": ["Dataset", "dcat:Dataset"],
    name: title,
    "dct:title": title,
    "dct:identifier": address,
    "dct:issued": linkedDate(releasedAt ?? release.chargedAt),
    "dct:accessRights": accessRight("PUBLIC"),
    "dcat:landingPage": { "@id": address },
    "dcat:distribution": {
      "@type": "dcat:Distribution",
      "dcat:accessURL": { "@id": address },
      "dcat:mediaType": { "@id": "https://www.iana.org/assignments/media-types/text/html" },
    },
    description: `Differentially private statistics of ${datasetName}, version ${version}. ${receipt?.guarantee ?? ""}`,
    url: address,
    identifier: receipt === null ? undefined : `sha256:${receipt.answersHash}`,
    datePublished: (releasedAt ?? release.chargedAt).slice(0, 10),
    isAccessibleForFree: true,
    isBasedOn: {
      "@type": "Dataset",
      name: datasetName,
      version: String(version),
      description: datasetText({ datasetName, version, ...release }),
    },
    measurementTechnique: "differential privacy",
    variableMeasured: (answers ?? []).map((answer) => {
      const { value, interval, unit, calendar } = numbers?.find(({ row }) => row === answer.id) ?? {};
      const end = (at: number | undefined) => (at === undefined || calendar == null ? at : periodText(at, calendar));
      return present({
        "@type": "PropertyValue",
        name: titleOf(answer),
        description: interval == null ? undefined : `From least to most ${casesText(answer.confidence)}`,
        value: end(value),
        unitText: unit ?? undefined,
        minValue: end(interval?.[0]),
        maxValue: end(interval?.[1]),
      });
    }),
  }).replaceAll("<", "\\u003c");
