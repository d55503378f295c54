import { type Declaration, isOrdered } from "@dosimeter/query/declaration";
import { statisticOf } from "@dosimeter/query/statistics";
import { binsText } from "./clause.ts";
import { canAsk, mayAsk, mayGroup, plainest } from "./plainest.ts";
import { readerOf } from "./reader.ts";
import { spelled } from "./spelled.ts";
import { readAll } from "./understand.ts";
import { askable, type Meaning, type Phrase, vocabularyOf } from "./vocabulary.ts";
import { MAX_QUESTION, stem, wordsOf } from "./words.ts";

/** What may be typed next: it replaces the text from `from` to the caret. */
export interface Completion {
  readonly text: string;
  readonly from: number;
  readonly kind: "statistic" | "column" | "group" | "value" | "word";
}

/** Offers that are read with what stands before them, until enough are. */
const MAX_READ = 40;

const MAX_OFFERED = 8;

/** What the word at the caret may become, by what stands before it. */
export function complete(text: string, caret: number, declaration: Declaration): readonly Completion[] {
  const before = text.slice(0, caret);
  if (before.length > MAX_QUESTION) return [];
  const vocabulary = vocabularyOf(declaration);
  const typed = /[\p{L}\p{M}\p{N}_-]*$/u.exec(before)?.[0] ?? "";
  const from = caret - typed.length;
  const words = spelled(readerOf(before, wordsOf(before.slice(0, from)), vocabulary));
  const reader = readerOf(before, words, vocabulary);
  const wanted = wantedIn(before.slice(0, from), reader, declaration);
  const key = typed === "" ? "" : stem(typed);
  const small = typed.toLowerCase();
  const [begins, within]: [Offered[], Offered[]] = [[], []];
  for (const each of wanted) {
    if (begins.length >= MAX_READ) break;
    const offered = each.text.toLowerCase();
    if (offered === small) continue;
    if (offered.startsWith(small)) begins.push(each);
    else if (within.length < MAX_READ && mayHold(offered, key) && ` ${vocabulary.keyOf(each.text)}`.includes(` ${key}`))
      within.push(each);
  }
  const offered: Completion[] = [];
  for (const { text: each, kind, isOpen } of [...begins, ...within].slice(0, MAX_READ)) {
    if (offered.length >= MAX_OFFERED) break;
    if (isOpen === true || isAnswerable(before.slice(0, from), each, declaration))
      offered.push({ text: each, from, kind });
  }
  return offered;
}

type Offered = Pick<Completion, "text" | "kind"> & {
  /** It says nothing before more is said. */
  readonly isOpen?: true;
};

/** Whether what is offered is understood where it would stand, and a plan takes what is asked with it. */
function isAnswerable(before: string, by: string, declaration: Declaration): boolean {
  const { rows, missed } = readAll(`${before}${by}`, declaration, false);
  const last = rows.at(-1);
  const isOpen = last !== undefined && statisticOf(last.statistic).others !== undefined && last.with === undefined;
  return (
    !missed.some(({ end, isOpen: isBegun }) => end > before.length && isBegun !== true) &&
    (last === undefined || isOpen || missed.length > 0 || mayAsk(last, declaration))
  );
}

/** Before its key is worked out: letters with marks are compared without them. */
const mayHold = (small: string, key: string): boolean => small.includes(key.slice(0, 3)) || /[^ -~]/.test(small);

const statisticsOf = (phrases: readonly Phrase[], declaration: Declaration): readonly Offered[] =>
  phrases.flatMap(({ text, meaning, isOther }) =>
    meaning.is === "statistic" && meaning.name !== "share" && isOther !== true && canAsk(meaning.name, declaration)
      ? [{ text, kind: "statistic" as const, isOpen: true as const }]
      : [],
  );

const valuesIn = (phrases: readonly Phrase[], name?: string): readonly Offered[] =>
  phrases.flatMap(({ text, meaning }) =>
    meaning.is === "value" && meaning.column === (name ?? meaning.column) ? [{ text, kind: "value" as const }] : [],
  );

/** What the words so far leave room for. */
// long: one answer for each kind of word that may stand last
function wantedIn(text: string, reader: ReturnType<typeof readerOf>, declaration: Declaration): readonly Offered[] {
  const { phrases } = reader.vocabulary;
  const columns = askable(declaration);
  const named = (kind: "column" | "group", isTaken: (name: string) => boolean, isOpen?: true): readonly Offered[] =>
    columns.flatMap(([name, { label }]) => {
      const text = label !== undefined && label.length <= 40 ? label : name;
      return isTaken(name) ? [{ text, kind, ...(isOpen ? { isOpen } : {}) }] : [];
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
    const isNumber = /number|date/.test(reader.word(at)?.kind ?? "");
    at = found?.to ?? at + 1;
    if (found === null && isNumber && (last?.is === "compare" || last?.is === "capped")) last = AMOUNT;
    if (found === null || found.meaning.is === "filler") continue;
    last = found.meaning;
    if (last.is === "statistic") [statistic, column, isFilter] = [last, null, false];
    if (last.is === "column") column = last.name;
    if (last.is === "where") isFilter = true;
    if (last.is === "by") isFilter = false;
  }
  const words = (...texts: readonly string[]): readonly Offered[] =>
    texts.map((text) => ({ text, kind: "word" as const, isOpen: true as const }));
  const declared = column === null ? undefined : declaration.columns[column];
  const values =
    column === null || declared === undefined
      ? []
      : declared.type === "boolean"
        ? ["true", "false"].map((text) => ({ text, kind: "value" as const }))
        : valuesIn(phrases, column);
  const all = named("column", () => true);
  const shared = (name: string): boolean => /category|boolean/.test(declaration.columns[name]?.type ?? "");
  if (/(?:^|\s)(?:in|at|from)\s+$/i.test(text)) return valuesIn(phrases);
  if (last?.is === "capped") return words("at", "between");
  if (last?.is === "column" && /\sof\s+$/i.test(text))
    return words(...(declared !== undefined && isOrdered(declared) ? ORDERED : []));
  if (statistic === null && last === null) return statisticsOf(phrases, declaration);
  if (statistic === null && last?.is === "column")
    return statisticsOf(phrases, declaration).map(({ text, kind }) => ({ text, kind }));
  const row = readAll(text, declaration, false).rows.at(-1);
  const beside = row === undefined || row.with !== undefined ? undefined : statisticOf(row.statistic).others;
  if (beside !== undefined && !isFilter && row?.column !== undefined)
    return last?.is === "column"
      ? words(beside)
      : named("column", (name) => mayAsk({ ...row, with: [name] }, declaration));
  if (last?.is === "with") return [...named("column", () => true, true), ...valuesIn(phrases)];
  const groups = [...(row?.groupBy ?? [])];
  const isGroup = (name: string): boolean => name !== column && mayGroup([...groups, name], declaration);
  const isGrouped =
    row !== undefined &&
    columns.some(([name]) => isGroup(name) && mayAsk({ ...row, groupBy: [...groups, name] }, declaration));
  const after = row === undefined ? [] : words(...(isGrouped ? ["by"] : []), "where", "and");
  if (last?.is === "statistic") {
    if (statistic === null || statistic.name === "share") return [...named("column", shared), ...valuesIn(phrases)];
    const { name } = statistic;
    // Each with the bins that it needs.
    const own = columns.flatMap(([each]) => {
      const plain = plainest(name, each, declaration);
      const needs = plain === null ? null : binsText(plain.bins);
      const called = named("column", (other) => other === each);
      return needs === null ? [] : called.map((one) => ({ ...one, text: `${one.text}${needs}` }));
    });
    const { column: reads } = statisticOf(name);
    const people = statistic.also === "people" ? valuesIn(phrases) : [];
    return [...own, ...(reads === "present" || reads === "none" ? after : []), ...people];
  }
  if (last?.is === "by")
    return [...named("group", isGroup), ...PERIODS.map((each) => ({ text: each, kind: "group" as const }))];
  if (last?.is === "where") return named("column", () => true, true);
  if (last?.is === "compare" || last?.is === "not") return values;
  if (last?.is === "column" && isFilter)
    return [
      ...words("is", "is not", ...(declared !== undefined && isOrdered(declared) ? ORDERED : [])),
      ...(declared?.type === "boolean" ? after : values),
    ];
  if ((last?.is === "and" || last?.is === "or") && isFilter) return [...named("column", () => true, true), ...values];
  if (last?.is === "and") return [...all, ...statisticsOf(phrases, declaration)];
  return [...after, ...valuesIn(phrases)];
}

/** A number, or a date, that was typed. */
const AMOUNT: Meaning = { is: "value", column: "", value: 0 };
const PERIODS = ["month", "quarter", "year"] as const;
const ORDERED = ["over", "under", "at least", "at most", "between"] as const;
