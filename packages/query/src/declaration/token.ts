import { invalid } from "@dosimeter/core";
import type { Key } from "./key.ts";

type TokenKind = "name" | "quoted" | "number" | "text" | "symbol" | "word" | "end";
interface Token {
  readonly kind: TokenKind;
  readonly value: string;
}

/** The tokens of one text, read from the left; every refusal names `path` and what stands there instead. */
export interface TokenReader {
  readonly peek: () => Token;
  readonly take: () => Token;
  readonly is: (kind: TokenKind, value: string) => boolean;
  readonly accept: (kind: TokenKind, value: string) => boolean;
  readonly expect: (kind: TokenKind, value: string) => void;
  readonly fail: (want: string) => never;
}

const MAX_LENGTH = 10_000;

const RESERVED = /^(?:and|or|not|in|is|null|between|true|false|case|when|then|else|end)$/i;

/** A column as these languages write it: in double quotes where it would read as something else. */
export const columnText = (column: string): string =>
  /^[A-Za-z_]\w*$/.test(column) && !RESERVED.test(column) ? column : `"${column.replaceAll('"', '""')}"`;

/** A value as these languages write it. */
export const literalText = (value: Key): string =>
  typeof value === "string" ? `'${value.replaceAll("'", "''")}'` : String(value);

/** The comparison that a symbol stands for: some may be written in two ways. */
export const comparisonOf = (symbol: string): string =>
  ({ "<>": "!=", "≠": "!=", "≤": "<=", "≥": ">=" })[symbol] ?? symbol;

/** Names, quoted names, 'texts', numbers (`sign` is what may stand before one) and the symbols of a small language. */
export const tokenPattern = ({ sign, symbols }: { readonly sign: string; readonly symbols: string }): RegExp =>
  new RegExp(
    String.raw`\s*(?:(?<number>${sign}(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)|'(?<text>(?:[^']|'')*)'|"(?<quoted>(?:[^"]|"")*)"|(?<name>[\p{L}_][\p{L}\p{N}_.]*)|(?<symbol><=|>=|!=|<>|[${symbols}]))`,
    "uy",
  );

/** Throws INVALID_PARAMETER for a text of over 10,000 characters and where no token begins. */
export function readTokens(
  source: string,
  { path, pattern, words }: { readonly path: string; readonly pattern: RegExp; readonly words: ReadonlySet<string> },
): TokenReader {
  if (source.length > MAX_LENGTH) return invalid(path, source.length, `at most ${MAX_LENGTH} characters`);
  const tokens = tokenise(source, path, new RegExp(pattern), words);
  let at = 0;
  const peek = (): Token => tokens[at] ?? { kind: "end", value: "" };
  const take = (): Token => {
    const token = peek();
    at += 1;
    return token;
  };
  const fail = (want: string): never => {
    const { kind, value } = peek();
    return invalid(path, kind === "end" ? `${source} (end)` : value, want);
  };
  const is = (kind: TokenKind, value: string): boolean => peek().kind === kind && peek().value === value;
  const accept = (kind: TokenKind, value: string): boolean => is(kind, value) && take() !== undefined;
  const expect = (kind: TokenKind, value: string): void => void (accept(kind, value) || fail(`"${value}" here`));
  return { peek, take, is, accept, expect, fail };
}

function tokenise(source: string, path: string, pattern: RegExp, words: ReadonlySet<string>): readonly Token[] {
  const tokens: Token[] = [];
  const end = source.trimEnd().length;
  while (pattern.lastIndex < end) {
    const from = pattern.lastIndex;
    const groups = pattern.exec(source)?.groups;
    if (groups === undefined)
      return invalid(path, source.slice(from, from + 20), "a column, value, operator or bracket");
    tokens.push(tokenOf(groups, words));
  }
  return tokens;
}

function tokenOf(
  { number, text, quoted, name, symbol }: Partial<Record<string, string>>,
  words: ReadonlySet<string>,
): Token {
  if (number !== undefined) return { kind: "number", value: number };
  if (text !== undefined) return { kind: "text", value: text.replaceAll("''", "'") };
  if (quoted !== undefined) return { kind: "quoted", value: quoted.replaceAll('""', '"') };
  if (symbol !== undefined) return { kind: "symbol", value: symbol };
  const lower = (name ?? "").toLowerCase();
  return words.has(lower) ? { kind: "word", value: lower } : { kind: "name", value: name ?? "" };
}
