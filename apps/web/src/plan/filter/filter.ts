import { PrivacyError } from "@dosimeter/core";
import {
  type Column,
  checkPredicate,
  type Declaration,
  isOrdered,
  type Key,
  type Predicate,
  parsePredicate,
  predicateText,
} from "@dosimeter/query/declaration";
import { faultText, readTyped } from "../../parts/number-text.ts";

/** How a condition compares, and with how many values. */
export const comparisons = {
  "=": { label: "is", takes: "one" },
  "!=": { label: "is not", takes: "one" },
  "<": { label: "< less than", takes: "one" },
  "<=": { label: "≤ at most", takes: "one" },
  ">": { label: "> more than", takes: "one" },
  ">=": { label: "≥ at least", takes: "one" },
  between: { label: "is between", takes: "two" },
  in: { label: "is one of", takes: "list" },
  notIn: { label: "is none of, or missing", takes: "list" },
  isNull: { label: "is missing", takes: "none" },
  hasValue: { label: "is not missing", takes: "none" },
} as const;
export type ComparisonName = keyof typeof comparisons;

/** `column · comparison · values`. A value that its column refuses is kept as the text that was typed. */
export interface Condition {
  readonly column: string;
  readonly comparison: ComparisonName;
  readonly values: readonly Key[];
}

export interface Group {
  readonly join: "and" | "or" | "none";
  readonly parts: readonly Part[];
}
export type Part = Condition | Group;

/** Positions from the outermost group to a part. */
export type Path = readonly number[];

export const isGroup = (part: Part): part is Group => "join" in part;

/** The most that rows show; what is larger or deeper stays text. */
export const MAX_LEVELS = 3;
const MAX_CONDITIONS = 30;

const EMPTY: Group = { join: "and", parts: [] };

/** A text as rows, or why it is not shown so. */
export type FilterReading = { readonly filter: Group } | { readonly reason: "unread" | "unshown" };

export function readFilter(text: string, declaration: Declaration): FilterReading {
  if (text.trim() === "") return { filter: EMPTY };
  let predicate: Predicate;
  try {
    predicate = parsePredicate(text) as Predicate;
  } catch (error) {
    if (error instanceof PrivacyError) return { reason: "unread" };
    throw error;
  }
  const part = partOf(predicate, declaration, 1);
  if (part === null || countOf(part) > MAX_CONDITIONS) return { reason: "unshown" };
  return { filter: isGroup(part) ? part : { join: "and", parts: [part] } };
}

const countOf = (part: Part): number =>
  isGroup(part) ? part.parts.reduce((total, each) => total + countOf(each), 0) : 1;

/** Null where rows cannot show it as it is. */
function partOf(predicate: Predicate, declaration: Declaration, level: number): Part | null {
  switch (predicate.op) {
    case "and":
    case "or":
      return groupOf(predicate.op, predicate.of, declaration, level);
    case "not": {
      const { of } = predicate;
      if (of.op === "isNull") return { column: of.column, comparison: "hasValue", values: [] };
      if (of.op === "in") return conditionOf(of.column, "notIn", of.values, declaration);
      return groupOf("none", of.op === "or" ? of.of : [of], declaration, level);
    }
    case "isNull":
      return { column: predicate.column, comparison: "isNull", values: [] };
    case "in":
      return conditionOf(predicate.column, "in", predicate.values, declaration);
    case "between":
      return conditionOf(predicate.column, "between", [predicate.lower, predicate.upper], declaration);
    default:
      return conditionOf(predicate.column, predicate.op, [predicate.value], declaration);
  }
}

function groupOf(join: Group["join"], of: readonly Predicate[], declaration: Declaration, level: number): Group | null {
  if (level > MAX_LEVELS) return null;
  const parts = of.map((each) => partOf(each, declaration, level + 1));
  return parts.every((part) => part !== null) ? { join, parts } : null;
}

/** A condition whose fields would give back the same values. */
function conditionOf(
  name: string,
  comparison: ComparisonName,
  values: readonly Key[],
  declaration: Declaration,
): Condition | null {
  const column = Object.hasOwn(declaration.columns, name) ? declaration.columns[name] : undefined;
  const isList = comparisons[comparison].takes === "list";
  const again = isList ? listOf(column, listText(values)) : values.map((value) => keyOf(column, String(value)));
  const choices = choicesOf(column);
  const isShown =
    isList && choices !== null
      ? values.every((value) => choices.includes(value)) || isBlank(values)
      : again.length === values.length && again.every((value, index) => value === values[index]);
  return isShown ? { column: name, comparison, values } : null;
}

/** One empty text stands for a value that is still to be typed. */
const isBlank = (values: readonly Key[]): boolean => values.length === 1 && values[0] === "";

/** The values that a column lists; null where they are typed. */
export const choicesOf = (column: Column | undefined): readonly Key[] | null =>
  column?.type === "boolean" ? [true, false] : (column?.categories ?? null);

export const holdsNumbers = (column: Column | undefined): boolean =>
  column?.type === "integer" || column?.type === "number";

/** A typed text as a value of the column; a text that is none stays a text, which the check then refuses. */
export function keyOf(column: Column | undefined, text: string): Key {
  const choice = choicesOf(column)?.find((each) => String(each) === text);
  if (choice !== undefined) return choice;
  const typed = text.replaceAll(/[\r\n]/g, " ").trim();
  if (!holdsNumbers(column)) return typed;
  const read = readTyped(typed, {});
  return read.fault === undefined ? read.value + 0 : typed;
}

/** Values between commas. `1,500` may be one number or two, and stays as typed. */
export function listOf(column: Column | undefined, text: string): readonly Key[] {
  const isNumber = holdsNumbers(column);
  if (isNumber && text.includes(",") && readTyped(text, {}).fault === undefined) return [text.trim()];
  return text.split(isNumber ? /[\s,;]+/ : ",").map((each) => keyOf(column, each));
}
export const listText = (values: readonly Key[]): string => values.map(String).join(", ");

/** The text of a filter, which `readFilter` reads back. */
export const filterText = (filter: Group): string =>
  filter.parts.length === 0 ? "" : predicateText(predicateOf(filter));

function predicateOf(part: Part): Predicate {
  if (isGroup(part)) {
    const [only, ...others] = part.parts.map(predicateOf);
    const inner: Predicate =
      only !== undefined && others.length === 0
        ? only
        : { op: part.join === "and" ? "and" : "or", of: part.parts.map(predicateOf) };
    return part.join === "none" ? { op: "not", of: inner } : inner;
  }
  const { column, comparison, values } = part;
  const [first = "", second = ""] = values;
  switch (comparison) {
    case "isNull":
      return { op: "isNull", column };
    case "hasValue":
      return { op: "not", of: { op: "isNull", column } };
    case "in":
      return { op: "in", column, values };
    case "notIn":
      return { op: "not", of: { op: "in", column, values } };
    case "between": // A bound may still be a text, which the check refuses.
      return { op: "between", column, lower: first as number, upper: second as number };
    default:
      return { op: comparison, column, value: first };
  }
}

/** The columns that a condition may name: no one filters by who a person is. */
export const filterColumns = ({ columns, privacyUnit }: Declaration): readonly string[] =>
  Object.keys(columns).filter((name) => privacyUnit === "row" || name !== privacyUnit.column);

export const comparisonsFor = (column: Column | undefined): readonly ComparisonName[] =>
  (Object.keys(comparisons) as ComparisonName[]).filter(
    (name) => column === undefined || isOrdered(column) || !["<", "<=", ">", ">=", "between"].includes(name),
  );

const BLANKS = { none: [], one: [""], two: ["", ""], list: [""] } as const;

/** Another comparison keeps the values that it has room for. */
export function compared({ column, values }: Condition, comparison: ComparisonName): Condition {
  const { takes } = comparisons[comparison];
  const kept = takes === "list" && values.length > 0 ? values : BLANKS[takes].map((blank, at) => values[at] ?? blank);
  return { column, comparison, values: kept };
}

/** A condition on a column, with its values still to be typed. */
export function conditionOn(column: string, declaration: Declaration, comparison?: ComparisonName): Condition {
  const known = comparisonsFor(declaration.columns[column]);
  const kept = comparison !== undefined && known.includes(comparison) ? comparison : "=";
  return compared({ column, comparison: kept, values: [] }, kept);
}

/** The part at the path changed, or gone where `change` returns null. */
export function changedAt(group: Group, path: Path, change: (part: Part) => Part | null): Group {
  const [at, ...rest] = path;
  if (at === undefined) {
    const changed = change(group);
    return changed !== null && isGroup(changed) ? changed : EMPTY;
  }
  const parts = group.parts.flatMap((part, index) => {
    if (index !== at) return [part];
    const changed = rest.length > 0 && isGroup(part) ? changedAt(part, rest, change) : change(part);
    return changed === null || (isGroup(changed) && changed.parts.length === 0) ? [] : [changed];
  });
  return { ...group, parts };
}

/** Why the declaration refuses each value of a condition, by position; -1 for the condition as a whole. */
export function faultsOf(condition: Condition, declaration: Declaration): ReadonlyMap<number, string> {
  try {
    checkPredicate(predicateOf({ ...condition, comparison: plain(condition.comparison) }), declaration);
    return new Map();
  } catch (error) {
    if (!(error instanceof PrivacyError)) throw error;
    const { name = "", got, want = "another value" } = error.details;
    const at = name === "where.upper" ? 1 : /^where\.(?:value|lower)/.test(name) ? 0 : -1;
    if (name === "where.lower" && typeof got === "number") return new Map([[0, "This is above the upper end."]]);
    const text = String(got ?? "");
    return new Map([[at, text === "" ? "Give a value." : faultText(text, want)]]);
  }
}

/** The same fields without a `not`, so that every path begins with `where.` and the field. */
const plain = (comparison: ComparisonName): ComparisonName =>
  comparison === "notIn" ? "in" : comparison === "hasValue" ? "isNull" : comparison;
