import { type Cell, type Table, table } from "../chart.ts";
import type { ReportedRelease } from "./answer.ts";
import { releaseTable } from "./answer-chart.ts";
import { distinct } from "./answer-words.ts";

const OWN = [
  "STRUCTURE",
  "STRUCTURE_ID",
  "ACTION",
  "MEASURE",
  "INDICATOR",
  "BIN",
  "OBS_VALUE",
  "OBS_LOWER",
  "OBS_UPPER",
];
const MORE = ["OBS_AGREED", "CONFIDENCE", "OBS_STATUS", "CONF_STATUS"];
/** A total over the values of a dimension. */
const TOTAL = "_T";
/** An interval of more than this share of its value, to each side, is of low reliability: a relative standard error above 25 % at 95 %. */
const LOOSE = 0.5;

/** Texts as identifiers of SDMX: letters, digits and _, the first a letter where it must be; each its own. */
function identifiers(texts: readonly string[], taken: readonly string[], isName: boolean): ReadonlyMap<string, string> {
  const used = new Set(taken);
  return new Map(
    texts.map((text) => {
      const plain = text.normalize("NFKD").replace(/[^A-Za-z0-9_-]+/g, "_");
      const first = isName
        ? plain
            .toUpperCase()
            .replaceAll("-", "_")
            .replace(/^(?![A-Z])/, "C_")
        : plain;
      let [id, at] = [first, 1];
      while (used.has(id)) id = `${first}_${++at}`;
      used.add(id);
      return [text, id];
    }),
  );
}

/**
 * A release as SDMX-CSV 2.0 with labels in columns of their own: a dataflow an answer, a dimension a column, `_T` where a cell adds up over it.
 * OBS_STATUS is U, of low reliability, where the interval is wide for its value, else A; CONF_STATUS F, free to publish.
 */
export function sdmxTable(
  { answers, datasetName, version }: Pick<ReportedRelease, "answers" | "datasetName" | "version">,
  options: { readonly isExact: boolean },
): Table {
  const all = answers ?? [];
  const { columns, rows } = releaseTable(all, options);
  const keys = distinct(all.flatMap(({ groupBy }) => groupBy));
  const after = 4 + keys.length;
  const agreedAt = columns.findIndex(({ name }) => name === "agreed");
  const names = identifiers(keys, [...OWN, ...MORE], true);
  const flow = identifiers(
    all.map(({ id }) => `${datasetName}_${id}`),
    [],
    true,
  );
  const codes = keys.map((_, at) => identifiers(distinct(rows.map((row) => String(row[4 + at]))), [TOTAL], false));
  const cells = all.flatMap((answer) => answer.cells.map((cell) => ({ answer, cell })));
  return table(
    [
      ...OWN.slice(0, 5),
      ...keys.flatMap((key) => [names.get(key) ?? key, answerLabel(all, key)]),
      ...OWN.slice(5),
      ...MORE,
    ],
    rows.map((row, place) => {
      const { answer, cell } = cells[place] ?? {};
      const [value = null, lower = null, upper = null, confidence = null] = row.slice(after + 1);
      const dimensions = keys.flatMap((key, at): readonly Cell[] => {
        if (answer?.groupBy.includes(key) !== true) return [null, null];
        const said = String(row[4 + at]);
        return cell?.group[key] === undefined ? [TOTAL, "Total"] : [codes[at]?.get(said) ?? said, said];
      });
      const [from = 0, to = 0] = cell?.interval ?? [];
      const isLoose = cell?.unreliable === true || (to - from) / 2 > LOOSE * Math.abs(cell?.value ?? 0);
      const id = `DOSIMETER:${flow.get(`${datasetName}_${answer?.id}`)}(${version}.0.0)`;
      return [
        ...["dataflow", id, "I", answer?.statistic ?? "", answer?.column ?? ""],
        ...[...dimensions, row[after] ?? "", value, lower, upper],
        ...[agreedAt < 0 ? null : (row[agreedAt] ?? null), confidence, isLoose ? "U" : "A", "F"],
      ];
    }),
  );
}

const answerLabel = (answers: NonNullable<ReportedRelease["answers"]>, key: string): string =>
  answers.find(({ words }) => words?.columns[key]?.label !== undefined)?.words?.columns[key]?.label ?? key;
