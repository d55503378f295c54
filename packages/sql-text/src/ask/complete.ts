import { fits, statisticOf } from "@dosimeter/query/statistics";
import { readerOf } from "./reader.ts";
import { askable, type Meaning, type Phrase, type Table, vocabularyOf } from "./vocabulary.ts";
import { bitsIn, distance, lettersOf, MAX_QUESTION, stem, wordsOf } from "./words.ts";

/** What may be typed next: it replaces the text from `from` to the caret. */
export interface Completion {
  readonly text: string;
  readonly from: number;
  readonly kind: "statistic" | "column" | "group" | "value" | "word";
}

const MAX_OFFERED = 8;

/** What the word at the caret may become, by what stands before it. */
export function complete(text: string, caret: number, declaration: Table): readonly Completion[] {
  const before = text.slice(0, caret);
  if (before.length > MAX_QUESTION) return [];
  const vocabulary = vocabularyOf(declaration);
  const typed = /[\p{L}\p{M}\p{N}_-]*$/u.exec(before)?.[0] ?? "";
  const from = caret - typed.length;
  const reader = readerOf(before, wordsOf(before.slice(0, from)), vocabulary);
  const wanted = wantedIn(reader, declaration);
  const key = typed === "" ? "" : stem(typed);
  const small = typed.toLowerCase();
  const [begins, within]: [Offered[], Offered[]] = [[], []];
  for (const each of wanted) {
    if (begins.length >= MAX_OFFERED) break;
    const offered = each.text.toLowerCase();
    if (offered === small) continue;
    if (offered.startsWith(small)) begins.push(each);
    else if (
      within.length < MAX_OFFERED &&
      mayHold(offered, key) &&
      ` ${vocabulary.keyOf(each.text)}`.includes(` ${key}`)
    )
      within.push(each);
  }
  const found = [...begins, ...within];
  const near = found.length > 0 || key.length < 3 ? found : nearIn(wanted, key, vocabulary.keyOf);
  return near.slice(0, MAX_OFFERED).map(({ text: each, kind }) => ({ text: each, from, kind }));
}

type Offered = Pick<Completion, "text" | "kind">;

/** Before its key is worked out: letters with marks are compared without them. */
const mayHold = (small: string, key: string): boolean => small.includes(key.slice(0, 3)) || /[^ -~]/.test(small);

const MAX_DISTANCES = 2000;

function nearIn(offered: readonly Offered[], key: string, keyIn: (text: string) => string): readonly Offered[] {
  const letters = lettersOf(key);
  // A key is at most two letters shorter than its only word, and those may be others.
  const mayBe = ({ text }: Offered): boolean =>
    Math.abs(text.length - key.length) <= 4 && bitsIn(lettersOf(text.toLowerCase()) ^ letters) <= 8;
  return offered
    .filter(mayBe)
    .slice(0, MAX_DISTANCES)
    .filter(({ text }) => distance(key, keyIn(text), 2) <= 2);
}

const statisticsOf = (phrases: readonly Phrase[]): readonly Offered[] =>
  phrases.flatMap(({ text, meaning, isOther }) =>
    meaning.is === "statistic" && isOther !== true ? [{ text, kind: "statistic" as const }] : [],
  );

/** Of all columns, or of one. */
const valuesIn = (phrases: readonly Phrase[], name?: string): readonly Offered[] =>
  phrases.flatMap(({ text, meaning }) =>
    meaning.is === "value" && meaning.column === (name ?? meaning.column) ? [{ text, kind: "value" as const }] : [],
  );

/** What the words so far leave room for. */
function wantedIn(reader: ReturnType<typeof readerOf>, declaration: Table): readonly Offered[] {
  const { phrases } = reader.vocabulary;
  const columns = askable(declaration);
  const named = (kind: "column" | "group", isTaken: (name: string) => boolean): readonly Offered[] =>
    columns.flatMap(([name, { label }]) => {
      const text = label !== undefined && label.length <= 40 ? label : name;
      return isTaken(name) ? [{ text, kind }] : [];
    });
  let last: Meaning | null = null;
  let statistic: Extract<Meaning, { is: "statistic" }> | null = null;
  let column: string | null = null;
  let isFilter = false;
  for (let at = 0; at < reader.words.length; ) {
    const found = reader.look(at, [
      "statistic",
      "column",
      "value",
      "by",
      "where",
      "compare",
      "and",
      "or",
      "not",
      "missing",
      "people",
      "with",
      "capped",
      "filler",
      "to",
    ]);
    at = found?.to ?? at + 1;
    if (found === null || found.meaning.is === "filler") continue;
    last = found.meaning;
    if (last.is === "statistic") [statistic, column, isFilter] = [last, null, false];
    if (last.is === "column") column = last.name;
    if (last.is === "where") isFilter = true;
    if (last.is === "by") isFilter = false;
  }
  const reads = statistic === null || statistic.name === "share" ? "any" : statisticOf(statistic.name).column;
  const words = (...texts: readonly string[]): readonly Offered[] =>
    texts.map((text) => ({ text, kind: "word" as const }));
  const declared = column === null ? undefined : declaration.columns[column];
  const values =
    column === null || declared === undefined
      ? []
      : declared.type === "boolean"
        ? words("true", "false").map((each) => ({ ...each, kind: "value" as const }))
        : valuesIn(phrases, column);
  if (statistic === null && last === null) return statisticsOf(phrases);
  if (last?.is === "statistic")
    return [
      ...named("column", (name) => fits(reads, declaration.columns[name] ?? { type: "text" })),
      ...(reads === "present" || reads === "none" ? words("by", "where") : []),
    ];
  if (last?.is === "by") return named("group", (name) => name !== column);
  if (last?.is === "where") return named("column", () => true);
  if (last?.is === "compare" || last?.is === "not") return values;
  if (last?.is === "column" && isFilter)
    return [...words("is", "over", "under", "at least", "at most", "between"), ...values];
  if ((last?.is === "and" || last?.is === "or") && isFilter) return [...named("column", () => true), ...values];
  if (last?.is === "and") return [...named("column", () => true), ...statisticsOf(phrases)];
  return [...words("by", "where", "and"), ...valuesIn(phrases)];
}
