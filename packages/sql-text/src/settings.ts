import { REQUEST_KEYS } from "@dosimeter/query/bind";
import type { Declaration } from "@dosimeter/query/declaration";
import type { DecimalInput, SampleRequest } from "@dosimeter/query/plan";
import type { StatisticRequest } from "@dosimeter/query/statistics";
import type { SqlSetting, SqlValue } from "./query.ts";
import { refuseAt } from "./refusal.ts";

/** Settings of a row that a call takes by name: `AVG(income, epsilon => 0.1)`. */
const KINDS = {
  valuesPerUnit: "number",
  lower: "bound",
  upper: "bound",
  granularity: "number",
  unitLower: "number",
  unitUpper: "number",
  bins: "bins",
  quantiles: "list",
  keys: "word",
  keysFrom: "word",
  keyShare: "decimal",
  delta: "decimal",
  atLeast: "number",
  k: "number",
  noise: "word",
  weights: "word",
  impossible: "word",
  tables: "word",
  numbers: "word",
  epsilon: "decimal",
  rho: "decimal",
} as const satisfies Partial<Record<keyof StatisticRequest, string>>;

export type NamedField = keyof typeof KINDS;
export const NAMED_FIELDS = REQUEST_KEYS.filter((key): key is NamedField => Object.hasOwn(KINDS, key));
/** A setting or a statistic by its own name: `interquartileRange` is INTERQUARTILE_RANGE(column). */
export const ownName = (name: string): string => name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
export const isDecimal = (field: NamedField): boolean => KINDS[field] === "decimal";
const fields = new Map(NAMED_FIELDS.map((field) => [ownName(field), field]));

const numberOf = (value: SqlValue): number | null => ("number" in value ? Number(value.number) : null);
/** As core reads decimals: a digit on each side of the point. */
const decimalOf = (value: SqlValue): string | null =>
  "number" in value ? value.number.replace(/^\./, "0.").replace(/\.(?!\d)/, "") : "text" in value ? value.text : null;
const wordOf = (value: SqlValue): string | null => ("text" in value ? value.text : "name" in value ? value.name : null);
const numbersOf = (value: SqlValue): readonly number[] | null => {
  const found = ("list" in value ? value.list : [value]).map(numberOf);
  return found.some((each) => each === null) ? null : found.map(Number);
};

const boundOf = (value: SqlValue): number | string | null => ("text" in value ? value.text : numberOf(value));
const boundsOf = ({ list }: Extract<SqlValue, { list: unknown }>): readonly (number | string)[] | null => {
  const found = list.map(boundOf).filter((each) => each !== null);
  return found.length === list.length ? found : null;
};

const READ: Readonly<Record<(typeof KINDS)[NamedField], readonly [(value: SqlValue) => unknown, string]>> = {
  number: [numberOf, "a number"],
  decimal: [decimalOf, "a decimal"],
  word: [wordOf, "a 'text'"],
  list: [numbersOf, "numbers in brackets, such as ARRAY[0.1, 0.9]"],
  bound: [boundOf, "a number, or a date such as '2024-03-15'"],
  bins: [
    (value) => ("list" in value ? boundsOf(value) : boundOf(value)),
    "a number, a period such as 'month', or edges such as ARRAY[0, 18, 65]",
  ],
};

/** The fields of a row that a call names. */
export function fieldsOf(
  settings: readonly SqlSetting[],
  {
    source,
    statistic,
    declaration,
  }: { readonly source: string; readonly statistic: string; readonly declaration: Declaration },
): Partial<StatisticRequest> {
  const given: Record<string, unknown> = {};
  const isByUnit = declaration.privacyUnit !== "row";
  for (const { name, at, value } of settings) {
    const refuse = (message: string): never => refuseAt(source, at, message);
    if (name === "contribution_bounds_per_row" || name === "contribution_bounds_per_group") {
      const [lower, upper, ...more] = numbersOf(value) ?? [];
      if (lower === undefined || upper === undefined || more.length > 0)
        return refuse(`${name} must be two numbers, such as (0, 100)`);
      const isTotal = name === "contribution_bounds_per_group" && statistic === "sum" && isByUnit;
      if (isTotal) Object.assign(given, { statistic: "unitSum", unitLower: lower, unitUpper: upper });
      else if (statistic === "count" || statistic === "distinctUnits" || statistic === "distinctValues")
        return refuse(`${name} is declared with the dataset, for every query; leave it out`);
      else if (name === "contribution_bounds_per_group" && !isOneRow(declaration))
        return refuse("contribution_bounds_per_group is read for SUM; write contribution_bounds_per_row");
      else Object.assign(given, { lower, upper });
      continue;
    }
    if (name === "report_format")
      return refuse(
        "report_format is not read; every answer comes with its interval, and DP_INTERVAL_LOW(alias) selects its end",
      );
    const field = fields.get(name);
    if (field === undefined)
      return refuse(`${name} is not a setting of an aggregate; those are ${[...fields.keys()].join(", ")}`);
    const [read, want] = READ[KINDS[field]];
    given[field] = read(value) ?? refuse(`${name} must be ${want}`);
  }
  return given as Partial<StatisticRequest>;
}

/** Whether the bounds of a person's rows in a group are those of each row. */
const isOneRow = ({ privacyUnit, contribution }: Declaration): boolean =>
  privacyUnit === "row" || contribution.rows === 1 || contribution.rowsPerGroup === 1;

/** What OPTIONS say, each with where it stands. */
export interface Options {
  readonly epsilon?: DecimalInput;
  readonly rho?: DecimalInput;
  readonly delta?: DecimalInput;
  readonly atLeast?: number;
  readonly confidence?: number;
  readonly adjacency?: "addRemove" | "replace";
  readonly sample?: SampleRequest;
  /** As it would be typed: `latest 12`. */
  readonly window?: string;
  /** Whether the groups are found in rows even where they are declared. */
  readonly finds?: boolean;
  readonly at: Readonly<Record<string, number>>;
}

/** Reads OPTIONS; what the dataset declares must be as it is declared. */
export function optionsOf(settings: readonly SqlSetting[], source: string, declaration: Declaration): Options {
  const options: Record<string, unknown> = {};
  const at: Record<string, number> = {};
  for (const setting of settings) {
    const { name } = setting;
    if (Object.hasOwn(at, name)) return refuseAt(source, setting.at, `${name} is said twice`);
    at[name] = setting.at;
    const row = Object.hasOwn(OPTIONS, name) ? OPTIONS[name] : undefined;
    if (row === undefined)
      return refuseAt(source, setting.at, `${name} is not an option; those are ${Object.keys(OPTIONS).join(", ")}`);
    const read = row(setting.value, declaration);
    if ("want" in read) return refuseAt(source, setting.at, `${name} must be ${read.want}`);
    Object.assign(options, read.is);
  }
  return { ...options, at };
}

type Read = { readonly is: Omit<Options, "at"> } | { readonly want: string };
type OptionRow = (value: SqlValue, declaration: Declaration) => Read;

const amount =
  (name: "epsilon" | "rho" | "delta"): OptionRow =>
  (value) => {
    const decimal = decimalOf(value);
    return decimal === null || !(Number(decimal) >= 0)
      ? { want: "a decimal, such as 0.1" }
      : { is: { [name]: decimal } };
  };

/** A bound of contributions: the declared one, or none where none is declared. */
const bound =
  (name: "groups" | "rows", words: string): OptionRow =>
  (value, { contribution, privacyUnit }) => {
    const rows = privacyUnit === "row" ? 1 : contribution.rows;
    // Someone with one row is in one group.
    const declared = name === "rows" ? rows : rows === 1 ? 1 : contribution.groups;
    const given = "nothing" in value ? undefined : numberOf(value);
    if (given === declared) return { is: {} };
    return {
      want:
        declared === undefined
          ? `left out: the dataset declares no limit of ${words}`
          : `${declared}, the ${words} that the dataset declares`,
    };
  };

const OPTIONS: Readonly<Record<string, OptionRow>> = {
  epsilon: amount("epsilon"),
  rho: amount("rho"),
  delta: amount("delta"),
  privacy_unit_column: (value, { privacyUnit }) => {
    if (privacyUnit === "row") return { want: "left out: the dataset protects each row" };
    return wordOf(value)?.toLowerCase() === privacyUnit.column.toLowerCase()
      ? { is: {} }
      : { want: `${privacyUnit.column}, which the dataset protects` };
  },
  max_groups_contributed: bound("groups", "groups of one person"),
  max_rows_contributed: bound("rows", "rows of one person"),
  min_privacy_units_per_group: (value) => {
    const least = numberOf(value);
    return least !== null && Number.isSafeInteger(least) && least >= 1
      ? { is: { atLeast: least } }
      : { want: "a whole number from 1" };
  },
  group_selection_strategy: (value) => {
    const strategy = wordOf(value)?.toUpperCase();
    if (strategy === "LAPLACE_THRESHOLD") return { is: { finds: true } };
    if (strategy === "PUBLIC_GROUPS") return { is: { finds: false } };
    return { want: "LAPLACE_THRESHOLD, where groups are found in rows, or PUBLIC_GROUPS, where they are declared" };
  },
  confidence: (value) => {
    const confidence = numberOf(value);
    return confidence === null ? { want: "a number, such as 0.95" } : { is: { confidence } };
  },
  adjacency: (value) => {
    const adjacency = wordOf(value);
    return adjacency === "addRemove" || adjacency === "replace"
      ? { is: { adjacency } }
      : { want: "'addRemove' or 'replace'" };
  },
  window: (value) => {
    const window = wordOf(value);
    return window === null ? { want: "a text, such as 'latest 12' or '2024-01 to 2024-12'" } : { is: { window } };
  },
  sample_rate: (value) => {
    const rate = decimalOf(value);
    return rate === null ? { want: "a decimal, such as 0.1" } : { is: { sample: { rate } } };
  },
  sample_size: (value) => {
    const size = numberOf(value);
    return size === null ? { want: "a whole number" } : { is: { sample: { size } } };
  },
};
