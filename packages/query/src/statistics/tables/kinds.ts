import { memoized } from "@dosimeter/core/internal";
import { type Columns, levelOf, sharesIn, upFrom } from "./levels.ts";
import { type ColumnSet, columnsIn, within } from "./sets.ts";

/** Cells whose errors differ, each by its sum of squares; and which of these each cell is. */
export interface Kinds {
  readonly kinds: readonly number[];
  readonly kindOf: readonly number[];
}

/** Values of each column that lie on lines of other lengths: what each level adds to one of each kind, from all values together on, and the kind of each value. */
const unlikeIn = memoized(
  (columns: Columns) =>
    columns.map((_, at) => {
      const lengths = (of: number, value: number): string => {
        const { lines, lineOf } = levelOf(columns, of);
        const [line = 0, above] = [lineOf[value], columns[of]?.within];
        return `${lines[line]?.cells.length} ${above === undefined ? "" : lengths(above.column, line)}`;
      };
      const cells = Array.from({ length: columns[at]?.cells ?? 1 }, (__, value) => value);
      const paths = columns[at]?.within === undefined ? cells.map(() => "") : cells.map((value) => lengths(at, value));
      const unlike = [...new Set(paths)];
      const places = new Map(unlike.map((path, place) => [path, place]));
      const shares = [null, ...upFrom(columns, at)].map((level) => sharesIn(columns, at, level));
      const firsts = unlike.map((path) => paths.indexOf(path));
      return {
        shares: firsts.map((value) => shares.map((of) => of[value] ?? 0)),
        placeOf: paths.map((path) => places.get(path) ?? 0),
      };
    }),
  new WeakMap(),
);

// Strategies are tried by the hundred, and each asks for the errors of every table.
const partsOf = memoized((_: Columns) => new Map<ColumnSet, readonly ColumnSet[]>(), new WeakMap());

/** The errors of the cells of a table, each once, from the variance of each part by its number [M397, M420]. */
export function errorsOf(columns: Columns, table: ColumnSet, variances: Float64Array): readonly number[] {
  const parts = partsOf(columns);
  const sets = parts.get(table) ?? within(table, columns);
  parts.set(table, sets);
  let kinds = sets.map((set) => variances[set] ?? 0);
  // The first column is turned from levels to kinds of its values, and its place is then the last one.
  for (const at of columnsIn(table)) {
    const { shares = [] } = unlikeIn(columns)[at] ?? {};
    const rest = kinds.length / (shares[0]?.length ?? 1);
    const turned: number[] = [];
    for (let other = 0; other < rest; other++)
      for (const of of shares) {
        let sum = 0;
        for (let level = 0; level < of.length; level++) sum += (of[level] ?? 0) * (kinds[level * rest + other] ?? 0);
        turned.push(sum);
      }
    kinds = turned;
  }
  return kinds;
}

export function kindsOf(columns: Columns, table: ColumnSet, variances: Float64Array): Kinds {
  let kindOf: readonly number[] = [0];
  for (const at of columnsIn(table)) {
    const { shares = [], placeOf = [] } = unlikeIn(columns)[at] ?? {};
    kindOf = kindOf.flatMap((kind) => placeOf.map((place) => kind * shares.length + place));
  }
  return { kinds: errorsOf(columns, table, variances), kindOf };
}
