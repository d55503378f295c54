import type { Key } from "../declaration/key.ts";
import type { Formula, Operation } from "../expression/formula.ts";
import { type Reads, signatureOf } from "./aggregates.ts";
import type { SqlOrder } from "./query.ts";
import { named, refuseAt } from "./refusal.ts";
import type { Scope } from "./scope.ts";

/** A column of the result: a group, an answer, or an end of an answer's interval. */
export type SqlColumn = { readonly name: string } & (
  | { readonly is: "group"; readonly column: string }
  | { readonly is: "value" | "low" | "high"; readonly row: string; readonly reads: Reads; readonly asked: string }
);

/** How the answers of one statement become a table. Everything in it reads released values only, so it costs nothing. */
export interface SqlTable {
  readonly columns: readonly SqlColumn[];
  readonly groupBy: readonly string[];
  /** Over the places of columns, from 0, as names. */
  readonly having: Formula | null;
  readonly orderBy: readonly { readonly place: number; readonly isDescending: boolean; readonly nullsFirst: boolean }[];
  readonly limit: number | null;
  readonly offset: number;
}

/** A cell: several values where an answer has several. */
export type SqlCell = Key | null | readonly (number | null)[];

const READABLE = new Set<Operation>([
  "=",
  "!=",
  "<",
  "<=",
  ">",
  ">=",
  "in",
  "isNull",
  "and",
  "or",
  "not",
  "+",
  "-",
  "*",
  "/",
  "abs",
]);

/** Binds HAVING, ORDER BY and LIMIT to the columns of the result. */
export function tableOf(scope: Scope, columns: readonly SqlColumn[], groupBy: readonly string[]): SqlTable {
  const { statement, query } = scope;
  const placeOf = (formula: Formula, at: number): number => {
    const call = query.calls.get(formula);
    const asked = call === undefined ? null : signatureOf(call);
    const written = call !== undefined ? null : "column" in formula ? formula.column : scope.derivedName(formula);
    const name = written?.toLowerCase() ?? null;
    const place = columns.findIndex((column) =>
      call !== undefined
        ? column.is !== "group" && column.asked === asked
        : column.name.toLowerCase() === name || (column.is === "group" && column.column.toLowerCase() === name),
    );
    if (place >= 0) return place;
    if (call !== undefined)
      return refuseAt(query.source, call.at, "only released values are read here; select this aggregate as well");
    const where =
      name === null ? "compute with the answer" : `${named(name)} is no column of the result; filter rows with WHERE`;
    return refuseAt(query.source, query.places.get(formula) ?? at, where);
  };
  const placed = (formula: Formula, at: number): Formula => {
    if ("value" in formula) return formula;
    if ("column" in formula || scope.derivedName(formula) !== null) return { column: String(placeOf(formula, at)) };
    if (!READABLE.has(formula.op))
      return refuseAt(query.source, at, `${formula.op} is not read over answers; compare them with numbers`);
    return { op: formula.op, of: formula.of.map((part) => placed(part, at)) };
  };
  const order = ({ term, isDescending, nullsFirst }: SqlOrder): SqlTable["orderBy"][number] => {
    const place = "place" in term ? term.place - 1 : placeOf(term.formula, term.at);
    if (columns[place] === undefined)
      return refuseAt(query.source, term.at, `there is no column ${place + 1}; SELECT has ${columns.length}`);
    return { place, isDescending, nullsFirst: nullsFirst ?? isDescending };
  };
  return {
    columns,
    groupBy,
    having: statement.having === null ? null : placed(statement.having.formula, statement.having.at),
    orderBy: statement.orderBy.map(order),
    limit: statement.limit,
    offset: statement.offset,
  };
}

interface Answered {
  readonly id: string;
  readonly cells: readonly {
    readonly group: Readonly<Record<string, Key | null>>;
    readonly value: number;
    readonly interval: readonly [number, number];
  }[];
}

/** The table of one statement, from the answers of the release. */
export function rowsOfTable(table: SqlTable, answers: readonly Answered[]): readonly (readonly SqlCell[])[] {
  const byRow = new Map(answers.map((answer) => [answer.id, byGroup(answer, table.groupBy)]));
  const groups = new Map<string, Readonly<Record<string, Key | null>>>();
  for (const column of table.columns)
    if (column.is !== "group")
      for (const [key, { group }] of byRow.get(column.row) ?? []) if (!groups.has(key)) groups.set(key, group);
  const rows = [...groups].map(([key, group]) =>
    table.columns.map((column): SqlCell => {
      if (column.is === "group") return group[column.column] ?? null;
      const cells = byRow.get(column.row)?.get(key)?.cells ?? [];
      const values = cells.map(({ value, interval }) =>
        column.is === "value" ? value : interval[column.is === "low" ? 0 : 1],
      );
      const { reads } = column;
      return reads === "all" ? values : (values[reads === "first" ? 0 : reads.place] ?? null);
    }),
  );
  const { having, orderBy, limit, offset } = table;
  const kept = having === null ? rows : rows.filter((row) => computedOver(having, row) === true);
  const sorted = orderBy.length === 0 ? kept : kept.toSorted((a, b) => compared(a, b, orderBy));
  return sorted.slice(offset, limit === null ? undefined : offset + limit);
}

type Group = { readonly group: Answered["cells"][number]["group"]; readonly cells: Answered["cells"][number][] };

function byGroup({ cells }: Answered, groupBy: readonly string[]): ReadonlyMap<string, Group> {
  const groups = new Map<string, Group>();
  for (const cell of cells) {
    const key = JSON.stringify(groupBy.map((name) => cell.group[name] ?? null));
    const group = groups.get(key) ?? { group: cell.group, cells: [] };
    groups.set(key, group);
    group.cells.push(cell);
  }
  return groups;
}

type Scalar = Key | null;
const scalar = (cell: SqlCell | undefined): Scalar =>
  cell === undefined || Array.isArray(cell) ? null : (cell as Scalar);

/** A condition over one row of the result; a comparison with a missing value is false. */
function computedOver(formula: Formula, row: readonly SqlCell[]): Scalar {
  if ("value" in formula) return formula.value;
  if ("column" in formula) return scalar(row[Number(formula.column)]);
  const of = formula.of.map((part) => computedOver(part, row));
  const [a = null, b = null] = of;
  switch (formula.op) {
    case "and":
      return of.every((each) => each === true);
    case "or":
      return of.some((each) => each === true);
    case "not":
      return a !== true;
    case "isNull":
      return a === null;
    case "in":
      return a !== null && of.slice(1).includes(a);
    case "abs":
      return typeof a === "number" ? Math.abs(a) : null;
    case "=":
      return a !== null && a === b;
    case "!=":
      return a !== null && b !== null && a !== b;
    default:
      return computed(formula.op, of);
  }
}

function computed(op: Operation, of: readonly Scalar[]): Scalar {
  const [a, b] = of;
  if (typeof a !== "number") return null;
  if (typeof b !== "number") return op === "-" && of.length === 1 ? -a : null;
  const results: Readonly<Partial<Record<Operation, Scalar>>> = {
    "<": a < b,
    "<=": a <= b,
    ">": a > b,
    ">=": a >= b,
    "+": a + b,
    "-": a - b,
    "*": a * b,
    "/": b === 0 ? null : a / b,
  };
  return results[op] ?? null;
}

function compared(a: readonly SqlCell[], b: readonly SqlCell[], orderBy: SqlTable["orderBy"]): number {
  for (const { place, isDescending, nullsFirst } of orderBy) {
    const [left, right] = [scalar(a[place]), scalar(b[place])];
    if (left === right) continue;
    if (left === null) return nullsFirst ? -1 : 1;
    if (right === null) return nullsFirst ? 1 : -1;
    return left < right === isDescending ? 1 : -1;
  }
  return 0;
}
