import { invalid } from "@dosimeter/core";
import type { Declaration } from "../../declaration/declaration.ts";
import { holds } from "../../declaration/holds.ts";
import { fewFacts, TWO_COLUMNS } from "../../declaration/impossible.ts";
import type { Key } from "../../declaration/key.ts";
import {
  comparedWith,
  inPeriods,
  type Predicate,
  predicateColumns,
  predicateText,
} from "../../declaration/predicate.ts";
import { readPredicate } from "../../declaration/predicate-text.ts";
import type { ImpossibleCells, TableColumn } from "../../plan/task.ts";
import { Forest } from "./forest.ts";

/** Of one fact: the values that it compares with. */
const MAX_COMPARED = 32;
/** Of one fact: the combinations of values at which it is evaluated. */
const MAX_EVALUATED = 50_000;

interface Place {
  readonly declaration: Declaration;
  readonly path: string;
  /** What ends inside a bin is refused, unless a fact is the owner's: then a bin is impossible where all of it is. */
  readonly isOwners?: true;
  /** About rows as they are stored: an outer bin holds values beyond, and the cell of what misses those that are not declared [M421]. */
  readonly areStored?: true;
  /** Whether facts about these columns are used; evaluating one takes time. */
  readonly isUsed?: (columns: readonly [number, number]) => boolean;
}

/** A value that no declaration names. */
const OTHER = Number.NaN;

/**
 * What no row can be, as cells of pairs of columns [M206]. The pairs make no circle and every value keeps one that it can be with, so that each
 * value of a column is completed to a row without looking back.
 */
export function impossibleCells(
  given: unknown,
  columns: readonly TableColumn[],
  { declaration, path }: Place,
): readonly ImpossibleCells[] {
  const predicate = readPredicate(given, declaration, path);
  const all = cellsOfFacts(fewFacts(predicate, path), columns, { declaration, path });
  const forest = new Forest(columns.length);
  for (const each of all) {
    if (!forest.join(each.columns))
      invalid(path, predicateText(predicate), "facts about pairs of columns that make no circle");
    checkSupport(each, columns, path);
  }
  return all;
}

/** The cells of facts about pairs of these columns, all facts about one pair together. */
export function cellsOfFacts(
  facts: readonly Predicate[],
  columns: readonly TableColumn[],
  place: Place,
): readonly ImpossibleCells[] {
  const found = new Map<string, ImpossibleCells>();
  for (const fact of facts) {
    const next = cellsOf(fact, columns, place);
    const known = found.get(next.columns.join());
    found.set(
      next.columns.join(),
      known === undefined
        ? next
        : {
            ...next,
            cells: [...new Set([...known.cells, ...next.cells])].sort((a, b) => a - b),
            says: `${known.says} or ${next.says}`,
          },
    );
  }
  return [...found.values()];
}

/** Every value of both columns is possible with one of the other: else no row could have it. */
function checkSupport(
  { columns: [a, b], cells, says }: ImpossibleCells,
  columns: readonly TableColumn[],
  path: string,
): void {
  const width = columns[b]?.cells ?? 1;
  for (const [at, of, others] of [
    [a, (cell: number) => Math.floor(cell / width), width],
    [b, (cell: number) => cell % width, columns[a]?.cells ?? 1],
  ] as const) {
    const gone = new Map<number, number>();
    for (const cell of cells) gone.set(of(cell), (gone.get(of(cell)) ?? 0) + 1);
    for (const [value, count] of gone)
      if (count === others)
        invalid(
          path,
          says,
          `one that leaves each value possible: no row could have ${columns[at]?.name} ${labelOf(columns[at], value)}`,
        );
  }
}

const labelOf = (column: TableColumn | undefined, cell: number): string => column?.bins[cell]?.label ?? "missing";

function cellsOf(
  fact: Predicate,
  columns: readonly TableColumn[],
  { declaration, path, isOwners, areStored, isUsed }: Place,
): ImpossibleCells {
  const says = predicateText(fact);
  const names = [...new Set(predicateColumns(fact))];
  const places = names.map((name) => {
    const at = columns.findIndex((column) => column.name === name);
    return at < 0 ? invalid(path, name, "about columns of the table") : at;
  });
  const [a, b] = places.toSorted((x, y) => x - y);
  if (a === undefined || b === undefined || places.length !== 2) return invalid(path, says, TWO_COLUMNS);
  const [first, second] = [columns[a], columns[b]];
  if (first === undefined || second === undefined) return invalid(path, says, "about columns of the table");
  const numbers = inPeriods(fact, declaration);
  if (isOwners !== true && comparedWith(numbers).length > MAX_COMPARED)
    return invalid(path, says, `at most ${MAX_COMPARED} values compared with`);
  const [left, right] = [first, second].map((column) => {
    const compared = comparedWith(numbers, column.name);
    return areStored === true ? storedPointsOf(column, compared) : pointsOf(column, compared);
  });
  const size = (points: readonly (readonly unknown[])[] = []): number =>
    points.reduce((sum, each) => sum + each.length, 0);
  if (isUsed?.([a, b]) === false || size(left) * size(right) > MAX_EVALUATED)
    return isOwners === true
      ? { columns: [a, b], cells: [], says }
      : invalid(path, says, "about columns with fewer values: give fewer bins");
  const cells = (left ?? []).flatMap((xs, i) =>
    (right ?? []).flatMap((ys, j) => {
      const isSo = xs.flatMap((x) => ys.map((y) => holds(numbers, { [first.name]: x, [second.name]: y })));
      const isMissing = i === first.bins.length || j === second.bins.length;
      if (isOwners !== true && !isMissing && new Set(isSo).size > 1)
        invalid(
          path,
          says,
          `one that ends where bins end: part of ${first.name} ${labelOf(first, i)}, ${second.name} ${labelOf(second, j)} would be possible`,
        );
      return isSo.every(Boolean) ? [i * second.cells + j] : [];
    }),
  );
  return { columns: [a, b], cells, says };
}

/**
 * Of each cell values that stand for all that a made-up row may have: a comparison changes at what it compares with alone. A bin of numbers
 * ends before its upper edge.
 */
export function pointsOf(
  { bins, type, hasMissing }: Pick<TableColumn, "bins" | "type" | "hasMissing">,
  compared: readonly Key[],
): readonly (readonly (Key | null)[])[] {
  const edges = compared.filter((value) => typeof value === "number");
  const cells = bins.map((bin): readonly Key[] => {
    if ("value" in bin) return [bin.value];
    const { lower, upper } = bin;
    if (type !== "number") {
      const near = edges.flatMap((edge) => [Math.ceil(edge) - 1, Math.ceil(edge), Math.floor(edge) + 1]);
      return [...new Set([lower, upper, ...near.filter((value) => value > lower && value < upper)])];
    }
    const inside = [...new Set(edges.filter((edge) => edge > lower && edge < upper))].sort((a, b) => a - b);
    const ends = [lower, ...inside, upper];
    return [
      lower,
      ...inside,
      ...inside.map((edge, at) => (edge + (ends[at] ?? edge)) / 2),
      ((ends.at(-2) ?? lower) + upper) / 2,
    ];
  });
  return hasMissing ? [...cells, [null]] : cells;
}

/** The same of stored values, which are in an outer bin also where they lie beyond it, and of which those that are not declared count as missing. */
function storedPointsOf(column: TableColumn, compared: readonly Key[]): readonly (readonly (Key | null)[])[] {
  const edges = compared.filter((value) => typeof value === "number");
  const bins = column.bins.map((bin, at) => {
    if ("value" in bin) return bin;
    const lower = at === 0 ? Math.min(bin.lower, ...edges) - 1 : bin.lower;
    const upper = at === column.bins.length - 1 ? Math.max(bin.upper, ...edges) + 1 : bin.upper;
    return { ...bin, lower, upper };
  });
  const cells = pointsOf({ ...column, bins, hasMissing: false }, compared);
  if (!column.hasMissing) return cells;
  const others = column.type === "category" || column.type === "text" ? [OTHER] : [];
  // Who has no county may have any state.
  return [...cells, [null, ...others, ...(column.isLevel === true ? cells.flat() : [])]];
}
