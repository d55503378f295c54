import { calendarUnits, clockUnits, PrivacyError } from "@dosimeter/core";
import { present } from "@dosimeter/core/internal";
import { checkDeclaration, type Declaration, scaleOfStep } from "@dosimeter/query/declaration";
import { parseValues, readSpellings, readWithin } from "@dosimeter/query/schema";
import { connectedSource, overFile } from "@dosimeter/query/source";
import { numberOf, readTyped } from "../parts/number-text.ts";
import { type ColumnDraft, type Draft, delimiters, type Reading } from "./draft.ts";

export type ColumnField = Exclude<keyof ColumnDraft, "name" | "storage" | "guessed">;
export type HeadField =
  | "name"
  | "unitColumn"
  | "unitKey"
  | "unit"
  | "units"
  | "rows"
  | "groups"
  | "rowsPerGroup"
  | "size"
  | "mostRows"
  | "impossible";

/** One thing to mend: where, and what, in the words of the form. */
export interface Problem {
  readonly field: ColumnField | HeadField;
  /** Its place among the columns of the draft; absent for the others. */
  readonly column?: number;
  readonly fault: string;
  /** The person typed something that is no number: the form says so at once. It names an empty field when the person declares. */
  readonly isMistyped?: true;
}

/** The element that a problem is about. */
export const idOf = ({ field, column }: Pick<Problem, "field" | "column">): string =>
  column === undefined ? `head-${field}` : `cell-${column}-${field}`;

/** What a problem is about, in few words; the sentence stands at its field. */
export const fieldName = ({ field, column }: Problem, { columns }: Draft): string =>
  column === undefined
    ? headLabels[field as HeadField]
    : `${columns[column]?.name ?? ""}: ${columnLabels[field as ColumnField]}`;

const headLabels = {
  name: "Dataset name",
  unitColumn: "Privacy unit",
  unitKey: "Columns that name one together",
  unit: "Unit in words",
  units: "Several of them",
  rows: "Rows in total",
  groups: "Groups",
  rowsPerGroup: "Rows per group",
  size: "Approximate number of rows",
  mostRows: "Most rows",
  impossible: "Impossible combinations",
} as const satisfies Record<HeadField, string>;

export const columnLabels = {
  type: "Type",
  lower: "At least",
  upper: "At most",
  granularity: "In steps of",
  values: "Values",
  mostValues: "Most different values",
  unit: "Unit",
  zone: "Time zone",
  pattern: "Written as",
  label: "Label",
  description: "Description",
  provenance: "Source",
  isRequired: "Never missing",
  within: "Lies in",
  spellings: "Also written",
  missing: "Missing if",
} as const satisfies Record<ColumnField, string>;

/** All that is still wrong, and the declaration where nothing is. */
export function declare(
  draft: Draft,
  reading: Reading,
): { readonly declaration: Declaration | undefined; readonly problems: readonly Problem[] } {
  const source = sourceOf(reading, draft);
  const all = [...headProblems(draft), ...draft.columns.flatMap((column, at) => columnProblems(column, at, draft))];
  // Every check of a column, and that of the privacy unit, finds the same fault in its name: the form says it once.
  const problems = all.filter(({ fault }, at) => all.findIndex((other) => other.fault === fault) === at);
  if (problems.length > 0) return { declaration: undefined, problems };
  const declared = draft.columns.filter(isDeclared).map((column) => ({ name: column.name, ...columnOf(column) }));
  const columns = draft.unitKey === null ? declared : [...declared, { name: draft.unitColumn, ...KEY }];
  const whole = () => checkDeclaration({ ...headOf(draft), source, columns });
  const fault = faultOf(whole);
  if (fault === undefined) return { declaration: whole(), problems };
  const nested = /^columns\.(.+)\.within\b/.exec(fault.path)?.[1];
  const column = draft.columns.findIndex(({ name }) => name === nested);
  const field = column >= 0 ? "within" : /^impossible\b/.test(fault.path) ? "impossible" : "name";
  return {
    declaration: undefined,
    problems: [{ field, ...(column < 0 ? {} : { column }), fault: said(fault.message) }],
  };
}

/** The column that several make. */
const KEY = { type: "text", provenance: "asserted" } as const;

const isDeclared = ({ type }: ColumnDraft): boolean => type !== "leaveOut";
const isInTime = ({ type }: ColumnDraft): boolean => type === "date" || type === "timestamp";
const isNumeric = ({ type }: ColumnDraft): boolean => type === "integer" || type === "number" || type === "decimal";

const lines = (text: string) =>
  text
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "");

function faultOf(check: () => unknown): { readonly path: string; readonly message: string } | undefined {
  try {
    check();
    return undefined;
  } catch (error) {
    if (!(error instanceof PrivacyError)) throw error;
    return { path: error.details.name ?? "", message: error.message };
  }
}

function sourceOf(reading: Reading, draft: Draft) {
  if ("connection" in reading) return connectedSource(reading.format, reading);
  const { format, file, delimiter, comment = "", quote = "", numbers = "" } = reading;
  const keys = draft.unitKey === null ? {} : { keys: { [draft.unitColumn ?? ""]: draft.unitKey } };
  if (delimiter === undefined) return overFile(keys, format, file);
  const missing = lines(draft.missing);
  const separated = delimiter === "auto" ? {} : { delimiter: delimiters[delimiter] };
  const signs = { ...word("comment", comment), ...word("quote", quote), ...word("numbers", numbers) };
  return overFile({ ...keys, ...separated, ...signs, ...(missing.length === 0 ? {} : { missing }) }, format, file);
}

/** Leaves out an empty text; passes on a text that is no number, which `checkDeclaration` refuses with its path. */
const number = (name: string, text: string) => {
  const value = numberOf(text);
  return text.trim() === "" ? {} : { [name]: Number.isNaN(value) ? text.trim() : value };
};

const word = (name: string, text: string) => (text.trim() === "" ? {} : { [name]: text.trim() });

const contributionOf = (draft: Draft) =>
  !draft.unitColumn
    ? { rows: 1 }
    : {
        ...number("rows", draft.rows),
        ...number("groups", draft.groups),
        ...number("rowsPerGroup", draft.rowsPerGroup),
      };

const headOf = (draft: Draft) => ({
  name: draft.name.trim(),
  privacyUnit: draft.unitColumn ? { column: draft.unitColumn } : ("row" as const),
  unitNoun: { one: draft.unit.trim(), many: draft.units.trim() },
  adjacency: draft.adjacency,
  contribution: contributionOf(draft),
  ...(draft.size.trim() === "" ? {} : { size: number(draft.isSizePublic ? "public" : "assumed", draft.size) }),
  ...number("mostRows", draft.mostRows),
  ...word("impossible", draft.impossible),
});

/** Each part is checked over a declaration that is good otherwise, so that no fault hides another. */
function headProblems(draft: Draft): readonly Problem[] {
  const { name, privacyUnit, unitNoun, adjacency, contribution, size } = headOf(draft);
  const [first] = draft.columns.filter(isDeclared);
  const unit = draft.columns.find((column) => column.name === draft.unitColumn);
  const good = { name: "t", source: { csv: "t" }, privacyUnit: "row", adjacency, columns: { t: { type: "text" } } };
  const unitColumns = {
    ...(draft.unitKey === null ? {} : { [draft.unitColumn ?? ""]: KEY }),
    ...(unit === undefined ? {} : { [unit.name]: columnOf({ ...unit, values: unit.values || "a" }) }),
  };
  const parts: readonly (readonly [HeadField, Record<string, unknown>])[] = [
    ["name", { name }],
    ["unit", { unitNoun: { ...unitNoun, many: "t" } }],
    ["units", { unitNoun: { ...unitNoun, one: "t" } }],
    ["rows", privacyUnit === "row" ? {} : { privacyUnit: { column: "t" }, contribution }],
    ["size", size === undefined ? {} : { size }],
    ["mostRows", { ...(size === undefined ? {} : { size }), ...number("mostRows", draft.mostRows) }],
  ];
  const problems = parts.flatMap(([field, part]): readonly Problem[] => {
    const fault = faultOf(() => checkDeclaration({ ...good, ...part }));
    const at = /^contribution\.(rows|groups|rowsPerGroup)$/.exec(fault?.path ?? "")?.[1] as HeadField | undefined;
    return fault === undefined ? [] : [{ field: at ?? field, fault: said(fault.message) }];
  });
  if (first === undefined) problems.push({ field: "name", fault: "Keep at least one column." });
  const lost = draft.unitKey?.find((name) => !draft.columns.some((column) => column.name === name));
  if (lost !== undefined || (draft.unitKey !== null && !(draft.unitKey.length >= 2 && draft.unitKey.length <= 8)))
    problems.push({
      field: "unitKey",
      fault: lost === undefined ? TOO_FEW : `The file has no column “${lost}” any more.`,
    });
  if (draft.unitColumn === null) problems.push({ field: "unitColumn", fault: UNCHOSEN });
  if (!draft.unitColumn) return problems;
  const fault = faultOf(() =>
    checkDeclaration({
      ...good,
      privacyUnit,
      contribution: { rows: 1 },
      columns: { ...unitColumns, t: { type: "text" } },
    }),
  );
  const isOfUnit = fault?.path.startsWith("privacyUnit") || fault?.path.endsWith(".type");
  return isOfUnit ? [...problems, { field: "unitColumn", fault: said(fault?.message ?? "") }] : problems;
}

const TOO_FEW = "“Columns that name one together” must be two to eight columns.";

const UNCHOSEN =
  "“Privacy unit” is not chosen, must be what the guarantee protects: each row, or all rows of one value.";

/** The problems of the fields of one column: what cannot be, and what is missing. */
function columnProblems(column: ColumnDraft, at: number, draft: Draft): readonly Problem[] {
  if (!isDeclared(column)) return [];
  const problems = typedProblems(column, column.name === draft.unitColumn);
  const check = (more: Record<string, unknown>) =>
    checkDeclaration({
      name: "t",
      source: { csv: "t" },
      privacyUnit: "row",
      columns: [{ name: column.name, ...more }],
    });
  // What it lies in is checked with all columns.
  const { label, unit, description, within: _, ...range } = columnOf(column);
  const checks = [
    { type: "text", label },
    { type: "text", unit },
    { type: "text", description },
    ...(problems.length > 0 ? [] : [range]),
  ];
  for (const more of checks) {
    const fault = faultOf(() => check(present(more)));
    const field = fieldIn(fault?.path ?? "");
    if (fault !== undefined)
      problems.push({ field, fault: said(fault.message.replaceAll("columns[0]", `columns.${column.name}`)) });
  }
  return problems.map((problem) => ({ ...problem, column: at }));
}

function typedProblems(column: ColumnDraft, isUnit: boolean): Problem[] {
  const problems: Problem[] = [];
  const { name, type } = column;
  if (isNumeric(column))
    for (const field of ["lower", "upper", "granularity"] as const) {
      const isEmpty = column[field].trim() === "";
      const isWhole = type === "integer";
      const want = isWhole ? "a whole number" : "a number";
      if (isEmpty && !isUnit && field !== "granularity")
        problems.push({ field, fault: `“${columnLabels[field]}” of ${name} is empty, must be ${want}.` });
      const { fault } = isEmpty ? {} : readTyped(column[field], { isWhole });
      if (fault !== undefined)
        problems.push({ field, isMistyped: true, fault: fault.replace("This", `“${columnLabels[field]}” of ${name}`) });
    }
  if (type === "decimal" && scaleOfStep(column.granularity) === null)
    problems.push({
      field: "granularity",
      fault: `“${columnLabels.granularity}” of ${name} is ${column.granularity.trim() === "" ? "empty" : `“${column.granularity}”`}, must be the last digit that counts, such as 0.01.`,
    });
  if (isInTime(column))
    for (const field of ["lower", "upper"] as const)
      if (column[field].trim() === "")
        problems.push({
          field,
          fault: `“${columnLabels[field]}” of ${name} is empty, must be a date such as 2024-03-15.`,
        });
  if (type === "category" && parseValues(column.values).values.length === 0)
    problems.push({ field: "values", fault: `Add at least one category for “${name}”.` });
  const loose = type === "integer" || type === "boolean" ? unnamed(column.values) : undefined;
  if (loose !== undefined)
    problems.push({
      field: "values",
      fault: `“Values” of ${name} is “${loose}”, must be a value and its label: 0=none.`,
    });
  return problems;
}

/** A column that is no category lists values only to label them: each must have its label. */
function unnamed(text: string): string | undefined {
  const { values, labels: named } = parseValues(text);
  return values.find((value) => !Object.hasOwn(named, value));
}

const fieldIn = (path: string): ColumnField => {
  const field =
    /\.(type|lower|upper|granularity|zone|pattern|pivot|missing|label|unit|description|required|mostValues|spellings)(?:\..+|\[\d+\])?$/.exec(
      path,
    )?.[1];
  if (field === "pivot") return "pattern";
  return field === undefined ? "values" : field === "required" ? "isRequired" : (field as ColumnField);
};

function columnOf(column: ColumnDraft) {
  const { type, provenance } = column;
  const { values, labels, asTheyAre } = parseValues(column.values);
  // A label says that a text which looks like something else is a value.
  const named =
    type === "category" ? { ...Object.fromEntries(asTheyAre.map((value) => [value, value])), ...labels } : labels;
  const { values: markers } = parseValues(column.missing);
  const areNumbers = values.length > 0 && values.every((text) => String(Number(text)) === text);
  const isNumberColumn = /INT|DOUBLE|FLOAT|REAL|DECIMAL|NUMERIC/i.test(column.storage);
  const isLabelled = (type === "category" || type === "integer" || type === "boolean") && Object.keys(named).length > 0;
  return {
    type,
    provenance,
    ...(isNumeric(column)
      ? {
          ...number("lower", column.lower),
          ...number("upper", column.upper),
          ...number("granularity", column.granularity),
          ...(type === "decimal" ? { scale: scaleOfStep(column.granularity) } : {}),
          ...word("unit", column.unit),
        }
      : {}),
    ...(isInTime(column)
      ? datesOf(column)
      : isNumeric(column) || type === "boolean"
        ? word("pattern", column.pattern)
        : {}),
    ...(type === "category" ? { categories: areNumbers && isNumberColumn ? values.map(Number) : values } : {}),
    ...(isLabelled ? { valueLabels: named } : {}),
    ...(markers.length === 0 || type === "boolean" ? {} : { missing: markers }),
    ...(type === "text" || type === "integer" ? number("mostValues", column.mostValues) : {}),
    ...(column.isRequired ? { required: true } : {}),
    ...(type === "category" && column.within.trim() !== ""
      ? { within: readWithin(column.within, (value) => (areNumbers && isNumberColumn ? Number(value) : value)) }
      : {}),
    ...(type === "category" && column.spellings.trim() !== "" ? { spellings: readSpellings(column.spellings) } : {}),
    ...word("label", column.label),
    ...word("description", column.description),
  } as Readonly<Record<string, unknown>>;
}

/** Bounds and periods of dates, and how they are written: `DD.MM.YY from 1930`. */
function datesOf({ type, lower, upper, granularity, pattern, zone }: ColumnDraft) {
  const units = type === "timestamp" ? [...clockUnits, ...calendarUnits] : calendarUnits;
  const [, layout = "", pivot = ""] = /^(.*?)(?:\s+from\s+(\d{1,4}))?$/.exec(pattern.trim()) ?? [];
  return {
    ...word("lower", lower),
    ...word("upper", upper),
    // A step of numbers stays in the form when the type changes.
    ...(units.some((unit) => unit === granularity) ? { granularity } : {}),
    ...(type === "timestamp" ? word("zone", zone) : {}),
    ...word("pattern", layout),
    ...(pivot === "" ? {} : { pivot: Number(pivot) }),
  };
}

/** A refusal with the labels of the form for the paths of the declaration. */
const said = (message: string): string =>
  message
    .replaceAll(
      /\bcolumns\.(.+?)\.(type|lower|upper|granularity|zone|pattern|missing|label|unit|description|categories|valueLabels|mostValues|spellings)\b(?:\.\S.*?(?= is )|\[\d+\])?/g,
      (_, column: string, field: string) =>
        `“${columnLabels[field === "categories" || field === "valueLabels" ? "values" : (field as ColumnField)]}” of ${column}`,
    )
    .replaceAll(
      /\bcolumns\.(.+?)\.pivot is missing, must be given: .*?such as 1930/g,
      (_, column: string) =>
        `“${columnLabels.pattern}” of ${column} has years with two digits, must say from which year on: DD.MM.YY from 1930`,
    )
    .replaceAll(/\bcontribution\.(rowsPerGroup|rows|groups)\b/g, (_, field: HeadField) => `“${headLabels[field]}”`)
    .replace(/^contribution\b/, `“${headLabels.rows}”`)
    .replace(/^privacyUnit\.column/, `“${headLabels.unitColumn}”`)
    .replace(/^unitNoun\.one/, `“${headLabels.unit}”`)
    .replace(/^unitNoun\.many/, `“${headLabels.units}”`)
    .replace(/^mostRows\b/, `“${headLabels.mostRows}”`)
    .replace(/^impossible[\w.[\]]*/, `“${headLabels.impossible}”`)
    .replace(
      /^columns\.(.+?)\.within(?:\.(?:column|of\b\S*))?(?= is )/,
      (_, column: string) => `“${columnLabels.within}” of ${column}`,
    )
    .replaceAll(/\bsize\.(assumed|public)\b/g, "The number of rows")
    .replace(/^name is/, "“Dataset name” is");
