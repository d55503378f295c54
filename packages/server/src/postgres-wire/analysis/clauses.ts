import type { Extent, SqlToken } from "../tokens.ts";
import { spanOf } from "./extent.ts";

const CLAUSES = new Set(["FROM", "WHERE", "GROUP", "HAVING", "WINDOW", "ORDER", "LIMIT", "OFFSET", "FETCH", "FOR"]);

export interface Clauses {
  readonly select: SqlToken;
  readonly list: Extent;
  readonly of: (word: string) => readonly SqlToken[];
}

/** The clauses of a SELECT, each without its first word. */
export function clausesOf(tokens: readonly SqlToken[]): Clauses | null {
  const depth = tokens[0]?.depth;
  const start = tokens.findIndex(({ upper, depth: at }) => at === depth && upper === "SELECT");
  const select = tokens[start];
  if (select === undefined) return null;
  const borders = tokens.flatMap(({ upper, depth: at }, place) =>
    place > start && at === depth && CLAUSES.has(upper) ? [place] : [],
  );
  const end = borders[0] ?? tokens.length;
  const after = tokens[start + 1]?.upper === "DISTINCT" || tokens[start + 1]?.upper === "ALL" ? 2 : 1;
  return {
    select,
    list: spanOf(tokens.slice(start + after, end)),
    of(word) {
      const border = borders.find((place) => tokens[place]?.upper === word);
      if (border === undefined) return [];
      const skip = tokens[border + 1]?.upper === "BY" ? 2 : 1;
      return tokens.slice(border + skip, borders.find((place) => place > border) ?? tokens.length);
    },
  };
}

/** Where WHERE stands in a made text, whose length up to a place of the source is known. */
export function whereIn(clauses: Clauses, lengthTo: (place: number) => number): Extent | null {
  const where = clauses.of("WHERE");
  const from = spanOf(clauses.of("FROM"));
  return where.length === 0 ? null : { from: lengthTo(from.to), to: lengthTo(spanOf(where).to) };
}

export function withoutAlias(item: readonly SqlToken[]): readonly SqlToken[] {
  const depth = item[0]?.depth;
  const as = item.findIndex(({ upper, depth: at }) => at === depth && upper === "AS");
  return as < 0 ? item : item.slice(0, as);
}

/** From the name of a call to the end of what belongs to it: its brackets, WITHIN GROUP and FILTER. */
export function callExtent(at: number, tokens: readonly SqlToken[]): Extent | null {
  const first = tokens.findIndex(({ start }) => start === at);
  if (first < 0) return null;
  let place = first;
  while (tokens[place] !== undefined && tokens[place]?.text !== "(") place += 1;
  const close = (open: number): number =>
    tokens.findIndex((token, each) => each > open && token.depth === tokens[open]?.depth);
  let end = close(place);
  for (;;) {
    const [word, next] = [tokens[end + 1]?.upper, tokens[end + 2]?.upper];
    if (word === "WITHIN" && next === "GROUP") end = close(end + 3);
    else if (word === "FILTER") end = close(end + 2);
    else break;
  }
  const last = tokens[end];
  return last === undefined ? null : { from: at, to: last.end };
}
