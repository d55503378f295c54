import { answerCalendar } from "@dosimeter/query/answer";
import type { Column, Declaration, Formula } from "@dosimeter/query/declaration";
import type { StatisticRequest } from "@dosimeter/query/statistics";
import { type Reads, signatureOf } from "./aggregates.ts";
import { namesOf } from "./grouping-sets.ts";
import { type Bound, boundCondition, type Kind } from "./having.ts";
import type { SqlOrder } from "./query.ts";
import { named, refuseAt } from "./refusal.ts";
import type { Scope } from "./scope.ts";

/** A column of the result: a group, an answer, or an end of an answer's interval. */
type ColumnOf<Row> = { readonly name: string } & (
  | { readonly is: "group"; readonly column: string }
  | { readonly is: "value" | "low" | "high"; readonly row: Row; readonly reads: Reads; readonly asked: string }
);

/** A column as it was written, with the row of the plan that answers it. */
export type ColumnSource = ColumnOf<{ readonly id: string; readonly request: StatisticRequest }>;

/** With the id of its row, and what its values are; `isText`: they are shown as texts, next to one that says that there is none. */
export type SqlColumn = ColumnOf<string> & { readonly kind: Kind; readonly isText?: true };

/** How the answers of one statement become a table. Everything in it reads released values only, so it costs nothing. */
export interface SqlTable {
  readonly columns: readonly SqlColumn[];
  readonly groupBy: readonly string[];
  /** The columns of each grouping that is shown, where there are several. */
  readonly sets: readonly (readonly string[])[] | null;
  /** Over the places of columns, from 0, as names. */
  readonly having: Formula | null;
  readonly orderBy: readonly { readonly place: number; readonly isDescending: boolean; readonly nullsFirst: boolean }[];
  readonly limit: number | null;
  readonly offset: number;
  /** Whether noisy values decide which rows are shown, or which come first. */
  readonly isPicked: boolean;
}

interface Written {
  readonly columns: readonly ColumnSource[];
  readonly groupBy: readonly string[];
}

/** Binds HAVING, ORDER BY and LIMIT to the columns of the result. */
export function tableOf(scope: Scope, { columns: sources, groupBy }: Written, whole: Declaration): SqlTable {
  const { statement, query } = scope;
  const columns = sources.map((source): SqlColumn => {
    const kind = kindOf(source, whole);
    if (source.is !== "group") return { ...source, row: source.row.id, kind };
    const mayMiss = statement.sets !== null && whole.columns[source.column]?.required !== true;
    return { ...source, kind, ...(mayMiss ? { isText: true } : {}) };
  });
  const placeOf = placesOf(scope, columns);
  const used = new Set<number>();
  const read = (place: number, at: number): Kind => {
    const column = columns[place];
    if (column === undefined)
      return refuseAt(query.source, at, `there is no column ${place + 1}; SELECT has ${columns.length}`);
    if (column.kind === "list")
      return refuseAt(query.source, at, `${named(column.name)} has several values in each row, and no order`);
    if (column.is !== "group") used.add(place);
    return column.kind;
  };
  const bound = (formula: Formula, at: number): Bound | null => {
    if (!query.calls.has(formula) && !("column" in formula) && scope.derivedName(formula) === null) return null;
    const place = placeOf(formula, at, true);
    return { formula: { column: String(place) }, kind: read(place, at) };
  };
  const order = ({ term, isDescending, nullsFirst }: SqlOrder): SqlTable["orderBy"][number] => {
    const place = "place" in term ? term.place - 1 : placeOf(term.formula, term.at, false);
    read(place, term.at);
    return { place, isDescending, nullsFirst: nullsFirst ?? isDescending };
  };
  const having = statement.having === null ? null : boundCondition(statement.having, query, bound);
  const orderBy = new Map(
    statement.orderBy
      .map(order)
      .toReversed()
      .map((term) => [term.place, term]),
  );
  return {
    columns,
    groupBy,
    sets: statement.sets === null ? null : namesOf(statement.sets, groupBy),
    having,
    orderBy: [...orderBy.values()].toReversed(),
    limit: statement.limit,
    offset: statement.offset,
    isPicked: used.size > 0,
  };
}

/** Finds columns of the result: by their names first, then groups by what they are. */
function placesOf(scope: Scope, columns: readonly SqlColumn[]) {
  const { query } = scope;
  const byName = new Map(columns.map(({ name }, place) => [name.toLowerCase(), place]));
  const byGroup = new Map(
    columns.flatMap((column, place) => (column.is === "group" ? [[column.column.toLowerCase(), place]] : [])),
  );
  const byCall = new Map(columns.flatMap((column, place) => (column.is === "group" ? [] : [[column.asked, place]])));
  return (formula: Formula, at: number, isCondition: boolean): number => {
    const call = query.calls.get(formula);
    if (call !== undefined)
      return (
        byCall.get(signatureOf(call)) ??
        refuseAt(query.source, call.at, "only released values are read here; select this aggregate as well")
      );
    const written = "column" in formula ? formula.column : scope.derivedName(formula);
    const name = written?.toLowerCase() ?? "";
    const [alias, group] = [byName.get(name), byGroup.get(name)];
    const place = query.places.get(formula) ?? at;
    if (isCondition && alias !== undefined && group !== undefined && alias !== group)
      return refuseAt(query.source, place, `${named(name)} is a group and the name of another column; rename that one`);
    const found = alias ?? group;
    if (found !== undefined) return found;
    const words =
      written === null
        ? "compute with the answer"
        : `${named(written)} is not a column of the result; filter rows with WHERE`;
    return refuseAt(query.source, place, words);
  };
}

function kindOf(source: ColumnSource, whole: Declaration): Kind {
  if (source.is === "group") return kindOfColumn(whole.columns[source.column]);
  return source.reads === "all" ? "list" : (answerCalendar(source.row.request, whole) ?? "number");
}

function kindOfColumn(column: Column | undefined): Kind {
  if (column?.type === "date") return column.calendar ?? "day";
  if (column?.type === "boolean") return "boolean";
  if (column?.type === "category")
    return column.categories?.every((each) => typeof each === "number") ? "number" : "text";
  return column?.type === "text" || column === undefined ? "text" : "number";
}
