import { invalid } from "@dosimeter/core";
import type { Declaration } from "./declaration.ts";
import { checkPredicate, type Predicate } from "./predicate.ts";
import { comparisonOf, readTokens, type TokenReader, tokenPattern } from "./token.ts";

const WORDS = new Set(["and", "or", "not", "in", "is", "null", "between", "true", "false"]);
const PATTERN = tokenPattern({ sign: "[+-]?", symbols: "=<>≤≥≠()," });

/** A predicate from outside, as text or JSON, in its canonical form. Throws with the path of the fault. */
export const readPredicate = (
  given: unknown,
  declaration: Pick<Declaration, "columns" | "privacyUnit">,
  path = "where",
): Predicate => checkPredicate(typeof given === "string" ? parsePredicate(given, path) : given, declaration, path);

/**
 * Reads a predicate from text: `age >= 18 and (race in (1, 3) or not married = true)`. Names with other characters stand in
 * double quotes, texts in single ones. The result is unchecked JSON for `checkPredicate`.
 */
export function parsePredicate(source: string, path = "where"): unknown {
  const { peek, take, accept, expect, fail }: TokenReader = readTokens(source, {
    path,
    pattern: PATTERN,
    words: WORDS,
  });

  const literal = (): string | number | boolean => {
    if (accept("word", "true")) return true;
    if (accept("word", "false")) return false;
    const { kind, value } = peek();
    if (kind === "number") return Number(take().value);
    if (kind === "name") return fail(`true or false, or a text in quotes: '${value}'`);
    return kind === "text" ? take().value : fail("a number, 'text', true or false here");
  };

  const condition = (depth: number): unknown => {
    if (depth > 64) return invalid(path, "deeper", "at most 64 levels deep");
    if (accept("word", "not")) return { op: "not", of: condition(depth + 1) };
    if (accept("symbol", "(")) {
      const inner = disjunction(depth + 1);
      expect("symbol", ")");
      return inner;
    }
    if (!["name", "quoted"].includes(peek().kind)) return fail("a column here");
    const column = take().value;
    if (accept("word", "is")) {
      const negated = accept("word", "not");
      expect("word", "null");
      return negated ? { op: "not", of: { op: "isNull", column } } : { op: "isNull", column };
    }
    if (accept("word", "between")) {
      const lower = literal();
      expect("word", "and");
      return { op: "between", column, lower, upper: literal() };
    }
    const negated = accept("word", "not");
    if (accept("word", "in")) {
      expect("symbol", "(");
      const values = [literal()];
      while (accept("symbol", ",")) values.push(literal());
      expect("symbol", ")");
      return negated ? { op: "not", of: { op: "in", column, values } } : { op: "in", column, values };
    }
    if (negated) return fail('"in" here');
    const { kind, value } = peek();
    if (kind !== "symbol" || "(),".includes(value)) return fail("=, !=, <, <=, >, >=, between, in or is here");
    take();
    return { op: comparisonOf(value), column, value: literal() };
  };
  const chain =
    (word: "and" | "or", part: (depth: number) => unknown) =>
    (depth: number): unknown => {
      const parts = [part(depth)];
      while (accept("word", word)) parts.push(part(depth));
      return parts.length === 1 ? parts[0] : { op: word, of: parts };
    };
  const conjunction = chain("and", condition);
  const disjunction = chain("or", conjunction);

  const result = disjunction(0);
  if (peek().kind !== "end") return fail("and, or, or the end here");
  return result;
}
