import { invalid } from "@dosimeter/core";
import type { Key } from "./key.ts";

type TokenKind = "name" | "quoted" | "number" | "text" | "symbol" | "word" | "end";
export interface Token {
  readonly kind: TokenKind;
  readonly value: string;
  /** Where it begins in the text. */
  readonly at: number;
}

/** The tokens of one text, read from the left; every refusal names `path` and what stands there instead. */
export interface TokenReader {
  readonly peek: () => Token;
  readonly take: () => Token;
  readonly is: (kind: TokenKind, value: string) => boolean;
  readonly accept: (kind: TokenKind, value: string) => boolean;
  readonly expect: (kind: TokenKind, value: string) => void;
  readonly fail: (want: string, token?: Token) => never;
}

/** A small language: its tokens, its own words, and how it refuses a text. */
interface Language {
  readonly path: string;
  readonly pattern: RegExp;
  readonly words: ReadonlySet<string>;
  /** Characters that a text may have. */
  readonly most?: number;
  /** What may stand between two tokens; matches the empty text too. */
  readonly between?: RegExp;
  /** Throws; `got` is null at the end of the text. */
  readonly refuse?: (at: number, got: string | null, want: string) => never;
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
export const tokenPattern = ({
  sign,
  symbols,
  pairs = "",
  ticks = "",
}: {
  readonly sign: string;
  readonly symbols: string;
  /** Further symbols of two characters. */
  readonly pairs?: string;
  /** Another way of quoting names, as the group `ticked`. */
  readonly ticks?: string;
}): RegExp =>
  new RegExp(
    String.raw`(?!/\*)(?:(?<number>${sign}(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)|'(?<text>[^']*(?:''[^']*)*)'(?!')|"(?<quoted>[^"]*(?:""[^"]*)*)"(?!")|${ticks}(?<name>[\p{L}_][\p{L}\p{N}_.]*)|(?<symbol>${pairs}<=|>=|!=|<>|[${symbols}]))`,
    "uy",
  );

/** Throws INVALID_PARAMETER for a text of too many characters and where no token begins. */
export function readTokens(source: string, language: Language): TokenReader {
  const { path, most = MAX_LENGTH } = language;
  if (source.length > most) return invalid(path, source.length, `at most ${most} characters`);
  const refuse =
    language.refuse ?? ((_: number, got: string | null, want: string) => invalid(path, got ?? `${source} (end)`, want));
  const tokens = tokenise(source, { ...language, refuse });
  let at = 0;
  const peek = (): Token => tokens[at] ?? { kind: "end", value: "", at: source.length };
  const take = (): Token => {
    const token = peek();
    at += 1;
    return token;
  };
  const fail = (want: string, { kind, value, at: place } = peek()): never =>
    refuse(place, kind === "end" ? null : value, want);
  const is = (kind: TokenKind, value: string): boolean => peek().kind === kind && peek().value === value;
  const accept = (kind: TokenKind, value: string): boolean => is(kind, value) && take() !== undefined;
  const expect = (kind: TokenKind, value: string): void => void (accept(kind, value) || fail(`"${value}" here`));
  return { peek, take, is, accept, expect, fail };
}

function tokenise(
  source: string,
  { pattern, words, between = /\s*/y, refuse }: Language & { readonly refuse: NonNullable<Language["refuse"]> },
): readonly Token[] {
  const tokens: Token[] = [];
  const token = new RegExp(pattern);
  const gap = new RegExp(between);
  const end = source.trimEnd().length;
  for (let at = 0; at < end; at = token.lastIndex) {
    gap.lastIndex = at;
    gap.exec(source);
    const from = gap.lastIndex;
    if (from >= end) break;
    token.lastIndex = from;
    const groups = token.exec(source)?.groups;
    if (groups === undefined) return refuse(from, source.slice(at, at + 20), "a column, value, operator or bracket");
    tokens.push({ ...tokenOf(groups, words), at: from });
  }
  return tokens;
}

function tokenOf(
  { number, text, quoted, ticked, name, symbol }: Partial<Record<string, string>>,
  words: ReadonlySet<string>,
): Omit<Token, "at"> {
  if (number !== undefined) return { kind: "number", value: number };
  if (text !== undefined) return { kind: "text", value: text.replaceAll("''", "'") };
  if (quoted !== undefined) return { kind: "quoted", value: quoted.replaceAll('""', '"') };
  if (ticked !== undefined) return { kind: "quoted", value: ticked };
  if (symbol !== undefined) return { kind: "symbol", value: symbol };
  const lower = (name ?? "").toLowerCase();
  return words.has(lower) ? { kind: "word", value: lower } : { kind: "name", value: name ?? "" };
}
