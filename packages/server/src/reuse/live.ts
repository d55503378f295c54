import { PrivacyError } from "@dosimeter/core";
import type { Declaration } from "@dosimeter/query/declaration";
import type { BoundedPlan } from "@dosimeter/query/plan";
import { isLive } from "@dosimeter/query/source";
import type { Way } from "@dosimeter/reuse";

const ONE = "The table stays in its database and may have changed since: the answer is about its rows of that time.";
const SEVERAL =
  "The table stays in its database: these were released at different times, and if it changed in between, the interval says less.";

/** Offers about a live table: draws of different times are never averaged, and combined only by explicit choice. */
export function asLive(ways: readonly Way[], declaration: Declaration): readonly Way[] {
  if (!isLive(declaration.source)) return ways;
  return ways.filter(({ kind }) => kind !== "pooled" && kind !== "refined").map((way) => withTimes(way, declaration));
}

/** The chosen offer with a note that the rows of a live table may have changed. */
export function withTimes(way: Way, declaration: Declaration): Way {
  if (!isLive(declaration.source)) return way;
  const isOne = way.fresh === null && new Set(way.from.map(({ release }) => release)).size === 1;
  return { ...way, asAccurate: way.asAccurate && isOne, notes: [...way.notes, isOne ? ONE : SEVERAL] };
}

/** UNSUPPORTED_QUERY for new draws from an earlier version of a live table, whose rows are gone. */
export function refuseEarlierRows(version: number, newest: number, name = "body.asOf"): void {
  if (version < newest)
    throw new PrivacyError("UNSUPPORTED_QUERY", {
      name,
      got: version,
      want: "answers that were released then: the table stays in its database, and its rows of then are gone",
    });
}

/** The same for rows of the table that a plan joins: it lies in the same database. */
export function refuseEarlierJoin(
  fresh: Pick<BoundedPlan, "statistics">,
  source: Declaration["source"],
  newest: number,
): void {
  if (!isLive(source)) return;
  for (const { join } of fresh.statistics)
    if (join !== undefined) refuseEarlierRows(join.version, newest, "join.version");
}
