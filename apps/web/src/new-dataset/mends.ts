import type { Output } from "@dosimeter/client";
import { countText } from "@dosimeter/core/internal";
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

/** What a check says, in the words of the page; nothing where everything fits. */
export function findingsOf(fit: Fit, draft: Draft, fewerThan: number): readonly Found[] {
  const columns = fit.columns.flatMap((column) => {
    const declared = draft.columns.find(({ name }) => name === column.name);
    const findings = declared === undefined ? [] : columnFindings(column, declared, fewerThan);
    return findings.length === 0 ? [] : [{ title: column.name, findings }];
  });
  const broken = fit.broken.map(({ says, rows }) => ({
    ...{ id: says, values: [], more: 0, mends: [] },
    text: `${rowsThat(rows, "break")} what you declared impossible: ${says}. Tables show such cells as 0, so these rows are counted elsewhere or not at all; correct them, or the declaration.`,
  }));
  const rows = [...unitFindings(fit, draft), ...sizeFindings(fit, draft), ...broken];
  return rows.length === 0 ? columns : [{ title: `The ${draft.units} and rows`, findings: rows }, ...columns];
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

const rowsText = (count: number): string => countText(count, "row");
/** "1 row holds", "2 rows hold". */
const rowsThat = (count: number, verb: string): string => `${rowsText(count)} ${verb}${count === 1 ? "s" : ""}`;

function columnFindings(fit: ColumnFit, column: ColumnDraft, fewerThan: number): readonly Finding[] {
  const { name, isRequired } = column;
  const lacking = fit.empty + fit.marked;
  const gaps: readonly Finding[] =
    isRequired && lacking > 0
      ? [
          {
            ...{ id: `${name} gaps`, values: [], more: 0 },
            text: `${rowsThat(lacking, "hold")} no value, but it is declared as never missing.`,
            mends: [mend("Say that it may be missing", name, (draft) => ({ ...draft, isRequired: false }))],
          },
        ]
      : [];
  return [
    ...fit.misfits.map((misfit) => misfitFinding(misfit, column)),
    ...gaps,
    ...insideFindings(fit, column),
    ...rareFindings(fit, name, fewerThan),
  ];
}

/** Values within the bounds that look like marks of a missing one, or like numbers of another unit. */
function insideFindings({ apart, within, marksThousands }: ColumnFit, column: ColumnDraft): readonly Finding[] {
  const none = { values: [], more: 0, mends: [] };
  const values = apart.map((value) => ({ ...value, mends: [markMissing(value.value, column)] }));
  const ends: Finding = {
    ...{ ...none, id: `${column.name} apart`, values },
    text: "Many rows hold the least or the largest value, apart from all others. Where it stands for a missing value, mark it: else it counts as it is.",
  };
  const narrow: Finding = {
    ...{ ...none, id: `${column.name} within` },
    text: `All values ${within?.lower === within?.upper ? `are ${within?.lower}` : `lie between ${within?.lower} and ${within?.upper}`}, a small part of your bounds: are they in another unit, or does a point mark thousands? The noise is as large as the bounds are wide.`,
  };
  const points: Finding = {
    ...{ ...none, id: `${column.name} points` },
    text: "All points stand before three digits: do they mark thousands? A point is read as the start of a fraction.",
    mends: [mend("Read it as written: 1.234,5", column.name, (draft) => ({ ...draft, pattern: "1.234,5" }))],
  };
  return [
    ...(values.length === 0 ? [] : [ends]),
    ...(within === undefined ? [] : [narrow]),
    ...(marksThousands === true ? [points] : []),
  ];
}

function misfitFinding(misfit: Misfit, column: ColumnDraft): Finding {
  const { kind, values, frequent } = misfit;
  const { name } = column;
  return {
    id: `${name} ${kind}`,
    text: misfitText(misfit, column),
    values: frequent.map((value) => ({
      ...value,
      ...noteOf(value, column),
      mends: valueMends(value, kind, column),
    })),
    more: values - frequent.length,
    mends: misfitMends(misfit, column),
  };
}

function misfitText({ kind, rows, range }: Misfit, { type, isRequired }: ColumnDraft): string {
  if (kind === "unreadable") return `${rowsText(rows)} cannot be read as declared: the file will be refused.`;
  if (kind === "offStep") return `${rowsThat(rows, "lie")} between two steps: the value is rounded.`;
  if (type === "category")
    return isRequired
      ? `${rowsThat(rows, "hold")} no declared category, which is never missing: no answer counts a row without one.`
      : `${rowsThat(rows, "hold")} no declared category, and so no group counts ${rows === 1 ? "it" : "them"}.`;
  return `${rowsThat(rows, "lie")} outside the bounds: the value counts as the nearer bound.${
    range === undefined ? "" : ` All values go from ${range.lower} to ${range.upper}.`
  }`;
}

/** Of a value in which a person sees at once what a program does not. */
function noteOf({ value }: StoredValue, column: ColumnDraft): { readonly note?: string } {
  if (column.type === "category") {
    const like = parseValues(column.values).values.find((each) => bare(each) === bare(value));
    return like === undefined
      ? {}
      : { note: `differs from “${like}” in spaces, quotes, capitals or invisible signs only` };
  }
  return {};
}

/** Without what a reader does not see: spaces, signs of no width, how an accent is written. */
const bare = (text: string): string =>
  text
    .normalize("NFKC")
    .replaceAll(/\p{Cf}/gu, "")
    .replaceAll(/^[\s'"]+|[\s'"]+$/gu, "")
    .toLowerCase();

const markMissing = (value: string, { name }: ColumnDraft): Mend =>
  mend("Mark missing", name, (draft) => ({ ...draft, missing: withValue(draft.missing, value) }));

/** Longer values are cut, and cannot be declared from here. */
const MAX_LETTERS = 128;

function valueMends({ value }: StoredValue, kind: Misfit["kind"], column: ColumnDraft): readonly Mend[] {
  if (kind === "offStep" || [...value].length > MAX_LETTERS || column.type === "boolean") return [];
  const marks = markMissing(value, column);
  return column.type === "category" && kind === "outside"
    ? [mend("Add", column.name, (draft) => ({ ...draft, values: withValue(draft.values, value) })), marks]
    : [marks];
}

/** With digits after the point: no whole number. */
const DECIMAL = /^\s*[-+]?\d*\.?\d+(?:e[-+]?\d+)?\s*$/i;

function misfitMends(misfit: Misfit, column: ColumnDraft): readonly Mend[] {
  const { kind, frequent, values } = misfit;
  const marked = frequent.filter((value) => valueMends(value, kind, column).length > 0);
  if (marked.length < 2 || values > frequent.length) return mendsOf(misfit, column);
  const all = mend(`Mark all ${marked.length} missing`, column.name, (draft) => ({
    ...draft,
    missing: marked.reduce((text, { value }) => withValue(text, value), draft.missing),
  }));
  return [...mendsOf(misfit, column), all];
}

function mendsOf({ kind, frequent, values, range, rows }: Misfit, column: ColumnDraft): readonly Mend[] {
  const { name, type } = column;
  const written = frequent.map(({ value }) => value);
  if (kind === "unreadable" && type === "integer" && written.every((value) => DECIMAL.test(value)))
    return [mend("Read it as a number", name, (draft) => ({ ...draft, type: "number" }))];
  if (kind === "unreadable" && type !== "text")
    return [
      ...spellingsOf(written, type).map((one) =>
        mend(`Read it as written: ${one.pattern}`, name, (draft) => ({ ...draft, ...one })),
      ),
      mend("Read it as a text", name, (draft) => ({ ...draft, type: "text" })),
    ];
  if (kind === "offStep")
    return type === "integer"
      ? [mend("Count every whole number", name, (draft) => ({ ...draft, granularity: "" }))]
      : [];
  if (type === "category")
    return frequent.length > 1 && frequent.length === values
      ? [
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

function rareFindings({ rare, rareCount }: ColumnFit, name: string, fewerThan: number): readonly Finding[] {
  const [none, few] = [rare.filter(({ rows }) => rows === 0), rare.filter(({ rows }) => rows > 0)];
  const more = rareCount - rare.length;
  const of = (id: string, values: readonly StoredValue[], text: string): readonly Finding[] =>
    values.length === 0
      ? []
      : [
          {
            ...{ id: `${name} ${id}`, text, mends: [], more: id === "unheld" && few.length > 0 ? 0 : more },
            values: values.map((value) => ({
              ...value,
              mends: [mend("Remove", name, (draft) => ({ ...draft, values: withoutValue(draft.values, value.value) }))],
            })),
          },
        ];
  return [
    ...of(
      "rare",
      few,
      `Fewer than ${fewerThan} rows hold these categories. Everyone who plans reads that such people are in the data: put rare categories together in the file, or remove them here.`,
    ),
    ...of("unheld", none, "No row holds these categories."),
  ];
}

function unitFindings({ unit }: Fit, { units, unit: one, unitColumn, rows }: Draft): readonly Finding[] {
  if (unit === null) return [];
  const known = { values: [], more: 0 };
  const missing = {
    ...known,
    id: "unit missing",
    text: `${rowsThat(unit.missing, "name")} no ${one} in ${unitColumn}: no answer counts ${unit.missing === 1 ? "it" : "them"}.`,
    mends: [],
  };
  const many = `${countText(unit.over, "value")} of ${unitColumn} ${unit.over === 1 ? "has" : "have"} more rows than ${rows}: ${rowsText(unit.cut)} above it ${unit.cut === 1 ? "is" : "are"} left out.`;
  const more = String(roundUp(unit.most));
  const allow: Mend = {
    label: `Allow ${more} rows`,
    does: (draft) => (draft.rows === more ? draft : { ...draft, rows: more }),
  };
  const twice = rows.trim() === "1" ? ` You promised one row for each of the ${units}.` : "";
  return [
    ...(unit.missing === 0 ? [] : [missing]),
    ...(unit.over === 0 ? [] : [{ ...known, id: "unit over", text: `${many}${twice}`, mends: [allow] }]),
  ];
}

/** Where a number of rows is typed that the file does not have by far; it is private, so that no mend writes it down. */
function sizeFindings({ rows }: Fit, { size }: Draft): readonly Finding[] {
  const said = numberOf(size);
  if (size.trim() === "" || !(said > 0) || (rows <= 2 * said && said <= 2 * rows)) return [];
  const text = `The file has ${rowsText(rows)}; you said about ${said}.`;
  return [{ id: "size", text, values: [], more: 0, mends: [] }];
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
