import type { TokenReader } from "@dosimeter/query/declaration";
import { hasKeys } from "@dosimeter/query/plan";
import type { StatisticRequest } from "@dosimeter/query/statistics";
import { acceptName } from "./expressions.ts";
import type { SqlTerm } from "./query.ts";
import { named, refuseAt } from "./refusal.ts";
import type { Scope } from "./scope.ts";

/** What a statement groups by; `sets`: of CUBE, ROLLUP and GROUPING SETS, the places of the terms of each grouping. */
export interface Grouping {
  readonly groupBy: readonly SqlTerm[];
  readonly sets: readonly (readonly number[])[] | null;
}

const MAX_UNITS = 12;
/** Each value is a group of its own, as SQL has it. */
const EVERY_VALUE = 10_000;

/** Reads CUBE (a, b), ROLLUP (a, b) or GROUPING SETS ((a), (a, b), ()); null where another term stands. A column of such a name is a term. */
export function readSets(
  reader: TokenReader,
  term: () => SqlTerm,
  source: string,
): Grouping | { readonly column: SqlTerm } | null {
  const { value, at } = reader.peek();
  const kind = (["cube", "rollup", "grouping"] as const).find((word) => acceptName(reader, word));
  if (kind === undefined) return null;
  const isList = kind === "grouping" ? acceptName(reader, "sets") : reader.is("symbol", "(");
  if (!isList) return { column: { at, formula: { column: value } } };
  const terms = new Map<string, SqlTerm>();
  const place = (): number => {
    const one = term();
    const name = JSON.stringify("place" in one ? one.place : one.formula);
    if (!terms.has(name)) terms.set(name, one);
    return [...terms.keys()].indexOf(name);
  };
  const list = <T>(one: () => T): readonly T[] => {
    reader.expect("symbol", "(");
    if (reader.accept("symbol", ")")) return [];
    const all = [one()];
    while (reader.accept("symbol", ",")) all.push(one());
    reader.expect("symbol", ")");
    return all;
  };
  const units = list(() => (reader.is("symbol", "(") ? list(place) : [place()]));
  if (kind !== "grouping" && units.length > MAX_UNITS)
    return refuseAt(source, at, `${kind.toUpperCase()} has at most ${MAX_UNITS} parts`);
  if (reader.is("symbol", ","))
    return refuseAt(
      source,
      reader.peek().at,
      "CUBE, ROLLUP and GROUPING SETS stand alone; put all columns into one of them",
    );
  const sets =
    kind === "grouping"
      ? units
      : kind === "rollup"
        ? Array.from({ length: units.length + 1 }, (_, count) => units.slice(0, count).flat())
        : Array.from({ length: 2 ** units.length }, (_, bits) =>
            units.flatMap((unit, bit) => ((bits >> bit) & 1 ? unit : [])),
          );
  return { groupBy: [...terms.values()], sets };
}

/** A count, or a sum, by several groupings: one set of tables, which agree. */
export function asTables(
  { statistic, ...request }: StatisticRequest,
  {
    groupBy,
    sets,
    at,
  }: { readonly groupBy: readonly string[]; readonly sets: NonNullable<Grouping["sets"]>; readonly at: number },
  { query, declaration }: Scope,
): StatisticRequest {
  const refuse = (message: string): never => refuseAt(query.source, at, message);
  const isCount = statistic === "count" && request.column === undefined;
  if (!isCount && statistic !== "sum")
    return refuse(
      "CUBE, ROLLUP and GROUPING SETS are read of COUNT(*) and SUM(column); write one SELECT for each grouping",
    );
  const undeclared = groupBy.find(
    (name) => Object.hasOwn(declaration.columns, name) && !hasKeys(declaration.columns[name]),
  );
  if (undeclared !== undefined)
    return refuse(
      `the values of ${named(undeclared)} are not declared; CUBE, ROLLUP and GROUPING SETS need those of each column`,
    );
  const tables = namesOf(sets, groupBy).filter((table) => table.length > 0);
  if (tables.length === 0) return refuse("a grouping has at least one column; leave out GROUP BY to count all rows");
  return { ...request, statistic: isCount ? "tables" : "tableSums", with: groupBy, tables, bins: EVERY_VALUE };
}

/** The columns of each grouping, each grouping once. */
export function namesOf(
  sets: NonNullable<Grouping["sets"]>,
  groupBy: readonly string[],
): readonly (readonly string[])[] {
  const found = sets.map((set) => groupBy.filter((_, place) => set.includes(place)));
  return [...new Map(found.map((names) => [JSON.stringify(names), names])).values()];
}
