import { formatPeriod, invalid } from "@dosimeter/core";
import { unitOfDates } from "../../declaration/dates.ts";
import type { Column, Declaration } from "../../declaration/declaration.ts";
import type { Key } from "../../declaration/key.ts";
import type { ColumnBins } from "./column-bins.ts";

/** An answer, as far as bins follow from it. */
export interface AnswerForBins {
  readonly id: string;
  readonly statistic: string;
  readonly column: string | null;
  readonly groupBy: readonly string[];
  readonly cells: readonly {
    readonly group: Readonly<Record<string, Key | null>>;
    readonly bin?: object | undefined;
    readonly value: number;
    readonly consistent?: { readonly value: number } | undefined;
  }[];
}

interface ReleaseForBins {
  readonly id: string;
  readonly dataset: string;
  readonly answers: readonly AnswerForBins[] | null;
}

const QUANTILES: readonly string[] = ["quantiles", "median"];
/** Statistics of which a release may give bins: edges from quantiles, values from keys that were found. */
export const givesBins = ({ statistics }: { readonly statistics: readonly string[] }): boolean =>
  statistics.some((name) => QUANTILES.includes(name) || name === "keyCounts" || name === "topValues");

/**
 * Bins of columns from what was released of them: quantiles become edges, found keys the texts that count. They are public, so bins from
 * them cost nothing [M207]. Throws where the release is of another dataset, has no answers yet, or has none that fits.
 */
export function releasedBins(
  { id, dataset, answers }: ReleaseForBins,
  {
    of,
    declaration,
    only,
    path,
  }: {
    readonly of: string;
    readonly declaration: Pick<Declaration, "columns">;
    /** This column; all that the release has something of when absent. */
    readonly only?: string;
    readonly path: string;
  },
): Readonly<Record<string, ColumnBins>> {
  if (dataset !== of) return invalid(path, id, "a release of the same dataset");
  if (answers === null) return invalid(path, id, "a release whose answers are there");
  const found = answers.flatMap((answer) =>
    Object.entries(declaration.columns).flatMap(([name, column]) => {
      if (only !== undefined && name !== only) return [];
      const bins = binsOfAnswer(answer, { name, column, path });
      return bins === null ? [] : [[name, bins] as const];
    }),
  );
  if (found.length === 0)
    return invalid(
      path,
      id,
      `a release with quantiles${only === undefined ? "" : ` of ${only}`}, not by group, or found keys of a text column`,
    );
  // Of several answers about one column the first counts.
  return Object.fromEntries(found.toReversed());
}

function binsOfAnswer(
  { statistic, column: of, groupBy, cells }: AnswerForBins,
  { name, column, path }: { readonly name: string; readonly column: Column; readonly path: string },
): ColumnBins | null {
  if (column.type === "text" && groupBy.length === 1 && groupBy[0] === name) {
    const keys = [...new Set(cells.map(({ group }) => group[name]))].filter((key) => typeof key === "string");
    return keys.length === 0 ? null : keys;
  }
  const isOrdered = column.type === "integer" || column.type === "number" || column.type === "date";
  if (!isOrdered || of !== name || groupBy.length > 0 || !QUANTILES.includes(statistic)) return null;
  return edgesFrom(byShare(cells), column, path);
}

/** Released quantiles, the smallest share first. */
const byShare = (cells: AnswerForBins["cells"]): readonly number[] =>
  cells
    .map(({ bin, value, consistent }) => ({
      share: bin !== undefined && "value" in bin ? Number(bin.value) : 0.5,
      value: consistent?.value ?? value,
    }))
    .sort((a, b) => a.share - b.share)
    .map(({ value }) => value);

/** The declared bounds and the quantiles between them; quantiles that are the same value are one edge. */
function edgesFrom(quantiles: readonly number[], column: Column, path: string): readonly (number | string)[] | null {
  quantiles.forEach((value, at) => {
    const before = quantiles[at - 1];
    if (before !== undefined && value < before)
      invalid(path, value, `a quantile >= the one of a smaller share (${before})`);
  });
  const { lower, upper, type } = column;
  const inside = quantiles
    .map((value) => (type === "number" ? value : Math.round(value)))
    .filter((value) => (lower === undefined || value > lower) && (upper === undefined || value < upper));
  const edges = [...new Set([lower ?? [], inside, upper ?? []].flat())];
  if (edges.length < 2) return null;
  return type === "date" ? edges.map((edge) => formatPeriod(edge, unitOfDates(column))) : edges;
}
