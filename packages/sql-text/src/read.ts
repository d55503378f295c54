import type { Formula, Token, TokenReader } from "@dosimeter/query/declaration";
import { acceptName, callIn, type Expressions, expressionsOf, ROWS } from "./expressions.ts";
import { type Grouping, readSets } from "./grouping-sets.ts";
import { readSqlTokens, sqlName } from "./language.ts";
import type { SqlItem, SqlJoin, SqlOrder, SqlQuery, SqlSetting, SqlStatement, SqlTerm } from "./query.ts";
import { isJoin, refuseAt, unread } from "./refusal.ts";
import { isTake, TAKES_USAGE } from "./takes.ts";

interface Reading {
  readonly source: string;
  readonly reader: TokenReader;
  readonly expressions: Expressions;
  readonly query: Pick<SqlQuery, "source" | "places" | "pairs" | "totals" | "calls" | "names">;
  /** Inside a subquery of a person's rows, which joins nothing: none stands in another. */
  readonly isOfRows?: boolean;
}

interface From {
  readonly name: string;
  readonly at: number;
}

const MAX_ITEMS = 1000;
const MAX_JOINS = 20;
const ONLY_ROWS = `only what one person's rows come to is read here; write ${TAKES_USAGE}`;

/**
 * Reads SQL: one SELECT, or several with `;` between them, about one dataset. Pure, in time that grows with the text alone.
 * Throws INVALID_PARAMETER with line and column where something else stands, and says what would work.
 */
export function readSql(source: string): SqlQuery {
  const query = {
    source,
    places: new WeakMap(),
    pairs: new WeakMap(),
    totals: new WeakSet<Formula>(),
    calls: new WeakMap(),
    names: new Set<string>(),
  };
  const reader = readSqlTokens(source);
  const reading: Reading = { source, reader, query, expressions: expressionsOf(reader, query) };
  const statements: SqlStatement[] = [];
  let dataset: From | null = null;
  let other: SqlJoin | undefined;
  while (reader.peek().kind !== "end" || dataset === null) {
    const { statement, from } = readStatement(reading);
    dataset ??= from;
    if (from.name !== dataset.name)
      return refuseAt(source, from.at, `each SELECT of one text must be about the same dataset, ${dataset.name}`);
    statements.push(statement);
    other ??= statement.joins[0];
    const another = statement.joins.find(({ name }) => name !== other?.name);
    if (another !== undefined) return refuseAt(source, another.at, `one text joins one other table, ${other?.name}`);
    if (statements.length > MAX_ITEMS) return refuseAt(source, statement.at, `at most ${MAX_ITEMS} SELECT in one text`);
    if (reader.peek().kind !== "end") {
      if (!reader.is("symbol", ";")) return reader.fail("WHERE, GROUP BY, HAVING, ORDER BY, LIMIT, ; or the end");
      while (reader.accept("symbol", ";"));
    }
  }
  return { ...query, dataset, statements };
}

/** `readSql` of a text that must be about one known dataset, named whatever its case. */
export function readSqlAbout(source: string, name: string): SqlQuery {
  const query = readSql(source);
  const { dataset } = query;
  if (dataset.name.normalize("NFC").toLowerCase() === name.toLowerCase()) return query;
  return refuseAt(source, dataset.at, `this plan is about ${name}; write FROM ${sqlName(name)}`);
}

function readStatement(reading: Reading): { readonly statement: SqlStatement; readonly from: From } {
  const { source, reader, expressions } = reading;
  const { accept, expect, fail, peek } = reader;
  const { at } = peek();
  const withName = accept("word", "with") ? readDerived(reading) : null;
  if (!accept("word", "select")) return fail("SELECT");
  const options = accept("word", "with") ? readOptions(reading) : [];
  if (reader.is("word", "distinct"))
    return refuseAt(
      source,
      peek().at,
      "SELECT DISTINCT lists values of rows; write GROUP BY with an aggregate such as COUNT(*)",
    );
  const items = [readItem(reading)];
  while (accept("symbol", ",")) {
    if (items.length >= MAX_ITEMS) return fail(`the last of at most ${MAX_ITEMS} columns`);
    items.push(readItem(reading));
  }
  expect("word", "from");
  const asked = readTable(reading);
  const alias = readAlias(reader);
  const joins = readJoins(reading);
  const isDerived = withName !== null && asked.name === withName.name;
  if (withName !== null && !isDerived)
    return refuseAt(source, asked.at, `FROM must name ${withName.name}, whose columns WITH derives`);
  if (joins[0] !== undefined && withName !== null && withName.joins.length > 0)
    return refuseAt(source, joins[0].at, "one text joins one other table, which WITH does");
  const from = isDerived ? withName.from : asked;
  const clause = (word: string): { readonly at: number; readonly formula: Formula } | null => {
    if (!accept("word", word)) return null;
    const { at: begins } = peek();
    return { at: begins, formula: word === "having" ? expressions.formula() : expressions.ofRows() };
  };
  const statement = {
    at,
    options,
    derived: withName?.derived ?? [],
    items,
    prefix: alias ?? asked.name,
    innerPrefix: from.name,
    joins: [...joins, ...(withName?.joins ?? [])],
    where: clause("where"),
    ...(accept("word", "group") ? readGroups(reading) : { groupBy: [], sets: null }),
    having: clause("having"),
    orderBy: accept("word", "order") ? readTerms(reading, () => readOrder(reading)) : [],
    limit: accept("word", "limit") ? readCount(reader) : null,
    offset: acceptName(reader, "offset") ? readCount(reader) : 0,
  };
  return { statement, from };
}

/** `WITH t AS (SELECT *, cut(age, 10) AS age10 FROM adults)`: the columns that it derives. */
function readDerived(reading: Reading) {
  const { source, reader, expressions } = reading;
  const { accept, expect, fail, peek } = reader;
  const name = readName(reader, "a name for the table with derived columns");
  expect("word", "as");
  expect("symbol", "(");
  if (!accept("word", "select")) return fail("SELECT *, then derived columns");
  const { at: star } = peek();
  if (!accept("symbol", "*"))
    return refuseAt(source, star, "WITH only derives columns; write SELECT *, cut(age, 10) AS age10 FROM the dataset");
  const derived: SqlStatement["derived"][number][] = [];
  while (accept("symbol", ",")) {
    const formula = expressions.ofRows();
    accept("word", "as");
    const { value, at } = readName(reader, "AS and the name of the derived column");
    derived.push({ name: value, at, formula });
  }
  expect("word", "from");
  const from = readTable({ reader, source });
  const joins = readJoins(reading);
  if (!reader.is("symbol", ")"))
    return fail(") here: WITH only derives columns; filter with WHERE at the end of the query");
  expect("symbol", ")");
  return { name: name.value, derived, from, joins };
}

function readJoins(reading: Reading): readonly SqlJoin[] {
  const joins: SqlJoin[] = [];
  for (let one = readJoin(reading); one !== null; one = readJoin(reading)) {
    joins.push(one);
    if (joins.length > MAX_JOINS) return refuseAt(reading.source, one.at, `at most ${MAX_JOINS} joins in one SELECT`);
  }
  return joins;
}

/** `JOIN people USING (person)`, with LEFT or INNER before it, or the same of a subquery. */
function readJoin(reading: Reading): SqlJoin | null {
  const { source, reader } = reading;
  const { at, kind, value } = reader.peek();
  if (!(reader.is("symbol", ",") || (kind === "name" && isJoin(value)))) return null;
  if (reading.isOfRows === true) return refuseAt(source, at, ONLY_ROWS);
  const isLeft = acceptName(reader, "left");
  if (isLeft) acceptName(reader, "outer");
  else acceptName(reader, "inner");
  if (!acceptName(reader, "join")) return refuseAt(source, at, unread("join") ?? "");
  const inner = reader.is("symbol", "(") ? readRows(reading) : null;
  const { name, at: begins } = inner?.from ?? readTable({ reader, source });
  const alias = /^(?:using|on)$/i.test(reader.peek().value) ? null : readAlias(reader);
  const { at: using } = reader.peek();
  if (!acceptName(reader, "using")) return refuseAt(source, using, unread("join") ?? "");
  reader.expect("symbol", "(");
  const by = readName(reader, "the column that names the person");
  if (!reader.is("symbol", ")")) return refuseAt(source, reader.peek().at, unread("join") ?? "");
  reader.expect("symbol", ")");
  if (reader.is("symbol", ",")) return refuseAt(source, reader.peek().at, unread("join") ?? "");
  return {
    ...{ name, at: begins, prefix: alias ?? (inner === null ? name : "") },
    ...{ by: { name: by.value, at: by.at }, isInner: !isLeft, rows: inner?.statement ?? null },
  };
}

/** `(SELECT person, COUNT(*) AS visits FROM visits GROUP BY person)`. Its names are those of the other table. */
function readRows({ source, reader, query }: Reading): ReturnType<typeof readStatement> {
  reader.expect("symbol", "(");
  const { at } = reader.peek();
  const inner = { ...query, names: new Set<string>() };
  const expressions = expressionsOf(reader, inner, isTake);
  const read = readStatement({ source, reader, query: inner, expressions, isOfRows: true });
  if (!reader.is("symbol", ")")) return reader.fail("WHERE, GROUP BY or )");
  reader.expect("symbol", ")");
  const { options, derived, having, orderBy, limit, offset } = read.statement;
  const isPlain = [options, derived, orderBy].every(({ length }) => length === 0);
  if (isPlain && having === null && limit === null && offset === 0) return read;
  return refuseAt(source, at, ONLY_ROWS);
}

function readOptions({ reader, expressions }: Reading): readonly SqlSetting[] {
  if (!acceptName(reader, "differential_privacy")) return reader.fail("DIFFERENTIAL_PRIVACY");
  if (!acceptName(reader, "options")) return [];
  reader.expect("symbol", "(");
  const settings = expressions.settings();
  reader.expect("symbol", ")");
  return settings;
}

function readItem({ source, reader, expressions, query }: Reading): SqlItem {
  const { at } = reader.peek();
  if (reader.is("symbol", "*")) return refuseAt(source, at, ROWS);
  const formula = expressions.formula();
  const call = query.calls.get(formula);
  const inner = call === undefined ? callIn(formula, query.calls) : null;
  if (inner !== null)
    return refuseAt(
      source,
      inner.at,
      "answers are not computed with here; select the aggregate alone, and compute with its answer",
    );
  return { at, alias: readAlias(reader), what: call === undefined ? { formula } : { call } };
}

/** AS and a name, or a name alone that begins nothing else. */
function readAlias(reader: TokenReader): string | null {
  if (reader.accept("word", "as"))
    return readName(reader, "a name; one that is not plain stands in double quotes").value;
  const { kind, value } = reader.peek();
  const begins = kind === "name" && (unread(value) !== undefined || isJoin(value) || /^offset$/i.test(value));
  return (kind === "name" && !begins) || kind === "quoted" ? reader.take().value : null;
}

function readName({ peek, take, fail }: TokenReader, what: string): Token {
  const { kind } = peek();
  return kind === "name" || kind === "quoted" ? take() : fail(what);
}

/** The dataset; of a name in parts, `"project"."table"`, all of them. */
function readTable({ reader, source }: Pick<Reading, "reader" | "source">): From {
  if (reader.is("symbol", "(")) {
    const { at } = reader.take();
    const words = reader.is("word", "select") ? unread("select") : "brackets are not read here";
    return refuseAt(source, at, words ?? "");
  }
  const { value, at } = readName(reader, "the name of a dataset");
  if (reader.is("symbol", "("))
    return refuseAt(source, at, "functions that make tables are not read; ask about a dataset");
  let name = value;
  while (reader.accept("symbol", ".")) name += `.${readName(reader, "the rest of the name").value}`;
  return { name, at };
}

function readGroups(reading: Reading): Grouping {
  const { reader, expressions, source, query } = reading;
  const term = (): SqlTerm => readTerm(reading, expressions.ofRows);
  reader.expect("word", "by");
  const found = readSets(reader, term, source);
  if (found === null) return { groupBy: restOf(reading, term(), term), sets: null };
  if (!("column" in found)) return found;
  const { column } = found;
  if ("formula" in column) query.places.set(column.formula, column.at);
  return { groupBy: restOf(reading, column, term), sets: null };
}

function readTerms<T>(reading: Reading, one: () => T): readonly T[] {
  reading.reader.expect("word", "by");
  return restOf(reading, one(), one);
}

function restOf<T>({ reader }: Reading, first: T, one: () => T): readonly T[] {
  const terms = [first];
  while (reader.accept("symbol", ",")) {
    if (terms.length >= MAX_ITEMS) return reader.fail(`the last of at most ${MAX_ITEMS}`);
    terms.push(one());
  }
  return terms;
}

function readTerm({ reader }: Reading, read: () => Formula): SqlTerm {
  const { at } = reader.peek();
  const formula = read();
  return "value" in formula && typeof formula.value === "number" ? { at, place: formula.value } : { at, formula };
}

function readOrder(reading: Reading): SqlOrder {
  const { reader, expressions } = reading;
  const term = readTerm(reading, expressions.formula);
  const isDescending = acceptName(reader, "desc");
  if (!isDescending) acceptName(reader, "asc");
  if (!acceptName(reader, "nulls")) return { term, isDescending, nullsFirst: null };
  const nullsFirst = acceptName(reader, "first");
  if (!nullsFirst && !acceptName(reader, "last")) return reader.fail("FIRST or LAST");
  return { term, isDescending, nullsFirst };
}

function readCount({ peek, take, fail }: TokenReader): number {
  const { kind, value } = peek();
  const count = kind === "number" ? Number(value) : Number.NaN;
  if (!Number.isSafeInteger(count)) return fail("a whole number");
  take();
  return count;
}
