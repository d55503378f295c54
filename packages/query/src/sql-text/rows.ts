import type { Predicate } from "../declaration/predicate.ts";
import type { Formula } from "../expression/formula.ts";
import type { DecimalInput } from "../plan/bounded.ts";
import type { StatisticRequest } from "../statistics/request.ts";
import { type Arguments, askedBy, isInterval, numbersOf, type Reads, signatureOf } from "./aggregates.ts";
import { finding, findsGroups, groupOf, groupsIn, isCountOfUnits, isKeyed, nameDerived } from "./groups.ts";
import type { SqlCall, SqlItem, SqlStatement } from "./query.ts";
import { named, refuseAt } from "./refusal.ts";
import { predicateOf, type Scope } from "./scope.ts";
import { fieldsOf, type Options } from "./settings.ts";
import { type SqlColumn, type SqlTable, tableOf } from "./table.ts";

/** A row of the plan, and where it was written. */
export interface Row {
  readonly request: StatisticRequest;
  readonly at: number;
  /** Where its filter was written. */
  readonly filterAt: number;
}

/** A call as a row of the plan, before it has a number. */
interface Asking {
  readonly call: SqlCall;
  readonly request: StatisticRequest;
  readonly filter: Predicate | null;
  readonly reads: Reads;
}

interface Made {
  readonly rows: readonly Row[];
  readonly table: SqlTable;
  readonly notes: readonly string[];
}

/** The rows of one statement, and the table that their answers make. */
export function rowsOf(
  scope: Scope,
  options: Options,
  { before, delta }: { readonly before: number; readonly delta: DecimalInput | undefined },
): Made {
  const { query, statement } = scope;
  const { source } = query;
  nameDerived(scope);
  const groupBy = statement.groupBy.map((term) => groupOf(term, scope));
  const where = statement.where === null ? null : predicateOf(statement.where.formula, statement.where.at, scope);
  const asked = statement.items.flatMap((item) =>
    "call" in item.what && !isInterval(item.what.call.name) ? [{ item, ...askedOf(item.what.call, where, scope) }] : [],
  );
  if (asked.length === 0)
    return refuseAt(
      source,
      statement.at,
      "SELECT must have an aggregate, such as COUNT(*): groups alone are found by their counts",
    );
  const rows: (Row & { readonly id: string })[] = [];
  const idOf = new Map<SqlItem, { readonly id: string; readonly reads: Reads }>();
  const keyed = findsGroups(groupBy, options, scope);
  const finds =
    keyed &&
    asked.some(({ request }) => request.keys === undefined && request.keysFrom === undefined && !isKeyed(request));
  const first = finds ? (asked.find(({ request }) => isCountOfUnits(request, scope)) ?? asked[0]) : null;
  const inOrder = first === null ? asked : [...asked].sort((a, b) => Number(b === first) - Number(a === first));
  let keysFrom: string | null = null;
  for (const { item, call, request, reads } of inOrder) {
    const own = { ...request, ...groupsIn(request, groupBy) };
    const line = isLineOf(call) ? rows.find((row) => isSameLine(row.request, own)) : undefined;
    if (line !== undefined) {
      idOf.set(item, { id: line.id, reads });
      continue;
    }
    const id = item.alias ?? `s${before + rows.length + 1}`;
    const isPlain = own.keys === undefined && own.keysFrom === undefined && !isKeyed(request);
    const withGroups: StatisticRequest =
      !finds || !isPlain
        ? own
        : keysFrom === null
          ? finding(own, groupBy, { scope, options, delta, at: statement.groupBy[0]?.at ?? item.at })
          : { ...own, keysFrom };
    if (finds && isPlain) keysFrom ??= id;
    const filterAt = call.filter === null ? (statement.where?.at ?? item.at) : item.at;
    rows.push({
      request: { ...(item.alias === null ? {} : { id: item.alias }), ...withGroups },
      at: item.at,
      filterAt,
      id,
    });
    idOf.set(item, { id, reads });
  }
  const notes =
    options.delta !== undefined && !finds && !rows.some(({ request }) => request.delta !== undefined)
      ? ["delta is not needed, and none is spent: every group is declared."]
      : [];
  return { rows, table: tableOf(scope, columnsOf(statement, { scope, groupBy, idOf }), groupBy), notes };
}

function askedOf(call: SqlCall, where: Predicate | null, scope: Scope): Asking {
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
  const { statistic } = asked.request;
  const fields = fieldsOf(call.settings, { source: query.source, statistic, declaration });
  const own = call.filter === null ? null : predicateOf(call.filter, call.at, scope);
  const filter: Predicate | null = own === null ? where : where === null ? own : { op: "and", of: [where, own] };
  return {
    call,
    filter,
    reads: asked.reads,
    request: { ...asked.request, ...fields, ...(filter === null ? {} : { where: filter }) },
  };
}

const isLineOf = ({ name }: SqlCall): boolean => name === "regr_slope" || name === "regr_intercept";
const isSameLine = ({ id: _, ...a }: StatisticRequest, { id: __, ...b }: StatisticRequest): boolean =>
  JSON.stringify(a) === JSON.stringify(b);

interface Known {
  readonly scope: Scope;
  readonly groupBy: readonly string[];
  readonly idOf: ReadonlyMap<SqlItem, { readonly id: string; readonly reads: Reads }>;
}

function columnsOf({ items }: SqlStatement, { scope, groupBy, idOf }: Known): readonly SqlColumn[] {
  const { source } = scope.query;
  return items.map((item): SqlColumn => {
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
    if (own !== undefined)
      return { name: item.alias ?? own.id, is: "value", row: own.id, reads: own.reads, asked: signatureOf(call) };
    const [of] = call.of;
    const alias = of !== undefined && "formula" in of && "column" in of.formula ? of.formula.column : null;
    const about = items.find(
      (each) => idOf.has(each) && alias !== null && each.alias?.toLowerCase() === alias.toLowerCase(),
    );
    const row = about === undefined ? undefined : idOf.get(about);
    if (row === undefined || call.of.length !== 1)
      return refuseAt(
        source,
        call.at,
        `write ${call.name.toUpperCase()}(alias), with the name that AS gives to an aggregate`,
      );
    const is = call.name === "dp_interval_low" ? "low" : "high";
    return { name: item.alias ?? `${alias}_${is}`, is, row: row.id, reads: row.reads, asked: signatureOf(call) };
  });
}
