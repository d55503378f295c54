import { type BlockRange, columnMu2, invalid, MAX_HORIZON, PrivacyError } from "@dosimeter/core";
import { isByCohort } from "../declaration/blocks.ts";
import type { Declaration } from "../declaration/declaration.ts";
import { withDerived } from "../expression/derive.ts";
import { entries, type Fields, list, oneOf, own, record } from "../input/check.ts";
import { withJoin } from "../join/join.ts";
import { eventOf } from "../noise/noise.ts";
import { type BoundedPlan, type BoundedStatistic, measuredCells } from "../plan/bounded.ts";
import { checkConfidence } from "../plan/confidence.ts";
import { PLAN_KEYS, plainPlan } from "../plan/plan-file.ts";
import { atOnce } from "../plan/steps.ts";
import { periodsOf, taskKindOf } from "../plan/task-kinds.ts";
import type { Plan } from "../statistics/request.ts";
import { onSample, sampledDeclaration, samplingOf } from "../statistics/sampling.ts";
import { candidatesOf, leastError } from "./auto.ts";
import { boundRow } from "./bound-row.ts";
import { checkSources } from "./key-plan.ts";
import { MAX_CELLS, MAX_TABLE_CELLS, mostCells, releasedIntegers } from "./limits.ts";
import { ofWindow, onWindow, windowOf } from "./window.ts";

/**
 * Of how many blocks a running total will be that goes on; null for a plan that is asked once. INVALID_PARAMETER where its window is not the
 * blocks so far, one after the other, and for cohorts: the rows of one person are in many periods, and one column pays for none but its own.
 */
function horizonOf(given: Fields, window: readonly BlockRange[] | null, declared: Declaration): number | null {
  const horizon = own(given, "horizon");
  if (horizon === undefined) return null;
  if (typeof horizon !== "number" || !Number.isInteger(horizon) || horizon < 2 || horizon > MAX_HORIZON)
    return invalid("horizon", horizon, `a whole number from 2 to ${MAX_HORIZON}`);
  const [blocks, ...others] = window ?? [];
  if (blocks === undefined) return invalid("horizon", horizon, "absent: this population has no blocks");
  if (isByCohort(declared))
    return invalid(
      "horizon",
      horizon,
      "absent: the blocks are cohorts, and the rows of one person lie in many periods",
    );
  if (others.length > 0 || blocks.to - blocks.from >= horizon)
    return invalid("horizon", horizon, "at least the number of blocks so far, without a gap");
  return horizon;
}

/** INVALID_PARAMETER where a row of a running total that goes on asks for other periods than the blocks. */
function checkPeriods({ bins }: Fields, path: string, { blocks }: Declaration): void {
  if (bins !== undefined && bins !== blocks?.every) invalid(`${path}.bins`, bins, `absent or ${blocks?.every}`);
}

/** The block that a step of a running total adds. */
const newestOf = (window: readonly BlockRange[]): readonly BlockRange[] =>
  window.slice(-1).map(({ to }) => ({ from: to, to }));

/**
 * A step of a running total: noise as for all periods, charged by the column of its newest block alone [M209]. UNSUPPORTED_QUERY for other
 * statistics, for found groups, and for noise that is paid in ε.
 */
function onHorizon(statistic: BoundedStatistic, { blocks }: Declaration, horizon: number | null): BoundedStatistic {
  if (horizon === null) return statistic;
  const { task, noise, path, label, keys, column, sensitivity } = statistic;
  const periods = periodsOf(statistic);
  const refuse = (want: string): never => {
    throw new PrivacyError("UNSUPPORTED_QUERY", { name: path, got: label, want });
  };
  if (periods === null || keys !== undefined) return refuse("a running count or total over declared groups");
  if (noise.kind !== "gaussian") return refuse("paid in rho");
  const { from = 1, to = 0 } = statistic.window?.[0] ?? {};
  const step = to - from + 1;
  if ((taskKindOf(statistic).binned(task) ?? column) !== blocks?.column || step !== periods)
    return refuse(`over the periods of ${blocks?.column}, one for each ${blocks?.every}`);
  const mu2 = columnMu2(noise.mu2, { horizon, step });
  return { ...statistic, pays: mu2, events: [eventOf({ ...noise, mu2 }, sensitivity, periods)] };
}

const MAX_STATISTICS = 1000;
const DEFAULT_CONFIDENCE = 0.95;
/** Leaves that one plan may choose among: each is counted and may be drawn. */
const MAX_CANDIDATES = 2 ** 22;
/** Leaves of one row count once for each share that is chosen among them, but as no more than this, as all are chosen in slices. */
const MAX_REPEATED = 2 ** 17;

/**
 * Proves every statistic of a plan bounded: sensitivity, noise, events, cells. Reads the declaration, never data; the same
 * plan and declaration give the same result. Throws with the path of the fault (`statistics[2].lower is …, must be …`):
 * EMPTY_PLAN, UNKNOWN_COLUMN, UNSUPPORTED_QUERY, ADJACENCY_MISMATCH, INVALID_PARAMETER.
 */
export function boundPlan(plan: Plan, declared: Declaration): BoundedPlan {
  return atOnce(boundSteps(plan, declared));
}

/** `boundPlan` in steps, one for each statistic: a plan of 1,000 takes a slow core 0.7 seconds. */
export function* boundSteps(plan: Plan, declared: Declaration): Generator<void, BoundedPlan> {
  const given = record(plainPlan(plan), "plan");
  const window = windowOf(given, declared);
  const declaration = withDerived(withJoin(ofWindow(declared, window), own(given, "join")), own(given, "let"));
  entries(given, "", PLAN_KEYS);
  const horizon = horizonOf(given, window, declaration);
  const confidence = given.confidence === undefined ? DEFAULT_CONFIDENCE : checkConfidence(given.confidence);
  if (plan.adjacency !== undefined) checkAdjacency(plan.adjacency, declaration);
  const requests = list(own(given, "statistics") ?? [], "statistics");
  if (requests.length === 0) throw new PrivacyError("EMPTY_PLAN");
  if (requests.length > MAX_STATISTICS) invalid("statistics", requests.length, `at most ${MAX_STATISTICS}`);
  const sampling = given.sample === undefined ? null : samplingOf(given.sample, declaration);
  // An object of this plan alone, so that what is kept for it goes with it.
  const sampled = { ...sampledDeclaration(declaration, sampling) };
  const withinLimits = planLimits(requests.length);
  const statistics: BoundedStatistic[] = [];
  for (const [index, request] of requests.entries()) {
    const terms = { failureProbability: 1 - confidence, window, horizon };
    const statistic = onWindow(cheapest(request, sampled, index, terms), declaration, window);
    statistics.push(withinLimits(onHorizon(onSample(statistic, sampling), declaration, horizon)));
    yield;
  }
  checkIds(statistics);
  // A row on its own can be priced, though never charged.
  if (statistics.length > 1) checkSources(statistics);
  const over = window === null ? {} : { window: horizon === null ? window : newestOf(window) };
  return { declaration, adjacency: declaration.adjacency, confidence, ...over, statistics };
}

function checkAdjacency(given: unknown, declaration: Declaration): void {
  const adjacency = oneOf(given, "adjacency", ["addRemove", "replace"]);
  if (adjacency !== declaration.adjacency)
    throw new PrivacyError("ADJACENCY_MISMATCH", { name: "adjacency", got: adjacency, want: declaration.adjacency });
}

/** Limits of the whole plan, checked before the next row is expanded: quoting is free, so its work must be bounded. */
function planLimits(rows: number): (statistic: BoundedStatistic) => BoundedStatistic {
  let integers = 0;
  let share = 0;
  let candidates = 0;
  return (statistic) => {
    const { task } = statistic;
    const released = releasedIntegers(statistic);
    integers += released;
    share += released / mostCells(task);
    const draws = taskKindOf({ task }).leafDraws(task);
    const cells = measuredCells(statistic);
    if (draws > 0) candidates += Math.max(cells, Math.min(MAX_REPEATED, cells * draws));
    if (candidates > MAX_CANDIDATES)
      invalid("statistics", rows, "fewer medians and quantiles, or with a coarser granularity");
    if (share > 1)
      invalid("statistics", integers, `at most ${MAX_CELLS} cells in all, or ${MAX_TABLE_CELLS} of tables`);
    return statistic;
  };
}

function checkIds(statistics: readonly BoundedStatistic[]): void {
  const ids = new Set<string>();
  for (const { id, path } of statistics) {
    if (ids.has(id)) invalid(`${path}.id`, id, "different from the ids before it");
    ids.add(id);
  }
}

/** With the noise that the row names, or with the one of least error. */
function cheapest(
  json: unknown,
  declaration: Declaration,
  index: number,
  terms: {
    readonly failureProbability: number;
    readonly window: readonly BlockRange[] | null;
    readonly horizon: number | null;
  },
): BoundedStatistic {
  const path = `statistics[${index}]`;
  const given = record(json, path);
  if (terms.horizon !== null) checkPeriods(given, path, declaration);
  // Which noise is best may differ from report to report: one that goes on has the first, Gaussian for a price in ρ.
  const possible = candidatesOf(given).slice(0, terms.horizon === null ? undefined : 1);
  const candidates = possible.map((each) => boundRow(each, declaration, { index, ...terms }));
  return leastError(candidates, declaration, terms.failureProbability) ?? invalid(path, json, "a statistic");
}
