import { type EventAdjacency, invalid, PrivacyError } from "@dosimeter/core";
import { present } from "@dosimeter/core/internal";
import { checkNumber, entries, oneOf, own, record, text } from "../input/check.ts";
import { parseSource } from "../source/kinds.ts";
import { checkBlocks } from "./blocks.ts";
import { checkCategories, checkSpellings } from "./categories.ts";
import { checkDates, checkTimestamps, DATE_KEYS } from "./dates.ts";
import { checkScale } from "./decimals.ts";
import type { Column, ColumnType, ContributionBound, Declaration, Provenance } from "./declaration.ts";
import { checkImpossible } from "./impossible.ts";
import { checkMissing } from "./missing.ts";
import { checkSpelling, refuseSpelled, spelled } from "./spelling.ts";
import { checkLevels, checkWithin } from "./within.ts";
import { checkUnitNoun, checkWords, refuseUnprintable, WORD_KEYS } from "./words.ts";

export const DECLARATION_KEYS = [
  "name",
  "source",
  "privacyUnit",
  "unitNoun",
  "adjacency",
  "contribution",
  "blocks",
  "size",
  "mostRows",
  "impossible",
  "columns",
] as const;
export const COLUMN_KEYS = [
  "type",
  "lower",
  "upper",
  "granularity",
  "scale",
  "zone",
  "pattern",
  ...DATE_KEYS,
  "missing",
  "categories",
  "spellings",
  "mostValues",
  "required",
  "within",
  ...WORD_KEYS,
  "provenance",
  "release",
] as const;
const TYPES = ["integer", "number", "decimal", "date", "timestamp", "boolean", "category", "text"] as const;
export const MAX_COLUMNS = 4096;

/**
 * Checks a declaration from outside and returns it with every default filled in.
 * Throws INVALID_PARAMETER naming the path: `columns.age.lower is 90, must be < columns.age.upper (18)`.
 */
export function checkDeclaration(json: unknown): Declaration {
  const given = record(json, "declaration");
  entries(given, "", DECLARATION_KEYS);
  const source = parseSource(own(given, "source"));
  const columns = spelled(checkColumns(own(given, "columns")), "numbers" in source ? source.numbers : undefined);
  refuseSpelled({ source, columns });
  const adjacency = oneOf(own(given, "adjacency") ?? "addRemove", "adjacency", ["addRemove", "replace"] as const);
  const privacyUnit = checkUnit(own(given, "privacyUnit"), columns);
  const size = checkSize(own(given, "size"), adjacency);
  const mostRows = checkMost(own(given, "mostRows"), "mostRows");
  const stated = size === undefined ? 0 : "public" in size ? size.public : size.assumed;
  if (mostRows !== undefined && mostRows < stated) invalid("mostRows", mostRows, `>= size (${stated})`);
  const unitNoun = checkUnitNoun(own(given, "unitNoun"));
  refuseUnprintable({ ...present({ unitNoun }), columns });
  checkLevels(columns);
  const impossible = checkImpossible(own(given, "impossible"), { columns, privacyUnit });
  const blocks = checkBlocks(own(given, "blocks"), { columns, adjacency, privacyUnit });
  return {
    name: text(own(given, "name"), "name", 200),
    source,
    privacyUnit,
    ...present({ unitNoun }),
    adjacency,
    contribution: checkContribution(own(given, "contribution"), privacyUnit),
    ...present({ blocks, size, mostRows, impossible }),
    columns,
  };
}

function checkColumns(json: unknown): Readonly<Record<string, Column>> {
  // A list of {name, …} is accepted too: an object cannot say that a name came twice.
  const pairs: [string, unknown, string][] = Array.isArray(json)
    ? json.map((item, index) => {
        const { name, ...rest } = record(item, `columns[${index}]`);
        return [text(name, `columns[${index}].name`, 200), rest, `columns[${index}]`];
      })
    : Object.entries(record(json, "columns")).map(([name, column]) => [name, column, `columns.${name}`]);
  if (pairs.length === 0) invalid("columns", json, "at least one column");
  if (pairs.length > MAX_COLUMNS) invalid("columns", pairs.length, `at most ${MAX_COLUMNS} columns`);
  const columns: Record<string, Column> = Object.create(null);
  const folded = new Set<string>();
  for (const [name, column, path] of pairs) {
    if (name === "") invalid(path, name, "a column name");
    if (folded.has(name.toLowerCase())) invalid(path, name, "a name that no other column has, whatever the case");
    folded.add(name.toLowerCase());
    columns[name] = checkColumn(column, path);
  }
  return columns;
}

function checkColumn(json: unknown, path: string): Column {
  const given = record(json, path);
  entries(given, path, COLUMN_KEYS);
  const named = oneOf(own(given, "type"), `${path}.type`, TYPES);
  const type = named === "decimal" ? "number" : named === "timestamp" ? "date" : named;
  const provenance = oneOf(own(given, "provenance") ?? "asserted", `${path}.provenance`, [
    "public",
    "asserted",
    "dp-estimated",
  ] as const);
  const release = releaseOf(given, provenance, path);
  const required = own(given, "required");
  if (required !== undefined && typeof required !== "boolean") invalid(`${path}.required`, required, "true or false");
  const numeric = type === "integer" || type === "number";
  const only = (isMeant: boolean, keys: readonly string[], called: string = type): void => {
    const key = isMeant ? undefined : keys.find((each) => own(given, each) !== undefined);
    if (key !== undefined) invalid(`${path}.${key}`, own(given, key), `absent: the column is ${called}`);
  };
  only(numeric || type === "date", ["lower", "upper", "granularity"]);
  only(type === "date", DATE_KEYS);
  only(named === "decimal", ["scale"], named);
  only(named === "timestamp", ["zone"], named);
  only(type === "category", ["categories", "spellings", "within"]);
  only(type === "integer" || type === "text", ["mostValues"]);
  only(type !== "boolean", ["missing"]);
  const bounds = numeric ? checkBounds(given, path, type) : {};
  const categories =
    type === "category"
      ? checkCategories(own(given, "categories"), `${path}.categories`, own(given, "valueLabels"))
      : undefined;
  const mostValues = checkMost(own(given, "mostValues"), `${path}.mostValues`);
  const scale = named === "decimal" ? checkScale(given, path, bounds) : {};
  const listed = categories === undefined ? {} : { categories };
  const missing = checkMissing(given, path, { type, ...scale, ...listed });
  return {
    type,
    ...bounds,
    ...scale,
    ...(named === "date" ? checkDates(given, path) : {}),
    ...(named === "timestamp" ? checkTimestamps(given, path) : {}),
    ...checkSpelling(given, path, { type, ...listed }),
    ...missing,
    ...listed,
    ...present({ spellings: checkSpellings(own(given, "spellings"), `${path}.spellings`, { ...listed, ...missing }) }),
    ...present({ mostValues }),
    ...(required === true ? { required } : {}),
    ...present({ within: checkWithin(own(given, "within"), `${path}.within`) }),
    ...checkWords(given, path, { type, ...listed }),
    provenance,
    ...(release === null ? {} : { release }),
  };
}

function releaseOf(given: Readonly<Record<string, unknown>>, provenance: Provenance, path: string): string | null {
  const release = own(given, "release");
  if (provenance === "dp-estimated") return text(release, `${path}.release`, 80);
  return release === undefined
    ? null
    : invalid(`${path}.release`, release, 'absent unless provenance is "dp-estimated"');
}

function checkBounds(given: Readonly<Record<string, unknown>>, path: string, type: ColumnType): Partial<Column> {
  const lower = own(given, "lower");
  const upper = own(given, "upper");
  const granularity = own(given, "granularity");
  if (lower === undefined && upper === undefined) {
    if (granularity !== undefined) invalid(`${path}.lower`, undefined, "given together with a granularity");
    return {};
  }
  const bounds = boundsPair(lower, upper, path, type === "integer");
  if (granularity === undefined) return bounds;
  if (typeof granularity !== "number" || !(granularity > 0) || !Number.isFinite(granularity))
    invalid(`${path}.granularity`, granularity, "a finite number > 0");
  if (type === "integer" && !Number.isSafeInteger(granularity))
    invalid(`${path}.granularity`, granularity, "a whole number, as the column is integer");
  return { ...bounds, granularity: granularity as number };
}

/** Both bounds, finite, in order; whole numbers within ±2⁵³ where `whole`. */
export function boundsPair(
  lower: unknown,
  upper: unknown,
  path: string,
  whole: boolean,
): { lower: number; upper: number } {
  const low = checkNumber(lower, `${path}.lower`, whole);
  const high = checkNumber(upper, `${path}.upper`, whole);
  return low < high ? { lower: low, upper: high } : invalid(`${path}.lower`, low, `< ${path}.upper (${high})`);
}

function checkUnit(json: unknown, columns: Readonly<Record<string, Column>>): Declaration["privacyUnit"] {
  if (json === "row") return "row";
  if (json === undefined) return invalid("privacyUnit", json, '"row" or {column: name}');
  const given = record(json, "privacyUnit");
  if (own(given, "columns") !== undefined)
    invalid(
      "privacyUnit.columns",
      own(given, "columns"),
      'absent: name them together, source.keys: {"unit": ["a", "b"]}, declare unit as a text, and say {column: "unit"}. Of a database, make a view that joins them',
    );
  entries(given, "privacyUnit", ["column"]);
  const name = text(own(given, "column"), "privacyUnit.column", 200);
  const column = columns[name];
  if (column === undefined)
    throw new PrivacyError("UNKNOWN_COLUMN", { name: "privacyUnit.column", got: name, want: "a declared column" });
  if (column.type === "number" || column.type === "boolean" || column.type === "date")
    invalid(`columns.${name}.type`, column.type, "integer, text or category, as it names the privacy unit");
  if (column.spellings !== undefined)
    invalid(`columns.${name}.spellings`, column.spellings, "absent, as it names the privacy unit");
  // Beyond 2^53 two numbers are one as doubles: two people would be one unit, and one of them could change what is kept of the other.
  const far = column.categories?.find((value) => typeof value === "number" && !Number.isSafeInteger(value));
  if (far !== undefined)
    invalid(`columns.${name}.categories`, far, "whole numbers within ±2^53, or texts, as they name the privacy unit");
  return { column: name };
}

function checkContribution(json: unknown, unit: Declaration["privacyUnit"]): ContributionBound {
  if (unit === "row") {
    if (json === undefined) return { rows: 1 };
    const given = record(json, "contribution");
    entries(given, "contribution", ["rows", "groups", "rowsPerGroup"]);
    for (const [key, value] of Object.entries(given))
      if (value !== 1) invalid(`contribution.${key}`, value, "1: the privacy unit is the row");
    return { rows: 1 };
  }
  const given = record(json, "contribution");
  entries(given, "contribution", ["rows", "groups", "rowsPerGroup"]);
  const bound: Record<string, number> = {};
  for (const [key, value] of Object.entries(given)) {
    if (value === undefined) continue;
    if (typeof value !== "number" || !Number.isSafeInteger(value) || value < 1 || value > MAX_CONTRIBUTION)
      invalid(`contribution.${key}`, value, `a whole number from 1 to ${MAX_CONTRIBUTION}`);
    bound[key] = value as number;
  }
  if (bound.rows === undefined && (bound.groups === undefined || bound.rowsPerGroup === undefined))
    invalid("contribution", json, "rows, or groups and rowsPerGroup: without them one unit could contribute anything");
  return bound;
}

/** Rows one unit may contribute: large enough for any use, small enough for every sum to be proved in range [M84]. */
const MAX_CONTRIBUTION = 2 ** 20;
/** Rows any table may have: the overflow proof of [M84] holds up to here. */
const MAX_ROWS = 2 ** 40;

function checkMost(value: unknown, path: string): number | undefined {
  if (value === undefined) return undefined;
  if (typeof value !== "number" || !Number.isSafeInteger(value) || value < 1 || value > MAX_ROWS)
    return invalid(path, value, "a whole number from 1 to 2^40");
  return value;
}

function checkSize(json: unknown, adjacency: EventAdjacency): Declaration["size"] {
  if (json === undefined) return undefined;
  const given = record(json, "size");
  entries(given, "size", ["assumed", "public"]);
  const [[kind, value] = ["", undefined], ...rest] = Object.entries(given).filter(([, value]) => value !== undefined);
  if (rest.length > 0 || (kind !== "assumed" && kind !== "public"))
    invalid("size", json, "{assumed: n} or {public: n}");
  if (typeof value !== "number" || !Number.isSafeInteger(value) || value < 1 || value > MAX_ROWS)
    return invalid(`size.${kind}`, value, "a whole number of rows from 1 to 2^40");
  if (kind === "assumed") return { assumed: value };
  if (adjacency !== "replace") invalid("size.public", value, 'absent unless adjacency is "replace"; use size.assumed');
  return { public: value };
}
