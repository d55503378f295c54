import { calendarUnits, clockUnits, invalid, PrivacyError } from "@dosimeter/core";
import { type Fields, isRecord, meantText, typedNumber } from "@dosimeter/core/internal";
import { plainPlan } from "@dosimeter/query/plan-file";
import type { Plan, StatisticRequest } from "@dosimeter/query/statistics";
import type { Command } from "commander";
import { type Place, readStructured } from "./structured.ts";
import { collect } from "./values.ts";

/** The flags that say what to ask: a file, or one `-s` per statistic. */
export interface PlanFlags {
  readonly plan?: string;
  readonly statistic?: readonly string[];
  readonly confidence?: string;
  readonly sample?: string;
  readonly let?: readonly string[];
  readonly join?: string;
  readonly take?: readonly string[];
  readonly over?: string;
}

export const planFlagNames = [
  "plan",
  "statistic",
  "confidence",
  "sample",
  "let",
  "join",
  "take",
  "over",
] as const satisfies readonly (keyof PlanFlags)[];

export const overOption = [
  "--over <blocks>",
  "of a population with blocks, those that are measured and pay: 'latest 12', '2024-01 to 2024-12', '2024-01, 2024-03', 'all closed'",
] as const;

export const windowOf = ({ over }: { readonly over?: string | undefined }): { readonly window?: string } =>
  over === undefined ? {} : { window: over };

export function planOptions(command: Command): Command {
  return command
    .option("-p, --plan <file>", "YAML or JSON: {statistics: [{statistic: mean, column: age, epsilon: 0.1}]}")
    .option(
      "-s, --statistic <spec>",
      `"count epsilon=0.1 where age >= 65", "mean income 0..100000 epsilon=0.2 by sex"; once per statistic`,
      collect,
    )
    .option(
      "--let <definition>",
      `a derived column: "age10 = cut(age, 10)"; once per column, see docs/derived-columns.md`,
      collect,
    )
    .option(
      "--join <dataset>",
      "another dataset of the same people, by name or id: --take says what of it; see docs/joins.md",
    )
    .option(
      "--take <column>",
      `a column of the joined dataset: "age", "visits = count 0..20 where year = 2024", "paid = sum cost 0..500", "last = last kind by day"`,
      collect,
    )
    .option(
      "--sample <share or rows>",
      "measure on a secret sample, drawn for each answer: 0.1 takes each person with that chance, 1000 that number of rows",
    )
    .option(...overOption)
    .option("--confidence <share>", "with which the stated errors hold (default: 0.95)");
}

/** The plan for the request; the server checks its values. */
export async function planOf(
  flags: PlanFlags,
  terminal: Place,
): Promise<Fields & { readonly statistics: readonly Fields[] }> {
  const file = flags.plan === undefined ? {} : await readStructured(flags.plan, terminal);
  if (!isRecord(file)) invalid("plan", file, "an object with statistics");
  const written = file.statistics ?? [];
  if (!Array.isArray(written)) {
    invalid("plan.statistics", written, "a list");
  }
  // A saved plan is sent unchanged, so that its hash is checked; with more flags it is a plan of its own.
  const added = [flags.confidence, flags.statistic, flags.let, flags.join, flags.take, flags.sample, flags.over];
  const isAsSaved = added.every((flag) => flag === undefined);
  if (file.format !== undefined && isAsSaved) return { ...file, statistics: written };
  const plain = plainPlan(file) as Fields;
  const confidence = flags.confidence === undefined ? {} : { confidence: toNumber(flags.confidence, "--confidence") };
  const derived = flags.let === undefined ? {} : { let: { ...(plain.let ?? {}), ...derivedOf(flags.let) } };
  const joined = joinOf(flags, plain.join);
  if (written.length === 0 && flags.statistic === undefined)
    throw new PrivacyError("EMPTY_PLAN", {}, 'the plan has no statistics: give one, as in -s "count epsilon=0.1"');
  return {
    ...plain,
    ...joined,
    ...derived,
    ...confidence,
    ...(flags.sample === undefined ? {} : { sample: sampleOf(flags.sample) }),
    ...windowOf(flags),
    statistics: [...written, ...(flags.statistic ?? []).map(parseStatistic)],
  };
}

/** The same for what computes here, and checks its values itself. */
export const asPlan = (plan: Awaited<ReturnType<typeof planOf>>): Plan => plan as unknown as Plan;

/** A whole number is a number of rows, a decimal is a probability; the plan checks the range. */
function sampleOf(text: string): Fields {
  if (/^\d{1,15}$/.test(text)) return { size: Number(text) };
  if (/^\d*\.\d{1,40}$/.test(text)) return { rate: text };
  invalid("--sample", text, "a share such as 0.1, or a whole number of rows");
}

/** The join of a plan file with what the flags say of it. */
function joinOf({ join, take }: PlanFlags, written: unknown): Fields {
  if (join === undefined && take === undefined) return {};
  const before = isRecord(written) ? written : {};
  const dataset = join ?? before.dataset;
  if (dataset === undefined) invalid("--take", take, "absent without --join");
  const columns = { ...(isRecord(before.columns) ? before.columns : {}), ...takenOf(take ?? []) };
  return { join: { ...before, dataset, columns } };
}

const takenOf = (texts: readonly string[]): Fields =>
  byName("--take", texts, TAKES, (name, spec) => (spec === undefined ? name : parseTaken(spec)));

const TAKES = "name, or name = count | sum | min | max | first | last | any, its column, lower..upper, by …, where …";

/** `<take> [column] [lower..upper] [by column] [where predicate]`; one word is the name of a column. */
function parseTaken(spec: string): unknown {
  const { statistic, groupBy, ...rest } = parseStatistic(spec) as Fields & { readonly groupBy?: readonly string[] };
  const isName = Object.keys(rest).length === 0 && groupBy === undefined && statistic !== "count";
  if (isName) return statistic;
  return { take: statistic, ...rest, ...(groupBy === undefined ? {} : { by: groupBy[0] }) };
}

const derivedOf = (definitions: readonly string[]): Fields =>
  byName("--let", definitions, "name = formula", (_, formula) => formula);

/** `name = what`, each name once and in double quotes where it has a space; undefined from `read` is a text that says too little. */
function byName(
  flag: string,
  texts: readonly string[],
  want: string,
  read: (name: string, what: string | undefined) => unknown,
): Fields {
  const named = texts.map((text) => {
    const [, quoted, plain, what] = /^\s*(?:"((?:[^"]|"")+)"|([^\s=]+))\s*(?:=\s*(.+))?$/s.exec(text) ?? [];
    const name = quoted?.replaceAll('""', '"') ?? plain;
    const value = name === undefined ? undefined : read(name, what);
    if (name === undefined || value === undefined) invalid(flag, text, want);
    return [name, value] as const;
  });
  named.forEach(([name], index) => {
    if (named.findIndex(([other]) => other === name) !== index) invalid(flag, name, "each name once");
  });
  return Object.fromEntries(named);
}

type Written = "number" | "bound" | "bins" | "numbers" | "names" | "text";

/** How `key=value` is read. The statistic, its column, groups and filter are written without a key. */
const keys = {
  lower: "bound",
  upper: "bound",
  granularity: "number",
  unitLower: "number",
  unitUpper: "number",
  atLeast: "number",
  k: "number",
  valuesPerUnit: "number",
  bins: "bins",
  quantiles: "numbers",
  with: "names",
  id: "text",
  epsilon: "text",
  rho: "text",
  noise: "text",
  keys: "text",
  keysFrom: "text",
  keyShare: "text",
  delta: "text",
  weights: "text",
  tables: "text",
  numbers: "text",
} as const satisfies Record<
  Exclude<keyof StatisticRequest, "statistic" | "column" | "groupBy" | "where" | "impossible">,
  Written
>;

/** `<statistic> [column] [lower..upper] [key=value …] [by column, …] [where predicate]`. */
export function parseStatistic(spec: string): Fields {
  const [head = "", where] = splitOnce(spec.trim(), " where ");
  const [main = "", by] = splitOnce(head, " by ");
  const [statistic, ...words] = main.split(/\s+/);
  const request: Record<string, unknown> = { statistic };
  for (const word of words) readWord(word, request, spec);
  if (by !== undefined) request.groupBy = by.split(",").map((column) => column.trim());
  if (where !== undefined) request.where = where.trim();
  return request;
}

function readWord(word: string, request: Record<string, unknown>, spec: string): void {
  const range = /^([-+.\deE]+|\d{4}-[\dQWTZ:+-]+)\.\.([-+.\deE]+|\d{4}-[\dQWTZ:+-]+)$/.exec(word);
  const [key = "", value] = splitOnce(word, "=");
  if (range !== null) {
    request.lower = numberOrDate(range[1] ?? "", "lower");
    request.upper = numberOrDate(range[2] ?? "", "upper");
  } else if (value === undefined && request.column === undefined) request.column = word;
  else if (value === undefined || !Object.hasOwn(keys, key)) {
    const want = `<statistic> [column] [lower..upper] [by column, …] [where …] and ${Object.keys(keys).join("=, ")}=${meantText(key, Object.keys(keys))}`;
    invalid("--statistic", spec, want);
  } else request[key] = readers[keys[key as keyof typeof keys]](value, key);
}

/** Dates and times stay texts: 2024-03-15, 2024-Q1, 2024-03-15T10:30. */
function numberOrDate(value: string, key: string): number | string {
  return /^\d{4}-[\dQWTZ:+-]+$/.test(value) ? value : toNumber(value, key);
}

const readers: Readonly<Record<Written, (value: string, key: string) => unknown>> = {
  number: toNumber,
  bound: numberOrDate,
  bins: (value, key) => {
    const edges = value
      .split(",")
      .map((edge) =>
        [...clockUnits, ...calendarUnits].some((unit) => unit === edge) ? edge : numberOrDate(edge, key),
      );
    return edges.length === 1 ? edges[0] : edges;
  },
  numbers: (value, key) => value.split(",").map((edge) => toNumber(edge, key)),
  names: (value) => value.split(","),
  text: (value) => value,
};

function splitOnce(text: string, separator: string): readonly [string, string?] {
  const at = text.indexOf(separator);
  return at < 0 ? [text] : [text.slice(0, at), text.slice(at + separator.length)];
}

function toNumber(text: string, name: string): number {
  return typedNumber(text, {}, name).value;
}
