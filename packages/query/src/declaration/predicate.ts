import { formatPeriod, invalid, PrivacyError, parsePeriod } from "@dosimeter/core";
import { choiceOf, present } from "@dosimeter/core/internal";
import { entries, list, oneOf, own, record } from "../input/check.ts";
import { checkPeriod, unitOfDates } from "./dates.ts";
import { checkCode, codeFrom, isScaled } from "./decimals.ts";
import type { Column, Declaration } from "./declaration.ts";
import type { Key } from "./key.ts";
import type { Predicate } from "./predicate-type.ts";
import { columnText, literalText } from "./token.ts";

export type { Predicate };

const COMPARISONS = ["=", "!=", "<", "<=", ">", ">="] as const;
const OPERATORS = [...COMPARISONS, "between", "in", "isNull", "and", "or", "not"] as const;
const MAX_DEPTH = 32;
const MAX_VALUES = 1000;

/** What predicates are about. */
type Table = Pick<Declaration, "columns" | "privacyUnit">;

/** Checks a predicate from outside against the declaration; its canonical form. Throws with the path of the fault. */
export function checkPredicate(json: unknown, declaration: Table, path = "where"): Predicate {
  return canonical(check(json, declaration, path, 0));
}

function check(json: unknown, declaration: Table, path: string, depth: number): Predicate {
  if (depth > MAX_DEPTH) return invalid(path, "deeper", `at most ${MAX_DEPTH} levels deep`);
  const given = record(json, path);
  const said = own(given, "op");
  const op = oneOf(said === "≠" ? "!=" : said === "≤" ? "<=" : said === "≥" ? ">=" : said, `${path}.op`, OPERATORS);
  if (op === "not") {
    entries(given, path, ["op", "of"]);
    return { op, of: check(own(given, "of"), declaration, `${path}.of`, depth + 1) };
  }
  if (op === "and" || op === "or") {
    entries(given, path, ["op", "of"]);
    const parts = list(own(given, "of"), `${path}.of`);
    if (parts.length === 0 || parts.length > MAX_VALUES)
      invalid(`${path}.of`, parts.length, `1 to ${MAX_VALUES} parts`);
    return { op, of: parts.map((part, index) => check(part, declaration, `${path}.of[${index}]`, depth + 1)) };
  }
  const name = own(given, "column");
  const column = declaredColumn(name, declaration, `${path}.column`);
  switch (op) {
    case "isNull":
      entries(given, path, ["op", "column"]);
      return { op, column: name as string };
    case "in": {
      entries(given, path, ["op", "column", "values"]);
      const values = list(own(given, "values"), `${path}.values`);
      if (values.length === 0 || values.length > MAX_VALUES)
        invalid(`${path}.values`, values.length, `1 to ${MAX_VALUES} values`);
      return { op, column: name as string, values: values.map((v, i) => checkKey(v, column, `${path}.values[${i}]`)) };
    }
    case "between": {
      entries(given, path, ["op", "column", "lower", "upper"]);
      needsOrder(column, `${path}.op`, op);
      const lower = checkKey(own(given, "lower"), column, `${path}.lower`) as number | string;
      const upper = checkKey(own(given, "upper"), column, `${path}.upper`) as number | string;
      if (periodOf(lower, column) > periodOf(upper, column))
        invalid(`${path}.lower`, lower, `<= ${path}.upper (${upper})`);
      return { op, column: name as string, lower, upper };
    }
    default:
      entries(given, path, ["op", "column", "value"]);
      if (op !== "=" && op !== "!=") needsOrder(column, `${path}.op`, op);
      return { op, column: name as string, value: checkKey(own(given, "value"), column, `${path}.value`) };
  }
}

/** A declared column that is not the privacy unit: no one filters, groups or measures by who a person is. */
export function declaredColumn(name: unknown, declaration: Table, path: string): Column {
  const column =
    typeof name === "string" && Object.hasOwn(declaration.columns, name) ? declaration.columns[name] : undefined;
  if (column === undefined)
    throw new PrivacyError("UNKNOWN_COLUMN", {
      name: path,
      ...present({ got: name }),
      want: choiceOf(name, Object.keys(declaration.columns)),
    });
  if (declaration.privacyUnit !== "row" && declaration.privacyUnit.column === name)
    throw new PrivacyError("UNSUPPORTED_QUERY", {
      name: path,
      got: name,
      want: "another column: this one names the privacy unit",
    });
  return column;
}

function needsOrder(column: Column, path: string, op: string): void {
  if (!isOrdered(column)) invalid(path, op, `=, !=, in or isNull: the column is ${column.type}`);
}

// A filter may name 1,000 of 65,536.
const kept = new WeakMap<readonly Key[], ReadonlyMap<unknown, Key>>();
function categoriesOf(categories: readonly Key[]): ReadonlyMap<unknown, Key> {
  const known = kept.get(categories) ?? new Map(categories.map((category) => [category, category]));
  kept.set(categories, known);
  return known;
}

/** A value that a column of this type can hold; a category must be a declared one. */
function checkKey(value: unknown, column: Column, path: string): Key {
  switch (column.type) {
    case "boolean":
      return typeof value === "boolean" ? value : invalid(path, value, "true or false");
    case "text":
      return typeof value === "string" ? value.normalize("NFC") : invalid(path, value, "a text");
    case "category": {
      const canonicalValue = typeof value === "string" ? value.normalize("NFC") : value;
      const found = categoriesOf(column.categories ?? []).get(canonicalValue);
      return found ?? invalid(path, value, "one of the declared categories");
    }
    case "integer":
    case "number":
      if (typeof value !== "number" || !Number.isFinite(value)) return invalid(path, value, "a finite number");
      if (isScaled(column)) checkCode(value, column, path);
      return value + 0;
    case "date":
      return formatPeriod(checkPeriod(value, column, path), unitOfDates(column));
  }
}

/** Whether `<` and `between` mean something for its values: numbers and dates. */
export const isOrdered = ({ type }: Pick<Column, "type">): boolean =>
  type === "integer" || type === "number" || type === "date";

/** A predicate that compares numbers: its dates as periods. */
export const inPeriods = (predicate: Predicate, { columns }: Pick<Declaration, "columns">): Predicate =>
  withValues(predicate, columns, periodOf);

/** A predicate that compares what engines compare: its dates as periods, its decimals in steps of the last digit. */
export const inCodes = (predicate: Predicate, { columns }: Pick<Declaration, "columns">): Predicate =>
  withValues(predicate, columns, (value, column) =>
    isScaled(column) && typeof value === "number" ? Number(codeFrom(value, column)) : periodOf(value, column),
  );

const periodOf = (value: Key, column: Column): Key =>
  column.type === "date" && typeof value === "string" ? (parsePeriod(value, unitOfDates(column)) ?? value) : value;

function withValues(
  predicate: Predicate,
  columns: Declaration["columns"],
  change: (value: Key, column: Column) => Key,
): Predicate {
  if ("of" in predicate)
    return predicate.op === "not"
      ? { op: "not", of: withValues(predicate.of, columns, change) }
      : { op: predicate.op, of: predicate.of.map((part) => withValues(part, columns, change)) };
  const column = columns[predicate.column];
  if (column === undefined || predicate.op === "isNull") return predicate;
  const at = (value: Key): Key => change(value, column);
  switch (predicate.op) {
    case "between":
      return {
        ...predicate,
        lower: at(predicate.lower) as number | string,
        upper: at(predicate.upper) as number | string,
      };
    case "in":
      return { ...predicate, values: predicate.values.map(at) };
    default:
      return { ...predicate, value: at(predicate.value) };
  }
}

/** Same meaning, one spelling: nested and/or flattened, parts and values sorted and unique, double negation gone. */
function canonical(predicate: Predicate): Predicate {
  switch (predicate.op) {
    case "not": {
      const inner = canonical(predicate.of);
      return inner.op === "not" ? inner.of : { op: "not", of: inner };
    }
    case "and":
    case "or": {
      const { op } = predicate;
      const parts = predicate.of.map(canonical).flatMap((part) => (part.op === op ? part.of : [part]));
      const unique = new Map(parts.map((part) => [JSON.stringify(part), part]));
      const sorted = [...unique].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, part]) => part);
      const [only] = sorted;
      return sorted.length === 1 && only !== undefined ? only : { op, of: sorted };
    }
    case "in": {
      const values = [...new Set(predicate.values)].sort((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1));
      const [only] = values;
      return values.length === 1 && only !== undefined
        ? { op: "=", column: predicate.column, value: only }
        : { op: "in", column: predicate.column, values };
    }
    default:
      return predicate;
  }
}

/** The columns it reads. */
export function predicateColumns(predicate: Predicate | null): readonly string[] {
  if (predicate === null) return [];
  switch (predicate.op) {
    case "not":
      return predicateColumns(predicate.of);
    case "and":
    case "or":
      return predicate.of.flatMap(predicateColumns);
    default:
      return [predicate.column];
  }
}

/** The values that a predicate compares a column with, or any. */
export function comparedWith(predicate: Predicate, name?: string): readonly Key[] {
  if ("of" in predicate)
    return predicate.op === "not"
      ? comparedWith(predicate.of, name)
      : predicate.of.flatMap((part) => comparedWith(part, name));
  if (predicate.op === "isNull" || (name !== undefined && predicate.column !== name)) return [];
  if (predicate.op === "in") return predicate.values;
  return predicate.op === "between" ? [predicate.lower, predicate.upper] : [predicate.value];
}

/** The predicate as people read it: `age >= 18 and (married = true or income between 0 and 100)`. */
export function predicateText(predicate: Predicate): string {
  switch (predicate.op) {
    case "not":
      return `not (${predicateText(predicate.of)})`;
    case "and":
    case "or":
      return predicate.of
        .map((part) => (part.op === "and" || part.op === "or" ? `(${predicateText(part)})` : predicateText(part)))
        .join(` ${predicate.op} `);
    case "isNull":
      return `${columnText(predicate.column)} is null`;
    case "in":
      return `${columnText(predicate.column)} in (${predicate.values.map(literalText).join(", ")})`;
    case "between":
      return `${columnText(predicate.column)} between ${literalText(predicate.lower)} and ${literalText(predicate.upper)}`;
    default:
      return `${columnText(predicate.column)} ${predicate.op} ${literalText(predicate.value)}`;
  }
}
