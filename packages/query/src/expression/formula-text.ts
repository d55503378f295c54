import { type Formula, OPERATIONS, type Operation } from "../declaration/formula.ts";
import { comparisonOf, readTokens, type Token, type TokenReader, tokenPattern } from "../declaration/token.ts";

const WORDS = new Set([..."and or not in is null between true false case when then else end".split(" ")]);
const PATTERN = tokenPattern({ sign: "", symbols: "-+*/=<>≤≥≠()," });
const MAX_DEPTH = 64;
const COMPARISONS = ["=", "!=", "<", "<=", ">", ">="] as const satisfies readonly Operation[];

/**
 * Reads a formula from text: `if(age >= 65, 'old', 'young')`, `clamp(income / 1000, 0, 500)`. The grammar is in
 * docs/derived-columns.md. The result is unchecked; `bindFormula` checks it against the columns. Throws
 * INVALID_PARAMETER.
 */
export function parseFormula(source: string, path = "let"): Formula {
  const reader = readTokens(source, { path, pattern: PATTERN, words: WORDS });
  const result = formulaReader(reader)();
  return reader.peek().kind === "end" ? result : reader.fail("an operator or the end here");
}

/** What another language reads in its own way. */
export interface FormulaDialect {
  readonly column?: (token: Token) => Formula;
  /** A call, from its opening bracket on; null: read as always. */
  readonly call?: (name: Token, depth: number) => Formula | null;
  readonly not?: (of: Formula) => Formula;
  /** What stands after `is` or `is not`; null: it must be `null`. */
  readonly is?: (left: Formula, negated: boolean) => Formula | null;
  readonly between?: (left: Formula, lower: Formula, upper: Formula) => Formula;
}

/** Reads formulas from the tokens of a text, each up to where it ends. */
// long: a recursive-descent parser whose rules share one reader
export function formulaReader(
  { peek, take, is, accept, expect, fail }: TokenReader,
  dialect: FormulaDialect = {},
): (depth?: number) => Formula {
  const heightOf = heights();
  const deep = (): never => fail(`at most ${MAX_DEPTH} levels deep`);
  const op = (name: Operation, ...of: readonly Formula[]): Formula => {
    const made: Formula = { op: name, of };
    return heightOf(made) > MAX_DEPTH ? deep() : made;
  };
  const not = dialect.not ?? ((of: Formula) => op("not", of));
  const column = dialect.column ?? (({ value }: Token): Formula => ({ column: value }));

  const list = (depth: number): readonly Formula[] => {
    const items = [disjunction(depth)];
    while (accept("symbol", ",")) items.push(disjunction(depth));
    return items;
  };

  const atom = (depth: number): Formula => {
    if (depth > MAX_DEPTH) return deep();
    const token = peek();
    if (accept("symbol", "(")) {
      const inner = disjunction(depth + 1);
      expect("symbol", ")");
      return inner;
    }
    if (accept("symbol", "-")) {
      const inner = atom(depth + 1);
      return "value" in inner && typeof inner.value === "number" ? { value: 0 - inner.value } : op("-", inner);
    }
    if (accept("word", "true")) return { value: true };
    if (accept("word", "false")) return { value: false };
    if (accept("word", "case")) return cases(depth + 1);
    if (token.kind === "number") return { value: Number(take().value) };
    if (token.kind === "text") return { value: take().value };
    if (token.kind === "quoted") return column(take());
    if (token.kind !== "name") return fail("a column, a value, a function or a bracket here");
    const { value } = take();
    if (value.toLowerCase() === "date" && peek().kind === "text") return op("date", { value: take().value });
    // The column next to it knows the zone.
    if (value.toLowerCase() === "timestamp" && peek().kind === "text") return { value: take().value };
    if (!is("symbol", "(")) return column(token);
    const own = dialect.call?.(token, depth) ?? null;
    if (own !== null) return own;
    const known = OPERATIONS.find((each) => each === value || each.toLowerCase() === value.toLowerCase());
    if (known === undefined) return fail(`one of the functions ${FUNCTIONS.join(", ")}`, token);
    expect("symbol", "(");
    const of = is("symbol", ")") ? [] : list(depth + 1);
    expect("symbol", ")");
    return op(known, ...of);
  };

  const cases = (depth: number): Formula => {
    const branches: (readonly [Formula, Formula])[] = [];
    while (accept("word", "when")) {
      const condition = disjunction(depth);
      expect("word", "then");
      branches.push([condition, disjunction(depth)]);
    }
    if (branches.length === 0) return fail('"when" here');
    const otherwise = accept("word", "else") ? [disjunction(depth)] : [];
    expect("word", "end");
    const [last, ...before] = branches.toReversed();
    if (last === undefined) return fail('"when" here');
    return before.reduce<Formula>(
      (rest, [condition, value]) => op("if", condition, value, rest),
      op("if", ...last, ...otherwise),
    );
  };

  const chain =
    (symbols: readonly string[], part: (depth: number) => Formula) =>
    (depth: number): Formula => {
      let left = part(depth);
      while (peek().kind === "symbol" && symbols.includes(peek().value))
        left = op(take().value as Operation, left, part(depth));
      return left;
    };
  const product = chain(["*", "/"], atom);
  const sum = chain(["+", "-"], product);

  const comparison = (depth: number): Formula => {
    const left = sum(depth);
    if (accept("word", "is")) {
      const negated = accept("word", "not");
      const own = dialect.is?.(left, negated) ?? null;
      if (own !== null) return own;
      expect("word", "null");
      return negated ? op("not", op("isNull", left)) : op("isNull", left);
    }
    const negated = accept("word", "not");
    if (accept("word", "in")) {
      expect("symbol", "(");
      const values = list(depth + 1);
      expect("symbol", ")");
      return negated ? not(op("in", left, ...values)) : op("in", left, ...values);
    }
    if (accept("word", "between")) {
      const lower = sum(depth);
      expect("word", "and");
      const upper = sum(depth);
      if (!isSmall(left)) return fail(`fewer than ${MAX_TWICE} parts on the left of between, which are computed twice`);
      const both = dialect.between?.(left, lower, upper) ?? op("and", op(">=", left, lower), op("<=", left, upper));
      return negated ? not(both) : both;
    }
    if (negated) return fail('"in" or "between" here');
    const { kind, value } = peek();
    const known = kind === "symbol" ? COMPARISONS.find((each) => each === comparisonOf(value)) : undefined;
    if (known === undefined) return left;
    take();
    return op(known, left, sum(depth));
  };
  const negation = (depth: number): Formula => {
    if (depth > MAX_DEPTH) return deep();
    return accept("word", "not") ? not(negation(depth + 1)) : comparison(depth);
  };
  const joined =
    (word: "and" | "or", part: (depth: number) => Formula) =>
    (depth: number): Formula => {
      const parts = [part(depth)];
      while (accept("word", word)) parts.push(part(depth));
      const [only] = parts;
      return parts.length === 1 && only !== undefined ? only : op(word, ...parts);
    };
  const conjunction = joined("and", negation);
  const disjunction = joined("or", conjunction);

  return (depth = 0) => disjunction(depth);
}

/** The levels of formulas, each computed once: a chain `a + b + c` is as deep as it is long. */
function heights(): (formula: Formula) => number {
  const known = new WeakMap<Formula, number>();
  const heightOf = (formula: Formula): number => {
    if (!("op" in formula)) return 0;
    const height = known.get(formula) ?? 1 + formula.of.reduce((most, part) => Math.max(most, heightOf(part)), 0);
    known.set(formula, height);
    return height;
  };
  return heightOf;
}

const MAX_TWICE = 1000;

/** Whether a formula has few parts, those that stand in it twice counted twice. */
export function isSmall(formula: Formula, most = MAX_TWICE): boolean {
  let parts = 0;
  const visit = (each: Formula): boolean => {
    parts += 1;
    return parts < most && (!("op" in each) || each.of.every(visit));
  };
  return visit(formula);
}

const FUNCTIONS = OPERATIONS.filter((each) => /^[a-z]/i.test(each) && !["and", "or", "not", "in"].includes(each));
