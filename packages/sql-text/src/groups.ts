import { present } from "@dosimeter/core/internal";
import { formulaText } from "@dosimeter/query/declaration";
import { hasKeys } from "@dosimeter/query/plan";
import { type StatisticRequest, statisticOf } from "@dosimeter/query/statistics";
import type { SqlItem, SqlTerm } from "./query.ts";
import { named, refuseAt } from "./refusal.ts";
import type { Scope } from "./scope.ts";
import type { Options } from "./settings.ts";

/** The columns that a statement groups by, derived under the names of columns of the result where these have one. */
export function* groupSteps(scope: Scope): Generator<void, readonly string[]> {
  const { items, groupBy } = scope.statement;
  const places = new Set<number>();
  const names = new Set<string>();
  const texts = new Set<string>();
  for (const term of groupBy) {
    if ("place" in term) places.add(term.place);
    else if ("column" in term.formula) names.add(term.formula.column.toLowerCase());
    else texts.add(formulaText(scope.resolved(term.formula)));
    yield;
  }
  const byAlias = new Map<string, SqlItem>();
  for (const [index, item] of items.entries()) {
    yield;
    if (!("formula" in item.what) || item.alias === null) continue;
    const { formula } = item.what;
    const alias = item.alias.toLowerCase();
    if (!byAlias.has(alias)) byAlias.set(alias, item);
    if (
      places.has(index + 1) ||
      names.has(alias) ||
      ("op" in formula && texts.has(formulaText(scope.resolved(formula))))
    )
      scope.columnOf(formula, item.at, item.alias);
  }
  const columns: string[] = [];
  for (const term of groupBy) {
    columns.push(groupOf(term, byAlias, scope));
    yield;
  }
  return columns;
}

function groupOf(term: SqlTerm, byAlias: ReadonlyMap<string, SqlItem>, scope: Scope): string {
  const { statement, query } = scope;
  if ("place" in term) {
    const item = statement.items[term.place - 1];
    if (item === undefined)
      return refuseAt(query.source, term.at, `there is no column ${term.place}; SELECT has ${statement.items.length}`);
    if (!("formula" in item.what))
      return refuseAt(query.source, term.at, `column ${term.place} is an aggregate; group by a column`);
    return scope.columnOf(item.what.formula, item.at, item.alias);
  }
  const { formula } = term;
  const item =
    "column" in formula && !scope.isColumn(formula.column) ? byAlias.get(formula.column.toLowerCase()) : null;
  if (item != null && "formula" in item.what) return scope.columnOf(item.what.formula, item.at, item.alias);
  return scope.columnOf(formula, term.at);
}

export const isKeyed = ({ statistic }: StatisticRequest): boolean => statisticOf(statistic).column === "key";

/** Whether all a row asks for is how many people there are, which finding the groups tells for nothing more. */
export const isCountOfUnits = ({ statistic, where: _, ...others }: StatisticRequest, { declaration }: Scope): boolean =>
  (statistic === "distinctUnits" ||
    (statistic === "count" && declaration.privacyUnit === "row" && others.column === undefined)) &&
  Object.keys(others).every((key) => key === "epsilon" || key === "rho");

/** The groups of a row; those of people by value are the values of its column. */
export function groupsIn(request: StatisticRequest, groupBy: readonly string[]): Pick<StatisticRequest, "groupBy"> {
  const isOwn = isKeyed(request) && groupBy.length === 1 && groupBy[0] === request.column;
  return groupBy.length === 0 || isOwn ? {} : { groupBy };
}

export function findsGroups(
  groupBy: readonly string[],
  { finds, at }: Options,
  { query, declaration, statement }: Scope,
): boolean {
  const undeclared = groupBy.find(
    (name) => Object.hasOwn(declaration.columns, name) && !hasKeys(declaration.columns[name]),
  );
  if (finds === false && undeclared !== undefined)
    return refuseAt(
      query.source,
      at.group_selection_strategy ?? statement.at,
      `the values of ${undeclared} are not declared; find them with LAPLACE_THRESHOLD`,
    );
  const isFinding = groupBy.length > 0 && (finds === true || undeclared !== undefined);
  if (!isFinding && at.min_privacy_units_per_group !== undefined)
    return refuseAt(
      query.source,
      at.min_privacy_units_per_group,
      "min_privacy_units_per_group is of groups that are found in rows; find these with group_selection_strategy = LAPLACE_THRESHOLD, or keep groups with HAVING",
    );
  return isFinding;
}

interface Finding {
  readonly scope: Scope;
  readonly options: Options;
  /** Whether δ is an argument, next to the text. */
  readonly isDeltaStated: boolean;
  readonly at: number;
}

/** The row that finds the groups of a statement, for all of its rows. */
export function finding(
  row: StatisticRequest,
  [name, ...others]: readonly string[],
  { scope, options, isDeltaStated, at }: Finding,
): StatisticRequest {
  const { source } = scope.query;
  const delta = row.delta ?? options.delta;
  if (name === undefined || others.length > 0)
    return refuseAt(
      source,
      at,
      `groups that are found are of one column; group by join(${[name, ...others].join(", ")}) or by declared columns`,
    );
  if (delta === undefined && !isDeltaStated)
    return refuseAt(
      source,
      at,
      `the values of ${named(name)} are not declared; finding them needs OPTIONS(delta = 1e-6) as well`,
    );
  const found = {
    ...present({ delta, atLeast: options.atLeast }),
  };
  if (!isCountOfUnits(row.groupBy === undefined ? row : withoutGroups(row), scope))
    return { ...row, keys: "select", ...found };
  const { groupBy: _, ...counted } = row;
  return { ...counted, statistic: "keyCounts", column: name, ...found };
}

const withoutGroups = ({ groupBy: _, ...row }: StatisticRequest): StatisticRequest => row;
