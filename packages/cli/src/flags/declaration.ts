import { invalid } from "@dosimeter/core";
import { type Fields, isRecord } from "@dosimeter/core/internal";
import { scaleOfStep } from "@dosimeter/query";
import type { Command } from "commander";
import { collect } from "./collect.ts";
import { readStructured } from "./structured.ts";
import { wholeNumber } from "./whole-number.ts";

/** The flags that make a declaration, without a file or over one. */
export interface DeclarationFlags {
  readonly declaration?: string;
  readonly name?: string;
  readonly unit?: string;
  readonly noun?: string;
  readonly adjacency?: string;
  readonly rows?: string;
  readonly groups?: string;
  readonly rowsPerGroup?: string;
  readonly assumedSize?: string;
  readonly publicSize?: string;
  readonly mostRows?: string;
  readonly blocks?: string;
  readonly delimiter?: string;
  readonly comment?: string;
  readonly missing?: readonly string[];
  readonly column?: readonly string[];
}

export function declarationOptions(command: Command): Command {
  return command
    .option("-d, --declaration <file>", "YAML or JSON: name, source, privacyUnit, contribution, columns …")
    .option("--name <name>", "what it is called (default: the file's name)")
    .option("--unit <column>", 'the column that names the protected person, or "row"')
    .option("--noun <one/many>", "what the protected units are called: patient/patients (default: person/people)")
    .option("--adjacency <relation>", "addRemove (default) or replace")
    .option("--rows <n>", "rows that one unit may contribute")
    .option("--groups <n>", "groups that one unit may contribute to")
    .option("--rows-per-group <n>", "rows that one unit may contribute to one group")
    .option("--assumed-size <n>", "about how many rows there are, for quotes only")
    .option("--public-size <n>", "how many rows there are, as an invariant that anyone may know (adjacency replace)")
    .option(
      "--most-rows <n>",
      "the most rows that the table may hold; more are refused (default: twice the assumed size, or 100000)",
    )
    .option(
      "--blocks <spec>",
      '"month of seen in Europe/Berlin": a budget for each period of a date; "people by year of seen in UTC": for each cohort of people; see docs/declaration.md',
    )
    .option("--delimiter <character>", "between the fields of a CSV file (default: comma)")
    .option(
      "--comment <sign>",
      "lines of a CSV file that begin with it, such as #, are no rows (default: there are none)",
    )
    .option(
      "--missing <text>",
      "what stands for a missing value in addition to the empty field; may come several times",
      collect,
    )
    .option(
      "-c, --column <spec>",
      '"age=integer 0..120 required", "born=date 1900-01-01..2024-12-31", "seen=timestamp 2020-01-01..2024-12-31 in Europe/Berlin", "sex=category f|m", "married=boolean", "income=integer 0..200000 missing -9|NA"; once per column; missing: what stands for a missing value; required: never missing; a category or marker in double quotes is taken as it is, as must be the category before missing: f|"m" missing NA',
      collect,
    );
}

/** The content of the `--declaration` file, or nothing. */
export async function readDeclaration({ declaration: path }: DeclarationFlags, cwd: string): Promise<Fields> {
  const written = path === undefined ? {} : await readStructured(path, cwd);
  return isRecord(written) ? written : invalid("declaration", written, "an object");
}

/**
 * `declaration` overridden by the flags. Refuses only what cannot be parsed: the server's `checkDeclaration` checks the
 * values.
 */
export function applyFlags(declaration: Fields, flags: DeclarationFlags): Fields {
  const { unit, rows, groups, rowsPerGroup, assumedSize, publicSize, delimiter, comment, missing, column } = flags;
  const contribution = {
    ...(rows === undefined ? {} : { rows: wholeNumber("--rows", rows) }),
    ...(groups === undefined ? {} : { groups: wholeNumber("--groups", groups) }),
    ...(rowsPerGroup === undefined ? {} : { rowsPerGroup: wholeNumber("--rows-per-group", rowsPerGroup) }),
  };
  const source = {
    ...(delimiter === undefined ? {} : { delimiter }),
    ...(comment === undefined ? {} : { comment }),
    ...(missing === undefined ? {} : { missing }),
  };
  return {
    ...declaration,
    ...(flags.name === undefined ? {} : { name: flags.name }),
    ...(unit === undefined ? {} : { privacyUnit: unit === "row" ? "row" : { column: unit } }),
    ...(flags.noun === undefined ? {} : { unitNoun: nounOf(flags.noun) }),
    ...(flags.adjacency === undefined ? {} : { adjacency: flags.adjacency }),
    ...(Object.keys(contribution).length === 0 ? {} : { contribution }),
    ...(assumedSize === undefined ? {} : { size: { assumed: wholeNumber("--assumed-size", assumedSize) } }),
    ...(publicSize === undefined ? {} : { size: { public: wholeNumber("--public-size", publicSize) } }),
    ...(flags.mostRows === undefined ? {} : { mostRows: wholeNumber("--most-rows", flags.mostRows) }),
    ...(flags.blocks === undefined ? {} : { blocks: blocksOf(flags.blocks) }),
    ...(Object.keys(source).length === 0
      ? {}
      : { source: { ...(declaration.source as Fields | undefined), ...source } }),
    ...(column === undefined ? {} : { columns: [...columnList(declaration.columns), ...column.map(parseColumn)] }),
  };
}

function nounOf(given: string): Fields {
  const [one = "", many = "", ...more] = given.split("/").map((word) => word.trim());
  if (one === "" || many === "" || more.length > 0) invalid("--noun", given, "one/many, such as patient/patients");
  return { one, many };
}

/** `month of seen in Europe/Berlin`, `people by year of seen in UTC`; the zone is left out for a timestamp, which has one. */
function blocksOf(spec: string): Fields {
  const [, cohorts, every, column, zone] = /^(people by )?(\w+) of (.+?)(?: in ([\w/+-]+))?$/.exec(spec.trim()) ?? [];
  if (every === undefined)
    invalid("--blocks", spec, '"month of seen in Europe/Berlin", or "people by month of seen in Europe/Berlin"');
  return {
    ...(cohorts === undefined ? {} : { protects: "person" }),
    ...{ column, every },
    ...(zone === undefined ? {} : { zone }),
  };
}

function columnList(columns: unknown): readonly unknown[] {
  if (columns === undefined) return [];
  if (Array.isArray(columns)) return columns;
  return Object.entries(columns as Fields).map(([name, column]) => ({ name, ...(column as Fields) }));
}

const COLUMN = /^(?<name>[^=]+)=(?<type>\w+)(?:\s+(?<rest>.+))?$/;
const BOUNDS = /^(?<lower>[-+.\deE]+)\.\.(?<upper>[-+.\deE]+?)(?:\s+step\s+(?<step>[.\deE]+))?$/;

const DATES =
  /^(?<lower>[\dQWTZ:+-]+)\.\.(?<upper>[\dQWTZ:+-]+)(?:\s+in\s+(?<zone>[\w/+-]+))?(?:\s+by\s+(?<unit>\w+))?(?:\s+as\s+(?<pattern>.+?)(?:\s+from\s+(?<pivot>\d+))?)?$/;

const ITEM = String.raw`(?:\s*"(?:[^"]|"")*"\s*|(?!\s*")[^|]*?)`;

/** The word `missing` outside of double quotes; next to a `|` it is a category or belongs to one. */
const MARKED = new RegExp(
  String.raw`^(?<range>${ITEM}(?:\|${ITEM})*?)(?:^|(?<=[^\s|])\s+)missing(?:$|\s+(?<markers>[^\s|].*)$)`,
);

/**
 * `age=integer 0..120`, `born=date 1900-01-01..2024-12-31 by month as DD.MM.YYYY`, `seen=timestamp 2020-01-01..2024-12-31 in Europe/Berlin by minute`, `income=number -10000..250000 step 10`, `price=decimal 0..1000 step 0.01`, `sex=category female|male`, `married=boolean`; each may end in
 * `missing -9|NA`, in `required`, or in both. A category or marker in double quotes is taken as it is: `state=category "not required"|open`. The
 * category before `missing` stands in them, as `f|m missing NA` may mean the category "m missing NA".
 */
export function parseColumn(spec: string): Fields {
  const match = COLUMN.exec(spec.trim())?.groups;
  if (match === undefined) return unreadable(spec);
  const { name = "", type = "", rest = "" } = match;
  const isRequired = /(?:^|\s)required$/.test(rest);
  const ranged = isRequired ? rest.slice(0, -"required".length).trim() : rest;
  const marked = MARKED.exec(ranged)?.groups;
  const { range = ranged, markers } = marked ?? {};
  if (type === "category" && range === "" && (isRequired || marked !== undefined)) noCategory(spec);
  if (type === "category" && marked !== undefined && parseListed(range, spec).at(-1)?.isQuoted !== true) noQuotes(spec);
  if (marked !== undefined && (markers === undefined || MARKED.exec(markers)?.groups?.range)) noMarker(spec);
  return {
    name: name.trim(),
    type,
    ...(range === "" ? {} : rangeOf(type, range, spec)),
    ...(markers === undefined ? {} : { missing: parseListed(markers, spec).map(({ text }) => text) }),
    ...(isRequired ? { required: true } : {}),
  };
}

const noMarker = (spec: string): never =>
  invalid(
    "--column",
    spec,
    'markers after "missing", a word that stands in double quotes where it is part of one or of a category',
  );

const noQuotes = (spec: string): never =>
  invalid(
    "--column",
    spec,
    'double quotes around the category before "missing" where markers follow, and around all of it where it is one category: f|"m" missing NA, or f|"m missing NA"',
  );

const noCategory = (spec: string): never =>
  invalid("--column", spec, 'categories before "missing" and "required", or these in double quotes where they are one');

function rangeOf(type: string, range: string, spec: string): Fields {
  if (type === "category") return { categories: parseCategories(range, spec) };
  if (type === "date" || type === "timestamp") {
    const { lower, upper, zone, unit, pattern, pivot } = DATES.exec(range)?.groups ?? unreadable(spec);
    return {
      ...{ lower, upper },
      ...(zone === undefined ? {} : { zone }),
      ...(unit === undefined ? {} : { granularity: unit }),
      ...(pattern === undefined ? {} : { pattern }),
      ...(pivot === undefined ? {} : { pivot: Number(pivot) }),
    };
  }
  const bounds = BOUNDS.exec(range)?.groups;
  if (bounds === undefined) return unreadable(spec);
  const step = bounds.step === undefined ? {} : { granularity: Number(bounds.step) };
  if (type === "decimal")
    return {
      lower: Number(bounds.lower),
      upper: Number(bounds.upper),
      ...step,
      scale: scaleOfStep(bounds.step ?? "") ?? noStep(spec),
    };
  return { lower: Number(bounds.lower), upper: Number(bounds.upper), ...step };
}

const noStep = (spec: string): never =>
  invalid("--column", spec, "with the step of the last digit that counts: price=decimal 0..1000 step 0.01");

const LISTED = /\s*(?:"(?<quoted>(?:[^"]|"")*)"\s*|(?<plain>(?!")[^|]*))\|/y;

/** All numbers where every one reads as a number and none is in quotes, else all texts. */
function parseCategories(range: string, spec: string): readonly (string | number)[] {
  const found = parseListed(range, spec);
  const areNumbers = found.every(({ text, isQuoted }) => !isQuoted && text !== "" && Number.isFinite(Number(text)));
  return found.map(({ text }) => (areNumbers ? Number(text) : text));
}

function parseListed(list: string, spec: string): readonly { readonly text: string; readonly isQuoted: boolean }[] {
  const found: { readonly text: string; readonly isQuoted: boolean }[] = [];
  LISTED.lastIndex = 0;
  do {
    const { quoted, plain = "" } = LISTED.exec(`${list}|`)?.groups ?? quotesOpen(spec);
    found.push({ text: quoted?.replaceAll('""', '"') ?? plain.trim(), isQuoted: quoted !== undefined });
  } while (LISTED.lastIndex <= list.length);
  return found;
}

const quotesOpen = (spec: string): never =>
  invalid(
    "--column",
    spec,
    'categories and markers between |, each plain or wholly in double quotes: "not required"|open',
  );

function unreadable(spec: string): never {
  invalid(
    "--column",
    spec,
    '"name=integer 0..120", "name=number 0..1 step 0.01", "name=date 1900-01-01..2024-12-31", "name=timestamp 2020-01-01..2024-12-31 in Europe/Berlin", "name=category a|b", "name=boolean" or "name=text", each with "missing -9|NA" behind it where these stand for a missing value',
  );
}
