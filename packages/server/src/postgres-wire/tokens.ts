import { scanSync } from "libpg-query";

/** A token of PostgreSQL, without comments; places are bytes. */
export interface SqlToken {
  readonly text: string;
  readonly upper: string;
  readonly start: number;
  readonly end: number;
  /** Brackets around it. */
  readonly depth: number;
  /** Its place among those of the whole text. */
  readonly place: number;
  /** Of an opening bracket, the place of the one that closes it. */
  closes: number;
}

export function tokensOf(source: string): readonly SqlToken[] {
  const tokens: SqlToken[] = [];
  const open: SqlToken[] = [];
  for (const { start, end, text, tokenName } of scanSync(source).tokens) {
    if (tokenName === "SQL_COMMENT" || tokenName === "C_COMMENT") continue;
    const isClosing = text === ")" || text === "]";
    const opening = isClosing ? open.pop() : undefined;
    if (opening !== undefined) opening.closes = tokens.length;
    const token = { text, upper: text.toUpperCase(), start, end, depth: open.length, place: tokens.length, closes: -1 };
    tokens.push(token);
    if (text === "(" || text === "[") open.push(token);
  }
  return tokens;
}

/** Tokens from one place to another, in bytes. */
export function tokensIn(tokens: readonly SqlToken[], { from, to }: Extent): readonly SqlToken[] {
  const first = countBefore(tokens, ({ start }) => start < from);
  return tokens.slice(
    first,
    countBefore(tokens, ({ end }) => end <= to),
  );
}

/** How many come first of which something is true, which is true of no later one. */
function countBefore(tokens: readonly SqlToken[], isBefore: (token: SqlToken) => boolean): number {
  let [low, high] = [0, tokens.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    const token = tokens[middle];
    if (token !== undefined && isBefore(token)) low = middle + 1;
    else high = middle;
  }
  return low;
}

export interface Extent {
  readonly from: number;
  readonly to: number;
}

/** Parts apart by words or commas that stand outside all brackets of `tokens`. */
export function apart(
  tokens: readonly SqlToken[],
  isBorder: (token: SqlToken) => boolean,
): readonly (readonly SqlToken[])[] {
  const parts: SqlToken[][] = [[]];
  const depth = tokens.reduce((least, token) => Math.min(least, token.depth), Number.POSITIVE_INFINITY);
  for (const token of tokens) {
    if (token.depth === depth && isBorder(token)) parts.push([]);
    else parts.at(-1)?.push(token);
  }
  return parts;
}

/** A change of a text: what stands between two places becomes another text. */
export interface Edit extends Extent {
  readonly text: string;
}

/** A part of a made text, and where in the source it, or what it stands for, is. */
export interface Piece {
  readonly text: string;
  readonly at: number;
  readonly isSource: boolean;
}

/** A part of a source with its changes, in order; of two that overlap, the first. */
export function edited(bytes: Buffer, { from, to }: Extent, edits: readonly Edit[]): readonly Piece[] {
  const pieces: Piece[] = [];
  let at = from;
  const copy = (end: number): void => {
    if (end > at) pieces.push({ text: bytes.toString("utf8", at, end), at, isSource: true });
  };
  for (const edit of edits.toSorted((a, b) => a.from - b.from || b.to - a.to)) {
    if (edit.from < at || edit.to > to) continue;
    copy(edit.from);
    if (edit.text !== "") pieces.push({ text: edit.text, at: edit.from, isSource: false });
    at = edit.to;
  }
  copy(to);
  return pieces;
}

export const textOf = (pieces: readonly Piece[]): string => pieces.map(({ text }) => text).join("");
