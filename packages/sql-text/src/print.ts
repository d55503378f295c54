import { epsilonAmount, formatEpsilon } from "@dosimeter/core";
import { typedWindow } from "@dosimeter/query/bind";
import {
  ATOM,
  type Declaration,
  type Formula,
  INFIX,
  type Operation,
  type Predicate,
  predicateText,
  readPredicate,
} from "@dosimeter/query/declaration";
import { parseFormula, withDerived } from "@dosimeter/query/expression";
import { withJoin } from "@dosimeter/query/join";
import { plainPlan } from "@dosimeter/query/plan";
import {
  type Plan,
  type StatisticName,
  type StatisticRequest,
  statisticOf,
  tablesText,
  weightsText,
} from "@dosimeter/query/statistics";
import { canLack, takesCondition } from "./conditions.ts";
import { sqlName, sqlText } from "./language.ts";
import { joinSql, literal, plainNames, predicateSql } from "./print-join.ts";
import { readSql } from "./read.ts";
import { isDecimal, NAMED_FIELDS, ownName } from "./settings.ts";

/**
 * A plan as SQL, which `readSql` and `planOfSql` make the same plan of. Rows with the same groups and filter are one SELECT, the next ones
 * another, with `;` between them. "" for a plan without rows. UNSUPPORTED_QUERY for a join of an earlier version.
 */
export function sqlOfPlan(given: Plan, declared: Declaration): string {
  const plan = plainPlan(given) as Plan;
  const { join } = plan;
  if (join === undefined) return printed(plan, declared, "");
  const own = plainNames(join, declared);
  if (own.length > 0) {
    const plain = printed(plan, declared, joinSql(join, declared, true));
    const { names } = readSql(plain);
    // The table itself is joined where a reader finds all of its columns in the text, under their own names.
    if (own.every((name) => names.has(name))) return plain;
  }
  return printed(plan, declared, joinSql(join, declared, false));
}

function printed(plan: Plan, declared: Declaration, joining: string): string {
  const declaration = withDerived(withJoin(declared, plan.join), plan.let);
  const runs: {
    readonly groups: readonly string[];
    readonly where: Predicate | null;
    readonly rows: StatisticRequest[];
  }[] = [];
  for (const row of plan.statistics) {
    const groups = groupsOf(row);
    const where = filterOf(row, declaration);
    const last = runs.at(-1);
    if (last !== undefined && JSON.stringify([last.groups, last.where]) === JSON.stringify([groups, where]))
      last.rows.push(row);
    else runs.push({ groups, where, rows: [row] });
  }
  const table = sqlName(declared.name);
  const derived = Object.entries(plan.let ?? {});
  const columns = derived.map(([name, formula]) => `${formulaSql(readLet(formula), 0)} AS ${sqlName(name)}`);
  const from =
    columns.length === 0 ? "" : `WITH ${table} AS (SELECT *, ${columns.join(", ")} FROM ${table}${joining})\n`;
  return runs
    .map(({ groups, where, rows }, index) => {
      const total = totalOf(rows);
      const options = [...(total === null ? [] : [`epsilon = ${total}`]), ...(index === 0 ? planOptions(plan) : [])];
      const items = [
        ...groups.map(sqlName),
        ...rows.map((row) => itemSql(row, { declared, isPriced: total === null })),
      ];
      return [
        `${from}SELECT${options.length === 0 ? "" : ` WITH DIFFERENTIAL_PRIVACY OPTIONS(${options.join(", ")})`}`,
        items.map((item) => `  ${item}`).join(",\n"),
        `FROM ${table}${columns.length === 0 ? joining : ""}`,
        ...(where === null ? [] : [`WHERE ${predicateSql(where)}`]),
        ...(groups.length === 0 ? [] : [`GROUP BY ${groups.map(sqlName).join(", ")}`]),
      ].join("\n");
    })
    .join(";\n\n");
}

const readLet = (formula: string | Formula): Formula => (typeof formula === "string" ? parseFormula(formula) : formula);

/** The columns whose values are the groups of a row's answer. */
function groupsOf({ statistic, column, groupBy = [] }: StatisticRequest): readonly string[] {
  return statisticOf(statistic).column === "key" && column !== undefined ? [column] : groupBy;
}

function filterOf({ where }: StatisticRequest, declaration: Declaration): Predicate | null {
  return where === undefined ? null : readPredicate(where, declaration);
}

/** The total of rows that all cost the same ε and nothing else. */
function totalOf(rows: readonly StatisticRequest[]): string | null {
  const [first] = rows;
  if (first?.epsilon === undefined) return null;
  const units = epsilonAmount(first.epsilon, "down");
  const isAlike = rows.every(
    ({ epsilon, rho }) => rho === undefined && epsilon !== undefined && epsilonAmount(epsilon, "down") === units,
  );
  return isAlike ? formatEpsilon(units * BigInt(rows.length)) : null;
}

function planOptions({ window, confidence, adjacency, sample }: Plan): readonly string[] {
  return [
    ...(window === undefined ? [] : [`window = ${sqlText(typedWindow(window))}`]),
    ...(confidence === undefined ? [] : [`confidence = ${confidence}`]),
    ...(adjacency === undefined ? [] : [`adjacency = '${adjacency}'`]),
    ...(sample === undefined
      ? []
      : ["rate" in sample ? `sample_rate = ${decimalSql(sample.rate)}` : `sample_size = ${sample.size}`]),
  ];
}

/** Names of SQL for what a statistic is; the others have their own. */
const NAMES: Readonly<Partial<Record<StatisticName, string>>> = {
  mean: "AVG",
  variance: "VAR_POP",
  standardDeviation: "STDDEV_POP",
  minimum: "MIN",
  maximum: "MAX",
  covariance: "COVAR_POP",
  correlation: "CORR",
};

const inTexts = ({ weights, impossible, tables, ...row }: StatisticRequest): StatisticRequest => ({
  ...row,
  ...(weights === undefined ? {} : { weights: typeof weights === "string" ? weights : weightsText(weights) }),
  ...(impossible === undefined
    ? {}
    : { impossible: typeof impossible === "string" ? impossible : predicateText(impossible) }),
  ...(tables === undefined ? {} : { tables: typeof tables === "string" ? tables : tablesText(tables) }),
});

interface Printing {
  readonly declared: Declaration;
  readonly isPriced: boolean;
}

function itemSql(given: StatisticRequest, { declared, isPriced }: Printing): string {
  // In SQL all values of a person count.
  const row = inTexts(given.statistic === "distinctValues" ? { valuesPerUnit: 1, ...given } : given);
  const { statistic, column, with: others = [], id } = row;
  const columns = [...(column === undefined ? [] : [column]), ...[others].flat()].map(sqlName);
  const { privacyUnit } = declared;
  const [share, ...shares] = row.quantiles ?? [];
  const isPercentile = statistic === "quantiles" && share !== undefined && share !== 0.5 && shares.length === 0;
  const fields = NAMED_FIELDS.filter(
    (field) =>
      row[field] !== undefined && !(field === "epsilon" && !isPriced) && !(field === "quantiles" && isPercentile),
  );
  const settings = fields.map(
    (field) => `${ownName(field)} => ${isDecimal(field) ? decimalSql(String(row[field])) : settingSql(row[field])}`,
  );
  const call = (name: string, first: string, suffix = ""): string =>
    `${name}(${[...(first === "" ? [] : [first]), ...settings].join(", ")})${suffix}`;
  const aggregate = (): string => {
    if (statistic === "count") return call("COUNT", columns[0] ?? "*");
    if (statistic === "distinctUnits" && privacyUnit !== "row")
      return call("COUNT", `DISTINCT ${sqlName(privacyUnit.column)}`);
    if (statistic === "distinctValues") return call("COUNT", `DISTINCT ${columns[0]}`);
    if (isPercentile) return call("PERCENTILE_CONT", String(share), ` WITHIN GROUP (ORDER BY ${columns[0]})`);
    return call(NAMES[statistic] ?? ownName(statistic).toUpperCase(), columns.join(", "));
  };
  return `${aggregate()}${id === undefined ? "" : ` AS ${sqlName(id)}`}`;
}

const decimalSql = (value: string | number): string =>
  /^(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?$/i.test(String(value)) ? String(value) : sqlText(String(value));

function settingSql(value: unknown): string {
  if (Array.isArray(value)) return `ARRAY[${value.map(settingSql).join(", ")}]`;
  return typeof value === "number" ? String(value) : sqlText(String(value));
}

/** What SQL calls otherwise than formulas do. */
const CALLS: Readonly<Partial<Record<Operation, (of: string) => string>>> = {
  round: (of) => `round_to(${of})`,
  age: (of) => `full_years(${of})`,
  date: (of) => `DATE ${of}`,
  year: (of) => `EXTRACT(YEAR FROM ${of})`,
  quarter: (of) => `EXTRACT(QUARTER FROM ${of})`,
  month: (of) => `EXTRACT(MONTH FROM ${of})`,
  week: (of) => `EXTRACT(WEEK FROM ${of})`,
  day: (of) => `EXTRACT(DAY FROM ${of})`,
  hour: (of) => `EXTRACT(HOUR FROM ${of})`,
  minute: (of) => `EXTRACT(MINUTE FROM ${of})`,
  weekday: (of) => `EXTRACT(ISODOW FROM ${of})`,
};

/** A formula of a derived column, in the words of SQL; `isOnlyTrue` where missing is as good as false. */
function formulaSql(formula: Formula, outer: number, isOnlyTrue = false): string {
  if ("column" in formula) return sqlName(formula.column);
  if ("value" in formula) {
    const text = literal(formula.value);
    return typeof formula.value === "number" && formula.value < 0 && outer > 0 ? `(${text})` : text;
  }
  const within = (level: number, text: string): string => (level <= outer ? `(${text})` : text);
  if (!isOnlyTrue && canLack(formula, () => false, { totals: new WeakSet() }))
    return within(4, `${formulaSql(formula, 4, true)} IS TRUE`);
  const { op, of } = formula;
  const [first, second, third] = of;
  const part = (each: Formula, place: number, level = 0): string => formulaSql(each, level, takesCondition(op, place));
  const list = (parts: readonly Formula[]): string => parts.map((each) => part(each, 1)).join(", ");
  const level = INFIX[op];
  if (level !== undefined && of.length >= 2) {
    const parts = of.map((each, index) => part(each, index, index === 0 && level >= 5 ? level - 1 : level));
    return within(level, parts.join(` ${op === "!=" ? "<>" : op.toUpperCase()} `));
  }
  if (first === undefined) return `${op}()`;
  if (op === "and" || op === "or") return formulaSql(first, outer, true);
  if (op === "not") {
    const missing = "op" in first && first.op === "isNull" ? first.of[0] : undefined;
    return within(
      4,
      missing === undefined ? `${formulaSql(first, 4, true)} IS NOT TRUE` : `${formulaSql(missing, 4)} IS NOT NULL`,
    );
  }
  if (op === "isNull") return within(4, `${formulaSql(first, 4)} IS NULL`);
  if (op === "in") return within(4, `${formulaSql(first, 4)} IN (${list(of.slice(1))})`);
  if (op === "-") return within(7, `-${formulaSql(first, ATOM - 1)}`);
  if (op === "if" && second !== undefined)
    return `CASE WHEN ${part(first, 0)} THEN ${list([second])}${third === undefined ? "" : ` ELSE ${list([third])}`} END`;
  if (op === "floor" && second !== undefined) return `floor_to(${list(of)})`;
  return CALLS[op]?.(list(of)) ?? `${op}(${list(of)})`;
}
