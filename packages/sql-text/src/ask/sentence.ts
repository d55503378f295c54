import { PrivacyError } from "@dosimeter/core";
import { type Predicate, predicateText, readPredicate } from "@dosimeter/query/declaration";
import { fits, type StatisticName, type StatisticRequest, statisticOf } from "@dosimeter/query/statistics";
import {
  amongBoth,
  type Clause,
  type Condition,
  newClause,
  rowsOfClause,
  type Span,
  sidesOf,
  valuesIn,
} from "./clause.ts";
import { doubtAt, type Missed, readCondition, scaleMissed, spanOf, turnedAt, valueAt, words } from "./condition.ts";
import type { RowPart } from "./plainest.ts";
import type { Found, Is, Reader } from "./reader.ts";
import { periodOf } from "./spelled.ts";
import { askable, nearest } from "./vocabulary.ts";
import { stem } from "./words.ts";

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
  /** Filters and groups before the first statistic: they are of all that follows, as "among women, mean income and median age". */
  readonly lead: { filters: readonly Condition[]; groups: readonly string[] };
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
    lead: { filters: [], groups: [] },
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
      if (takesOthers(clause)) return others(state, to);
      return /^(?:against|vs|versus)$/.test(reader.word(at)?.key ?? "")
        ? unknown(state, at)
        : conditionOrUnknown(state, at, to);
    case "people":
      if ((clause.statistic === null && clause.column === null) || (clause.counts && clause.column === null)) {
        clause.statistic = reader.vocabulary.declaration.privacyUnit === "row" ? "count" : "distinctUnits";
        clause.counts = false;
        if (/^[,:]$/.test(reader.word(at - 1)?.key ?? "")) leads(state);
      }
      return to;
    case "and":
    case "or":
      state.join = meaning.is;
      state.column = null;
      return takesOthers(clause) && clause.others.length === 0 ? others(state, to) : to;
    case "to": {
      // "I want to know", and a dash that begins a line.
      const isPlain = reader.look(at - 1, ["filler"]) !== null && reader.look(to, ["filler"]) !== null;
      return at === 0 || (reader.word(at)?.kind === "word" && isPlain) ? to : unknown(state, at);
    }
    case "bins":
      return unknown(state, at);
    case "filler":
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
  if (isHead(state, at)) [clause.statistic, clause.counts] = [null, false];
  if (clause.statistic === null) leads(state);
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
  return percentilesIn(state, at, end);
}

function leads({ clauses: [clause, ...more], lead }: State): void {
  if (clause === undefined || more.length > 0) return;
  Object.assign(lead, { filters: [...clause.filters], groups: [...clause.groups] });
}

/** "For married people, mean income": the people are those of the mean, and not counted. */
function isHead({ reader, clauses: [clause, ...more] }: State, at: number): boolean {
  if (clause === undefined || more.length > 0 || clause.said !== null || clause.filters.length === 0) return false;
  let before = at - 1;
  while (reader.word(before)?.kind === "word" && reader.look(before, ["filler"]) !== null) before -= 1;
  return /^[,:]$/.test(reader.word(before)?.key ?? "");
}

/** In how many parts a word cuts: the first percentile is 0.01, the first quartile 0.25, and 1 of a quantile is the largest value. */
const cuts: Readonly<Record<string, number>> = { percentile: 100, decile: 10, quartile: 4 };

/** Shares of what is numbered in other parts, where it is not in %. */
function percentilesIn(state: State, at: number, end: number): number {
  const clause = clauseOf(state);
  const [from] = clause.said ?? [at];
  const cut = state.reader.words.slice(from, end).flatMap(({ key }) => cuts[key] ?? [])[0];
  if (cut === undefined) return end;
  const numbers = state.reader.words.slice(at, end).filter(({ kind }) => kind === "number");
  const shareOf = (each: number): number => Number((each / cut).toPrecision(12));
  const shares = numbers.map(({ key, sign }) => (sign === "%" ? Number(key) : shareOf(Number(key))));
  clause.numbers.splice(0, clause.numbers.length, ...shares);
  const small = numbers.filter(({ key, sign }) => sign === undefined && Number(key) > 0 && Number(key) < 1);
  if (small.length === 0) return end;
  const texts = [shares, numbers.map(({ key }) => Number(key))].map((each) => `quantiles ${each.join(" and ")}`);
  const says = `“${words(state.reader, at, end)}”: ${cut === 100 ? "of a hundred" : `of ${cut}`}, or a share`;
  return miss(state, { ...spanOf(state.reader, at, end), says, nearest: texts }, end);
}

/** Numbers in a row: "0.1 and 0.9". */
function numbersAt(state: State, from: number): number {
  const { word, look } = state.reader;
  let at = from;
  for (;;) {
    const next = look(at, ["and"])?.to ?? at;
    if (word(next)?.kind !== "number") return at;
    const comma = doubtAt(state.reader, next, "shares");
    if (comma !== null) return miss(state, comma, next + 1);
    clauseOf(state).numbers.push(Number(word(next)?.key));
    at = next + 1;
  }
}

/** A number: of what a percentile is, of how many values come first, of bins, or a value of the column before it. */
function number(state: State, at: number): number {
  const { look, word } = state.reader;
  const clause = clauseOf(state);
  if (turnedAt(state.reader, at) !== null) return conditionOrUnknown(state, at, at + 1);
  const bins = look(at + 1, ["bins"]);
  const comma = bins === null ? null : doubtAt(state.reader, at, "whole");
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
    return percentilesIn(state, at, numbersAt(state, at));
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
  // "An income of at least 5".
  const found =
    reader.look(at, ["compare", "not", "missing"]) ??
    (reader.word(at)?.key === "of" ? reader.look(at + 1, ["compare"], ({ op }) => op !== "=") : null);
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
    const { name } = found.meaning;
    if (found.meaning.is === "period") period(state, from, found.to, name);
    else {
      if (!clause.groups.includes(name)) clause.groups.push(name);
      state.column = name;
    }
    const next = reader.look(found.to, ["and"]);
    const more = next === null ? null : reader.look(reader.skip(next.to), ["statistic", "column"]);
    // "by region and age over 30": the second is of the filter.
    const isMore = more?.meaning.is === "column" && !isComparison(state, more.to, more.meaning.name);
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
  state.join = "beside";
  return to;
}

/** "where": what follows as the filter that tables take, or else in words. */
function filter(state: State, at: number, to: number): number {
  const { reader } = state;
  state.isFilter = true;
  const begins = reader.word(to)?.at;
  const isDoubtful = reader.words.slice(to).some(({ key, other }) => other !== undefined && key.includes("."));
  if (begins !== undefined && reader.word(at)?.key === "where" && !isDoubtful) {
    const predicate = predicateIn(reader, begins);
    if (predicate !== null) {
      const place = { from: begins, at: begins, end: reader.words.at(-1)?.end ?? begins };
      clauseOf(state).filters.push({
        predicate,
        value: to,
        join: "and",
        by: "where",
        place,
        ...{ groups: 0, isBare: false, among: "base" },
      });
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
  const comma = declared === undefined ? null : doubtAt(reader, to, "one", declared);
  if (comma !== null) return miss(state, comma, to + 1);
  const first = declared === undefined ? null : valueAt(reader, to, declared);
  if (first === null || declared === undefined) return unknown(state, at);
  const between = reader.look(first.to, ["and", "to"]);
  const second = between === null ? null : valueAt(reader, between.to, declared);
  const doubt =
    between === null || second === null
      ? null
      : (doubtAt(reader, between.to, "one", declared) ?? scaleMissed(reader, to, between.to));
  if (doubt !== null) return miss(state, doubt, second?.to ?? to);
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
  const before = clause.filters.at(-1);
  const last = before?.predicate;
  const read = readCondition(state.reader, at, {
    column: state.column,
    last: last !== undefined && "column" in last ? last : null,
    isWaiting: needsColumn(clause),
  });
  if (read === null) return state.reader.look(at, ["with", "compare", "not"]) === null ? unknown(state, at) : to;
  if ("missed" in read) return miss(state, read.missed, read.to);
  const isRange =
    last !== undefined && "column" in last && "column" in read.predicate && last.column === read.predicate.column;
  const scale = isRange && before !== undefined ? scaleMissed(state.reader, before.value, read.value) : null;
  if (scale !== null) {
    state.join = "beside";
    return miss(state, scale, read.to);
  }
  const { at: from, end } = spanOf(state.reader, at, read.to);
  const place = { from, at: spanOf(state.reader, read.value, read.value).at, end };
  const by = state.reader.word(at - 1)?.key ?? "";
  const isBare = state.reader.look(at, ["column", "value", "not"]) === null;
  const next = state.reader.word(read.to)?.key === ":" ? state.reader.skip(read.to) : read.to;
  if (clause.statistic !== null && next > read.to && state.reader.look(next, ["statistic", "column"]) !== null) {
    const says = `“${state.reader.text.slice(from, end)}:” begins a question of its own: put “;” before it`;
    return miss(state, { at: from, end: end + 1, says, nearest: [] }, read.to + 1);
  }
  const among = amongIn(state, clause, place.at);
  const { predicate, value } = read;
  clause.filters.push({ predicate, value, join: state.join, by, place, groups: clause.groups.length, isBare, among });
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
  const says =
    periodOf(word.key) !== null
      ? `“${said}”: of which year`
      : `“${said}” is no ${kind ?? "column, statistic or value"} here`;
  return miss(state, { at: word.at, end: word.end, says, nearest: near }, at + 1);
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

/** "How many children": a sum, or those with a number of them; "how many regions": which there are. "Share of women who are married": among whom. */
function wholeMissed(reader: Reader, { statistic, counts, column, said, named, filters }: Clause): readonly Missed[] {
  const type = column === null ? undefined : reader.vocabulary.declaration.columns[column]?.type;
  if (statistic === "count" && counts && said !== null && named !== null && type !== "boolean") {
    const [how, what] = [words(reader, ...said).toLowerCase(), words(reader, ...named)];
    const isSeveral = how === "number of" && stem(what) !== what.toLowerCase();
    const isNext = said[1] === named[0] && (isSeveral || how === "how many");
    const isAmount = type === "integer" || type === "number";
    const says = `“${words(reader, said[0], named[1])}”: ${isAmount ? "their total" : "how many there are"}, or those of whom it is known`;
    const other = isAmount ? `total of ${what}` : `how many different ${what}`;
    return isNext ? [{ ...spanOf(reader, said[0], named[1]), says, nearest: [other, `count of ${what}`] }] : [];
  }
  const [first, second] = filters.filter(({ among }) => among === "part");
  const last = filters.at(-1);
  if (statistic !== "share" || column !== null || first === undefined || second === undefined || last === undefined)
    return [];
  if (second.join === "or") return [];
  const { text } = reader;
  const before = filters[filters.indexOf(second) - 1] ?? first;
  const one = text.slice(first.place.from, before.place.end);
  const other = text.slice(second.place.from, last.place.end);
  const span = { at: first.place.from, end: last.place.end };
  const says = `“${text.slice(span.at, span.end)}”: a share of whom`;
  return [{ ...span, says, nearest: [`${other} among ${one}`, `${one} among ${other}`] }];
}

const BASE = /\b(?:among|amongst|where|for)\b/i;
const PLACE = /^\s*(?:in|within|at|from|during|since|until|before|after|of)\b/i;

/** Of a share: whether a condition is what is counted, or says among whom; all behind "among" does. */
function amongIn({ reader: { text } }: State, { statistic, filters, groups }: Clause, at: number): Condition["among"] {
  const before = filters.at(-1);
  if (statistic !== "share") return "place";
  if (before === undefined) return "part";
  const between = text.slice(before.place.end, at);
  if (before.among === "base" || BASE.test(between)) return "base";
  return PLACE.test(between) || before.groups !== groups.length ? "place" : "part";
}

/** Conditions of which it is not plain how they belong together, with the ways in which they may. */
function unclearIn(reader: Reader, filters: readonly Condition[], groups: number): readonly Missed[] {
  const all: Predicate[] = filters.map(({ predicate }) => predicate);
  const missed = (first: Condition, last: Condition, says: string, ways: readonly Predicate[]): Missed => {
    const { end } = last.place;
    const said = reader.text.slice(first.place.from, end);
    const isWhere = /\bwhere\s+$/i.test(reader.text.slice(0, first.place.from));
    const nearest = ways.map((way) => `${isWhere ? "" : "where "}${predicateText(way)}`);
    return { at: first.place.from, end, says: `“${said}”: ${says}`, nearest };
  };
  for (const [at, next] of filters.entries()) {
    const before = filters[at - 1];
    if (before === undefined) continue;
    const both = { op: next.join === "or" ? "or" : "and", of: [before.predicate, next.predicate] } as const;
    const isExcept = EXCEPT.test(reader.text.slice(before.place.from, before.place.end));
    const out = before.predicate;
    const plain: Predicate = out.op === "not" ? out.of : out.op === "!=" ? { ...out, op: "=" } : { op: "not", of: out };
    if (isExcept && next.by !== "," && next.by !== "where") {
      const within: Predicate = { op: "not", of: { ...both, of: [plain, next.predicate] } };
      const says = "is the second left out as well, or asked for";
      const there = missed(before, next, says, filters.length > 2 ? [] : [within]);
      const apart = `${reader.text.slice(before.place.from, before.place.end)}, ${reader.text.slice(next.place.from, next.place.end)}`;
      return [next.join === "or" ? there : { ...there, nearest: [...there.nearest, apart] }];
    }
    const isOther = next.groups !== before.groups && next.join !== "beside";
    if (isOther && (next.groups < groups || amongBoth(before.predicate, next.predicate) !== null)) {
      const span = { at: next.place.from, end: next.place.end };
      const says = `“${reader.text.slice(span.at, span.end)}”: of the same question, or of one of its own behind “;”`;
      return [{ ...span, says, nearest: [] }];
    }
  }
  const sides = sidesOf(filters);
  const [first, last] = [filters[0], filters.at(-1)];
  if (first === undefined || last === undefined) return [];
  for (const side of sides)
    for (const [at, one] of side.entries())
      for (const other of side.slice(at + 1)) {
        if (!("column" in one && "column" in other) || one.column !== other.column) continue;
        const [values, more] = [valuesIn(one), valuesIn(other)];
        const areApart =
          one.op === "between" && other.op === "between"
            ? one.upper < other.lower || other.upper < one.lower
            : values !== null && more !== null && !values.some((each) => more.includes(each));
        if (!areApart) continue;
        const says = `no one is both: ask by ${one.column}, or two questions with “;” between them`;
        return [missed(first, last, says, [])];
      }
  if (sides.length < 2 || sides.every(({ length }) => length < 2)) return [];
  const [a, b, c] = all;
  const ways =
    filters.length !== 3 || a === undefined || b === undefined || c === undefined
      ? []
      : filters[1]?.join === "or"
        ? [
            { op: "and", of: [{ op: "or", of: [a, b] }, c] } as const,
            { op: "or", of: [a, { op: "and", of: [b, c] }] } as const,
          ]
        : [
            { op: "and", of: [a, { op: "or", of: [b, c] }] } as const,
            { op: "or", of: [{ op: "and", of: [a, b] }, c] } as const,
          ];
  return [missed(first, last, "which of them belong together", ways)];
}

/** What leaves out all that is said behind it, or only the next word. */
const EXCEPT = /^(?:except|excluding|other than|(?:all|every(?:one|body)|any(?:one|body)) but)(?![\p{L}\p{N}])/iu;

function miss(state: State, missed: Missed, to: number): number {
  state.missed.push(missed);
  return to;
}

/** What stands between a word that is not known and a value that it is about: "non-married", "2 children", "taller than 2", "5,00,000". */
const TOUCHES = /^(?:[\s\-–]|than(?![\p{L}\p{N}])|as(?![\p{L}\p{N}]))*$|^[,_]$/u;

/** A word that is not known and touches a value changes what is meant by it: nothing is made of the whole phrase, and that is said. */
function withoutTouched({ reader, clauses, missed }: State): readonly Missed[] {
  const isTouched = ({ place, isBare }: Condition, { at, end }: Missed): boolean =>
    end > place.at
      ? TOUCHES.test(reader.text.slice(place.end, at))
      : TOUCHES.test(reader.text.slice(end, isBare && end <= place.from ? place.from : place.at));
  const isDash = ({ at, end }: Missed): boolean => /^[-–]$/.test(reader.text.slice(at, end));
  let left = missed.filter(
    (each) => !isDash(each) || !missed.some(({ at, end }) => at === each.end || end === each.at),
  );
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
  const { reader, clauses, lead } = state;
  const final = reader.words.at(-1);
  if (state.join !== "beside" && final?.kind === "word")
    state.missed.push({
      at: final.at,
      end: final.end,
      says: `Nothing stands behind “${reader.text.slice(final.at, final.end)}”`,
      nearest: [],
      isOpen: true,
    });
  const missed = [
    ...withoutTouched(state),
    ...bracketsMissed(state),
    ...clauses.flatMap((each) => wholeMissed(reader, each)),
  ];
  missed.push(...clauses.flatMap(({ filters, groups }) => unclearIn(reader, filters, groups.length)));
  const { declaration } = reader.vocabulary;
  const last = clauses.at(-1);
  const rows: StatisticRequest[] = [];
  const parts: RowPart[] = [];
  const notes: string[] = [];
  const isEmpty = ({ statistic, column, filters, groups: by }: Clause): boolean =>
    statistic === null && column === null && filters.length === 0 && by.length === 0;
  for (const clause of clauses) {
    if (isEmpty(clause)) continue;
    const [filters, groups] = clause === clauses[0] ? [lead.filters.length, lead.groups.length] : [0, 0];
    if (last !== undefined && clause !== last) {
      if (clause.groups.length === groups)
        clause.groups.push(...last.groups.filter((each) => !clause.groups.includes(each)));
      if (clause.filters.length === filters) clause.filters.push(...last.filters);
    }
    if (clause !== clauses[0]) {
      clause.groups.unshift(...lead.groups.filter((each) => !clause.groups.includes(each)));
      clause.filters.unshift(...lead.filters);
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
