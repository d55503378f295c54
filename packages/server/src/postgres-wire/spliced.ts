import type { Analysed } from "./analysis/analyse.ts";
import { charactersIn, ownDialect } from "./tables.ts";
import type { Edit, Piece } from "./tokens.ts";

export const moved = (statement: Analysed, by: number): Analysed => ({
  ...statement,
  from: statement.from + by,
  to: statement.to + by,
  refused: statement.refused && { ...statement.refused, at: statement.refused.at + by },
  copied: statement.copied && { from: statement.copied.from + by, to: statement.copied.to + by },
  edits: statement.edits.map((edit) => ({ ...edit, from: edit.from + by, to: edit.to + by })),
  asked: statement.asked.map((asked) => ({
    ...asked,
    ...{ from: asked.from + by, to: asked.to + by, plan: shifted(asked.plan, by) },
    split: asked.split && {
      ...asked.split,
      ...{
        plan: shifted(asked.split.plan, by),
        before: shifted(asked.split.before, by),
        after: shifted(asked.split.after, by),
      },
    },
  })),
});

const shifted = (pieces: readonly Piece[], by: number): readonly Piece[] =>
  pieces.map((piece) => ({ ...piece, at: piece.at + by }));

export function inOwnDialect(
  source: string,
  { from, to }: { readonly from: number; readonly to: number },
): Analysed | null {
  const [, word = ""] = /^\s*(explain\s)?/i.exec(source.slice(from, to)) ?? [];
  const begins = word === "" ? from : source.indexOf(word, from) + word.length;
  const asked = ownDialect(source, { from: begins, to });
  const kind = word === "" ? "SelectStmt" : "ExplainStmt";
  if (asked === null) return null;
  return {
    ...{ from, to, kind, asked: [asked], refused: null, mentions: [], setting: null },
    ...{ transaction: null, edits: [], isLiteral: word !== "", copied: null },
  };
}

/** A statement as PostgreSQL runs it: tables in place of what asks for rows. */
export function spliced(
  { from, to, asked, edits }: Analysed,
  source: string,
  tables: readonly string[],
): readonly Piece[] {
  const changes = [...edits, ...asked.map((one, place) => ({ from: one.from, to: one.to, text: tables[place] ?? "" }))];
  const pieces: Piece[] = [];
  let at = from;
  for (const change of changes.toSorted((a, b) => a.from - b.from)) {
    pieces.push(
      { text: source.slice(at, change.from), at, isSource: true },
      { text: change.text, at: change.from, isSource: false },
    );
    at = change.to;
  }
  return [...pieces, { text: source.slice(at, to), at, isSource: true }];
}

/** The place in the source of a place that PostgreSQL names; both count characters from 1. */
export function placeOf(pieces: readonly Piece[], source: string, position: number): number {
  let left = position - 1;
  for (const { text, at, isSource } of pieces) {
    const characters = [...text];
    if (left < characters.length) return charactersIn(source.slice(0, at)) + (isSource ? left : 0) + 1;
    left -= characters.length;
  }
  return charactersIn(source) + 1;
}

/** A statement that PostgreSQL plans without answers, as it will with them: EXPLAIN, or a COPY of no row. */
export function trialOf({ kind, from, copied }: Analysed): readonly Edit[] {
  if (copied === null) return [{ from, to: from, text: kind === "ExplainStmt" ? "" : "EXPLAIN (COSTS OFF) " }];
  return [
    { from: copied.from, to: copied.from, text: "SELECT * FROM (" },
    { from: copied.to, to: copied.to, text: ") AS tried LIMIT 0" },
  ];
}
