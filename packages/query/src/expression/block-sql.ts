import type { BlockRange } from "@dosimeter/core";
import { sql } from "kysely";
import { blockDates } from "../declaration/blocks.ts";
import type { Declaration } from "../declaration/declaration.ts";
import { type Dialect, type Fragment, integer } from "../dialect/dialect.ts";
import { withDerived } from "./derive.ts";
import { derivedSql, readerOf } from "./expression-sql.ts";

/** The block of a row by its own date, as BIGINT; NULL without a date. `read` gives a declared column. */
export function blockSql(dialect: Dialect, declaration: Declaration, read: (name: string) => Fragment): Fragment {
  const { name, column, every } = blockDates(declaration);
  const named = `block of ${name}`;
  const { columns } = withDerived({ columns: { [name]: column }, privacyUnit: "row" } as const, {
    [named]: { op: "cut", of: [{ column: name }, { value: every }] },
  });
  const block = columns[named];
  if (block?.derived === undefined) throw new RangeError("blocks are periods of a date");
  return derivedSql(dialect, block.derived, block, readerOf(read));
}

/** Whether a block is one of the window; never true of NULL. The block is computed once: of a timestamp its text is long. */
export function inWindow(dialect: Dialect, block: Fragment, window: readonly BlockRange[]): Fragment {
  const among = (value: Fragment): Fragment => isAmong(value, window);
  return window.length === 1 ? among(block) : dialect.once(block, "block", among);
}

const isAmong = (value: Fragment, window: readonly BlockRange[]): Fragment =>
  sql`(${sql.join(
    window.map(({ from, to }) => sql`${value} BETWEEN ${integer(from)} AND ${integer(to)}`),
    sql` OR `,
  )})`;

/**
 * Whether a person's cohort is one of the window. `blocks` selects (u, b), the person and the block of every row, and `cohort` is an
 * aggregate of b. A person without a block is in no cohort. [M170]
 */
export const inCohorts = (
  person: Fragment,
  blocks: Fragment,
  window: readonly BlockRange[],
  cohort: Fragment = sql`min(b)`,
): Fragment =>
  sql`${person} IN (SELECT u FROM (SELECT u, ${cohort} AS c FROM (${blocks}) AS d WHERE u IS NOT NULL GROUP BY u) AS e WHERE ${isAmong(sql`c`, window)})`;
