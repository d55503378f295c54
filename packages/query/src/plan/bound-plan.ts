import { PrivacyError } from "@dosimeter/core";
import { entries, list, oneOf, own, record, text, wanted } from "../declaration/check.ts";
import { boundsPair } from "../declaration/check-declaration.ts";
import type { Column, Declaration } from "../declaration/declaration.ts";
import {
  checkPredicate,
  declaredColumn,
  type Predicate,
  predicateColumns,
  predicateText,
} from "../declaration/predicate.ts";
import { parsePredicate } from "../declaration/predicate-text.ts";
import { derivedTexts, withDerived } from "../expression/derive.ts";
import { familyOf, priceOf } from "../noise/noise.ts";
import { pricedAt } from "../noise/pricing.ts";
import { plainPlan } from "../planner/plan-file.ts";
import { leavesOf, targetsOf } from "../statistics/choice/quantile.ts";
import { valueContribution } from "../statistics/counts/distinct.ts";
import { clippedBins } from "../statistics/counts/losses.ts";
import { curveOf, ofTree } from "../statistics/curve/cdf.ts";
import { nodesOf } from "../statistics/curve/tree.ts";
import { answerBins, measuredCells, statisticNames, statisticOf } from "../statistics/index.ts";
import { designFor, othersOf, valuesPerUnitOf } from "../statistics/joint/joint-request.ts";
import { readTop, topOf } from "../statistics/keys/top.ts";
import type { Statistic } from "../statistics/statistic.ts";
import { candidatesOf, leastError } from "./auto.ts";
import type { BoundedPlan, BoundedStatistic, Ticks } from "./bounded.ts";
import { binsOf, groupsOf, hasKeys, MOST_CELLS } from "./groups.ts";
import { checkSources, keyTermsOf } from "./key-plan.ts";
import type { Plan, StatisticRequest } from "./request.ts";
import { onSample, sampledDeclaration, samplingOf } from "./sampling.ts";
import { rowContribution, vectorSensitivity } from "./sensitivity.ts";
import { ticksOf, wholeTicks } from "./ticks.ts";

export const REQUEST_KEYS = [
  "id",
  "statistic",
  "column",
  "with",
  "valuesPerUnit",
  "lower",
  "upper",
  "granularity",
  "unitLower",
  "unitUpper",
  "bins",
  "quantiles",
  "groupBy",
  "keys",
  "keysFrom",
  "keyShare",
  "delta",
  "atLeast",
  "k",
  "where",
  "noise",
  "epsilon",
  "rho",
] as const;
const MOST_STATISTICS = 1000;
const DEFAULT_CONFIDENCE = 0.95;
/** Leaves that one plan may choose among: each is counted and may be drawn. */
const MOST_CANDIDATES_IN_ALL = 2 ** 22;
const QUARTILES = [0.25, 0.5, 0.75];

/**
 * Proves every statistic of a plan bounded: sensitivity, noise, events, cells. Reads the declaration, never data; the same
 * plan and declaration give the same result. Throws with the path of the fault (`statistics[2].lower is …, must be …`):
 * EMPTY_PLAN, UNKNOWN_COLUMN, UNSUPPORTED_QUERY, ADJACENCY_MISMATCH, INVALID_PARAMETER.
 */
export function boundPlan(plan: Plan, declared: Declaration): BoundedPlan {
  const given = record(plainPlan(plan), "plan");
  const declaration = withDerived(declared, own(given, "let"));
  entries(given, "", ["let", "statistics", "sample", "confidence", "adjacency"]);
  const confidence = given.confidence === undefined ? DEFAULT_CONFIDENCE : checkConfidence(given.confidence);
  if (plan.adjacency !== undefined) {
    const adjacency = oneOf(plan.adjacency, "adjacency", ["addRemove", "replace"]);
    if (adjacency !== declaration.adjacency)
      throw new PrivacyError("ADJACENCY_MISMATCH", { name: "adjacency", got: adjacency, want: declaration.adjacency });
  }
  const requests = list(own(given, "statistics") ?? [], "statistics");
  if (requests.length === 0) throw new PrivacyError("EMPTY_PLAN");
  if (requests.length > MOST_STATISTICS) wanted("statistics", requests.length, `at most ${MOST_STATISTICS}`);
  const sampling = given.sample === undefined ? null : samplingOf(given.sample, declaration);
  const sampled = sampledDeclaration(declaration, sampling);
  let integers = 0;
  let candidates = 0;
  const statistics = requests.map((request, index) => {
    const statistic = onSample(boundStatistic(request, sampled, index, 1 - confidence), sampling);
    integers += integersOf(statistic);
    candidates += statistic.selection === null ? 0 : measuredCells(statistic) * statistic.selection.parts;
    if (candidates > MOST_CANDIDATES_IN_ALL)
      wanted("statistics", requests.length, "fewer medians and quantiles, or with a coarser granularity");
    // of the whole plan, and before the next row is expanded: quoting is free, so its work must be bounded
    if (integers > MOST_CELLS) wanted("statistics", integers, `at most ${MOST_CELLS} cells in all`);
    return statistic;
  });
  const ids = new Set<string>();
  for (const { id, path } of statistics) {
    if (ids.has(id)) wanted(`${path}.id`, id, "different from the ids before it");
    ids.add(id);
  }
  // A row on its own can be priced, though never charged.
  if (statistics.length > 1) checkSources(statistics);
  return { declaration, adjacency: declaration.adjacency, confidence, statistics };
}

/** Integers that a statistic releases, all cells together. */
const integersOf = (statistic: BoundedStatistic): number =>
  Math.max(1, statistic.groups.length) *
  (statistic.curve === null ? 1 : nodesOf(statistic.curve.shape)) *
  (statistic.design === null ? Math.max(1, answerBins(statistic).length) : 1) *
  statisticOf(statistic.statistic).width(statistic);

/** A confidence from 10⁻¹² to 1 − 10⁻¹²: nearer to 0 or 1 no interval could be read off the noise after the charge. */
export function checkConfidence(value: unknown): number {
  if (typeof value !== "number" || !(value > 0 && value < 1))
    return wanted("confidence", value, "between 0 and 1, both excluded");
  if (value < 1e-12 || value > 1 - 1e-12) return wanted("confidence", value, "between 1e-12 and 1 - 1e-12");
  return value;
}

/** With the noise asked for, or the best of several. */
function boundStatistic(
  json: unknown,
  declaration: Declaration,
  index: number,
  failureProbability: number,
): BoundedStatistic {
  const path = `statistics[${index}]`;
  const given = record(json, path);
  const candidates = candidatesOf(given).map((each) => boundRequest(each, declaration, index));
  return leastError(candidates, declaration, failureProbability) ?? wanted(path, json, "a statistic");
}

function boundRequest(
  given: Readonly<Record<string, unknown>>,
  declaration: Declaration,
  index: number,
): BoundedStatistic {
  const path = `statistics[${index}]`;
  entries(given, path, REQUEST_KEYS);
  const name = oneOf(own(given, "statistic"), `${path}.statistic`, statisticNames);
  const statistic = statisticOf(name);
  const id = given.id === undefined ? `s${index + 1}` : text(given.id, `${path}.id`, 80);

  const columnName = own(given, "column");
  if (statistic.column === "none" && columnName !== undefined)
    wanted(`${path}.column`, columnName, `absent: a ${statistic.label} reads no column`);
  if (statistic.column !== "none" && columnName === undefined)
    wanted(`${path}.column`, undefined, "the name of a column");
  const byKey = statistic.column === "key";
  const column =
    statistic.column === "none" || byKey ? null : declaredColumn(columnName, declaration, `${path}.column`);
  if (name !== "histogram" && statistic.tree !== true && given.bins !== undefined)
    wanted(`${path}.bins`, given.bins, `absent from a ${name}`);

  const where = given.where === undefined ? null : readPredicate(given.where, declaration, `${path}.where`);
  if (byKey && given.groupBy !== undefined)
    wanted(`${path}.groupBy`, given.groupBy, `absent: the groups of ${statistic.label} are the values of its column`);
  const groupNames = list(byKey ? [columnName] : (own(given, "groupBy") ?? []), `${path}.groupBy`).map((value, at) =>
    text(value, `${path}.groupBy[${at}]`, 200),
  );
  const finds = findsGroups(given, statistic, groupNames, declaration);
  const groups = finds ? [] : groupsOf(groupNames, declaration, `${path}.groupBy`);

  const bounds = column === null ? null : columnBounds(given, column, path);
  const others = othersOf(given, statistic.others, path);
  const family = familyOf(given as unknown as StatisticRequest);
  const design =
    statistic.others === undefined || column === null
      ? null
      : designFor(given, [columnName as string, ...others], { declaration, bounds, family }, path);
  const valuesPerUnit = valuesPerUnitOf(given, statistic.distinct === true, path);
  const needsNumbers = statistic.column === "numeric" || (statistic.distinct === true && column?.type === "number");
  if (column !== null && needsNumbers && design === null) needNumbers(column, bounds, columnName, path);
  const ticks =
    !(statistic.column === "numeric" || (statistic.distinct === true && column?.type === "number")) ||
    bounds === null ||
    design !== null
      ? null
      : ticksOf(
          { ...bounds, granularity: granularityOf(given, column, path), integer: column?.type === "integer" },
          path,
        );
  if (ticks !== null && statistic.mostSteps !== undefined && ticks.steps > statistic.mostSteps)
    wanted(
      `${path}.granularity`,
      given.granularity ?? column?.granularity,
      `coarser: a ${statistic.label} takes at most ${statistic.mostSteps} steps between the bounds`,
    );
  const unitTicks = unitTicksOf(given, statistic.byUnit === true ? ticks : null, bounds, path);
  if (name !== "quantiles" && given.quantiles !== undefined)
    wanted(`${path}.quantiles`, given.quantiles, `absent from a ${name}`);
  const shares = statistic.selects === undefined ? null : (statistic.selects ?? given.quantiles ?? QUARTILES);
  const selection =
    shares === null || ticks === null
      ? null
      : leavesOf(ticks, Math.max(1, groups.length), targetsOf(shares, `${path}.quantiles`), path);
  if (name === "histogram" && column?.type === "text")
    throw new PrivacyError("UNSUPPORTED_QUERY", {
      name: `${path}.column`,
      got: columnName,
      want: "not a text column: its values are not declared",
    });
  if (statistic.cuts === true) refuseCuts(given, declaration, path);
  const bins =
    statistic.clips === true && bounds !== null
      ? clippedBins(bounds.lower, bounds.upper)
      : statistic.cuts === true
        ? (statistic.fixedBins?.({ type: "boolean", provenance: "public" }, path) ?? [])
        : column === null
          ? []
          : (statistic.fixedBins?.(column, path) ??
            (name === "histogram" ? binsOf(column, given.bins, bounds, path) : []));
  const curve = statistic.tree === true && ticks !== null ? curveOf(ticks, given.bins, path) : null;

  const unit = declaration.privacyUnit === "row" ? "row" : "column";
  const publicRows =
    (name === "sum" || name === "mean") &&
    declaration.adjacency === "replace" &&
    unit === "row" &&
    where === null &&
    groupNames.length === 0 &&
    column?.required === true &&
    declaration.size !== undefined &&
    "public" in declaration.size
      ? declaration.size.public
      : null;

  const width = statistic.width({ publicRows, design });
  const cells = Math.max(1, groups.length) * (curve === null ? Math.max(1, bins.length) : nodesOf(curve.shape));
  if (cells * width > MOST_CELLS) wanted(path, cells, `at most ${MOST_CELLS} cells`);
  const mostGroups = finds ? Number.POSITIVE_INFINITY : groups.length;
  const contribution =
    valuesPerUnit === null
      ? statistic.contribution(declaration.contribution, unit, mostGroups)
      : valueContribution(valuesPerUnit, unit);
  const base = vectorSensitivity(
    {
      ...statistic.row(ticks, unitTicks, { family, design }),
      scalar: !finds && selection === null && cells * width === 1,
      fixed: publicRows !== null,
    },
    contribution,
    declaration.adjacency,
  );
  if (selection !== null)
    for (const key of ["rho", "noise"] as const)
      if (given[key] !== undefined)
        wanted(`${path}.${key}`, given[key], `absent: a ${statistic.label} is chosen, which is paid in epsilon`);
  const sensitivity = curve === null ? base : ofTree(base, curve);
  const { family: paid, units } = priceOf(given as unknown as StatisticRequest, path);
  const top =
    statistic.top === true
      ? topOf(
          readTop(given.k, finds ? Number.POSITIVE_INFINITY : groups.length, path),
          sensitivity,
          declaration.adjacency,
          finds ? "gaussian" : paid,
        )
      : null;
  if (top === null && given.k !== undefined) wanted(`${path}.k`, given.k, `absent from a ${name}`);
  const terms = keyTermsOf(
    given,
    { columns: groupNames, counts: finds && byKey, label: statistic.label, path },
    contribution,
    declaration,
  );
  const integers = selection === null ? cells * width : selection.leaves;
  const priced =
    pricedAt({ sensitivity, top, keys: terms, integers }, paid, units) ??
    wanted(
      `${path}.${paid === "laplace" ? "epsilon" : "rho"}`,
      given[paid === "laplace" ? "epsilon" : "rho"],
      "larger: no value would ever be published",
    );
  return {
    id,
    path,
    statistic: name,
    label: labelOf(statistic.label, [columnName as string | undefined, ...others], byKey ? [] : groupNames, where),
    column: byKey ? null : ((columnName as string | undefined) ?? null),
    where,
    groupBy: groupNames,
    groups,
    bins,
    ticks,
    textValues: valuesPerUnit !== null && column?.type === "text",
    mostRows: statistic.cuts === true ? rowContribution(declaration.contribution, unit, 1).rows : null,
    lower: statistic.fixedBins === undefined ? (bounds?.lower ?? null) : null,
    upper: statistic.fixedBins === undefined ? (bounds?.upper ?? null) : null,
    publicRows,
    ...derivedBy(
      declaration,
      [...(columnName === undefined ? [] : [columnName as string]), ...others, ...groupNames],
      where,
    ),
    design,
    valuesPerUnit,
    contribution,
    sensitivity,
    selection: selection === null ? null : { ...selection, extreme: statistic.extreme !== undefined },
    curve,
    top,
    unitTicks,
    ...priced,
  };
}

function derivedBy(
  declaration: Declaration,
  names: readonly string[],
  where: Predicate | null,
): Pick<BoundedStatistic, "derived"> {
  const derived = derivedTexts(declaration, [...names, ...predicateColumns(where)]);
  return Object.keys(derived).length === 0 ? {} : { derived };
}

function refuseCuts(given: Readonly<Record<string, unknown>>, declaration: Declaration, path: string): void {
  if (declaration.privacyUnit === "row")
    throw new PrivacyError("UNSUPPORTED_QUERY", {
      name: `${path}.statistic`,
      got: given.statistic,
      want: "a table whose privacy unit is a column: where it is the row, none is left out",
    });
  for (const key of ["groupBy", "keys", "keysFrom"] as const)
    if (given[key] !== undefined) wanted(`${path}.${key}`, given[key], "absent: people are counted over all groups");
}

/** Whether the groups are those that rows hold: nobody declared them, or the plan says so. */
function findsGroups(
  given: Readonly<Record<string, unknown>>,
  { findsKeys, top }: Statistic,
  [name]: readonly string[],
  declaration: Declaration,
): boolean {
  if (given.keys !== undefined || given.keysFrom !== undefined) return true;
  if (findsKeys !== true) return false;
  return top !== true || name === undefined || !hasKeys(declaration.columns[name]);
}

function unitTicksOf(
  given: Readonly<Record<string, unknown>>,
  ticks: Ticks | null,
  bounds: { readonly lower: number; readonly upper: number } | null,
  path: string,
): BoundedStatistic["unitTicks"] {
  if (ticks === null || bounds === null) {
    for (const key of ["unitLower", "unitUpper"] as const)
      if (given[key] !== undefined) wanted(`${path}.${key}`, given[key], "absent: only a sum by person has it");
    return null;
  }
  const [least, largest] = (["Lower", "Upper"] as const).map((end) => {
    const asked = given[`unit${end}`];
    if (asked === undefined) return end === "Lower" ? ticks.first : ticks.first + ticks.steps;
    return wholeTicks(asked, ticks, `${path}.unit${end}`);
  }) as [bigint, bigint];
  if (least >= largest) wanted(`${path}.unitUpper`, given.unitUpper ?? bounds.upper, "> unitLower");
  return { least, largest };
}

function readPredicate(json: unknown, declaration: Declaration, path: string): Predicate {
  return checkPredicate(typeof json === "string" ? parsePredicate(json, path) : json, declaration, path);
}

function columnBounds(
  given: Readonly<Record<string, unknown>>,
  column: Column,
  path: string,
): { lower: number; upper: number } | null {
  const lower = own(given, "lower") ?? column.lower;
  const upper = own(given, "upper") ?? column.upper;
  const numeric = column.type === "integer" || column.type === "number";
  for (const key of ["lower", "upper", "granularity"] as const)
    if (!numeric && given[key] !== undefined)
      wanted(`${path}.${key}`, given[key], `absent: the column is ${column.type}`);
  if (!numeric || (lower === undefined && upper === undefined)) return null;
  return boundsPair(lower, upper, path, column.type === "integer");
}

function needNumbers(column: Column, bounds: object | null, name: unknown, path: string): void {
  if (column.type !== "integer" && column.type !== "number")
    throw new PrivacyError("UNSUPPORTED_QUERY", {
      name: `${path}.column`,
      got: name,
      want: `an integer or number column; it is ${column.type}`,
    });
  if (bounds === null)
    wanted(`${path}.lower`, undefined, "given, or declared for the column: bounds are never read from the data");
}

function granularityOf(
  given: Readonly<Record<string, unknown>>,
  column: Column | null,
  path: string,
): number | undefined {
  const asked = own(given, "granularity");
  if (asked === undefined) return column?.granularity;
  if (typeof asked !== "number" || !(asked > 0) || !Number.isFinite(asked))
    return wanted(`${path}.granularity`, asked, "a finite number > 0");
  if (column?.type === "integer" && !Number.isSafeInteger(asked))
    return wanted(`${path}.granularity`, asked, "a whole number, as the column is integer");
  return asked;
}

function labelOf(
  label: string,
  [column, ...others]: readonly (string | undefined)[],
  groupBy: readonly string[],
  where: Predicate | null,
): string {
  const joined = others.length === 0 ? "" : ` ${label.endsWith("regression") ? "on" : "with"} ${others.join(", ")}`;
  const of = column === undefined ? "" : ` of ${column}${joined}`;
  const by = groupBy.length === 0 ? "" : ` by ${groupBy.join(", ")}`;
  return `${label}${of}${by}${where === null ? "" : ` where ${predicateText(where)}`}`;
}
