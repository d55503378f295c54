import { wanted } from "./check.ts";

type Token = { readonly kind: "name" | "number" | "text" | "symbol" | "word" | "end"; readonly value: string };

const WORDS = new Set(["and", "or", "not", "in", "is", "null", "between", "true", "false"]);
const TOKEN =
  /\s*(?:(?<number>[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)|'(?<text>(?:[^']|'')*)'|"(?<quoted>(?:[^"]|"")*)"|(?<name>[\p{L}_][\p{L}\p{N}_.]*)|(?<symbol><=|>=|!=|<>|[=<>≤≥≠(),]))/uy;
const LONGEST = 10_000;

/**
 * Reads a predicate from text: `age >= 18 and (race in (1, 3) or not married = true)`. Names with other characters stand in
 * double quotes, texts in single ones. The result is unchecked JSON for `checkPredicate`.
 */
export function parsePredicate(source: string, path = "where"): unknown {
  if (source.length > LONGEST) return wanted(path, source.length, `at most ${LONGEST} characters`);
  const tokens = tokenise(source, path);
  let at = 0;
  const peek = (): Token => tokens[at] ?? { kind: "end", value: "" };
  const take = (): Token => {
    const token = peek();
    at += 1;
    return token;
  };
  const fail = (want: string): never => {
    const { kind, value } = peek();
    return wanted(path, kind === "end" ? `${source} (end)` : value, want);
  };
  const isWord = (word: string): boolean => peek().kind === "word" && peek().value === word;
  const isSymbol = (symbol: string): boolean => peek().kind === "symbol" && peek().value === symbol;
  const expectSymbol = (symbol: string): void => void (isSymbol(symbol) ? take() : fail(`"${symbol}" here`));
  const expectWord = (word: string): void => void (isWord(word) ? take() : fail(`"${word}" here`));

  const literal = (): string | number | boolean => {
    const token = peek();
    if (token.kind === "number" || token.kind === "text" || isWord("true") || isWord("false")) {
      take();
      return token.kind === "number"
        ? Number(token.value)
        : token.kind === "text"
          ? token.value
          : token.value === "true";
    }
    return fail("a number, 'text', true or false here");
  };

  const condition = (depth: number): unknown => {
    if (depth > 64) return wanted(path, "deeper", "at most 64 levels deep");
    if (isWord("not")) {
      take();
      return { op: "not", of: condition(depth + 1) };
    }
    if (isSymbol("(")) {
      take();
      const inner = disjunction(depth + 1);
      expectSymbol(")");
      return inner;
    }
    if (peek().kind !== "name") return fail("a column here");
    const column = take().value;
    if (isWord("is")) {
      take();
      const negated = isWord("not") && take() !== undefined;
      expectWord("null");
      return negated ? { op: "not", of: { op: "isNull", column } } : { op: "isNull", column };
    }
    if (isWord("between")) {
      take();
      const lower = literal();
      expectWord("and");
      return { op: "between", column, lower, upper: literal() };
    }
    const negated = isWord("not") && take() !== undefined;
    if (isWord("in")) {
      take();
      expectSymbol("(");
      const values = [literal()];
      while (isSymbol(",")) {
        take();
        values.push(literal());
      }
      expectSymbol(")");
      return negated ? { op: "not", of: { op: "in", column, values } } : { op: "in", column, values };
    }
    if (negated) return fail('"in" here');
    const { kind, value } = peek();
    if (kind !== "symbol" || "(),".includes(value)) return fail("=, !=, <, <=, >, >=, between, in or is here");
    take();
    const op = { "<>": "!=", "≠": "!=", "≤": "<=", "≥": ">=" }[value] ?? value;
    return { op, column, value: literal() };
  };
  const chain =
    (word: "and" | "or", part: (depth: number) => unknown) =>
    (depth: number): unknown => {
      const parts = [part(depth)];
      while (isWord(word)) {
        take();
        parts.push(part(depth));
      }
      return parts.length === 1 ? parts[0] : { op: word, of: parts };
    };
  const conjunction = chain("and", condition);
  const disjunction = chain("or", conjunction);

  const result = disjunction(0);
  if (peek().kind !== "end") return fail("and, or, or the end here");
  return result;
}

function tokenise(source: string, path: string): readonly Token[] {
  const tokens: Token[] = [];
  TOKEN.lastIndex = 0;
  const end = source.trimEnd().length;
  while (TOKEN.lastIndex < end) {
    const from = TOKEN.lastIndex;
    const groups = TOKEN.exec(source)?.groups;
    if (groups === undefined)
      return wanted(path, source.slice(from, from + 20), "a column, value, operator or bracket");
    tokens.push(token(groups));
  }
  return tokens;
}

function token({ number, text, quoted, name, symbol }: Partial<Record<string, string>>): Token {
  if (number !== undefined) return { kind: "number", value: number };
  if (text !== undefined) return { kind: "text", value: text.replaceAll("''", "'") };
  if (quoted !== undefined) return { kind: "name", value: quoted.replaceAll('""', '"') };
  if (symbol !== undefined) return { kind: "symbol", value: symbol };
  const lower = (name ?? "").toLowerCase();
  return WORDS.has(lower) ? { kind: "word", value: lower } : { kind: "name", value: name ?? "" };
}
