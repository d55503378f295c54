import { invalid, PrivacyError } from "@dosimeter/core";
import type { Code } from "../declaration/code.ts";
import type { Column, Declaration, Derived, Provenance } from "../declaration/declaration.ts";
import { type Formula, formulaText, OPERATIONS } from "../declaration/formula.ts";
import { declaredColumn, predicateColumns } from "../declaration/predicate.ts";
import { entries, list, oneOf, own, record, text } from "../input/check.ts";
import type { BoundedStatistic } from "../plan/bounded.ts";
import { columnsOf as columnsOfTask } from "../plan/task-kinds.ts";
import { bindFormula, columnNode, columnOf } from "./bind.ts";
import { parseFormula } from "./formula-text.ts";
import type { Node, NumberNode } from "./node.ts";

export const MAX_DERIVED = 200;
const HEAVIEST = 20_000;
/** The weight of a part of a joined text, which the database cuts and searches: it has up to a thousand letters. */
const PART_WEIGHT = 50;
const MAX_DEPTH = 64;
const MAX_WHOLE = 2n ** 53n;

/**
 * Adds derived columns to a declaration: {age10: "cut(age, 10)"}, as text or JSON, in any order. Their bounds,
 * categories and provenance follow from the columns they use; no data is read. Errors carry the path.
 */
export function withDerived<D extends Pick<Declaration, "columns" | "privacyUnit">>(
  declaration: D,
  json: unknown,
  path = "let",
): D {
  if (json === undefined) return declaration;
  const given = record(json, path);
  const names = Object.keys(given);
  if (names.length > MAX_DERIVED) invalid(path, names.length, `at most ${MAX_DERIVED} derived columns`);
  const taken = new Set(Object.keys(declaration.columns).map((name) => name.toLowerCase()));
  const formulas = new Map<string, Formula>();
  for (const name of names) {
    const at = `${path}.${name}`;
    text(name, at, 200);
    if (taken.has(name.toLowerCase())) invalid(at, name, "a name that no other column has, whatever the case");
    taken.add(name.toLowerCase());
    formulas.set(name, readFormula(given[name], at));
  }
  const nodes = new Map<string, Node>();
  const provenances = new Map<string, Provenance>();
  const open = new Set<string>();
  const nodeOf = (name: string, at: string): Node => {
    const formula = formulas.get(name);
    if (formula === undefined) return columnNode(name, declaredColumn(name, declaration, at), at);
    const known = nodes.get(name);
    if (known !== undefined) return known;
    if (open.has(name)) return invalid(at, name, "a column that is not derived from itself");
    open.add(name);
    const node = bindFormula(formula, nodeOf, `${path}.${name}`);
    open.delete(name);
    nodes.set(name, node);
    return node;
  };
  const provenanceOf = (name: string): Provenance => {
    const known = provenances.get(name) ?? declaration.columns[name]?.provenance;
    if (known !== undefined) return known;
    const parts = columnsOf(formulas.get(name) ?? { value: 0 }).map(provenanceOf);
    const weakest = parts.includes("dp-estimated")
      ? "dp-estimated"
      : parts.includes("asserted")
        ? "asserted"
        : "public";
    provenances.set(name, weakest);
    return weakest;
  };
  const columns: Record<string, Column> = Object.create(null);
  Object.assign(columns, declaration.columns);
  for (const [name, formula] of formulas) {
    const at = `${path}.${name}`;
    const node = nodeOf(name, at);
    if (weightOf(node.code) > HEAVIEST) invalid(at, formulaText(formula), "shorter: its parts are computed too often");
    if (node.type === "number" && largestOf(node) > MAX_WHOLE)
      invalid(at, formulaText(formula), "smaller numbers: each, times the numerator of its step, below 2^53");
    const step = node.type === "number" ? node.step : null;
    const derived: Derived = { formula, text: formulaText(formula), code: node.code, step };
    columns[name] = { ...columnOf(node, at, provenanceOf(name)), derived };
  }
  return { ...declaration, columns };
}

/** The largest whole number that the column's SQL makes: no stored value may make it overflow. [M123] */
function largestOf({ least, largest, step }: NumberNode): bigint {
  const [low, high] = [least, largest].map((ticks) => (ticks < 0n ? -ticks : ticks) * step.numerator);
  return (low ?? 0n) > (high ?? 0n) ? (low ?? 0n) : (high ?? 0n);
}

/**
 * About the number of operations for one row: a part that is used twice counts twice, though its weight is computed
 * once.
 */
export function weightOf(code: Code, known = new Map<Code, number>()): number {
  const found = known.get(code);
  if (found !== undefined) return found;
  const of = (part: Code): number => weightOf(part, known);
  const sum = (parts: readonly Code[]): number => parts.reduce((total, part) => total + of(part), 1);
  const weight = (): number => {
    switch (code.do) {
      case "grid":
        return 4;
      case "whole":
      case "member":
        return 2;
      case "truth":
      case "text":
      case "constant":
        return 1;
      case "add":
      case "multiply":
      case "compare":
        return sum([code.a, code.b]);
      case "within":
        return 2 * of(code.a) + 2;
      case "dayPart":
        return 5 + of(code.a);
      case "period":
        return 5 + 2 * of(code.a);
      case "local":
        return 10 + of(code.a);
      case "floor":
      case "rest":
      case "missing":
      case "not":
        return sum([code.a]);
      case "quotient":
        return 3 * of(code.a) + 5 * of(code.b);
      case "and":
      case "or":
      case "first":
      case "join":
        return sum(code.of);
      case "digits":
        return sum([code.a]);
      case "part":
        return PART_WEIGHT + of(code.a);
      case "if":
        return sum([code.condition, code.yes, code.no]);
    }
  };
  const weighed = weight();
  known.set(code, weighed);
  return weighed;
}

/** These columns and those that they are derived from, directly or through each other: the answer depends on them all. */
export function usedColumns({ columns }: Pick<Declaration, "columns">, names: readonly string[]): ReadonlySet<string> {
  const used = new Set<string>();
  const visit = (name: string): void => {
    if (used.has(name)) return;
    used.add(name);
    const derived = Object.hasOwn(columns, name) ? columns[name]?.derived : undefined;
    if (derived !== undefined) columnsOf(derived.formula).forEach(visit);
  };
  names.forEach(visit);
  return used;
}

/** The columns that an engine reads for a statistic, the person's among them, and those that they are derived from. */
export function columnsRead(
  { column, where, groupBy, task, keys }: BoundedStatistic,
  declaration: Pick<Declaration, "columns" | "privacyUnit">,
): ReadonlySet<string> {
  const { privacyUnit } = declaration;
  return usedColumns(declaration, [
    ...(privacyUnit === "row" ? [] : [privacyUnit.column]),
    ...(column === null ? [] : [column]),
    ...columnsOfTask({ task }),
    ...groupBy,
    ...(keys === undefined ? [] : [keys.column]),
    ...predicateColumns(where),
  ]);
}

export function derivedTexts(
  { columns }: Pick<Declaration, "columns">,
  used: ReadonlySet<string>,
): Readonly<Record<string, string>> {
  const texts: Record<string, string> = Object.create(null);
  for (const name of used) {
    const derived = Object.hasOwn(columns, name) ? columns[name]?.derived : undefined;
    if (derived !== undefined) texts[name] = derived.text;
  }
  return texts;
}

const columnsOf = (formula: Formula): readonly string[] =>
  "column" in formula ? [formula.column] : "value" in formula ? [] : formula.of.flatMap(columnsOf);

function readFormula(json: unknown, path: string): Formula {
  return typeof json === "string" ? parseFormula(json, path) : checkFormula(json, path, 0);
}

function checkFormula(json: unknown, path: string, depth: number): Formula {
  if (depth > MAX_DEPTH) return invalid(path, "deeper", `at most ${MAX_DEPTH} levels deep`);
  const given = record(json, path);
  if (Object.hasOwn(given, "column")) {
    entries(given, path, ["column"]);
    return { column: text(own(given, "column"), `${path}.column`, 200) };
  }
  if (Object.hasOwn(given, "value")) {
    entries(given, path, ["value"]);
    const value = own(given, "value");
    if (typeof value === "string" || typeof value === "boolean") return { value };
    return typeof value === "number" && Number.isFinite(value)
      ? { value: value + 0 }
      : invalid(`${path}.value`, value, "a finite number, a text, true or false");
  }
  entries(given, path, ["op", "of"]);
  if (own(given, "op") === undefined)
    throw new PrivacyError("INVALID_PARAMETER", { name: path, want: "{column}, {value} or {op, of}" });
  const op = oneOf(own(given, "op"), `${path}.op`, OPERATIONS);
  const parts = list(own(given, "of"), `${path}.of`);
  return { op, of: parts.map((part, index) => checkFormula(part, `${path}.of[${index}]`, depth + 1)) };
}
