import { memoized } from "@dosimeter/core/internal";
import { type Columns, levelOf, sharesIn, upFrom } from "./levels.ts";
import { type ColumnSet, columnsIn, within } from "./sets.ts";

/** Cells whose errors differ, each by its sum of squares; and which of these each cell is. */
export interface Kinds {
  readonly kinds: readonly number[];
  readonly kindOf: readonly number[];
}

/** Values of each column that lie on lines of other lengths: the first one of each kind, and the kind of each value. */
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
      return {
        firsts: unlike.map((path) => paths.indexOf(path)),
        placeOf: paths.map((path) => places.get(path) ?? 0),
      };
    }),
  new WeakMap(),
);

/** The errors of the cells of a table, each once, from the variance of each part by its number [M397, M420]. */
export function errorsOf(columns: Columns, table: ColumnSet, variances: Float64Array): readonly number[] {
  let kinds: readonly number[] = within(table, columns).map((set) => variances[set] ?? 0);
  // The first column is turned from levels to kinds of its values, and its place is then the last one.
  for (const at of columnsIn(table)) {
    const { firsts = [] } = unlikeIn(columns)[at] ?? {};
    const shares = [null, ...upFrom(columns, at)].map((level) => sharesIn(columns, at, level));
    const turned = kinds;
    const rest = turned.length / shares.length;
    kinds = Array.from({ length: rest }, (_, other) =>
      firsts.map((value) =>
        shares.reduce((sum, of, level) => sum + (of[value] ?? 0) * (turned[level * rest + other] ?? 0), 0),
      ),
    ).flat();
  }
  return kinds;
}

export function kindsOf(columns: Columns, table: ColumnSet, variances: Float64Array): Kinds {
  let kindOf: readonly number[] = [0];
  for (const at of columnsIn(table)) {
    const { firsts = [], placeOf = [] } = unlikeIn(columns)[at] ?? {};
    kindOf = kindOf.flatMap((kind) => placeOf.map((place) => kind * firsts.length + place));
  }
  return { kinds: errorsOf(columns, table, variances), kindOf };
}
