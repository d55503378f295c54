import { distance } from "@dosimeter/core/internal";
import { type Column, type Declaration, inNoun, type Key } from "@dosimeter/query/declaration";
import { type StatisticName, spoken, statisticNames, statisticOf } from "@dosimeter/query/statistics";
import { bitsIn, keyOf, lettersOf, MAX_QUESTION, PLAIN, wordsOf } from "./words.ts";

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
  [{ is: "not" }, "not|no|except|excluding|without|other than|all but|everyone but|anyone but"],
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
  [{ is: "filler" }, "can|you|we|would|like|see|live|living|values|value|be|that|than|those|these|row|rows|some"],
  [{ is: "filler" }, "were|been|old|age group|data|dataset|table|asked|any|each|every|named|called"],
];

/** Words among those that a column may be called by without quotes. */
const NOUNS = new Set("value|row|data|dataset|table|old|missing|bin|bucket|people|individual|respondent".split("|"));

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
  readonly declaration: Declaration;
  /** Of the key of a whole phrase. */
  readonly exact: (key: string) => readonly Meaning[];
  /** Of a part of what a column is called, or the beginning of a value. */
  readonly parts: (key: string) => readonly Meaning[];
  /** The key of a text, worked out once; "" of one without words. */
  readonly keyOf: (text: string) => string;
  /** What columns, statistics and values are called, as it is offered. */
  readonly phrases: readonly Phrase[];
  readonly ageColumn: string | null;
  /** What may be near a word that is not known: each whole phrase and each of its words; of very many values those of its first letter. */
  readonly near: (key: string) => readonly Near[];
  /** How much was worked out so far: the bounds of it are the reason why a long list of values costs little. */
  readonly work: { keys: number; distances: number };
}

/** A text that phrases are or hold, the letters that it has, and the first of those phrases of each kind. */
interface Near {
  readonly text: string;
  readonly letters: number;
  readonly of: Phrase[];
}

/** Pieces of the longest phrase. */
export const MAX_PHRASE = 10;
/** Values of a table that can be named without their column. */
const MAX_VALUES = 20_000;

const known = new WeakMap<Declaration, Vocabulary>();

export function vocabularyOf(declaration: Declaration): Vocabulary {
  const made = known.get(declaration) ?? makeVocabulary(declaration);
  known.set(declaration, made);
  return made;
}

/** The columns that may be asked about: no one asks for who a person is. */
export const askable = ({ columns, privacyUnit }: Declaration): readonly (readonly [string, Column])[] =>
  Object.entries(columns).filter(([name]) => privacyUnit === "row" || privacyUnit.column !== name);

type Listed = readonly (readonly [Key, string])[];
const listed = new WeakMap<Column, Listed>();

export function valuesOf(column: Column): Listed {
  const made = listed.get(column) ?? listOf(column);
  listed.set(column, made);
  return made;
}

function listOf({ type, categories, valueLabels = {} }: Column): Listed {
  const labelled = type === "integer" ? Object.keys(valueLabels).map(Number) : [];
  const values: readonly Key[] = type === "boolean" ? [true, false] : (categories ?? labelled);
  return values.map((value) => [
    value,
    Object.hasOwn(valueLabels, String(value)) ? (valueLabels[String(value)] ?? "") : String(value),
  ]);
}

export const labelOf = (name: StatisticName, declaration: Declaration): string =>
  inNoun(statisticOf(name).label, declaration.unitNoun);

type Value = Extract<Meaning, { is: "value" }>;

/** The letters that those of `ALIASES` begin with are one. */
const ALIASED = "f";
const letterOf = (text: string): string => {
  const letter = /^0*(?=\d)/.test(text) ? text.replace(/^0+(?=\d)/, "").charAt(0) : text.charAt(0).toLowerCase();
  return /[fmw]/.test(letter) ? ALIASED : letter;
};

function withAliases(exact: Map<string, Meaning[]>): void {
  for (const [alias, values] of Object.entries(ALIASES)) {
    const found = values
      .map((value) => exact.get(value)?.filter(({ is }) => is === "value") ?? [])
      .find((each) => each.length > 0);
    if (found !== undefined) exact.set(alias, [...new Set([...(exact.get(alias) ?? []), ...found])]);
  }
}

/** Meanings that are kept of the same words in one column: more say no more than that it is not clear. */
const MAX_SAME = 4;

// long: operations over the shared tables of one vocabulary
function makeVocabulary(declaration: Declaration): Vocabulary {
  const exact = new Map<string, Meaning[]>();
  const parts = new Map<string, Meaning[]>();
  const phrases: Phrase[] = [];
  const work = { keys: 0, distances: 0 };
  const keys = new Map<string, string>();
  const keyIn = (phrase: string): string => {
    const before = keys.get(phrase);
    if (before !== undefined) return before;
    work.keys += 1;
    const key = phrase.length > MAX_QUESTION ? "" : (keyOf(phrase) ?? "");
    keys.set(phrase, key);
    return key;
  };
  const into = (map: Map<string, Meaning[]>, key: string, meaning: Meaning): void => {
    if (key === "") return;
    const there = map.get(key);
    const said = JSON.stringify(meaning);
    if (there === undefined) map.set(key, [meaning]);
    else if (!there.some((each) => JSON.stringify(each) === said)) there.push(meaning);
  };
  for (const [meaning, said] of CONNECTIVES) for (const phrase of said.split("|")) into(exact, keyIn(phrase), meaning);
  const joining = new Set(exact.keys());
  for (const [name, said] of Object.entries(PERIODS))
    for (const each of said) into(exact, keyIn(each), { is: "period", name });
  for (const name of statisticNames) {
    const [, ...said] = spoken[name];
    const label = labelOf(name, declaration);
    for (const [at, text] of [label, statisticOf(name).label, ...said].entries()) {
      const key = keyIn(text);
      into(exact, key, { is: "statistic", name, ...noteOf(name, text) });
      if (at !== 1) phrases.push({ text, meaning: { is: "statistic", name }, ...(at > 1 ? { isOther: true } : {}) });
    }
  }
  for (const each of ["share of", "share", "part of", "percentage of", "percent of", "proportion of", "fraction of"])
    into(exact, keyIn(each), { is: "statistic", name: "share" });
  for (const noun of Object.values(declaration.unitNoun ?? {})) into(exact, keyIn(noun), { is: "people" });
  into(exact, keyIn(declaration.name), { is: "filler" });
  const isKnown = new Set(exact.keys());
  /** The values of a column come one after the other: a look at the last ones tells what is there of it. */
  const valueInto = (map: Map<string, Meaning[]>, key: string, said: Value): void => {
    const there = map.get(key);
    if (there === undefined) map.set(key, [said]);
    else if (there.at(-1) !== said) {
      const before = there.at(-MAX_SAME);
      if (before?.is !== "value" || before.column !== said.column) there.push(said);
    }
  };
  const valueNow = (text: string, said: Value): void => {
    const key = keyIn(text);
    if (key === "") return;
    valueInto(exact, key, said);
    for (const begun of beginningsOf(key, isKnown)) valueInto(parts, begun, said);
  };
  /** Values wait by their first letter until a word begins with it. */
  const waiting = new Map<string, (readonly [text: string, said: Value])[]>();
  const later = (text: string, said: Value): void => {
    const letter = letterOf(text);
    const there = waiting.get(letter);
    if (!PLAIN.test(text)) valueNow(text, said);
    else if (there === undefined) waiting.set(letter, [[text, said]]);
    else there.push([text, said]);
  };
  let left = MAX_VALUES;
  for (const [name, column] of askable(declaration)) {
    const meaning: Meaning = { is: "column", name };
    for (const called of new Set([name, column.label ?? name])) {
      const whole = keyIn(called);
      phrases.push({ text: called, meaning });
      // "count by" is the beginning of a question, and "of" joins: columns of those names stand in quotes.
      const words = whole.split(" ");
      const isTaken =
        words.length < 2 ? joining.has(whole) && !NOUNS.has(whole) : words.every((key) => isKnown.has(key));
      if (!isTaken) into(exact, whole, meaning);
      // "income after" of "income after tax" may be an income, and what comes after a year.
      for (const part of partsOf(whole))
        if (!joining.has(part.split(" ").at(-1) ?? "") && !part.split(" ").every((key) => isKnown.has(key)))
          into(parts, part, meaning);
    }
    if (column.type === "boolean") continue;
    for (const [value, called] of valuesOf(column)) {
      if (left-- <= 0) break;
      const said = { is: "value", column: name, value } as const;
      phrases.push({ text: called, meaning: said });
      for (const text of new Set([called, String(value)]))
        if (typeof value !== "number" || text !== String(value)) later(text, said);
    }
  }
  let isAliased = false;
  const ofLetter = (key: string): void => {
    const letter = letterOf(key);
    const due = waiting.get(letter) ?? [];
    waiting.delete(letter);
    for (const [text, said] of due) valueNow(text, said);
    if (letter !== ALIASED || isAliased) return;
    isAliased = true;
    withAliases(exact);
  };
  const ages = [exact, parts]
    .flatMap((map) => map.get("age") ?? [])
    .flatMap((each) => (each.is === "column" ? [each.name] : []));
  const isValue = ({ meaning }: Phrase): boolean => meaning.is === "value";
  const [named, values] = [phrases.filter((each) => !isValue(each)), phrases.filter(isValue)];
  const near = new Map<string, readonly Near[]>();
  return {
    ...{ declaration, phrases, ageColumn: ages[0] ?? null, work, keyOf: keyIn },
    exact(key) {
      ofLetter(key);
      return exact.get(key) ?? [];
    },
    parts(key) {
      ofLetter(key);
      return parts.get(key) ?? [];
    },
    near(key) {
      const letter = values.length > MAX_NEAR ? letterOf(key) : "";
      const there = near.get(letter);
      if (there !== undefined) return there;
      const likely = letter === "" ? values : values.filter(({ text }) => letterOf(text) === letter).slice(0, MAX_NEAR);
      const made = nearOf([...named, ...likely], keyIn);
      near.set(letter, made);
      return made;
    },
  };
}

/** Statistics that take a number before them, and words that count rows or people by what follows. */
function noteOf(name: StatisticName, said: string): { readonly also?: "numbered" | "people" } {
  if (/percentile|^quantile$|^top$|^most |^commonest/.test(said)) return { also: "numbered" };
  return name === "count" && /^(?:how many|number|count)/.test(said) ? { also: "people" } : {};
}

/** Each run of words of a name. */
function partsOf(whole: string): readonly string[] {
  const keys = whole.split(" ").slice(0, MAX_PHRASE);
  return keys.flatMap((_, from) => keys.slice(from).map((__, length) => keys.slice(from, from + length + 1).join(" ")));
}

/** The first words of a value, fewer than all, unless each of them says something else. */
function beginningsOf(whole: string, isKnown: ReadonlySet<string>): readonly string[] {
  const found: string[] = [];
  let [isOther, begun] = [false, ""];
  if (!whole.includes(" ")) return found;
  for (const key of whole.split(" ", MAX_PHRASE)) {
    begun = begun === "" ? key : `${begun} ${key}`;
    isOther ||= !isKnown.has(key);
    if (isOther && begun.length > 2 && begun.length < whole.length) found.push(begun);
  }
  return found;
}

function nearOf(phrases: readonly Phrase[], keyIn: (text: string) => string): readonly Near[] {
  const found = new Map<string, Near>();
  for (const phrase of phrases) {
    const key = keyIn(phrase.text);
    const words = key.split(" ", MAX_PHRASE);
    for (const text of words.length > 1 ? [key, ...words] : words) {
      const there = found.get(text);
      if (there === undefined) found.set(text, { text, letters: lettersOf(text), of: [phrase] });
      else if (there.of.at(-MAX_NEAREST)?.meaning.is !== phrase.meaning.is) there.of.push(phrase);
    }
  }
  return [...found.values()];
}

/** Values that a word is compared with. */
const MAX_NEAR = 2500;
/** Candidates that are offered for a word that is not known. */
const MAX_NEAREST = 4;
/** Texts that are taken for near, and those that one word is compared with letter by letter. */
const MAX_FOUND = 500;
const MAX_DISTANCES = 2000;

/** What a word was probably meant to be, nearest first; the beginning of a phrase counts as near. */
export function nearest(
  word: string,
  vocabulary: Vocabulary,
  fits: (meaning: Meaning) => boolean = () => true,
): readonly string[] {
  const [typed] = wordsOf(word);
  const key = typed?.key ?? word.toLowerCase();
  // Of a short word one letter or none: "March" would be "much", "may" a maximum.
  const most = key.length < 4 ? 0 : key.length < 6 ? 1 : key.length < 9 ? 2 : 3;
  const letters = lettersOf(key);
  const found: { readonly text: string; readonly away: number }[] = [];
  let left = MAX_DISTANCES;
  for (const each of vocabulary.near(key)) {
    if (found.length >= MAX_FOUND) break;
    const isBegun = key.length > 2 && each.text.startsWith(key);
    const mayBe = Math.abs(each.text.length - key.length) <= most && bitsIn(each.letters ^ letters) <= 2 * most;
    if (!isBegun && (!mayBe || left-- <= 0)) continue;
    if (!isBegun) vocabulary.work.distances += 1;
    const away = isBegun ? 0.5 : distance(key, each.text, most);
    if (!isBegun && away > most) continue;
    for (const { text, meaning } of each.of) if (fits(meaning)) found.push({ text, away });
  }
  const sorted = found.toSorted((one, other) => one.away - other.away || one.text.length - other.text.length);
  // A column and its label may differ by a capital alone.
  const names = new Map(sorted.toReversed().map(({ text }) => [text.toLowerCase(), text]));
  return [...names.values()].toReversed().slice(0, MAX_NEAREST);
}
