import { invalid } from "@dosimeter/core";
import { recordsOf } from "@dosimeter/core/internal";
import { type SettingTexts, settings } from "@dosimeter/planner";

/** A pasted line: settings of a row, with its price and target where given. */
export interface PastedRow {
  readonly texts: SettingTexts;
  readonly target: string;
  readonly error: string;
  readonly share: string;
}

const OTHER = ["target", "error", "share"] as const;
const names: Readonly<Record<string, string>> = {
  variable: "column",
  epsilon: "share",
  ε: "share",
  accuracy: "error",
  "error ±": "error",
  "target ±": "target",
  "share of ε": "share",
  "upper bound": "upper",
  "lower bound": "lower",
  "number of bins": "bins",
};

const headingOf = (heading: string): string =>
  names[heading] ?? settings.find(({ key }) => key.toLowerCase() === heading)?.key ?? heading;

/**
 * Rows of a spreadsheet: with a line of headings, its columns in any order; without one, statistic, column, lower, upper,
 * granularity, bins, error, share. Null for a text that is a single word. A row with more cells is refused.
 */
export function readTsv(text: string): readonly PastedRow[] | null {
  const refuse = (got: string, want: string) => invalid("this", got, want);
  const lines = [...recordsOf(text, { separator: "\t", refuse })]
    .map(({ line, cells }) => ({ line, cells: cells.map((cell) => cell.trim()) }))
    .filter(({ cells }) => cells.some((cell) => cell !== ""));
  const first = lines[0]?.cells;
  if (first === undefined || (lines.length === 1 && first.length === 1)) return null;
  const headings = first.map((cell) => headingOf(cell.toLowerCase()));
  const isHeaded = headings.includes("statistic");
  const order = isHeaded
    ? headings
    : ["statistic", "column", "lower", "upper", "granularity", "bins", "error", "share"];
  return (isHeaded ? lines.slice(1) : lines).map(({ line, cells: row }) => {
    const width = row.findLastIndex((cell) => cell !== "") + 1;
    if (width > order.length) invalid(`the number of cells in line ${line}`, width, `at most ${order.length}`);
    const all = Object.fromEntries(order.map((name, index) => [name, row[index] ?? ""]));
    const texts = Object.fromEntries(
      Object.entries(all).filter(([name, cell]) => cell !== "" && !(OTHER as readonly string[]).includes(name)),
    );
    return { texts, target: all.target ?? "", error: all.error ?? "", share: all.share ?? "" };
  });
}
