import { PrivacyError } from "@dosimeter/core";
import { type Declaration, noOneText, readPredicate } from "@dosimeter/query/declaration";
import type { Plan, StatisticRequest } from "@dosimeter/query/statistics";
import { planOfSql } from "../plan-of-sql.ts";
import { readSqlAbout } from "../read.ts";
import type { Missed } from "./condition.ts";
import type { RowPart } from "./plainest.ts";
import { readerOf } from "./reader.ts";
import { readSentence, type Sentence } from "./sentence.ts";
import { spelled } from "./spelled.ts";
import { vocabularyOf } from "./vocabulary.ts";
import { MAX_QUESTION, type Word, wordsOf } from "./words.ts";

/** What a question was taken for. */
export interface Understood {
  /** The rows that it asks for, as a plan has them. */
  readonly rows: readonly StatisticRequest[];
  /** The same, with those of which only a part was understood. */
  readonly parts: readonly RowPart[];
  /** Of SQL the whole plan, with its derived columns. */
  readonly plan: Plan | null;
  /** Words that nothing was made of. */
  readonly missed: readonly Missed[];
  readonly notes: readonly string[];
  /** Why nothing at all was read. */
  readonly error: string | null;
}

const NOTHING: Understood = { rows: [], parts: [], plan: null, missed: [], notes: [], error: null };

const isSql = (text: string): boolean => /^\s*(?:select\s|with\s+[\w"]+\s+as\s*\()/i.test(text);

/**
 * Reads a question about a declared table: plain words, the title of an answer, or SQL. Never guesses a word that it does not know: what was
 * taken is in `rows`, the rest in `missed`. No data, no model, no randomness; time grows with the text, of at most 1,000 characters.
 */
export function understand(text: string, declaration: Declaration): Understood {
  if (isSql(text)) return ofSql(text, declaration);
  if (text.length > MAX_QUESTION)
    return { ...NOTHING, error: `A question has at most ${MAX_QUESTION} characters; this one has ${text.length}.` };
  const { rows, parts, missed, notes } = readAll(text, declaration, true);
  return {
    ...NOTHING,
    ...{ rows, parts, notes: [...notes, ...noOneIn(rows, declaration)] },
    missed: missed.map((each, at) => ({
      ...each,
      nearest: at < MAX_MENDED ? each.nearest.filter(isMend(text, each, missed, declaration)) : [],
    })),
  };
}

/** Pieces that were not understood, from the left, of which it is said what was meant. */
const MAX_MENDED = 3;

/** What a text in words is taken for; where it helps, with what is near a word that is not known. */
export function readAll(text: string, declaration: Declaration, isHelped: boolean): Sentence {
  const vocabulary = vocabularyOf(declaration);
  const read = sentencesOf(wordsOf(text)).map((words) => {
    const pieces = spelled(readerOf(text, words, vocabulary));
    return readSentence(readerOf(text, pieces, vocabulary), isHelped);
  });
  return {
    rows: read.flatMap(({ rows }) => rows),
    parts: read.flatMap(({ parts }) => parts),
    missed: read.flatMap(({ missed }) => missed),
    notes: read.flatMap(({ notes }) => notes),
  };
}

/** A text in place of a part of another, apart from what stands before it. */
export const replaced = (text: string, { at, end }: Pick<Missed, "at" | "end">, by: string): string =>
  `${text.slice(0, at)}${at === end && /\S$/.test(text.slice(0, at)) ? " " : ""}${by}${text.slice(end)}`;

/** Whether the text with this in place is understood there, and no worse elsewhere. */
const isMend =
  (text: string, missed: Missed, all: readonly Missed[], declaration: Declaration) =>
  (by: string): boolean => {
    const again = readAll(replaced(text, missed, by), declaration, false).missed;
    const end = missed.at + by.length + 1;
    const isUnread = again.some((each) => each.at < end && each.end > missed.at && each.isOpen !== true);
    return again.length <= all.length && !isUnread;
  };

/** Of filters that no declared value fits, what a quote says of them. */
const noOneIn = (rows: readonly StatisticRequest[], declaration: Declaration): readonly string[] => [
  ...new Set(
    rows.flatMap(({ where }) =>
      where === undefined ? [] : (noOneText(readPredicate(where, declaration), declaration) ?? []),
    ),
  ),
];

/** The pieces between semicolons, without the mark at the end of each. */
function sentencesOf(words: readonly Word[]): readonly (readonly Word[])[] {
  const sentences: Word[][] = [[]];
  for (const word of words) {
    if (word.kind === "symbol" && word.key === ";") sentences.push([]);
    else sentences.at(-1)?.push(word);
  }
  for (const sentence of sentences)
    while (/^[?.!]$/.test(sentence.at(-1)?.key ?? "") && sentence.at(-1)?.kind === "symbol") sentence.pop();
  return sentences.filter(({ length }) => length > 0);
}

function ofSql(text: string, declaration: Declaration): Understood {
  try {
    const { plan, notes } = planOfSql(readSqlAbout(text, declaration.name), declaration);
    const isPlain = plan.let === undefined && plan.join === undefined;
    const more = isPlain ? noOneIn(plan.statistics, declaration) : [];
    return { ...NOTHING, rows: plan.statistics, parts: plan.statistics, plan, notes: [...notes, ...more] };
  } catch (error) {
    if (error instanceof PrivacyError) return { ...NOTHING, error: error.message };
    throw error;
  }
}

/** Whether a text begins as a question does, for a search that does not know a table yet. */
export function looksAsked(text: string): boolean {
  if (text.length > MAX_QUESTION || isSql(text)) return isSql(text);
  const words = wordsOf(text);
  const reader = readerOf(text, words, vocabularyOf(NO_TABLE));
  const found = reader.look(reader.skip(0), ["statistic"]);
  return found !== null && found.to < words.length;
}

/** Of it the words alone are read. */
const NO_TABLE = { name: "", columns: {}, privacyUnit: "row" } as unknown as Declaration;
