import type { Output } from "@dosimeter/client";
import { countText } from "@dosimeter/core/internal";
import { type FitSentence, fitSentences } from "@dosimeter/query/plan";
import { parseValues, valuesText } from "@dosimeter/query/schema";
import { numberOf } from "../parts/number-text.ts";
import type { ColumnDraft, Draft } from "./draft.ts";
import { roundOut } from "./round-out.ts";
import { spellingsOf } from "./spellings.ts";

export type Fit = Output<"checkUpload">;
type ColumnFit = Fit["columns"][number];
type Misfit = ColumnFit["misfits"][number];
type StoredValue = Misfit["frequent"][number];

/** A change of the declaration. Done where it changes nothing any more. */
export interface Mend {
  readonly label: string;
  readonly does: (draft: Draft) => Draft;
}

/** A value of the file, and what can be done about it. */
interface ShownValue extends StoredValue {
  readonly note?: string;
  readonly mends: readonly Mend[];
}

/** One thing that does not fit, or that fits few rows. */
export interface Finding {
  readonly id: string;
  readonly text: string;
  readonly values: readonly ShownValue[];
  /** How many more different values there are. */
  readonly more: number;
  readonly mends: readonly Mend[];
}

/** The findings about one column, or about units and rows. */
export interface Found {
  readonly title: string;
  readonly findings: readonly Finding[];
}

export const isDone = ({ does }: Mend, draft: Draft): boolean => does(draft) === draft;

/** What a check says, each with what can be done about it; nothing where everything fits. */
export function findingsOf(fit: Fit, draft: Draft, fewerThan: number): readonly Found[] {
  const columns = new Map(draft.columns.map((column) => [column.name, column]));
  const { unit: one, units: many, rows } = draft;
  const to = { columns: Object.fromEntries(columns), unit: { one, many, column: draft.unitColumn ?? "", rows } };
  const sentences = fitSentences(fit, { ...to, size: numberOf(draft.size) }, fewerThan);
  return [...Map.groupBy(sentences, ({ column }) => column)].map(([name, said]) => ({
    title: name === "" ? `The ${many} and rows` : name,
    findings: said.map((sentence) => findingOf(sentence, columns.get(name), fit)),
  }));
}

/** The most columns that are named in one sentence. */
const MAX_NAMED = 12;

/** How many rows lack a value, by column; "" where none does. */
export function gapsText({ columns }: Fit): string {
  const lacking = columns.filter(({ empty, marked }) => empty + marked > 0);
  if (lacking.length === 0) return "";
  const named = lacking.slice(0, MAX_NAMED).map(({ name, empty, marked }) => `${name} ${empty + marked}`);
  const more = lacking.length - named.length;
  return `Missing values: ${named.join(", ")}${more === 0 ? "" : `, and in ${countText(more, "more column")}`}.`;
}

function findingOf(sentence: FitSentence, column: ColumnDraft | undefined, fit: Fit): Finding {
  const { kind, text, more } = sentence;
  const noted = { text, more, values: sentence.values.map((value) => ({ ...value, mends: [] as readonly Mend[] })) };
  if (column === undefined) {
    return {
      ...noted,
      id: kind === "broken" ? text : kind,
      mends: kind === "unit over" ? [allowRows(fit.unit?.most ?? 1)] : [],
    };
  }
  const { name } = column;
  const misfit = fit.columns.find((each) => each.name === name)?.misfits.find((each) => each.kind === kind);
  const mendsOf = (value: StoredValue): readonly Mend[] => {
    if (misfit !== undefined) return [...respell([value], column, fit), ...valueMends(value, misfit.kind, column)];
    if (kind === "apart") return [markMissing([value.value], column)];
    return [mend("Remove", name, (draft) => ({ ...draft, values: withoutValue(draft.values, value.value) }))];
  };
  return {
    ...{ id: `${name} ${kind}`, text, more },
    values: sentence.values.map((value) => ({
      ...value,
      ...(misfit === undefined ? {} : noteOf(value, column)),
      mends: mendsOf(value),
    })),
    mends: misfit === undefined ? columnMends(kind, name) : misfitMends(misfit, column, fit),
  };
}

function columnMends(kind: FitSentence["kind"], name: string): readonly Mend[] {
  if (kind === "gaps") return [mend("Say that it may be missing", name, (draft) => ({ ...draft, isRequired: false }))];
  if (kind === "points")
    return [mend("Read it as written: 1.234,5", name, (draft) => ({ ...draft, pattern: "1.234,5" }))];
  return [];
}

function allowRows(most: number): Mend {
  const more = String(roundUp(most));
  return {
    label: `Allow ${more} rows`,
    does: (draft) => (draft.rows === more ? draft : { ...draft, rows: more }),
  };
}

/** The declared category that a person reads in a value, or whose label it is. */
function meantBy({ value }: Pick<StoredValue, "value">, { type, values: text }: ColumnDraft): Meant | undefined {
  if (type !== "category") return undefined;
  const { values, labels } = parseValues(text);
  const like = values.find((each) => bare(each) === bare(value));
  const labelled = values.find((each) => labels[each] !== undefined && bare(labels[each]) === bare(value));
  return like !== undefined
    ? { category: like }
    : labelled === undefined
      ? undefined
      : { category: labelled, isLabel: true };
}
interface Meant {
  readonly category: string;
  readonly isLabel?: true;
}

/** Of a value in which a person sees at once what a program does not. */
function noteOf(value: StoredValue, column: ColumnDraft): { readonly note?: string } {
  const meant = meantBy(value, column);
  if (meant === undefined) return {};
  return {
    note: meant.isLabel
      ? `is what you call “${meant.category}”`
      : `differs from “${meant.category}” in spaces, quotes, capitals or invisible signs only`,
  };
}

/** Declares values as the file writes them, where no row holds the categories that they are meant to be. */
function respell(written: readonly StoredValue[], column: ColumnDraft, { columns }: Fit): readonly Mend[] {
  const unheld = columns.find(({ name }) => name === column.name)?.rare.filter(({ rows }) => rows === 0) ?? [];
  const pairs = written.flatMap((one) => {
    const meant = meantBy(one, column);
    return meant !== undefined && unheld.some(({ value }) => value === meant.category)
      ? [{ ...meant, to: one.value }]
      : [];
  });
  const areApart = new Set(pairs.map(({ category }) => category)).size === pairs.length;
  if (pairs.length === 0 || pairs.length < written.length || !areApart) return [];
  const label = pairs.length > 1 ? `Declare all ${pairs.length} as written` : `Instead of “${pairs[0]?.category}”`;
  const does = (draft: ColumnDraft) => ({ ...draft, values: pairs.reduce(respelled, draft.values) });
  return [mend(label, column.name, does)];
}

function respelled(text: string, { category, isLabel, to }: Meant & { readonly to: string }): string {
  const { values, labels } = parseValues(text);
  if (!values.includes(category) || values.includes(to)) return text;
  const { [category]: label, ...others } = labels;
  return valuesText({
    values: values.map((each) => (each === category ? to : each)),
    labels: label === undefined || isLabel ? others : { ...others, [to]: label },
  });
}

/** Without what a reader does not see: spaces, signs of no width, how an accent is written. */
const bare = (text: string): string =>
  text
    .normalize("NFKC")
    .replaceAll(/\p{Cf}/gu, "")
    .replaceAll(/^[\s'"]+|[\s'"]+$/gu, "")
    .toLowerCase();

const markMissing = (values: readonly string[], { name }: ColumnDraft, label = "Mark missing"): Mend =>
  mend(label, name, (draft) => ({ ...draft, missing: values.reduce(withValue, draft.missing) }));

/** Counts a value as a category that the file writes otherwise. */
const countAs = (value: string, category: string, { name }: ColumnDraft): Mend =>
  mend(`Count as “${category}”`, name, (draft) => {
    const { values, labels } = parseValues(draft.spellings);
    if (values.includes(value)) return draft;
    return {
      ...draft,
      spellings: valuesText({ values: [...values, value], labels: { ...labels, [value]: category } }),
    };
  });

/** Longer values are cut, and cannot be declared from here. */
const MAX_LETTERS = 128;

function valueMends({ value }: Pick<StoredValue, "value">, kind: Misfit["kind"], column: ColumnDraft): readonly Mend[] {
  if (kind === "offStep" || [...value].length > MAX_LETTERS || column.type === "boolean") return [];
  const marks = markMissing([value], column);
  if (column.type !== "category" || kind !== "outside") return [marks];
  const add = mend("Add", column.name, (draft) => ({ ...draft, values: withValue(draft.values, value) }));
  const meant = meantBy({ value }, column)?.category;
  return meant === undefined ? [add, marks] : [countAs(value, meant, column), add, marks];
}

/** With digits after the point: no whole number. */
const DECIMAL = /^\s*[-+]?\d*\.?\d+(?:e[-+]?\d+)?\s*$/i;

/** "NA", "n/a", "-", ".": without a digit it is no number, date or time, however it is written. */
const isWord = (text: string): boolean => !/\p{N}/u.test(text) && [...text].length <= MAX_LETTERS;

function misfitMends(misfit: Misfit, column: ColumnDraft, fit: Fit): readonly Mend[] {
  const { kind, frequent, values } = misfit;
  const marked = frequent.map(({ value }) => value).filter((value) => valueMends({ value }, kind, column).length > 0);
  const all =
    kind === "unreadable" || marked.length < 2 || values > frequent.length
      ? []
      : [markMissing(marked, column, `Mark all ${marked.length} missing`)];
  return [...mendsOf(misfit, column, fit), ...all];
}

function mendsOf({ kind, frequent, values, range, rows }: Misfit, column: ColumnDraft, fit: Fit): readonly Mend[] {
  const { name, type } = column;
  const written = frequent.map(({ value }) => value);
  const words = type === "boolean" ? [] : written.filter(isWord);
  const others = written.filter((value) => !words.includes(value));
  if (kind === "unreadable" && type !== "text") {
    const isDecimal = type === "integer" && others.length > 0 && others.every((value) => DECIMAL.test(value));
    const all = words.length === 1 ? `“${words[0]}”` : `all ${words.length} words`;
    // A column of which most rows hold words was declared with another type than it has.
    const marks = words.length > 0 && 2 * rows <= fit.rows ? [markMissing(words, column, `Mark ${all} missing`)] : [];
    const reads = isDecimal
      ? [mend("Read it as a number", name, (draft) => ({ ...draft, type: "number" }))]
      : spellingsOf(others, type).map((one) =>
          mend(`Read it as written: ${one.pattern}`, name, (draft) => ({ ...draft, ...one })),
        );
    const asText = mend("Read it as a text", name, (draft) => ({ ...draft, type: "text" }));
    return [...marks, ...reads, ...(isDecimal && words.length === 0 ? [] : [asText])];
  }
  if (kind === "offStep")
    return type === "integer"
      ? [mend("Count every whole number", name, (draft) => ({ ...draft, granularity: "" }))]
      : [];
  if (type === "category")
    return frequent.length > 1 && frequent.length === values
      ? [
          ...respell(frequent, column, fit),
          mend(`Add all ${values}`, name, (draft) => ({
            ...draft,
            values: frequent.reduce((text, { value }) => withValue(text, value), draft.values),
          })),
        ]
      : [];
  if (range === undefined || rows === 0) return [];
  const wide = roundOut(range, column);
  if (wide === null) return [];
  const label = `Widen to ${wide.lower} … ${wide.upper}`;
  return [mend(label, name, (draft) => widened(draft, wide))];
}

/** Never narrower than it was. */
function widened(
  column: ColumnDraft,
  { lower, upper }: { readonly lower: string; readonly upper: string },
): ColumnDraft {
  return column.lower === lower && column.upper === upper ? column : { ...column, lower, upper };
}

/** The next of 1, 2, 5, 10, 20 … */
export function roundUp(count: number): number {
  const power = 10 ** Math.floor(Math.log10(Math.max(1, count)));
  return ([1, 2, 5, 10].find((step) => step * power >= count) ?? 10) * power;
}

function mend(label: string, name: string, does: (column: ColumnDraft) => ColumnDraft): Mend {
  return {
    label,
    does(draft) {
      const columns = draft.columns.map((column) => (column.name === name ? changed(column, does(column)) : column));
      return columns.every((column, at) => column === draft.columns[at]) ? draft : { ...draft, columns };
    },
  };
}

const changed = (before: ColumnDraft, after: ColumnDraft): ColumnDraft =>
  (Object.keys(after) as (keyof ColumnDraft)[]).every((key) => after[key] === before[key]) ? before : after;

function withValue(text: string, value: string): string {
  const { values, labels } = parseValues(text);
  return values.includes(value) ? text : valuesText({ values: [...values, value], labels });
}

function withoutValue(text: string, value: string): string {
  const { values, labels } = parseValues(text);
  return values.includes(value) ? valuesText({ values: values.filter((each) => each !== value), labels }) : text;
}
