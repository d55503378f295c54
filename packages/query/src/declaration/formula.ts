import { clockParts, dateParts } from "@dosimeter/core";
import type { Key } from "./key.ts";
import { columnText, literalText } from "./token.ts";

/**
 * A derived value as a person, a file or a page writes it: a column, a constant, or an operation. `cut(age, 10)` is
 * {op: "cut", of: [{column: "age"}, {value: 10}]}. Its type and its bounds follow from the declaration alone, before
 * any row is read [M123].
 */
export type Formula =
  | { readonly column: string }
  | { readonly value: Key }
  | { readonly op: Operation; readonly of: readonly Formula[] };

export const OPERATIONS = [
  "+",
  "-",
  "*",
  "/",
  "ratio",
  "abs",
  "least",
  "greatest",
  "clamp",
  "floor",
  "round",
  "cut",
  "bucket",
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
  "if",
  "coalesce",
  "map",
  "join",
  "date",
  ...dateParts,
  ...clockParts,
  "age",
] as const;
export type Operation = (typeof OPERATIONS)[number];

/** How strongly operations between their parts bind. */
export const INFIX: Readonly<Partial<Record<Operation, number>>> = {
  or: 1,
  and: 2,
  "=": 4,
  "!=": 4,
  "<": 4,
  "<=": 4,
  ">": 4,
  ">=": 4,
  "+": 5,
  "-": 5,
  "*": 6,
  "/": 6,
};
export const ATOM = 9;

/** The formula as text, which `parseFormula` reads back. */
export function formulaText(formula: Formula): string {
  return written(formula, 0);
}

function written(formula: Formula, outer: number): string {
  if ("column" in formula) return columnText(formula.column);
  if ("value" in formula)
    return typeof formula.value === "number" && formula.value < 0 && outer > 0
      ? `(${literalText(formula.value)})`
      : literalText(formula.value);
  const { op, of } = formula;
  const [first] = of;
  const within = (level: number, text: string): string => (level <= outer ? `(${text})` : text);
  const level = INFIX[op];
  if (level !== undefined && of.length >= 2) {
    // Arithmetic is left-associative; other operations of the same level keep their brackets.
    const parts = of.map((part, index) => written(part, index === 0 && level >= 5 ? level - 1 : level));
    return within(level, parts.join(` ${op} `));
  }
  if (op === "not" && first !== undefined) return within(3, `not ${written(first, 3)}`);
  if (op === "isNull" && first !== undefined) return within(4, `${written(first, 4)} is null`);
  if (op === "in" && first !== undefined)
    return within(4, `${written(first, 4)} in (${of.slice(1).map(formulaText).join(", ")})`);
  if (op === "-" && first !== undefined) return within(7, `-${written(first, ATOM - 1)}`);
  return `${op}(${of.map(formulaText).join(", ")})`;
}
