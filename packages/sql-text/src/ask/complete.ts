import { fits, statisticOf } from "@dosimeter/query/statistics";
import { readerOf } from "./reader.ts";
import { askable, type Meaning, type Phrase, type Table, vocabularyOf } from "./vocabulary.ts";
import { bitsIn, distance, keyOf, lettersOf, MAX_QUESTION, stem, wordsOf } from "./words.ts";

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
    else if (within.length < MAX_OFFERED && ` ${each.key}`.includes(` ${key}`)) within.push(each);
  }
  const found = [...begins, ...within];
  const near = found.length > 0 || key.length < 3 ? found : nearIn(wanted, key);
  return near.slice(0, MAX_OFFERED).map(({ text: each, kind }) => ({ text: each, from, kind }));
}

interface Offered extends Pick<Completion, "text" | "kind"> {
  readonly key: string;
}

const MAX_DISTANCES = 2000;

function nearIn(offered: readonly Offered[], key: string): readonly Offered[] {
  const letters = lettersOf(key);
  const mayBe = ({ key: other }: Offered): boolean =>
    Math.abs(other.length - key.length) <= 2 && bitsIn(lettersOf(other) ^ letters) <= 4;
  return offered
    .filter(mayBe)
    .slice(0, MAX_DISTANCES)
    .filter((each) => distance(key, each.key, 2) <= 2);
}

const statisticsOf = (phrases: readonly Phrase[]): readonly Offered[] =>
  phrases.flatMap(({ text, key, meaning, isOther }) =>
    meaning.is === "statistic" && isOther !== true ? [{ text, key, kind: "statistic" as const }] : [],
  );

/** Of all columns, or of one. */
const valuesIn = (phrases: readonly Phrase[], name?: string): readonly Offered[] =>
  phrases.flatMap(({ text, key, meaning }) =>
    meaning.is === "value" && meaning.column === (name ?? meaning.column) ? [{ text, key, kind: "value" as const }] : [],
  );

/** What the words so far leave room for. */
function wantedIn(reader: ReturnType<typeof readerOf>, declaration: Table): readonly Offered[] {
  const { phrases } = reader.vocabulary;
  const columns = askable(declaration);
  const named = (kind: "column" | "group", isTaken: (name: string) => boolean): readonly Offered[] =>
    columns.flatMap(([name, { label }]) => {
      const text = label !== undefined && label.length <= 40 ? label : name;
      return isTaken(name) ? [{ text, key: keyOf(text) ?? "", kind }] : [];
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
    texts.map((text) => ({ text, key: text, kind: "word" as const }));
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
