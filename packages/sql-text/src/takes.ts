import {
  type Declaration,
  type Formula,
  type JoinedColumn,
  type Predicate,
  predicateText,
} from "@dosimeter/query/declaration";
import { MAX_JOIN_TEXT } from "@dosimeter/query/join";
import type { SqlCall, SqlItem, SqlQuery, SqlStatement } from "./query.ts";
import { named, refuseAt } from "./refusal.ts";
import { allOf, checkedFilter, noDerived, predicateOf, type Scope, scopeOf } from "./scope.ts";

export const TAKES_USAGE = "(SELECT person, COUNT(*) AS visits FROM visits GROUP BY person)";

interface Take {
  readonly usage: string;
  /** Arguments, without what stands behind => . */
  readonly count: number;
  readonly take: (column: (index: number) => string) => JoinedColumn;
}

const extreme = (name: string, take: "min" | "max"): Take => ({
  usage: `${name}(column)`,
  count: 1,
  take: (column) => ({ take, column: column(0) }),
});
const placed = (name: string, take: "first" | "last"): Take => ({
  usage: `${name}(column, by)`,
  count: 2,
  take: (column) => ({ take, column: column(0), by: column(1) }),
});
/** Its argument is a condition, which says which rows count. */
const any: Take = { usage: "BOOL_OR(condition)", count: 1, take: () => ({ take: "any" }) };

/** What a subquery takes of the rows of a person, as databases call it. */
const TAKES: Readonly<Record<string, Take>> = {
  count: { usage: "COUNT(*) or COUNT(column)", count: 1, take: () => ({ take: "count" }) },
  sum: {
    usage: "SUM(column, contribution_bounds_per_group => (0, 5000)), with bounds of one person's total",
    count: 1,
    take: (column) => ({ take: "sum", column: column(0) }),
  },
  min: extreme("MIN", "min"),
  max: extreme("MAX", "max"),
  min_by: placed("MIN_BY", "first"),
  max_by: placed("MAX_BY", "last"),
  bool_or: any,
  logical_or: any,
  any_value: { usage: "ANY_VALUE(column)", count: 1, take: (column) => ({ take: "one", column: column(0) }) },
};

export const isTake = (name: string): boolean => Object.hasOwn(TAKES, name.toLowerCase());

/** The columns that a subquery takes of the rows of each person, and which rows it reads. Refused at its place. */
export function* takeSteps(rows: SqlStatement, query: SqlQuery, theirs: Declaration, unit: string) {
  const { source } = query;
  const derived = noDerived();
  const scope = scopeOf(query, rows, theirs, derived);
  const predicate = (formula: Formula, at: number): Predicate | null => {
    const read = predicateOf(formula, at, scope);
    if (derived.formulas.size > 0)
      return refuseAt(source, at, "rows of the other table are filtered by comparing its columns with values");
    return read === null ? null : checkedFilter(read, at, source, theirs);
  };
  refuseOtherGroups(rows, { scope, source, theirs, unit });
  const where = rows.where === null ? null : predicate(rows.where.formula, rows.where.at);
  const columns = new Map<string, { readonly at: number; readonly taken: JoinedColumn }>();
  let characters = 0;
  for (const { at, alias, what } of rows.items) {
    if (!("call" in what)) continue;
    yield;
    if (alias === null) return refuseAt(source, at, `give ${what.call.name.toUpperCase()} a name with AS`);
    const taken = takenBy(what.call, { source, scope, predicate, where });
    const name = alias.normalize("NFC");
    if (columns.has(name))
      return refuseAt(source, at, `two columns are called ${named(name)}; give each its own name with AS`);
    characters += String(taken.where ?? "").length;
    if (characters > MAX_JOIN_TEXT)
      return refuseAt(source, at, `the filters of a join have at most ${MAX_JOIN_TEXT} characters together`);
    columns.set(name, { at, taken });
  }
  if (columns.size === 0) return refuseAt(source, rows.at, `nothing is taken of a person's rows; write ${TAKES_USAGE}`);
  return { columns, where };
}

interface Reading {
  readonly source: string;
  readonly scope: Scope;
  readonly predicate: (formula: Formula, at: number) => Predicate | null;
  /** Of the whole subquery. */
  readonly where: Predicate | null;
}

function takenBy(call: SqlCall, { source, scope, predicate, where }: Reading): JoinedColumn {
  const { name, at, of, isStar, isDistinct, within, filter } = call;
  const { usage, count, take } = TAKES[name] ?? any;
  const given = of.flatMap((each) => ("formula" in each ? [each.formula] : []));
  const isCounted = name === "count" && isStar;
  if (isDistinct || within !== null || given.length !== of.length || given.length !== (isCounted ? 0 : count))
    return refuseAt(source, at, `write ${usage}`);
  const column = (index: number): string => {
    const resolved = scope.resolved(given[index] ?? { value: 0 });
    return "column" in resolved ? resolved.column : refuseAt(source, at, `a column stands in ${name.toUpperCase()}`);
  };
  const bounds = boundsOf(call, source, usage);
  const condition = (): Predicate | null => {
    const [first] = given;
    if (take === any.take && first !== undefined) return predicate(first, at) ?? refuseAt(source, at, `write ${usage}`);
    return name === "count" && !isStar ? { op: "not", of: { op: "isNull", column: column(0) } } : null;
  };
  const counts = allOf(where, filter === null ? null : predicate(filter, at), condition());
  if (name === "any_value" && counts !== null)
    return refuseAt(source, at, "ANY_VALUE reads one of all rows of a person; write FILTER (WHERE …) at the others");
  return { ...take(column), ...(counts === null ? {} : { where: predicateText(counts) }), ...bounds };
}

const BOUNDS = "contribution_bounds_per_group";

function boundsOf(
  { name, at, settings }: SqlCall,
  source: string,
  usage: string,
): Pick<JoinedColumn, "lower" | "upper"> {
  const [setting, ...others] = settings;
  if (setting === undefined) return name === "sum" ? refuseAt(source, at, `write ${usage}`) : {};
  const { value } = setting;
  const numbers = "list" in value ? value.list.flatMap((each) => ("number" in each ? [Number(each.number)] : [])) : [];
  const [lower, upper] = numbers;
  const isBounds = setting.name === BOUNDS && (name === "sum" || name === "count") && others.length === 0;
  if (isBounds && lower !== undefined && upper !== undefined && numbers.length === 2) return { lower, upper };
  return refuseAt(source, setting.at, `COUNT and SUM take ${BOUNDS} => (0, 20) here, and no other setting`);
}

/** A subquery has one line for each person: it selects who that is, and groups by nothing else. */
function refuseOtherGroups(
  { at, items, groupBy }: SqlStatement,
  {
    scope,
    source,
    theirs,
    unit,
  }: Pick<Reading, "scope" | "source"> & { readonly theirs: Declaration; readonly unit: string },
): void {
  const person = theirs.privacyUnit === "row" ? null : theirs.privacyUnit.column;
  const isPerson = (formula: Formula): boolean => {
    const resolved = scope.resolved(formula);
    return "column" in resolved && resolved.column === person;
  };
  const groups = items.filter((item): item is SqlItem & { what: { formula: Formula } } => "formula" in item.what);
  const [group, ...others] = groups;
  const [term, ...terms] = groupBy;
  const isGrouped =
    term !== undefined &&
    terms.length === 0 &&
    ("place" in term ? items[term.place - 1] === group : isPerson(term.formula));
  const isSelected =
    group !== undefined &&
    others.length === 0 &&
    isPerson(group.what.formula) &&
    (group.alias ?? person)?.toLowerCase() === unit.toLowerCase();
  if (isGrouped && isSelected) return;
  const as = person === unit ? unit : `${person} AS ${unit}`;
  refuseAt(
    source,
    at,
    `a subquery has one row for each ${unit}; write (SELECT ${as}, … FROM ${named(theirs.name)} GROUP BY ${person})`,
  );
}
