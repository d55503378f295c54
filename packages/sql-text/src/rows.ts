import type { Formula, Predicate } from "@dosimeter/query/declaration";
import type { StatisticRequest } from "@dosimeter/query/statistics";
import { type Arguments, askedBy, isInterval, numbersOf, type Reads, signatureOf } from "./aggregates.ts";
import { asTables } from "./grouping-sets.ts";
import { finding, findsGroups, groupSteps, groupsIn, isCountOfUnits, isKeyed } from "./groups.ts";
import type { SqlCall, SqlItem, SqlStatement } from "./query.ts";
import { named, refuseAt } from "./refusal.ts";
import { allOf, predicateOf, type Scope } from "./scope.ts";
import { fieldsOf, type Options } from "./settings.ts";
import type { ColumnSource } from "./table.ts";

/** A row of the plan, and where it was written. */
export interface Row {
  readonly request: StatisticRequest;
  /** What the row is called where it is not named. */
  readonly id: string;
  readonly at: number;
  readonly filterAt: number;
  /** Whether it finds the groups of its SELECT. */
  readonly finds: boolean;
}

/** A call as a row of the plan, before it has a number. */
interface Asking {
  readonly call: SqlCall;
  readonly item: SqlItem;
  readonly request: StatisticRequest;
  readonly reads: Reads;
  /** What the row is, its WHERE left out: slope and intercept of one line are one row. */
  readonly key: string;
}

export interface Made {
  readonly rows: readonly Row[];
  readonly groupBy: readonly string[];
  readonly columns: readonly ColumnSource[];
}

/** The rows of one statement, and the columns that their answers make. */
export function* rowSteps(
  scope: Scope,
  options: Options,
  {
    before,
    isDeltaStated,
    partner,
  }: { readonly before: number; readonly isDeltaStated: boolean; readonly partner: Predicate | null },
): Generator<void, Made> {
  const { query, statement } = scope;
  const { source } = query;
  const groupBy = yield* groupSteps(scope);
  const where = allOf(
    partner,
    statement.where === null ? null : predicateOf(statement.where.formula, statement.where.at, scope),
  );
  const asked: Asking[] = [];
  const { sets } = statement;
  for (const item of statement.items) {
    if ("call" in item.what && !isInterval(item.what.call.name)) {
      const asking = askedOf(item, item.what.call, where, scope);
      const request = sets === null ? asking.request : asTables(asking.request, { groupBy, sets, at: item.at }, scope);
      asked.push({ ...asking, request });
    }
    yield;
  }
  if (asked.length === 0)
    return refuseAt(
      source,
      statement.at,
      "SELECT must have an aggregate, such as COUNT(*): groups alone are found by their counts",
    );
  const finder = sets === null ? finderOf(asked, groupBy, options, scope) : null;
  const rows = new Map<string, Row>();
  const idOf = new Map<SqlItem, { readonly row: Row; readonly reads: Reads }>();
  let keysFrom: string | null = null;
  for (const asking of finder === null ? asked : [finder, ...asked.filter((each) => each !== finder)]) {
    const { item, call, request, reads } = asking;
    const key = isLineOf(call) ? asking.key : String(rows.size);
    const known = rows.get(key);
    if (known === undefined) {
      const own = sets === null ? { ...request, ...groupsIn(request, groupBy) } : request;
      const id = item.alias ?? `s${before + rows.size + 1}`;
      const keyed =
        asking === finder
          ? finding(own, groupBy, { scope, options, isDeltaStated, at: statement.groupBy[0]?.at ?? item.at })
          : keysFrom !== null && isPlain(request)
            ? { ...own, keysFrom }
            : own;
      if (asking === finder) keysFrom = id;
      rows.set(key, {
        request: { ...(item.alias === null ? {} : { id: item.alias }), ...keyed },
        id,
        at: item.at,
        filterAt: call.filter === null ? (statement.where?.at ?? item.at) : item.at,
        finds: asking === finder,
      });
    }
    const row = rows.get(key);
    if (row !== undefined) idOf.set(item, { row, reads });
    yield;
  }
  const made = [...rows.values()];
  if (options.delta !== undefined && !made.some(({ request }) => request.delta !== undefined))
    scope.note("delta is not needed, and none is spent: every group is declared.");
  return { rows: made, groupBy, columns: columnsOf(statement, { scope, groupBy, idOf }) };
}

/** Whether a row leaves to its SELECT how its groups are found. */
const isPlain = (request: StatisticRequest): boolean =>
  request.keys === undefined && request.keysFrom === undefined && !isKeyed(request);

/** The row that finds the groups of a SELECT: they are those of all its rows, so no FILTER narrows it. */
function finderOf(asked: readonly Asking[], groupBy: readonly string[], options: Options, scope: Scope): Asking | null {
  const plain = asked.filter(({ request }) => isPlain(request));
  if (!findsGroups(groupBy, options, scope) || plain.length === 0) return null;
  const whole = plain.filter(({ call }) => call.filter === null);
  const finder =
    whole.find(({ request }) => isCountOfUnits(request, scope)) ?? whole.find(({ call }) => call.isStar) ?? whole[0];
  return (
    finder ??
    refuseAt(
      scope.query.source,
      plain[0]?.item.at ?? scope.statement.at,
      "the groups are found among the rows of an aggregate without FILTER; select COUNT(*) as well",
    )
  );
}

function askedOf(item: SqlItem, call: SqlCall, where: Predicate | null, scope: Scope): Asking {
  const { query, declaration } = scope;
  const { privacyUnit } = declaration;
  const argument = (index: number): Formula => {
    const given = call.of[index];
    if (given === undefined || !("formula" in given))
      return refuseAt(query.source, given?.at ?? call.at, "a column stands here, not a list");
    return given.formula;
  };
  const given: Arguments = {
    count: call.of.length,
    isStar: call.isStar,
    isDistinct: call.isDistinct,
    isWithin: call.within !== null,
    column: (index) => scope.columnOf(argument(index), call.of[index]?.at ?? call.at),
    within: () => scope.columnOf(call.within ?? { value: 0 }, call.at),
    isUnit: (index) => {
      const resolved = scope.resolved(argument(index));
      return privacyUnit !== "row" && "column" in resolved && resolved.column === privacyUnit.column;
    },
    shares: (index) => numbersOf(call.of[index]),
  };
  const asked = askedBy(call.name, given);
  if ("usage" in asked) return refuseAt(query.source, call.at, `write ${asked.usage}`);
  if (asked.note !== undefined) scope.note(asked.note);
  const { statistic } = asked.request;
  const fields = fieldsOf(call.settings, { source: query.source, statistic, declaration });
  const request = { ...asked.request, ...fields };
  const own = call.filter === null ? null : predicateOf(call.filter, call.at, scope);
  const filter: Predicate | null = own === null ? where : where === null ? own : { op: "and", of: [where, own] };
  return {
    call,
    item,
    reads: asked.reads,
    request: { ...request, ...valuesOf(request, call, scope), ...(filter === null ? {} : { where: filter }) },
    key: JSON.stringify([request, own]),
  };
}

/** COUNT(DISTINCT a) counts all values of each person, where the declaration says how many rows these can stand in. */
function valuesOf(
  { statistic, valuesPerUnit, column = "" }: StatisticRequest,
  call: SqlCall,
  { declaration: { privacyUnit, contribution }, query, note }: Scope,
): Pick<StatisticRequest, "valuesPerUnit"> {
  if (statistic !== "distinctValues" || valuesPerUnit !== undefined || privacyUnit === "row") return {};
  const { rows } = contribution;
  if (rows === undefined)
    return refuseAt(
      query.source,
      call.at,
      `write COUNT(DISTINCT ${column}, values_per_unit => 1): the dataset does not limit the rows of one ${privacyUnit.column}, so say how many of its values count`,
    );
  if (rows > 1)
    note(
      `COUNT(DISTINCT ${column}) counts up to ${rows} values of each ${privacyUnit.column}; with fewer (values_per_unit => 1) it is more exact.`,
    );
  return { valuesPerUnit: rows };
}

const isLineOf = ({ name }: SqlCall): boolean => name === "regr_slope" || name === "regr_intercept";

interface Known {
  readonly scope: Scope;
  readonly groupBy: readonly string[];
  readonly idOf: ReadonlyMap<SqlItem, { readonly row: Row; readonly reads: Reads }>;
}

/** Names differ whatever their case, so that HAVING and ORDER BY mean one of them. */
function columnsOf({ items }: SqlStatement, known: Known): readonly ColumnSource[] {
  const { source } = known.scope.query;
  const byAlias = new Map(items.flatMap((item) => (item.alias === null ? [] : [[item.alias.toLowerCase(), item]])));
  const taken = new Set([...byAlias.keys(), ...known.groupBy.map((name) => name.toLowerCase())]);
  const names = new Set<string>();
  const sources = new Set<string>();
  return items.map((item) => {
    const column = columnOf(item, byAlias, { ...known, isFree: (name) => !taken.has(name) && !names.has(name) });
    const lower = column.name.toLowerCase();
    const what = JSON.stringify(column.is === "group" ? column.column : [column.is, column.row.id, column.reads]);
    if (names.has(lower))
      return refuseAt(source, item.at, `two columns are called ${named(column.name)}; give each its own name with AS`);
    if (sources.has(what)) return refuseAt(source, item.at, `${named(column.name)} is selected twice; leave one out`);
    names.add(lower);
    sources.add(what);
    return column;
  });
}

/** AVG(income) is avg_income; null where what is asked has no short name. */
function nameOf(call: SqlCall): string | null {
  const { name, of, isStar, within } = call;
  if (isStar || isLineOf(call)) return name;
  const columns = [...of, ...(within === null ? [] : [{ formula: within }])].flatMap((each) =>
    "formula" in each && "column" in each.formula ? [each.formula.column] : [],
  );
  const [column, ...more] = columns;
  return column === undefined || more.length > 0 ? null : `${name}_${column}`.toLowerCase();
}

function columnOf(
  item: SqlItem,
  byAlias: ReadonlyMap<string, SqlItem>,
  { scope, groupBy, idOf, isFree }: Known & { readonly isFree: (name: string) => boolean },
): ColumnSource {
  const { source } = scope.query;
  if ("formula" in item.what) {
    const column = scope.columnOf(item.what.formula, item.at, item.alias);
    if (!groupBy.includes(column))
      return refuseAt(
        source,
        item.at,
        `${named(column)} is neither a group nor an aggregate; write GROUP BY ${column}, or AVG(${column})`,
      );
    return { name: item.alias ?? column, is: "group", column };
  }
  const { call } = item.what;
  const own = idOf.get(item);
  if (own !== undefined) {
    const short = nameOf(call);
    const name = item.alias ?? (short !== null && isFree(short.toLowerCase()) ? short : own.row.id);
    return { name, is: "value", row: own.row, reads: own.reads, asked: signatureOf(call) };
  }
  const [of] = call.of;
  const alias = of !== undefined && "formula" in of && "column" in of.formula ? of.formula.column : null;
  const about = alias === null ? undefined : byAlias.get(alias.toLowerCase());
  const known = about === undefined ? undefined : idOf.get(about);
  if (known === undefined || call.of.length !== 1)
    return refuseAt(
      source,
      call.at,
      `write ${call.name.toUpperCase()}(alias), with the name that AS gives to an aggregate`,
    );
  const is = call.name === "dp_interval_low" ? "low" : "high";
  return { name: item.alias ?? `${alias}_${is}`, is, row: known.row, reads: known.reads, asked: signatureOf(call) };
}
