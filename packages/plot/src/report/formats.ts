import { table, toCsv } from "../chart.ts";
import type { ReportedRelease } from "./answer.ts";
import { releaseTable } from "./answer-chart.ts";
import { subtitleOf, titleOf } from "./answer-words.ts";
import { askedBy, datasetText } from "./citation.ts";
import { reportHtml } from "./html.ts";
import { releaseReport } from "./release-report.ts";

interface Format {
  readonly label: string;
  readonly media: string;
  /** How names of such files end, where it is not the format. */
  readonly ending?: string;
  /** Its bytes are for programs, not for a terminal. */
  readonly isBinary: boolean;
  /** Tables have the digits that mean something, or all that were released. */
  make(
    release: ReportedRelease,
    options: { readonly isExact: boolean },
  ): string | Promise<string | Uint8Array<ArrayBuffer>>;
}

/** The files of a release that need no server, by the ending of their names; the PDF is set by one. */
export const formats = {
  html: {
    label: "Report (HTML)",
    media: "text/html",
    isBinary: false,
    make: (release) => reportHtml(releaseReport(release)),
  },
  csv: {
    label: "CSV",
    media: "text/csv",
    isBinary: false,
    make: ({ answers }, options) => toCsv({ table: releaseTable(answers ?? [], options) }),
  },
  sdmx: {
    label: "SDMX-CSV",
    media: "application/vnd.sdmx.data+csv;version=2.0.0;labels=name",
    ending: "sdmx.csv",
    isBinary: false,
    make: async (release, options) => toCsv({ table: (await import("./sdmx.ts")).sdmxTable(release, options) }),
  },
  xlsx: {
    label: "Excel",
    media: "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
    isBinary: true,
    async make(release, options) {
      const { workbookOf } = await import("./workbook.ts");
      return workbookOf([
        { name: "Answers", table: releaseTable(release.answers ?? [], options) },
        { name: "About", table: aboutTable(release) },
      ]);
    },
  },
  parquet: {
    label: "Parquet",
    media: "application/vnd.apache.parquet",
    isBinary: true,
    async make({ answers }, options) {
      const { parquetOf } = await import("./parquet.ts");
      return parquetOf(releaseTable(answers ?? [], options));
    },
  },
} as const satisfies Record<string, Format>;

export type FormatName = keyof typeof formats;

/** How the name of a file of this format ends. */
export const endingOf = (format: FormatName): string => {
  const { ending }: Format = formats[format];
  return ending ?? format;
};

export const formatted = async (
  format: FormatName,
  release: ReportedRelease,
  { isExact = false }: { readonly isExact?: boolean } = {},
): Promise<string | Uint8Array<ArrayBuffer>> => formats[format].make(release, { isExact });

/** What vouches for the answers of a file, and how to read them. */
const aboutTable = (release: ReportedRelease) => {
  const { receipt } = release;
  const facts: readonly (readonly [string, string | null | undefined])[] = [
    ["Title", release.title],
    ["Note", release.note],
    ["Dataset", datasetText(release)],
    ["Asked by", askedBy(release)],
    ["Released", release.releasedAt],
    ["ε spent", receipt?.epsilon],
    ["δ spent", receipt?.delta],
    ["Guarantee", receipt?.guarantee],
    ["Release", release.id],
    ["Hash of the answers", receipt?.answersHash],
    ["Reading", "lower and upper hold the answer without noise as often as confidence says."],
    ...(release.answers ?? []).flatMap((answer) => [
      [answer.id, [titleOf(answer), subtitleOf(answer)].filter((part) => part !== "").join(". ")] as const,
      ...answer.notes.map((note) => ["", note] as const),
    ]),
  ];
  return table(
    ["What", "Said"],
    facts.flatMap(([name, said]) => (said == null ? [] : [[name, said]])),
  );
};
