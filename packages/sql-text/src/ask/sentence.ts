import { PrivacyError } from "@dosimeter/core";
import { type Predicate, readPredicate } from "@dosimeter/query/declaration";
import { fits, type StatisticName, type StatisticRequest, statisticOf } from "@dosimeter/query/statistics";
import { type Clause, type Condition, newClause, rowsOfClause, type Span } from "./clause.ts";
import { commaAt, type Missed, readCondition, spanOf, valueAt, words } from "./condition.ts";
import type { RowPart } from "./plainest.ts";
import type { Found, Is, Reader } from "./reader.ts";
import { askable, nearest } from "./vocabulary.ts";

export interface Sentence {
  readonly rows: readonly StatisticRequest[];
  /** The same, and those of which only a part was understood. */
  readonly parts: readonly RowPart[];
  readonly missed: readonly Missed[];
  readonly notes: readonly string[];
}

/** Words that are said not to be understood; the rest is left out. */
const MAX_MISSED = 8;

interface State {
  readonly reader: Reader;
  /** What is near a word that is not known is looked for. */
  readonly isHelped: boolean;
  readonly clauses: Clause[];
  readonly missed: Missed[];
  /** How the next part is joined to what stands before it. */
  join: Condition["join"];
  /** The last phrase was a column: what compares may be about it. */
  column: string | null;
  /** Past a "where": a column that is compared is of the filter. */
  isFilter: boolean;
}

/** Reads a sentence from the left, each piece once: what is known is taken, what is not is said; where it helps, with what was meant. */
export function readSentence(reader: Reader, isHelped: boolean): Sentence {
  const state: State = {
    reader,
    isHelped,
    clauses: [newClause(0)],
    missed: [],
    join: "beside",
    column: null,
    isFilter: false,
  };
  let at = 0;
  while (at < reader.words.length) {
    const next = step(state, at);
    at = Math.max(next, at + 1);
  }
  return finished(state);
}

const clauseOf = ({ clauses }: State): Clause => clauses.at(-1) ?? newClause(0);

function needsColumn({ statistic, column }: Clause): boolean {
  if (statistic === null || statistic === "share" || column !== null) return false;
  const { column: reads } = statisticOf(statistic);
  return reads !== "none" && reads !== "present";
}

const takesOthers = ({ statistic, column }: Clause): boolean => {
  if (statistic === null || statistic === "share") return false;
  const { others, table } = statisticOf(statistic);
  return (others !== undefined && column !== null) || table !== undefined;
};

const AFTER: readonly Is[] = [
  "by",
  "where",
  "capped",
  "statistic",
  "value",
  "compare",
  "not",
  "missing",
  "column",
  "period",
];
const REST: readonly Is[] = ["people", "and", "or", "to", "bins", "with", "filler"];

function step(state: State, at: number): number {
  const { reader } = state;
  const clause = clauseOf(state);
  const first: readonly Is[] =
    clause.statistic === null
      ? ["statistic"]
      : needsColumn(clause)
        ? ["column"]
        : takesOthers(clause) && clause.others.length === 0
          ? ["with", "and"]
          : [];
  const found = reader.look(at, [...first, ...AFTER, ...REST]);
  const isNumber = reader.word(at)?.kind === "number" || reader.word(at)?.kind === "date";
  if (found === null && isNumber) return number(state, at);
  if (found === null) return unknown(state, at);
  const { meaning, to } = found;
  switch (meaning.is) {
    case "statistic":
      return statistic(state, at, found as Found<"statistic">);
    case "column":
      return column(state, at, found as Found<"column">);
    case "by":
      return groups(state, at, to);
    case "period":
      // "over 2 weeks" is an amount in a unit that the column does not have.
      if (reader.word(at - 1)?.kind === "number") return unknown(state, at);
      return period(state, at, to, meaning.name);
    case "where":
      return filter(state, at, to);
    case "capped":
      return caps(state, at, to);
    case "with":
      return takesOthers(clause) ? others(state, to) : conditionOrUnknown(state, at, to);
    case "people":
      if ((clause.statistic === null && clause.column === null) || (clause.counts && clause.column === null)) {
        clause.statistic = reader.vocabulary.declaration.privacyUnit === "row" ? "count" : "distinctUnits";
        clause.counts = false;
      }
      return to;
    case "and":
    case "or":
      state.join = meaning.is;
      state.column = null;
      return takesOthers(clause) && clause.others.length === 0 ? others(state, to) : to;
    case "filler":
    case "to":
    case "bins":
      return to;
    default:
      return conditionOrUnknown(state, at, to);
  }
}

function statistic(state: State, at: number, { meaning, to }: Found<"statistic">): number {
  let clause = clauseOf(state);
  // "average number of children", "monthly count": the second word says nothing more.
  const isSaid = needsColumn(clause) || typeof clause.bins === "string";
  if (isSaid && meaning.name === "count" && state.join === "beside") return to;
  const pending = clause.statistic === null ? clause.numbers.splice(0) : [];
  if (clause.statistic !== null) {
    state.clauses.push(newClause(at));
    clause = clauseOf(state);
  }
  clause.statistic = meaning.name;
  clause.counts = meaning.also === "people";
  state.isFilter = false;
  if (meaning.also === "numbered") clause.numbers.push(...pending);
  state.join = "beside";
  state.column = null;
  const isNumbered = meaning.also === "numbered" || meaning.name === "quantiles" || meaning.name === "quantileInterval";
  const end = isNumbered ? numbersAt(state, to) : to;
  clause.said = [at, end];
  // The first percentile is 0.01, and 1 of a quantile is the largest value.
  if (state.reader.words.slice(at, end).some(({ key }) => key === "percentile"))
    clause.numbers.splice(0, clause.numbers.length, ...clause.numbers.map((each) => (each === 1 ? 0.01 : each)));
  return end;
}

/** Numbers in a row: "0.1 and 0.9". */
function numbersAt(state: State, from: number): number {
  const { word, look } = state.reader;
  let at = from;
  for (;;) {
    const next = look(at, ["and"])?.to ?? at;
    if (word(next)?.kind !== "number") return at;
    const comma = commaAt(state.reader, next, "shares");
    if (comma !== null) return miss(state, comma, next + 1);
    clauseOf(state).numbers.push(Number(word(next)?.key));
    at = next + 1;
  }
}

/** A number: of what a percentile is, of how many values come first, of bins, or a value of the column before it. */
function number(state: State, at: number): number {
  const { look, word } = state.reader;
  const clause = clauseOf(state);
  const bins = look(at + 1, ["bins"]);
  const comma = bins === null ? null : commaAt(state.reader, at, "whole");
  if (comma !== null) return miss(state, comma, at + 1);
  if (bins !== null) {
    clause.bins = Number(word(at)?.key);
    return bins.to;
  }
  const ahead = clause.statistic === null ? numbersIn(state, at) : at;
  const numbered = look(ahead, ["statistic"], (each) => each.also === "numbered");
  if (numbered !== null && ahead > at) return statistic(state, at, numbered);
  clause.numbers.splice(0);
  const definition = clause.statistic === null || clause.statistic === "share" ? null : statisticOf(clause.statistic);
  if (
    definition?.takes.some((each) => each === "quantiles" || each === "k") === true &&
    clause.numbers.length === 0 &&
    state.column === null
  )
    return numbersAt(state, at);
  return conditionOrUnknown(state, at, at + 1);
}

function numbersIn(state: State, at: number): number {
  clauseOf(state).numbers.splice(0);
  return numbersAt(state, at);
}

function column(state: State, at: number, found: Found<"column">): number {
  const { reader } = state;
  const { name } = found.meaning;
  const clause = clauseOf(state);
  const { declaration } = reader.vocabulary;
  if (found.others.length > 0) {
    const names = [name, ...found.others.map((each) => each.name)];
    return miss(
      state,
      { ...spanOf(reader, at, found.to), says: `${names.length} columns are called so`, nearest: names.slice(0, 4) },
      found.to,
    );
  }
  const isBoolean = declaration.columns[name]?.type === "boolean";
  const isOf = /^(?:of|the)$/.test(reader.word(at - 1)?.key ?? "") && reader.look(found.to, ["people"]) === null;
  const take = (): number => {
    clause.column = name;
    clause.named = [at, found.to];
    state.column = name;
    state.join = "beside";
    return found.to;
  };
  const isCompared = isComparison(state, found.to, name);
  if (needsColumn(clause) && !(state.isFilter && isCompared)) return take();
  if (isCompared) return conditionOrUnknown(state, at, found.to);
  if (clause.statistic === "share" && clause.column === null && clause.filters.length === 0 && !isBoolean)
    return take();
  if (
    clause.column === null &&
    clause.filters.length === 0 &&
    (clause.statistic === null || clause.statistic === "count")
  ) {
    if (!isBoolean || isOf) return take();
  }
  if (clause.column === null && clause.statistic === null && !isBoolean) return take();
  if (isBoolean) return conditionOrUnknown(state, at, found.to);
  if (clause.statistic !== null && clause.statistic !== "share" && clause.column !== null && state.join === "and") {
    const { statistic: same, others: joined } = {
      statistic: clause.statistic as StatisticName,
      others: statisticOf(clause.statistic).others,
    };
    if (joined === undefined && fits(statisticOf(same).column, declaration.columns[name] ?? { type: "text" })) {
      state.clauses.push({ ...newClause(at), statistic: same, column: name, named: [at, found.to] });
      state.join = "beside";
      return found.to;
    }
  }
  return miss(
    state,
    {
      ...spanOf(reader, at, found.to),
      says: `${name}: say what of it, “by ${name}”, or a value of it`,
      nearest: [`by ${name}`],
    },
    found.to,
  );
}

function isComparison({ reader }: State, at: number, name: string): boolean {
  const found = reader.look(at, ["compare", "not", "missing"]);
  const declared = reader.vocabulary.declaration.columns[name];
  return found !== null || (declared !== undefined && valueAt(reader, reader.skip(at), declared) !== null);
}

function groups(state: State, from: number, after: number): number {
  const { reader } = state;
  const clause = clauseOf(state);
  let at = after;
  for (let count = 0; ; count++) {
    const begins = reader.skip(at);
    const found = reader.look(begins, ["column", "period", "people"]);
    if (found === null || found.others.length > 0 || found.meaning.is === "people") {
      if (count > 0) return at;
      if (found?.meaning.is === "people" && clause.statistic === "sum") {
        clause.statistic = "unitSum";
        return found.to;
      }
      return found !== null && found.meaning.is === "column"
        ? column(state, begins, found as Found<"column">)
        : unknown(state, begins, "column");
    }
    if (found.meaning.is === "period") return period(state, from, found.to, found.meaning.name);
    if (!clause.groups.includes(found.meaning.name)) clause.groups.push(found.meaning.name);
    state.column = found.meaning.name;
    const next = reader.look(found.to, ["and"]);
    const isMore = next !== null && reader.look(reader.skip(next.to), ["statistic", "column"])?.meaning.is === "column";
    state.join = "beside";
    if (!isMore || next === null) return found.to;
    at = next.to;
  }
}

/** "per month": the bins of the only column of dates. */
function period(state: State, from: number, to: number, name: string): number {
  const clause = clauseOf(state);
  const dates = askable(state.reader.vocabulary.declaration).filter(([, { type }]) => type === "date");
  const [[only] = []] = dates;
  const isCount = clause.statistic === null || clause.statistic === "count" || clause.statistic === "histogram";
  const isSame = only !== undefined && dates.length === 1 && (clause.column === null || clause.column === only);
  const chosen = clause.statistic === "histogram" && clause.column !== null ? clause.column : only;
  if (chosen === undefined || !isCount || (!isSame && chosen !== clause.column))
    return miss(
      state,
      {
        ...spanOf(state.reader, from, to),
        says: `${name}: only counts are by ${name}, of one column of dates`,
        nearest: dates.map(([each]) => each).slice(0, 4),
      },
      to,
    );
  clause.statistic = "histogram";
  clause.column = chosen;
  clause.bins = name;
  return to;
}

/** "where": what follows as the filter that tables take, or else in words. */
function filter(state: State, at: number, to: number): number {
  const { reader } = state;
  state.isFilter = true;
  const begins = reader.word(to)?.at;
  if (begins !== undefined && reader.word(at)?.key === "where") {
    const predicate = predicateIn(reader, begins);
    if (predicate !== null) {
      const place = { from: begins, at: begins, end: reader.words.at(-1)?.end ?? begins };
      clauseOf(state).filters.push({ predicate, join: "and", place });
      return reader.words.length;
    }
  }
  return to;
}

function predicateIn({ text, words, vocabulary }: Reader, from: number): Predicate | null {
  const end = words.at(-1)?.end ?? text.length;
  try {
    return readPredicate(text.slice(from, end), vocabulary.declaration);
  } catch (error) {
    if (error instanceof PrivacyError) return null;
    throw error;
  }
}

/** "capped at 90,000", "capped between 0 and 1", "capped from below at 5". */
function caps(state: State, at: number, after: number): number {
  const { reader } = state;
  const clause = clauseOf(state);
  const declared = clause.column === null ? undefined : reader.vocabulary.declaration.columns[clause.column];
  let to = after;
  let isBelow = false;
  for (
    let found = reader.look(to, ["compare", "filler", "to"]);
    found !== null;
    found = reader.look(to, ["compare", "filler", "to"])
  ) {
    isBelow ||= reader.words.slice(to, found.to).some(({ key }) => key === "below");
    to = found.to;
  }
  const comma = declared === undefined ? null : commaAt(reader, to, "one", declared);
  if (comma !== null) return miss(state, comma, to + 1);
  const first = declared === undefined ? null : valueAt(reader, to, declared);
  if (first === null || declared === undefined) return unknown(state, at);
  const between = reader.look(first.to, ["and", "to"]);
  const second = between === null ? null : valueAt(reader, between.to, declared);
  if (second !== null) [clause.lower, clause.upper] = [first.value, second.value];
  else if (isBelow) clause.lower = first.value;
  else clause.upper = first.value;
  return second?.to ?? first.to;
}

/** Further columns of a statistic of several. */
function others(state: State, after: number): number {
  const { reader } = state;
  const clause = clauseOf(state);
  let at = reader.skip(after);
  for (let found = reader.look(at, ["column"]); found !== null; found = reader.look(at, ["column"])) {
    clause.others.push(found.meaning.name);
    state.join = "beside";
    const next = reader.look(found.to, ["and"]);
    if (next === null || reader.look(reader.skip(next.to), ["statistic", "column"])?.meaning.is !== "column")
      return found.to;
    at = reader.skip(next.to);
  }
  return clause.others.length > 0 ? at : unknown(state, at, "column");
}

function conditionOrUnknown(state: State, at: number, to: number): number {
  const clause = clauseOf(state);
  const last = clause.filters.at(-1)?.predicate;
  const read = readCondition(state.reader, at, {
    column: state.column,
    last: last !== undefined && "column" in last ? last.column : null,
    isWaiting: needsColumn(clause),
  });
  if (read === null) return state.reader.look(at, ["with", "compare", "not"]) === null ? unknown(state, at) : to;
  if ("missed" in read) return miss(state, read.missed, read.to);
  const { at: from, end } = spanOf(state.reader, at, read.to);
  const place = { from, at: spanOf(state.reader, read.value, read.value).at, end };
  clause.filters.push({ predicate: read.predicate, join: state.join, place });
  state.join = "beside";
  state.column = null;
  return read.to;
}

function unknown(state: State, at: number, kind?: "column"): number {
  const { reader } = state;
  const word = reader.word(at);
  if (word === undefined)
    return miss(
      state,
      {
        ...spanOf(reader, at, at + 1),
        isOpen: true,
        says: "A column is missing at the end",
        nearest: askable(reader.vocabulary.declaration)
          .map(([name]) => name)
          .slice(0, 4),
      },
      at + 1,
    );
  const said = reader.text.slice(word.at, word.end);
  const near =
    state.isHelped && state.missed.length < MAX_MISSED
      ? nearest(word.key, reader.vocabulary, (meaning) => kind === undefined || meaning.is === kind)
      : [];
  return miss(
    state,
    { at: word.at, end: word.end, says: `“${said}” is no ${kind ?? "column, statistic or value"} here`, nearest: near },
    at + 1,
  );
}

/** Brackets around several conditions, which change what is meant where another one or a "not" stands outside them. */
function bracketsMissed({ reader: { text, words: pieces }, clauses }: State): readonly Missed[] {
  const open: number[] = [];
  return pieces.flatMap(({ kind, key, at, end }): readonly Missed[] => {
    if (kind !== "symbol") return [];
    if (key === "(") open.push(at);
    const from = key === ")" ? open.pop() : undefined;
    if (from === undefined) return [];
    const isBroken = clauses.some(({ filters }) => {
      const inside = filters.filter(({ place }) => place.at > from && place.at < at);
      return inside.length > 1 && (inside.length < filters.length || inside.some(({ place }) => place.from < from));
    });
    const says = `“${text.slice(from, end)}”: brackets are read in a filter as tables take it, as where not (a = 1 and b = 2)`;
    return isBroken ? [{ at: from, end, says, nearest: [] }] : [];
  });
}

function miss(state: State, missed: Missed, to: number): number {
  state.missed.push(missed);
  return to;
}

/** What stands between a word that is not known and a value that it is about: "non-married", "2 children", "taller than 2". */
const TOUCHES = /^(?:[\s\-–]|than(?![\p{L}\p{N}])|as(?![\p{L}\p{N}]))*$/u;

/** A word that is not known and touches a value changes what is meant by it: nothing is made of the whole phrase, and that is said. */
function withoutTouched({ reader, clauses, missed }: State): readonly Missed[] {
  const isTouched = ({ place }: Condition, { at, end }: Missed): boolean =>
    end <= place.at ? TOUCHES.test(reader.text.slice(end, place.at)) : TOUCHES.test(reader.text.slice(place.end, at));
  let left = [...missed];
  for (let isChanged = true; isChanged; ) {
    isChanged = false;
    for (const { filters } of clauses)
      for (const [at, filter] of filters.entries()) {
        const by = left.find((each) => isTouched(filter, each));
        if (by === undefined) continue;
        filters.splice(at, 1);
        const span = { at: Math.min(by.at, filter.place.from), end: Math.max(by.end, filter.place.end) };
        const says = `${by.says.replace(/: nothing is made of .*/s, "")}: nothing is made of “${reader.text.slice(span.at, span.end)}”`;
        const { text } = reader;
        const meant = by.nearest.map((each) => `${text.slice(span.at, by.at)}${each}${text.slice(by.end, span.end)}`);
        left = left.map((each) => (each === by ? { ...each, ...span, says, nearest: meant } : each));
        isChanged = true;
        break;
      }
  }
  return left.slice(0, MAX_MISSED);
}

/** Groups and filters at the end are of all that was asked before them. */
function finished(state: State): Sentence {
  const { reader, clauses } = state;
  const missed = [...withoutTouched(state), ...bracketsMissed(state)];
  const { declaration } = reader.vocabulary;
  const last = clauses.at(-1);
  const rows: StatisticRequest[] = [];
  const parts: RowPart[] = [];
  const notes: string[] = [];
  const isEmpty = ({ statistic, column, filters, groups: by }: Clause): boolean =>
    statistic === null && column === null && filters.length === 0 && by.length === 0;
  for (const clause of clauses) {
    if (isEmpty(clause)) continue;
    if (last !== undefined && clause !== last) {
      if (clause.groups.length === 0) clause.groups.push(...last.groups);
      if (clause.filters.length === 0) clause.filters.push(...last.filters);
    }
    const read = rowsOfClause(clause, declaration);
    if ("missed" in read) {
      if (read.part !== undefined) parts.push(read.part);
      // A word that is not known may be the column that is missing.
      if (missed.length === 0) missed.push(missedIn(reader, clause, read.missed));
    } else {
      rows.push(...read.rows);
      parts.push(...read.rows);
      if (read.note !== undefined) notes.push(read.note);
    }
  }
  return { rows, parts, missed, notes };
}

/** What is wrong with a clause, over the words that would be said otherwise. */
function missedIn(
  reader: Reader,
  { at, said, named }: Clause,
  { says, over, nearest: made }: Extract<ReturnType<typeof rowsOfClause>, { missed: unknown }>["missed"],
): Missed {
  const first: Span = [at, at + 1];
  const [one, other] = [said ?? first, named ?? first];
  const isOne = over !== "both" || reader.skip(one[1]) === other[0] || reader.skip(other[1]) === one[0];
  const [from, to] =
    over === "said" ? one : over === "named" ? other : [Math.min(one[0], other[0]), Math.max(one[1], other[1])];
  const texts = [words(reader, ...one), words(reader, ...other)] as const;
  const nearest = isOne ? made.map((each) => each(...texts)) : [];
  return { ...spanOf(reader, from, to), says, nearest, ...(over === "both" ? {} : { isOpen: true }) };
}
