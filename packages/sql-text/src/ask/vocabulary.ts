import { type Column, type Declaration, inNoun, type Key } from "@dosimeter/query/declaration";
import { type StatisticName, spoken, statisticNames, statisticOf } from "@dosimeter/query/statistics";
import { distance, keyOf, MAX_QUESTION, wordsOf } from "./words.ts";

/** What of a declaration questions are read by. */
export type Table = Pick<Declaration, "columns" | "privacyUnit" | "unitNoun"> & Partial<Pick<Declaration, "name">>;

/** What a phrase may stand for. */
export type Meaning =
  | { readonly is: "statistic"; readonly name: StatisticName | "share"; readonly also?: "numbered" | "people" }
  | { readonly is: "column"; readonly name: string }
  | { readonly is: "value"; readonly column: string; readonly value: Key }
  | { readonly is: "compare"; readonly op: Comparison; readonly ofAge?: true }
  | PlainMeaning
  | { readonly is: "period"; readonly name: string };

/** Words that say nothing but what they are. */
type Plain =
  | ("by" | "where" | "with" | "and" | "or" | "not" | "missing" | "capped")
  | ("bins" | "more" | "less" | "filler" | "people" | "to");
type PlainMeaning = { readonly [P in Plain]: { readonly is: P } }[Plain];

export type Comparison = "=" | "!=" | "<" | "<=" | ">" | ">=" | "between";

/** The words that questions are put together with; "is over" and "is not" are two of them. */
const CONNECTIVES: readonly (readonly [meaning: Meaning, said: string])[] = [
  [{ is: "by" }, "by|per|for each|for every|in each|in every|within each|of each|grouped by|group by|split by|across"],
  [{ is: "by" }, "broken down by|separately for|according to|depending on"],
  [{ is: "where" }, "where|whose|who|who are|who have|that are|that have|among|only|when|if|having|only rows where"],
  [{ is: "where" }, "restricted to|limited to|among those|with a|with an"],
  [{ is: "with" }, "with|against|on|over|versus|vs|and the columns"],
  [{ is: "and" }, "and|as well as|plus|but"],
  [{ is: "or" }, "or"],
  [{ is: "not" }, "not|no|except|excluding|without|other than"],
  [{ is: "missing" }, "missing|null|empty|unknown|absent"],
  [{ is: "capped" }, "capped|clamped|capped at|clamped to"],
  [{ is: "bins" }, "bin|bucket"],
  [{ is: "more" }, "or more|and more|or over|and over|or older|and older|or above|and above|or later"],
  [{ is: "less" }, "or less|or fewer|or under|and under|or younger|and younger|or below|and below|or earlier"],
  [{ is: "to" }, "to|through"],
  [{ is: "people" }, "people|inhabitant|individual|everyone|respondent|resident"],
  [{ is: "compare", op: "=" }, "is|are|was|equals|equal to|exactly|has|have|with value"],
  [{ is: "compare", op: "!=" }, "does not equal|differs from|is another value than"],
  [
    { is: "compare", op: ">" },
    "over|above|more than|greater than|larger than|higher than|bigger than|exceeding|exceeds",
  ],
  [{ is: "compare", op: ">" }, "after|later than|longer than"],
  [{ is: "compare", op: ">=" }, "at least|since|from"],
  [
    { is: "compare", op: "<" },
    "under|below|less than|fewer than|smaller than|lower than|before|earlier than|shorter than",
  ],
  [{ is: "compare", op: "<=" }, "at most|up to|until|till"],
  [{ is: "compare", op: "between" }, "between|in the range|ranging from|from between"],
  [{ is: "compare", op: ">", ofAge: true }, "older than|over the age of|above the age of"],
  [{ is: "compare", op: "<", ofAge: true }, "younger than|under the age of|below the age of"],
  [{ is: "compare", op: "=", ofAge: true }, "aged|at the age of"],
  [{ is: "compare", op: ">=", ofAge: true }, "at least as old as"],
  [{ is: "compare", op: "between", ofAge: true }, "aged between|aged from"],
  [
    { is: "filler" },
    "the|a|an|of|what|what is|what are|which|show|show me|give me|give|tell me|me|please|there|there are",
  ],
  [
    { is: "filler" },
    "are there|do|does|did|in|at|for|all|our|their|it|i|want|need|know|find|get|list|compute|calculate",
  ],
  [
    { is: "filler" },
    "can|you|we|would|like|see|live|living|values|value|year old|be|that|than|those|these|row|rows|some",
  ],
  [{ is: "filler" }, "were|been|old|age group|data|dataset|table|asked|any|each|every|named|called"],
];

const PERIODS: Readonly<Record<string, readonly string[]>> = {
  hour: ["hour", "hourly"],
  day: ["day", "daily"],
  week: ["week", "weekly"],
  month: ["month", "monthly"],
  quarter: ["quarter", "quarterly"],
  year: ["year", "yearly", "annual", "annually"],
};

/** Values that people call otherwise than tables do; the first that the table has is meant. */
const ALIASES: Readonly<Record<string, readonly string[]>> = {
  woman: ["woman", "female", "f"],
  man: ["man", "male", "m"],
  female: ["female", "woman", "f"],
  male: ["male", "man", "m"],
};

export interface Phrase {
  readonly text: string;
  readonly meaning: Meaning;
  /** Another word for something whose own name is among the phrases. */
  readonly isOther?: true;
}

/** What may be said about one table. */
export interface Vocabulary {
  readonly declaration: Table;
  /** By the key of the whole phrase. */
  readonly exact: ReadonlyMap<string, readonly Meaning[]>;
  /** By a part of what a column is called, or the beginning of a value. */
  readonly parts: ReadonlyMap<string, readonly Meaning[]>;
  /** What columns, statistics and values are called, as it is offered. */
  readonly phrases: readonly Phrase[];
  readonly ageColumn: string | null;
}

/** Pieces of the longest phrase. */
export const MAX_PHRASE = 10;
/** Values of a table that can be named without their column. */
const MAX_VALUES = 20_000;

const known = new WeakMap<Table, Vocabulary>();

export function vocabularyOf(declaration: Table): Vocabulary {
  const made = known.get(declaration) ?? makeVocabulary(declaration);
  known.set(declaration, made);
  return made;
}

/** The columns that may be asked about: no one asks for who a person is. */
export const askable = ({ columns, privacyUnit }: Table): readonly (readonly [string, Column])[] =>
  Object.entries(columns).filter(([name]) => privacyUnit === "row" || privacyUnit.column !== name);

/** The values that a column lists, each with what it is called. */
export function valuesOf({ type, categories, valueLabels = {} }: Column): readonly (readonly [Key, string])[] {
  const labelled = type === "integer" ? Object.keys(valueLabels).map(Number) : [];
  const values: readonly Key[] = type === "boolean" ? [true, false] : (categories ?? labelled);
  return values.map((value) => [
    value,
    Object.hasOwn(valueLabels, String(value)) ? (valueLabels[String(value)] ?? "") : String(value),
  ]);
}

export const labelOf = (name: StatisticName, declaration: Table): string =>
  inNoun(statisticOf(name).label, declaration.unitNoun);

function makeVocabulary(declaration: Table): Vocabulary {
  const exact = new Map<string, Meaning[]>();
  const parts = new Map<string, Meaning[]>();
  const phrases: Phrase[] = [];
  const into = (map: Map<string, Meaning[]>, phrase: string, meaning: Meaning): void => {
    const key = phrase.length > MAX_QUESTION ? null : keyOf(phrase);
    if (key === null) return;
    const there = map.get(key);
    const said = JSON.stringify(meaning);
    if (there === undefined) map.set(key, [meaning]);
    else if (!there.some((each) => JSON.stringify(each) === said)) there.push(meaning);
  };
  for (const [meaning, said] of CONNECTIVES) for (const phrase of said.split("|")) into(exact, phrase, meaning);
  for (const [name, said] of Object.entries(PERIODS))
    for (const each of said) into(exact, each, { is: "period", name });
  for (const name of statisticNames) {
    const [, ...said] = spoken[name];
    const label = labelOf(name, declaration);
    phrases.push({ text: label, meaning: { is: "statistic", name } });
    for (const each of said) phrases.push({ text: each, meaning: { is: "statistic", name }, isOther: true });
    for (const each of [label, statisticOf(name).label, ...said])
      into(exact, each, { is: "statistic", name, ...noteOf(name, each) });
  }
  for (const each of ["share of", "share", "part of", "percentage of", "percent of", "proportion of", "fraction of"])
    into(exact, each, { is: "statistic", name: "share" });
  for (const noun of Object.values(declaration.unitNoun ?? {})) into(exact, noun, { is: "people" });
  into(exact, declaration.name ?? "", { is: "filler" });
  const isKnown = new Set(exact.keys());
  let left = MAX_VALUES;
  for (const [name, column] of askable(declaration)) {
    const meaning: Meaning = { is: "column", name };
    phrases.push({ text: name, meaning });
    for (const called of new Set([name, column.label ?? name])) {
      // "count by" is the beginning of a question: a column of that name stands in quotes.
      const keys = keyOf(called)?.split(" ") ?? [];
      if (keys.length < 2 || !keys.every((key) => isKnown.has(key))) into(exact, called, meaning);
      for (const part of partsOf(called))
        if (!part.split(" ").every((key) => isKnown.has(key))) into(parts, part, meaning);
    }
    if (column.label !== undefined) phrases.push({ text: column.label, meaning });
    for (const [value, called] of valuesOf(column)) {
      if (left-- <= 0) break;
      const said: Meaning = { is: "value", column: name, value };
      if (column.type === "boolean") continue;
      phrases.push({ text: called, meaning: said });
      for (const each of new Set([called, String(value)])) {
        if (typeof value === "number" && each === String(value)) continue;
        into(exact, each, said);
        for (const part of beginningsOf(each))
          if (!part.split(" ").every((key) => isKnown.has(key))) into(parts, part, said);
      }
    }
  }
  for (const [alias, values] of Object.entries(ALIASES)) {
    const found = values
      .map((value) => exact.get(value)?.filter(({ is }) => is === "value") ?? [])
      .find((each) => each.length > 0);
    for (const meaning of found ?? []) into(exact, alias, meaning);
  }
  const ages = [exact, parts]
    .flatMap((map) => map.get("age") ?? [])
    .flatMap((each) => (each.is === "column" ? [each.name] : []));
  return { declaration, exact, parts, phrases, ageColumn: ages[0] ?? null };
}

/** Statistics that take a number before them, and words that count rows or people by what follows. */
function noteOf(name: StatisticName, said: string): { readonly also?: "numbered" | "people" } {
  if (/percentile|^quantile$|^top$|^most |^commonest/.test(said)) return { also: "numbered" };
  return name === "count" && /^(?:how many|number|count)/.test(said) ? { also: "people" } : {};
}

/** Each run of words of a name. */
function partsOf(phrase: string): readonly string[] {
  const keys = (keyOf(phrase) ?? "").split(" ").slice(0, MAX_PHRASE);
  return keys.flatMap((_, from) => keys.slice(from).map((__, length) => keys.slice(from, from + length + 1).join(" ")));
}

/** The first words of a value. */
function beginningsOf(phrase: string): readonly string[] {
  const keys = (keyOf(phrase) ?? "").split(" ").slice(0, MAX_PHRASE);
  return keys.map((_, at) => keys.slice(0, at + 1).join(" ")).filter((key) => key.length > 2);
}

/** Candidates that are offered for a word that is not known. */
const MAX_NEAREST = 4;
/** Phrases that are compared with one. */
const MAX_COMPARED = 25_000;

/** What a word was probably meant to be, nearest first; the beginning of a phrase counts as near. */
export function nearest(
  word: string,
  { phrases }: Vocabulary,
  fits: (meaning: Meaning) => boolean = () => true,
): readonly string[] {
  const [typed] = wordsOf(word);
  const key = typed?.key ?? word.toLowerCase();
  const most = key.length < 4 ? 1 : key.length < 8 ? 2 : 3;
  const found = phrases.slice(0, MAX_COMPARED).flatMap(({ text, meaning }) => {
    if (!fits(meaning) || text.length > MAX_QUESTION) return [];
    const whole = keyOf(text) ?? "";
    const begins = key.length > 1 && whole.split(" ").some((each) => each.startsWith(key));
    const away = Math.min(
      ...[whole, ...whole.split(" ")].slice(0, MAX_PHRASE).map((each) => distance(key, each, most)),
    );
    return begins || away <= most ? [{ text, away: begins ? 0.5 : away }] : [];
  });
  const sorted = found.toSorted((one, other) => one.away - other.away || one.text.length - other.text.length);
  // A column and its label may differ by a capital alone.
  const names = new Map(sorted.toReversed().map(({ text }) => [text.toLowerCase(), text]));
  return [...names.values()].toReversed().slice(0, MAX_NEAREST);
}
