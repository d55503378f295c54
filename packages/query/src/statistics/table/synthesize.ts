import { formatPeriod, invalid } from "@dosimeter/core";
import { csvField } from "@dosimeter/core/internal";
import type { Key } from "../../declaration/key.ts";
import type { ReleasedColumn, ReleasedTable } from "../released.ts";
import { type EstimatedTable, estimate } from "./estimate.ts";

/** The most rows of one made-up table. */
export const MAX_SYNTHETIC_ROWS = 10_000_000;
/** Rows of one piece of a file. */
const PIECE = 4096;

export interface SyntheticRequest {
  /** How many rows; as many as the table seems to have when absent. */
  readonly rows?: number | undefined;
  /** The same seed gives the same rows; 0 when absent. */
  readonly seed?: number | undefined;
}

export interface SyntheticCells {
  readonly rows: number;
  readonly columns: readonly Uint16Array[];
}

/** A small generator for made-up rows: no secret depends on it. It gives 32 bits. */
function generator(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let z = Math.imul(state ^ (state >>> 15), 1 | state);
    z = (z + Math.imul(z ^ (z >>> 7), 61 | z)) ^ z;
    return (z ^ (z >>> 14)) >>> 0;
  };
}

/**
 * Made-up rows from released counts alone: free, and the same for the same seed on every machine. Each column gets its values so that each
 * count is off by less than 1, given the column before it in the forest; columns that no pair joins are independent. [M203]
 */
export function syntheticCells(table: ReleasedTable, { rows: asked, seed = 0 }: SyntheticRequest = {}): SyntheticCells {
  if (!Number.isSafeInteger(seed) || seed < 0 || seed >= 2 ** 32)
    invalid("seed", seed, "a whole number from 0 below 2^32");
  const estimated = estimate(table);
  const rows = asked ?? Math.min(estimated.rows, MAX_SYNTHETIC_ROWS);
  if (!Number.isSafeInteger(rows) || rows < 1 || rows > MAX_SYNTHETIC_ROWS)
    invalid("rows", asked, `a whole number from 1 to ${MAX_SYNTHETIC_ROWS}`);
  const random = generator(seed);
  const columns = table.columns.map(() => new Uint16Array(rows));
  const done = new Set<number>();
  const everyone = Uint32Array.from({ length: rows }, (_, row) => row);
  const fill = (at: number, from: number | null): void => {
    done.add(at);
    const column = columns[at] ?? new Uint16Array(0);
    if (from === null) giveValues(everyone.slice(), estimated.columns[at] ?? [], column, random);
    else
      partsOf(columns[from] ?? column, estimated.columns[from]?.length ?? 0).forEach((part, value) => {
        giveValues(part, givenOf(estimated, { at, from, value }), column, random);
      });
    for (const { columns: pair } of estimated.pairs) {
      const [a, b] = pair;
      const next = a === at ? b : b === at ? a : at;
      if (!done.has(next)) fill(next, at);
    }
  };
  table.columns.forEach((_, at) => {
    if (!done.has(at)) fill(at, null);
  });
  keepPossible(columns, { table, estimated, random });
  return { rows, columns };
}

/**
 * Rows that are what no row can be get another value in one column [M206]. Facts form a forest: from each root outwards a column is changed by
 * the one fact that leads to it, before those that lead on, so that at the end no row breaks any.
 */
function keepPossible(
  columns: readonly Uint16Array[],
  {
    table,
    estimated,
    random,
  }: { readonly table: ReleasedTable; readonly estimated: EstimatedTable; readonly random: () => number },
): void {
  const { impossible = [] } = table;
  const done = new Set<number>();
  const follow = (from: number): void => {
    done.add(from);
    for (const { columns: pair, cells } of impossible) {
      const [a, b] = pair;
      const at = a === from ? b : b === from ? a : from;
      if (done.has(at)) continue;
      const [values, others] = [columns[at] ?? new Uint16Array(0), columns[from] ?? new Uint16Array(0)];
      const width = table.columns[b]?.counts.length ?? 1;
      const never = new Set(cells);
      const isNever = (value: number, other: number): boolean =>
        never.has(a === at ? value * width + other : other * width + value);
      values.forEach((value, row) => {
        const other = others[row] ?? 0;
        if (isNever(value, other))
          values[row] = drawn(
            givenOf(estimated, { at, from, value: other }).map((count, each) => (isNever(each, other) ? null : count)),
            random() / 2 ** 32,
          );
      });
      follow(at);
    }
  };
  table.columns.forEach((_, at) => {
    if (!done.has(at)) follow(at);
  });
}

/** A place by its count, or the first that is possible where all have 0; null is none. */
function drawn(counts: readonly (number | null)[], share: number): number {
  const total = counts.reduce<number>((sum, count) => sum + (count ?? 0), 0);
  let left = share * total;
  let last = counts.findIndex((count) => count !== null);
  for (const [at, count] of counts.entries()) {
    if (count === null || count <= 0) continue;
    last = at;
    left -= count;
    if (left < 0) break;
  }
  return last;
}

/** The counts of a column where another one has a value. */
function givenOf(
  { columns, pairs }: EstimatedTable,
  { at, from, value }: { readonly at: number; readonly from: number; readonly value: number },
): readonly number[] {
  const pair = pairs.find(({ columns: [a, b] }) => (a === from && b === at) || (a === at && b === from));
  const own = columns[at] ?? [];
  const others = columns[from]?.length ?? 0;
  const counts = own.map(
    (_, cell) =>
      (pair?.columns[0] === from ? pair.counts[value * own.length + cell] : pair?.counts[cell * others + value]) ?? 0,
  );
  return counts.some((count) => count > 0) ? counts : own;
}

function partsOf(column: Uint16Array, values: number): readonly Uint32Array[] {
  const sizes = new Uint32Array(values);
  for (const value of column) sizes[value] = (sizes[value] ?? 0) + 1;
  const parts = Array.from(sizes, (size) => new Uint32Array(size));
  const next = new Uint32Array(values);
  column.forEach((value, row) => {
    const part = parts[value];
    const place = next[value] ?? 0;
    if (part !== undefined) part[place] = row;
    next[value] = place + 1;
  });
  return parts;
}

/** Gives these rows values so that each is off by less than 1: the fractions go by systematic sampling from one random start. */
function giveValues(rows: Uint32Array, counts: readonly number[], column: Uint16Array, random: () => number): void {
  for (let at = rows.length - 1; at > 0; at--) {
    const other = Math.floor((random() / 2 ** 32) * (at + 1));
    const kept = rows[at] ?? 0;
    rows[at] = rows[other] ?? 0;
    rows[other] = kept;
  }
  const total = counts.reduce((sum, count) => sum + count, 0);
  const start = random() / 2 ** 32;
  let [upTo, place] = [0, 0];
  counts.forEach((count, value) => {
    upTo += count;
    const end =
      value === counts.length - 1
        ? rows.length
        : Math.min(rows.length, Math.floor((upTo / total) * rows.length + start));
    for (; place < end; place++) column[rows[place] ?? 0] = value;
  });
}

/** A value in a cell: itself where the cell is one value, else any place in its bin; null where it misses. */
function valueIn({ bins, type, calendar, granularity }: ReleasedColumn, cell: number, share: number): Key | null {
  const bin = bins[cell];
  if (bin === undefined) return null;
  if ("value" in bin) return bin.value;
  if (type === "number") {
    const value = bin.lower + share * (bin.upper - bin.lower);
    const step = granularity ?? (bin.upper - bin.lower) / 1000;
    const rounded = Number((bin.lower + Math.floor((value - bin.lower) / step) * step).toPrecision(15));
    // Where bins are narrow for their size, rounding may leave them [M206].
    return rounded >= bin.lower && rounded < bin.upper ? rounded : bin.lower;
  }
  const whole = bin.lower + Math.floor(share * (bin.upper - bin.lower + 1));
  return calendar === undefined ? whole : formatPeriod(whole, calendar);
}

const field = (value: Key | null): string =>
  typeof value === "string" ? csvField(value) : value === null ? "" : String(value);

/** Bytes of UTF-8 that one made-up row has at most. */
export const longestLine = ({ columns }: ReleasedTable): number =>
  columns.reduce(
    (sum, { bins }) =>
      sum +
      1 +
      bins.reduce((most, bin) => Math.max(most, "value" in bin ? 3 * field(bin.value).length : NUMBER_LENGTH), 0),
    0,
  );
/** Of a number of 15 digits with sign, point and exponent, and of a date. */
const NUMBER_LENGTH = 22;

/** Values of made-up rows, column by column, in pieces of this many rows; the values do not depend on it. */
export function* syntheticValues(
  table: ReleasedTable,
  request: SyntheticRequest,
  piece: number,
): Generator<readonly (readonly (Key | null)[])[], void> {
  const { rows, columns } = syntheticCells(table, request);
  // Values within bins have a generator of their own, so that they do not depend on how the cells were drawn.
  const random = generator(((request.seed ?? 0) ^ 0x5eed) >>> 0);
  for (let from = 0; from < rows; from += piece) {
    const values = table.columns.map((): (Key | null)[] => []);
    for (let row = from; row < Math.min(rows, from + piece); row++)
      table.columns.forEach((column, at) => {
        values[at]?.push(valueIn(column, columns[at]?.[row] ?? 0, random() / 2 ** 32));
      });
    yield values;
  }
}

/** A made-up table as the pieces of a CSV file, header first. A missing value is empty; of a single column `""`, as readers skip empty lines. */
export function* syntheticCsv(table: ReleasedTable, request: SyntheticRequest = {}): Generator<string, void> {
  const isAlone = table.columns.length === 1;
  const textOf = (value: Key | null): string => (value === null && isAlone ? '""' : field(value));
  yield `${table.columns.map(({ name }) => field(name)).join(",")}\n`;
  for (const columns of syntheticValues(table, request, PIECE)) {
    let piece = "";
    for (let row = 0; row < (columns[0]?.length ?? 0); row++)
      piece += `${columns.map((values) => textOf(values[row] ?? null)).join(",")}\n`;
    yield piece;
  }
}
