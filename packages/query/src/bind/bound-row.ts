import { type BlockRange, formatPeriod, invalid } from "@dosimeter/core";
import { present } from "@dosimeter/core/internal";
import { boundsPair } from "../declaration/check-declaration.ts";
import { periodsPair, unitOfDates } from "../declaration/dates.ts";
import { checkCode, isScaled } from "../declaration/decimals.ts";
import type { Column, Declaration } from "../declaration/declaration.ts";
import { noOneText, undeclaredInFilter } from "../declaration/no-one.ts";
import { evenPart } from "../declaration/part-of.ts";
import {
  checkPredicate,
  declaredColumn,
  type Predicate,
  predicateColumns,
  predicateText,
} from "../declaration/predicate.ts";
import { readPredicate } from "../declaration/predicate-text.ts";
import { inNoun, spokenColumn } from "../declaration/words.ts";
import { derivedTexts, usedColumns } from "../expression/derive.ts";
import { entries, type Fields, list, oneOf, own, text } from "../input/check.ts";
import { joinRead } from "../join/join.ts";
import { familyOf, priceOf } from "../noise/noise.ts";
import type {
  BoundedStatistic,
  Caps,
  Contribution,
  GroupKey,
  NoiseFamily,
  PriceRequest,
  Sensitivity,
} from "../plan/bounded.ts";
import { groupsOf, hasKeys } from "../plan/groups.ts";
import { vectorSensitivity } from "../plan/sensitivity.ts";
import { binsOf, publicRowsOf, type Range, type Task } from "../plan/task.ts";
import { columnsOf, isRanked, taskKindOf } from "../plan/task-kinds.ts";
import { saidOf } from "../statistics/families.ts";
import { statisticNames, statisticOf } from "../statistics/registry.ts";
import type { StatisticRequest } from "../statistics/request.ts";
import type { CheckedRow, OwnField, Statistic } from "../statistics/statistic.ts";
import { a, cappedText, unitOfError, unitShown } from "../statistics/words.ts";
import { keyTermsOf } from "./key-plan.ts";
import { cellsOf, integersOf, mostCells } from "./limits.ts";
import { pricedAt } from "./pricing.ts";

/** Every field of a request, in the order in which a refusal lists them. */
const FIELDS = {
  id: 1,
  statistic: 1,
  column: 1,
  with: 1,
  valuesPerUnit: 1,
  lower: 1,
  upper: 1,
  granularity: 1,
  unitLower: 1,
  unitUpper: 1,
  bins: 1,
  quantiles: 1,
  groupBy: 1,
  keys: 1,
  keysFrom: 1,
  keyShare: 1,
  delta: 1,
  atLeast: 1,
  k: 1,
  where: 1,
  weights: 1,
  impossible: 1,
  tables: 1,
  numbers: 1,
  noise: 1,
  epsilon: 1,
  rho: 1,
} as const satisfies Record<keyof StatisticRequest, 1>;
export const REQUEST_KEYS = Object.keys(FIELDS) as readonly (keyof StatisticRequest)[];

const BOUNDS = ["lower", "upper", "granularity"] as const;

/** The refusal of a field that the statistic does not take. */
const ONLY: Readonly<Record<OwnField, string | null>> = {
  bins: null,
  quantiles: null,
  k: null,
  with: "only statistics of several columns have it",
  valuesPerUnit: "only a number of distinct values has it",
  unitLower: "only a sum by person has it",
  unitUpper: "only a sum by person has it",
  weights: "only a synthetic table and a set of tables have it",
  impossible: "only a synthetic table and a set of tables have it",
  tables: "only a set of tables has it",
  numbers: "only a set of tables has it",
};

/**
 * One row of a plan, step by step: what is asked of the statistic's own (`checked`), what is measured and how far it can move
 * (`measured`), and the noise that its price buys. Throws with the path of the fault.
 */
export function boundRow(
  given: Fields,
  declaration: Declaration,
  { index, ...terms }: Pick<Place, "failureProbability" | "window" | "horizon"> & { readonly index: number },
): BoundedStatistic {
  const path = `statistics[${index}]`;
  entries(given, path, REQUEST_KEYS);
  const name = oneOf(own(given, "statistic"), `${path}.statistic`, statisticNames, saidOf);
  const definition = statisticOf(name);
  const id = given.id === undefined ? `s${index + 1}` : text(given.id, `${path}.id`, 80);
  const { groups, ...row } = checkedRow(given, definition, { name, path, declaration, ...terms });
  const { columnName, where, groupBy } = row;
  const isOfPresent = definition.column === "present";
  const { task, contribution, sensitivity } = measured(row, definition, groups);
  const price = priceOf(given as PriceRequest, path);
  const byKey = definition.column === "key";
  const others = columnsOf({ task }).filter((name) => name !== columnName);
  const keyTerms = keyTermsOf(
    given,
    { columns: groupBy, counts: byKey && groups === null, label: definition.label, path },
    contribution,
    declaration,
  );
  const unit = unitOfError(unitShown(definition.shows, declaration.columns[columnName ?? ""]));
  const called = (column: string): string => spokenColumn(column, declaration);
  const caps = capsOf(row, definition);
  const integers = integersOf(task, definition, groups?.length ?? 0);
  return {
    id,
    path,
    statistic: name,
    label: labelOf(
      { ...definition, label: inNoun(definition.label, declaration.unitNoun) },
      [columnName === undefined ? undefined : called(columnName), ...others.map(called)],
      byKey ? [] : (definition.groupedBy?.(task) ?? groupBy).map(called),
      { caps, where },
    ),
    column: byKey || isOfPresent ? null : (columnName ?? null),
    where: isOfPresent && columnName !== undefined ? wherePresent(columnName, where, declaration) : where,
    groupBy,
    groups: groups ?? [],
    ...present({
      noun: declaration.unitNoun,
      noOne: noOneText(where, declaration) ?? undefined,
      part: where === null ? undefined : evenPart(where, declaration, groupBy),
      undeclared: undeclaredIn(declaration, { task, groupBy, groups, columnName }),
      filtered: undeclaredInFilter(where, declaration),
    }),
    ...(unit === null ? {} : { unit }),
    ...(caps === null ? {} : { caps }),
    ...derivedBy(declaration, [...(columnName === undefined ? [] : [columnName]), ...others, ...groupBy], where),
    task,
    contribution,
    sensitivity,
    ...(pricedAt(
      { statistic: name, sensitivity, task, keys: keyTerms ?? undefined, integers },
      price.family,
      price.units,
    ) ?? tooLittle(given, path, price.family)),
  };
}

/** Rows without such a value are in none of its groups and bins; found groups are of all values. */
function undeclaredIn(
  { columns }: Declaration,
  {
    task,
    groupBy,
    groups,
    columnName,
  }: Pick<CheckedRow, "groupBy"> &
    Pick<BoundedStatistic, "task"> & {
      readonly groups: BoundedStatistic["groups"] | null;
      readonly columnName: string | undefined;
    },
): readonly string[] | undefined {
  const binned = binsOf({ task }).length === 0 ? [] : [taskKindOf({ task }).binned(task) ?? columnName ?? ""];
  const divided = [...(groups === null ? [] : groupBy), ...binned];
  const found = [...new Set(divided)].filter((name) => columns[name] !== undefined && columns[name].required !== true);
  return found.length === 0 ? undefined : found;
}

/** The bounds of its values, and of a person's total, where they are tighter than those of the column. */
function capsOf(
  { range, column, given }: Pick<CheckedRow, "range" | "column" | "given">,
  { asksBounds }: Statistic,
): Caps | null {
  if (range === null || column === null || asksBounds === true) return null;
  const total = (bound: unknown): number | undefined => (typeof bound === "number" ? bound : undefined);
  const text = cappedText(range, column, { lower: total(given.unitLower), upper: total(given.unitUpper) });
  const { lower = null, upper = null } = column;
  return text === null ? null : { text, declared: { lower, upper } };
}

function tooLittle(given: Fields, path: string, family: NoiseFamily): never {
  const amount = family === "laplace" ? "epsilon" : "rho";
  return invalid(`${path}.${amount}`, given[amount], "larger: no value would ever be published");
}

interface Place {
  readonly name: string;
  readonly path: string;
  readonly declaration: Declaration;
  readonly failureProbability: number;
  readonly window: readonly BlockRange[] | null;
  readonly horizon: number | null;
}

/** Column, filter, groups and bounds of a row; `groups` is null where they are found in rows. */
function checkedRow(
  given: Fields,
  definition: Statistic,
  { name, path, declaration, failureProbability, window, horizon }: Place,
): Omit<CheckedRow, "groups"> & { readonly groups: readonly GroupKey[] | null } {
  const columnName = columnNameOf(given, definition, path);
  const byKey = definition.column === "key";
  const column = columnName === undefined || byKey ? null : declaredColumn(columnName, declaration, `${path}.column`);
  if (column?.type === "date" && definition.shows.measures === "total")
    invalid(
      `${path}.column`,
      columnName,
      "numbers: dates have no total. Ask for their mean, or sum the days between two",
    );
  if (column !== null && definition.column === "present")
    for (const field of BOUNDS)
      if (given[field] !== undefined)
        invalid(`${path}.${field}`, given[field], `absent: a ${definition.label} takes every value of the column`);
  for (const field of Object.keys(ONLY) as readonly OwnField[])
    if (given[field] !== undefined && !definition.takes.includes(field))
      invalid(
        `${path}.${field}`,
        given[field],
        ONLY[field] === null ? `absent from ${a(name)}` : `absent: ${ONLY[field]}`,
      );
  const where = given.where === undefined ? null : readPredicate(given.where, declaration, `${path}.where`);
  if (byKey && given.groupBy !== undefined)
    invalid(`${path}.groupBy`, given.groupBy, `absent: the groups of ${definition.label} are the values of its column`);
  const groupBy = list(byKey ? [columnName] : (own(given, "groupBy") ?? []), `${path}.groupBy`).map((value, at) =>
    text(value, `${path}.groupBy[${at}]`, 200),
  );
  const finds = findsGroups(given, definition, groupBy, declaration);
  return {
    given,
    path,
    label: definition.label,
    declaration,
    unit: declaration.privacyUnit === "row" ? "row" : "column",
    columnName: columnName as string | undefined,
    column,
    where,
    groupBy,
    groups: finds ? null : groupsOf(groupBy, declaration, `${path}.groupBy`),
    range: column === null ? null : rangeOfColumn(given, column, path),
    family: familyOf(given as PriceRequest),
    failureProbability,
    window,
    horizon,
  };
}

function columnNameOf(given: Fields, { column, label }: Statistic, path: string): unknown {
  const name = own(given, "column");
  if (column === "none" && name !== undefined) invalid(`${path}.column`, name, `absent: a ${label} reads no column`);
  if (column !== "none" && column !== "present" && name === undefined)
    invalid(`${path}.column`, undefined, "the name of a column");
  return name;
}

interface Measured {
  readonly task: Task;
  readonly contribution: Contribution;
  readonly sensitivity: Sensitivity;
}

/** The measured integers, what one unit may add to them, and their sensitivity. */
function measured(
  row: Omit<CheckedRow, "groups">,
  definition: Statistic,
  declared: readonly GroupKey[] | null,
): Measured {
  const { declaration, path, unit } = row;
  const { adjacency } = declaration;
  const groups = declared?.length ?? Number.POSITIVE_INFINITY;
  const task = definition.task({ ...row, groups });
  const cells = Math.max(1, declared?.length ?? 0) * cellsOf(task);
  const integers = cells * definition.width(task);
  const most = mostCells(task);
  if (integers > most) invalid(path, cells, `at most ${most} cells`);
  const contribution = definition.contribution(declaration.contribution, unit, groups, task);
  const one = vectorSensitivity(
    {
      ...definition.row(task, row.family),
      scalar: declared !== null && !isRanked({ task }) && integers === 1,
      fixed: publicRowsOf({ task }) !== undefined,
    },
    contribution,
    adjacency,
  );
  const sensitivity = definition.sensitivity?.(one, task, { rows: contribution.rows, adjacency }) ?? one;
  const family = declared === null ? "gaussian" : row.family;
  return { task: definition.settled?.(task, { sensitivity, adjacency, family }) ?? task, contribution, sensitivity };
}

function derivedBy(
  declaration: Declaration,
  names: readonly string[],
  where: Predicate | null,
): Pick<BoundedStatistic, "derived" | "join"> {
  const used = usedColumns(declaration, [...names, ...predicateColumns(where)]);
  const derived = derivedTexts(declaration, used);
  const join = joinRead(declaration, used);
  return { ...(Object.keys(derived).length === 0 ? {} : { derived }), ...(join === null ? {} : { join }) };
}

/** Whether the groups are found in rows: the plan says so, or the column declares none. */
function findsGroups(
  given: Fields,
  { column, declaredKeys }: Statistic,
  [name]: readonly string[],
  declaration: Declaration,
): boolean {
  if (given.keys !== undefined || given.keysFrom !== undefined) return true;
  if (column !== "key") return false;
  return declaredKeys !== true || name === undefined || !hasKeys(declaration.columns[name]);
}

/** The rows with a value in the column [M186]: a filter like any other, so that both spellings are one question. */
const wherePresent = (column: string, where: Predicate | null, declaration: Declaration): Predicate => {
  const present = { op: "not", of: { op: "isNull", column } } as const;
  return checkPredicate(where === null ? present : { op: "and", of: [where, present] }, declaration);
};

function rangeOfColumn(given: Fields, column: Column, path: string): Range | null {
  if (column.type === "date") return rangeOfDates(given, column, path);
  const lower = own(given, "lower") ?? column.lower;
  const upper = own(given, "upper") ?? column.upper;
  const numeric = column.type === "integer" || column.type === "number";
  for (const key of BOUNDS)
    if (!numeric && given[key] !== undefined)
      invalid(`${path}.${key}`, given[key], `absent: the column is ${column.type}`);
  if (!numeric || (lower === undefined && upper === undefined)) return null;
  const bounds = boundsPair(lower, upper, path, column.type === "integer");
  if (isScaled(column)) for (const key of ["lower", "upper"] as const) checkCode(bounds[key], column, `${path}.${key}`);
  return bounds;
}

function rangeOfDates(given: Fields, column: Column, path: string): Range | null {
  if (given.granularity !== undefined)
    invalid(`${path}.granularity`, given.granularity, "absent: use cut(column, 'month') for coarser dates");
  const bound = (name: "lower" | "upper"): unknown => {
    const declared = column[name];
    return own(given, name) ?? (declared === undefined ? undefined : formatPeriod(declared, unitOfDates(column)));
  };
  const [lower, upper] = [bound("lower"), bound("upper")];
  if (lower === undefined && upper === undefined) return null;
  return { ...periodsPair(lower, upper, column, path), calendar: unitOfDates(column) };
}

function labelOf(
  { label, others: joins }: Statistic,
  [column, ...others]: readonly (string | undefined)[],
  groupBy: readonly string[],
  { caps, where }: { readonly caps: Caps | null; readonly where: Predicate | null },
): string {
  const joined = joins === undefined ? "" : ` ${joins} ${others.join(", ")}`;
  const of = column === undefined ? "" : ` of ${column}${joined}`;
  const by = groupBy.length === 0 ? "" : ` by ${groupBy.join(", ")}`;
  return `${label}${of}${caps === null ? "" : ` ${caps.text}`}${by}${where === null ? "" : ` where ${predicateText(where)}`}`;
}
