import {
  type Declaration,
  type Joinable,
  type JoinedColumn,
  type JoinRequest,
  type Predicate,
  predicateText,
  type TakeName,
} from "@dosimeter/query/declaration";
import { MAX_JOINED, withJoin } from "@dosimeter/query/join";
import { sqlName } from "./language.ts";
import type { SqlJoin, SqlQuery, SqlStatement } from "./query.ts";
import { named, refuseAt, refusedAt } from "./refusal.ts";
import { allOf } from "./scope.ts";
import { takeSteps } from "./takes.ts";

/** The columns that a text may name, those of the table that it joins among them. */
export interface SqlColumns {
  readonly declaration: Declaration;
  /** What the plan takes of the other table: every column of it that the text names. Null without a join. */
  readonly join: JoinRequest | null;
  readonly notes: readonly string[];
  /** Which rows of a statement an inner join keeps. */
  readonly partners: ReadonlyMap<SqlStatement, Predicate>;
}

const folded = (text: string): string => text.normalize("NFC").toLowerCase();
const sameText = (a: string, b: string): boolean => folded(a) === b.toLowerCase();

/** What a joined column is called: its own name, but for one that the table itself has, which is called by both names. */
export function joinedNames(mine: Pick<Declaration, "columns">, theirs: Declaration): (column: string) => string {
  const taken = new Set(Object.keys(mine.columns).map((name) => name.toLowerCase()));
  return (column) => (taken.has(column.toLowerCase()) ? `${theirs.name}.${column}` : column);
}

/** The one other table that a text joins. */
export const joinOf = ({ statements }: Pick<SqlQuery, "statements">): SqlJoin | undefined =>
  statements.flatMap(({ joins }) => joins)[0];

/** Completes a declaration by the columns that a text names of the table that it joins. Refused at the place of the join. */
export function* sqlJoinSteps(query: SqlQuery, declaration: Declaration): Generator<void, SqlColumns> {
  const { source } = query;
  const first = joinOf(query);
  if (first === undefined) return { declaration, join: null, notes: [], partners: new Map() };
  const { privacyUnit } = declaration;
  const unit = privacyUnit === "row" ? "" : privacyUnit.column;
  const joins = query.statements.flatMap((each) => each.joins);
  const other = joins.find(({ by }) => !sameText(by.name, unit));
  if (privacyUnit !== "row" && other !== undefined)
    return refuseAt(
      source,
      other.by.at,
      `tables are joined by who is protected and by nothing else; write USING (${sqlName(unit)})`,
    );
  const [dataset, { declaration: theirs }] = joinableOf(query, declaration, first);
  const { columns, partners, kept } = yield* takenSteps(query, { declaration, theirs, unit });
  if (Object.keys(columns).length === 0)
    return refuseAt(source, first.at, `no column of ${named(first.name)} is read; leave the join out`);
  const join: JoinRequest = { dataset, columns };
  const complete = refusedAt(source, first.at, () => withJoin(declaration, join));
  return {
    declaration: complete,
    join,
    notes: notesOf(theirs, columns, {
      kept,
      unit,
      isPlain: joins.some(({ rows }) => rows === null),
    }),
    partners,
  };
}

interface Tables {
  readonly declaration: Declaration;
  readonly theirs: Declaration;
  /** The column that names the person. */
  readonly unit: string;
}

/** Everything that the joins of a text take, and the rows that an inner one keeps: those of people with a row that counts. */
function* takenSteps(query: SqlQuery, { declaration, theirs, unit }: Tables) {
  const columns: Record<string, string | JoinedColumn> = Object.create(null);
  const partners = new Map<SqlStatement, Predicate>();
  const bySubquery = new Map<string, string>();
  const add = (name: string, one: JoinedColumn, at: number): void => {
    const text = JSON.stringify(one);
    if ((bySubquery.get(name) ?? text) !== text)
      refuseAt(query.source, at, `${named(name)} is taken in two ways; give each its own name with AS`);
    bySubquery.set(name, text);
    if (bySubquery.size > MAX_JOINED)
      refuseAt(query.source, at, `at most ${MAX_JOINED} columns are taken of another table`);
    columns[name] = one;
  };
  const read = new Map<SqlStatement, Predicate | null>();
  /** Taken of people without rows, or without values, too. */
  const kept = new Set<string>();
  for (const { joins } of query.statements)
    for (const { rows, isInner } of joins) {
      if (rows === null) continue;
      const made = yield* takeSteps(rows, query, theirs, unit);
      read.set(rows, made.where);
      for (const [name, { at, taken: one }] of made.columns) {
        add(name, one, at);
        // SQL has NULL of a sum without values; of a count it has 0 too.
        if (!isInner || one.take === "sum") kept.add(name);
      }
      yield;
    }
  for (const [name, column] of Object.entries(columnsNamed(query, declaration, theirs)))
    if (!bySubquery.has(name)) columns[name] = column;
  const taken = new Set([columns, declaration.columns].flatMap((each) => Object.keys(each).map(folded)));
  // No name becomes free again, so each number is tried once in a text.
  let number = 0;
  const freeName = (): string => {
    for (;;) {
      number++;
      const name = `rows of ${theirs.name}${number === 1 ? "" : ` ${number}`}`;
      if (!taken.has(name.toLowerCase())) return name;
    }
  };
  for (const statement of query.statements)
    for (const { at, rows, isInner } of statement.joins) {
      if (!isInner) continue;
      yield;
      const where = rows === null ? null : (read.get(rows) ?? null);
      const counted: JoinedColumn = { take: "count", ...(where === null ? {} : { where: predicateText(where) }) };
      const text = JSON.stringify(counted);
      const name = [...bySubquery].find(([, one]) => one === text)?.[0] ?? freeName();
      add(name, counted, at);
      partners.set(
        statement,
        allOf(partners.get(statement) ?? null, { op: ">=", column: name, value: 1 }) as Predicate,
      );
    }
  return { columns, partners, kept };
}

/** What stands before the dot of a name is at most as long as the longest name of a dataset. */
const MAX_PREFIX = 200;

/** The columns of the other table that a text names: with a prefix, or bare where the table itself has none of that name. */
function columnsNamed(
  { names, statements }: SqlQuery,
  declaration: Declaration,
  theirs: Declaration,
): Readonly<Record<string, string>> {
  // A column that the table itself has too is printed with the name of the other table before it.
  const prefixes = new Set([theirs.name.toLowerCase()]);
  const plain = statements.flatMap(({ joins }) => joins.filter(({ rows }) => rows === null));
  if (plain.length === 0) return {};
  for (const { prefix } of plain) prefixes.add(prefix.toLowerCase());
  const lower = new Map(Object.keys(theirs.columns).map((name) => [name.toLowerCase(), name]));
  const nameOf = joinedNames(declaration, theirs);
  const columns: Record<string, string> = Object.create(null);
  for (const written of names) {
    const name = written.normalize("NFC").toLowerCase();
    let bare = name;
    for (let dot = name.indexOf("."); dot !== -1 && dot <= MAX_PREFIX; dot = name.indexOf(".", dot + 1))
      if (prefixes.has(name.slice(0, dot))) bare = name.slice(dot + 1);
    const column = lower.get(bare);
    if (column === undefined) continue;
    const own = nameOf(column);
    if (own === column || bare !== name) columns[own] = column;
  }
  return columns;
}

function joinableOf(
  { source }: SqlQuery,
  { joinable = {} }: Declaration,
  { name, at }: SqlJoin,
): readonly [string, Joinable] {
  const all = Object.entries(joinable);
  const byId = all.find(([dataset]) => dataset === name);
  const alike = byId === undefined ? all.filter(([, { declaration }]) => sameText(name, declaration.name)) : [byId];
  const [only, ...others] = alike;
  if (only === undefined) return refuseAt(source, at, `${named(name)} is not another dataset about the same people`);
  if (others.length > 0)
    return refuseAt(
      source,
      at,
      `${alike.length} datasets are called ${named(name)}; name one by its id: ${alike.map(([id]) => id).join(", ")}`,
    );
  return only;
}

/** What a person without rows has, where SQL has NULL. */
const OF_NOBODY: Readonly<Partial<Record<TakeName, string>>> = { count: "0", sum: "0", any: "false" };

function notesOf(
  { name, contribution, privacyUnit }: Declaration,
  columns: JoinRequest["columns"],
  { kept, unit, isPlain }: { readonly kept: ReadonlySet<string>; readonly unit: string; readonly isPlain: boolean },
): readonly string[] {
  const theirs = privacyUnit === "row" ? "row" : privacyUnit.column;
  const all = Object.entries(columns).map(([own, one]) => [own, typeof one === "string" ? "one" : one.take] as const);
  const empty = all.flatMap(([own, take]) => {
    const value = kept.has(own) ? OF_NOBODY[take] : undefined;
    return value === undefined ? [] : [`${own} is ${value}`];
  });
  const isRead = all.some(([, take]) => take === "one");
  return [
    ...(contribution.rows === 1 || !(isPlain || isRead)
      ? []
      : isRead
        ? [`Of several rows of one ${theirs} in ${name}, one is read, the same in every release.`]
        : [`A row stays one row, however many rows ${name} has of its ${theirs}.`]),
    ...(empty.length === 0
      ? []
      : [`Where a ${unit} has no rows of ${name} that count, ${empty.join(" and ")}, not NULL.`]),
  ];
}
