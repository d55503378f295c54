import { meantBy, meantText } from "@dosimeter/core/internal";
import { type Formula, OPERATIONS, type Token, type TokenReader } from "@dosimeter/query/declaration";
import { formulaReader, isSmall } from "@dosimeter/query/expression";
import { aggregateNames, aggregateSaid, isAggregate } from "./aggregates.ts";
import { isTrue, negated, op } from "./conditions.ts";
import { SQL_FUNCTIONS } from "./functions.ts";
import type { SqlArgument, SqlCall, SqlQuery, SqlSetting, SqlValue } from "./query.ts";
import { refuseAt, unread } from "./refusal.ts";

/** Characters of one formula: as many as a plan may have in one. */
const MAX_FORMULA = 10_000;

export interface Expressions {
  readonly formula: (depth?: number) => Formula;
  /** A formula over rows, in which no aggregate stands. */
  readonly ofRows: (depth?: number) => Formula;
  readonly value: (depth?: number) => SqlValue;
  readonly settings: () => readonly SqlSetting[];
}

type Places = Pick<SqlQuery, "source" | "places" | "pairs" | "totals" | "calls"> & { readonly names: Set<string> };

/** `isCall` says which functions are aggregates: in a subquery, those that take something of a person's rows. */
export function expressionsOf(reader: TokenReader, query: Places, isCall = isAggregate): Expressions {
  const { peek, is, accept, fail } = reader;
  const { pairs, places } = query;
  const read = formulaReader(reader, {
    column: (token) => {
      if (peek().kind === "text" || peek().kind === "number")
        return fail("a value or a column", unread(token.value) === undefined ? peek() : token);
      const column = nameFrom(token, reader, query.source);
      places.set(column, token.at);
      query.names.add(column.column);
      return column;
    },
    not: (of) => (isSmall(of) ? negated(of, query) : fail("fewer parts after NOT")),
    is: (left, isNegated) => {
      const truth = accept("word", "true") ? true : accept("word", "false") ? false : null;
      if (truth === null) return null;
      if (!isNegated) return isTrue(left, truth, query);
      return op("not", truth ? left : negated(left, query));
    },
    between: (left, lower, upper) => {
      const both = op("and", op(">=", left, lower), op("<=", left, upper));
      pairs.set(both, op("or", op("<", left, lower), op(">", left, upper)));
      return both;
    },
    call: (token, depth) => {
      const isRead = isCall(token.value);
      if (!isRead && unread(token.value) !== undefined && !isOperation(token.value))
        return fail("another function", token);
      if (!isRead) return sqlFunction(token, depth, ofRows, reader);
      const marker: Formula = { column: token.value };
      places.set(marker, token.at);
      query.calls.set(marker, readCall(token, depth, expressions, reader));
      return marker;
    },
  });
  const formula = (depth = 0): Formula => {
    const { at } = peek();
    const made = read(depth);
    return peek().at - at > MAX_FORMULA
      ? refuseAt(query.source, at, `a formula or condition has at most ${MAX_FORMULA} characters`)
      : made;
  };
  const ofRows = (depth = 0): Formula => {
    const made = formula(depth);
    const call = callIn(made, query.calls);
    if (call !== null)
      return refuseAt(
        query.source,
        call.at,
        "aggregates stand in SELECT, HAVING and ORDER BY, never inside each other",
      );
    return made;
  };
  const value = (depth = 0): SqlValue => readValue(depth, expressions, reader);
  const settings = (): readonly SqlSetting[] => {
    const found: SqlSetting[] = [];
    while (!is("symbol", ")")) {
      if (found.length > 0) reader.expect("symbol", ",");
      if (found.length >= MAX_SETTINGS) return fail(`the last of at most ${MAX_SETTINGS} options`);
      const token = peek();
      if (token.kind !== "name") return fail("the name of an option");
      reader.take();
      reader.expect("symbol", "=");
      found.push({ name: token.value.toLowerCase(), at: token.at, value: value() });
    }
    return found;
  };
  const expressions: Expressions = { formula, ofRows, value, settings };
  return expressions;
}

export const ROWS = "rows never leave; ask for an aggregate such as COUNT(*)";

/** A name in parts, as `p."how tall"` or `"p".age`: the parts with a dot between them. */
function nameFrom({ kind, value, at }: Token, { peek, take, is, accept, fail }: TokenReader, source: string) {
  let column = value;
  const isOpen = (): boolean => (kind === "name" && column === value && value.endsWith(".")) || accept("symbol", ".");
  while (isOpen()) {
    if (is("symbol", "*")) return refuseAt(source, at, ROWS);
    const part = peek();
    if (part.kind !== "quoted" && part.kind !== "name") return fail("the rest of the name");
    column += `${column.endsWith(".") ? "" : "."}${take().value}`;
  }
  return { column };
}

const functionNames = [...aggregateNames, ...OPERATIONS, ...Object.keys(SQL_FUNCTIONS)];
const isOperation = (name: string): boolean => OPERATIONS.some((each) => each.toLowerCase() === name.toLowerCase());

/** The aggregate that a function was probably meant to be, null for one that is and for other functions. */
export function meantAggregate(name: string): string | null {
  if (isAggregate(name)) return null;
  const meant = meantBy(name, functionNames, aggregateSaid);
  return meant !== null && isAggregate(meant) ? meant : null;
}

/** The first aggregate inside a formula. */
export function callIn(formula: Formula, calls: WeakMap<Formula, SqlCall>): SqlCall | null {
  const own = calls.get(formula);
  if (own !== undefined) return own;
  if (!("op" in formula)) return null;
  for (const part of formula.of) {
    const found = callIn(part, calls);
    if (found !== null) return found;
  }
  return null;
}

const MAX_NESTED = 3;
/** Arguments of one call: a regression has many columns. */
const MAX_SETTINGS = 100;

function readValue(depth: number, { value }: Expressions, { peek, take, accept, expect, fail }: TokenReader): SqlValue {
  const closing = accept("symbol", "(") ? ")" : accept("symbol", "[") ? "]" : null;
  if (closing !== null) {
    if (depth > MAX_NESTED) return fail("a value that is not so deep");
    const list = [value(depth + 1)];
    while (accept("symbol", ",")) list.push(value(depth + 1));
    expect("symbol", closing);
    return { list };
  }
  if (accept("symbol", "-")) {
    const { kind } = peek();
    return kind === "number" ? { number: `-${take().value}` } : fail("a number");
  }
  const token = peek();
  if (accept("word", "null")) return { nothing: true };
  if (accept("word", "true")) return { truth: true };
  if (accept("word", "false")) return { truth: false };
  if (token.kind === "number") return { number: take().value };
  if (token.kind === "text") return { text: take().value };
  if (token.kind !== "name" && token.kind !== "quoted") return fail("a number, a 'text', a name or a list");
  take();
  return token.value.toLowerCase() === "array" && token.kind === "name" && peek().value === "["
    ? value(depth)
    : { name: token.value };
}

function readCall(token: Token, depth: number, expressions: Expressions, reader: TokenReader): SqlCall {
  const { peek, is, accept, expect } = reader;
  expect("symbol", "(");
  const isDistinct = accept("word", "distinct");
  const isStar = accept("symbol", "*");
  const of: SqlArgument[] = [];
  const settings: SqlSetting[] = [];
  for (let isFirst = true; !is("symbol", ")"); isFirst = false) {
    if (!isFirst || isStar) expect("symbol", ",");
    if (of.length + settings.length >= MAX_SETTINGS)
      return reader.fail(`the last of at most ${MAX_SETTINGS} arguments`);
    const { at } = peek();
    if (is("symbol", "[")) of.push({ at, list: listOf(expressions, reader) });
    else {
      const read = expressions.ofRows(depth + 1);
      const name = "column" in read ? read.column : null;
      if (name?.toLowerCase() === "array" && is("symbol", "[")) of.push({ at, list: listOf(expressions, reader) });
      else if (name !== null && accept("symbol", "=>"))
        settings.push({ name: name.toLowerCase(), at, value: expressions.value() });
      else of.push({ at, formula: read });
    }
  }
  expect("symbol", ")");
  let within: Formula | null = null;
  if (acceptName(reader, "within")) {
    expect("word", "group");
    expect("symbol", "(");
    expect("word", "order");
    expect("word", "by");
    within = expressions.ofRows();
    acceptName(reader, "asc");
    expect("symbol", ")");
  }
  let filter: Formula | null = null;
  if (acceptName(reader, "filter")) {
    expect("symbol", "(");
    expect("word", "where");
    filter = expressions.ofRows();
    expect("symbol", ")");
  }
  return { name: token.value.toLowerCase(), at: token.at, isDistinct, isStar, of, settings, within, filter };
}

function listOf({ ofRows }: Expressions, { accept, expect }: TokenReader): readonly Formula[] {
  expect("symbol", "[");
  const list = [ofRows()];
  while (accept("symbol", ",")) list.push(ofRows());
  expect("symbol", "]");
  return list;
}

/** A word that is a name elsewhere, whatever its case. */
export function acceptName({ peek, take }: TokenReader, word: string): boolean {
  const { kind, value } = peek();
  return kind === "name" && value.toLowerCase() === word && take() !== undefined;
}

/** Functions that SQL calls otherwise, or whose arguments mean something else there; null for those of formulas. */
function sqlFunction(
  token: Token,
  depth: number,
  read: (depth: number) => Formula,
  reader: TokenReader,
): Formula | null {
  const { accept, is, expect, fail } = reader;
  const name = token.value.toLowerCase();
  const known = Object.hasOwn(SQL_FUNCTIONS, name) ? SQL_FUNCTIONS[name] : undefined;
  if (known === undefined)
    return isOperation(name)
      ? null
      : fail(
          `an aggregate (COUNT, SUM, AVG, MEDIAN, …) or a function of derived columns (cut, bucket, round, …)${meantText(token.value, functionNames, aggregateSaid)}`,
          token,
        );
  expect("symbol", "(");
  const of: Formula[] = [];
  if (name === "extract") {
    of.push({ column: reader.take().value });
    expect("word", "from");
    of.push(read(depth + 1));
  } else if (!is("symbol", ")")) of.push(read(depth + 1));
  while (accept("symbol", ",")) of.push(read(depth + 1));
  const made = known.make(of);
  if (made === null) return fail(known.usage, token);
  expect("symbol", ")");
  return made;
}
