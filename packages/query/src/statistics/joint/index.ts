import { present } from "@dosimeter/core/internal";
import { combinationHalfWidth } from "../../noise/combination.ts";
import { selected } from "../../noise/selected.ts";
import { countInterval } from "../../noise/tail.ts";
import type { BoundedStatistic } from "../../plan/bounded.ts";
import { rowContribution } from "../../plan/sensitivity.ts";
import type { Axis, Bin, Design, JointTask } from "../../plan/task.ts";
import type { AnswerCell } from "../cell.ts";
import type { CellReading, Reading, Statistic } from "../statistic.ts";
import { nearRatio } from "../words.ts";
import { formOf, integersOf, MAX_AXES, powersOf, rowOf, widthOf } from "./design.ts";
import { jointTask } from "./joint-request.ts";
import { linearHalfWidth, readLinear } from "./linear.ts";
import {
  correlationHalfWidth,
  covarianceHalfWidth,
  type Estimate,
  MAX_COVARIANCE,
  readCorrelation,
  readCovariance,
  readSlope,
  slopeHalfWidth,
} from "./moments.ts";

type Joint = BoundedStatistic<JointTask>;
const designOf = ({ task }: Joint): Design => task.design;
const half = ({ lower, upper }: Axis): number => (upper - lower) / 2;
const axisOf = (design: Design, at: number): Axis => design.axes[at] ?? { column: "", lower: 0, upper: 1, steps: 1n };
/** The number of steps of a predictor: no slope between columns scaled to [−1, 1] is steeper. */
const steepest = (design: Design): number => Number(axisOf(design, 1).steps);

/** The number of rows, from the same integers, whether the answer is shown, and at which failure probability. [M352] */
function shownOf(s: readonly number[], statistic: Joint, failureProbability: number) {
  const design = designOf(statistic);
  const form = formOf(
    design,
    design.axes.map(() => 0),
  );
  const value = form.reduce((sum, weight, i) => sum + weight * (s[i] ?? 0), 0);
  const halfWidth = (chance: number): number => combinationHalfWidth(statistic.noise, form, chance);
  const terms = { failureProbability, answers: statistic.groups.length };
  const { isMarked, failureProbability: beta } = selected(value, halfWidth, terms);
  const width = halfWidth(beta);
  const rows: Reading["rows"] = { value, interval: countInterval(value, width) };
  return { beta, extra: { ...present({ rows }), ...(isMarked ? { unreliable: true as const } : {}) }, isMarked };
}

/** An estimate in the columns' own units; all that is possible where it is marked. */
function reading(
  noisy: readonly bigint[],
  statistic: Joint,
  failureProbability: number,
  {
    most,
    scale,
    estimate,
  }: {
    readonly most: number;
    readonly scale: number;
    readonly estimate: (s: readonly number[], beta: number) => Estimate;
  },
): Reading {
  const s = noisy.map(Number);
  const { beta, extra, isMarked } = shownOf(s, statistic, failureProbability);
  const { value, interval } = estimate(s, beta);
  const [from, to] = isMarked ? [-most, most] : interval;
  return { value: scale * value, interval: [scale * from, scale * to], ...extra };
}

/**
 * Columns whose mean lies near a bound, so that clamping may have changed the answer; none when the answer may have no
 * rows.
 */
const doubts = (statistic: Joint, cells: readonly AnswerCell[], failureProbability: number): readonly string[] => {
  const { noise } = statistic;
  const design = designOf(statistic);
  const one = design.axes.map(() => 0);
  const all = formOf(design, one);
  return cells.flatMap(({ noisy, rows }) => {
    if (!((rows?.interval[0] ?? 0) > 0)) return [];
    return design.axes.flatMap((axis, at) => {
      const part = formOf(design, one.with(at, 1)).map((weight, i) => (weight + (all[i] ?? 0)) / 2);
      return nearRatio(axis.column, axis, { part, all, noisy, noise, failureProbability });
    });
  });
};

const measured = {
  column: "numeric",
  takes: ["with"],
  aggregates: ({ design }) => powersOf(design).map((powers) => ({ powers })),
  contribution: rowContribution,
  row: ({ design }) => {
    const { l1, l2Squared, linf, signed } = rowOf(design);
    return { least: signed ? -linf : 0n, largest: linf, norms: { l1, l2Squared, linf } };
  },
  integers: (sums, statistic) => integersOf(designOf(statistic), sums),
  width: ({ design }) => widthOf(design),
  doubts,
  needsRows: () => true,
  sample: "stays",
  errorScale: null,
  reuse: { leavesOutMissing: false, from: null, holds: null, near: null, gives: [] },
} as const satisfies Partial<Statistic<JointTask>>;

const EVENLY = "the columns are spread evenly between their bounds";
const covarianceScale = (design: Design): number => half(axisOf(design, 0)) * half(axisOf(design, 1));

const slopesOf = (design: Design): readonly Axis[] => design.axes.slice(1);
/** Change of the outcome by one unit of a predictor, for a slope of 1 between the scaled columns. */
const slopeScale = (design: Design, axis: Axis): number => half(axisOf(design, 0)) / half(axis);

const middle = ({ lower, upper }: Axis): number => (lower + upper) / 2;

/**
 * Intercept and slopes in the columns' own units, as functions of the scaled coefficients (1, u₁, u₂, …); the intercept without the middle of
 * the outcome, which is added to it.
 */
function functionsOf(design: Design): readonly (readonly number[])[] {
  const slopes = slopesOf(design);
  return [
    [half(axisOf(design, 0)), ...slopes.map((axis) => -slopeScale(design, axis) * middle(axis))],
    ...slopes.map((axis, at) => [0, ...slopes.map((_, i) => (i === at ? slopeScale(design, axis) : 0))]),
  ];
}

/** Where intercept and slopes lie whatever the rows are: half the length of their ranges about the middle of the outcome and about 0. [M122] */
function rangesOf(design: Design): readonly number[] {
  const slopes = slopesOf(design);
  const points = slopes.length + 1;
  const volume = slopes.reduce((product, { steps }) => (product * Number(steps)) / 2, points ** (points / 2));
  const steepest = slopes.map((axis) => (half(axisOf(design, 0)) * volume) / half(axis));
  const far = slopes.map(({ lower, upper }, at) => (steepest[at] ?? 0) * Math.max(Math.abs(lower), Math.abs(upper)));
  return [far.reduce((sum, each) => sum + each, half(axisOf(design, 0))), ...steepest];
}

function readLine(noisy: readonly bigint[], statistic: Joint, failureProbability: number): readonly CellReading[] {
  const design = designOf(statistic);
  const bins = outputsOf(design);
  const s = noisy.map(Number);
  const { beta, extra: shown, isMarked } = shownOf(s, statistic, failureProbability);
  const fit = readLinear(s, design, statistic.noise, beta, functionsOf(design));
  const ranges = rangesOf(design);
  const [predictor, another] = slopesOf(design);
  const exact =
    predictor !== undefined && another === undefined
      ? readSlope(s, design, statistic.noise, beta, steepest(design))
      : null;
  const readings = fit.coefficients.map(({ value: found, halfWidth, standardError }, at): Reading => {
    const most = ranges[at] ?? 0;
    // A line that the noise leaves open is no answer; those that it does not leave open hold among themselves [M122, M352].
    const isBounded = halfWidth < most && !isMarked;
    const extra = {
      ...shown,
      ...(Number.isFinite(standardError) && isBounded ? { standardError } : {}),
      ...(isBounded ? {} : { unreliable: true as const }),
    };
    if (at === 1 && exact !== null && !isMarked && predictor !== undefined) {
      const scale = slopeScale(design, predictor);
      return { value: scale * exact.value, interval: [scale * exact.interval[0], scale * exact.interval[1]], ...extra };
    }
    const center = at === 0 ? middle(axisOf(design, 0)) : 0;
    // Where there is no bound, or the answer is marked, the range holds.
    if (halfWidth < most && !isMarked) {
      const value = center + found;
      return { value, interval: [value - halfWidth, value + halfWidth], ...extra };
    }
    const kept = Number.isFinite(found) ? Math.min(most, Math.max(-most, found)) : 0;
    return { value: center + kept, interval: [center - most, center + most], ...extra };
  });
  return readings.flatMap((reading, at) => {
    const bin = bins[at];
    return bin === undefined ? [] : [{ bin, ...reading, noisy }];
  });
}

function outputsOf(design: Design): readonly Bin[] {
  const names = slopesOf(design).map(({ column }) => column);
  return ["intercept", ...names].map((name) => ({ label: name, value: name }));
}

/** Statistics of several columns from one set of integers, so that the columns share one price. */
export const jointStatistics = {
  covariance: {
    ...measured,
    others: "with",
    task: jointTask(1),
    shows: { chart: "number", value: "named" },
    audit: [{ asked: { column: "pay", with: ["age"] }, by: "declared" }],
    label: "covariance",
    help: "How two columns move together: the mean product of their distances from their means; the number of rows is included.",
    accuracy: (statistic, failureProbability, rows) => {
      const design = designOf(statistic);
      if (rows === null) return null;
      return covarianceScale(design) * covarianceHalfWidth(design, statistic.noise, rows, failureProbability);
    },
    read: (noisy, statistic, failureProbability) => {
      const design = designOf(statistic);
      return reading(noisy, statistic, failureProbability, {
        most: MAX_COVARIANCE,
        scale: covarianceScale(design),
        estimate: (s, beta) => readCovariance(s, design, statistic.noise, beta),
      });
    },
    extent: (statistic) => 2 * MAX_COVARIANCE * covarianceScale(designOf(statistic)),
    noise: [{ column: "pay", with: ["age"], epsilon: 1 }],
  },
  correlation: {
    ...measured,
    others: "with",
    task: jointTask(1),
    shows: { chart: "number", value: "named" },
    audit: [{ asked: { column: "pay", with: ["member"] }, by: "declared", price: { rho: 1 } }],
    label: "correlation",
    help: "How closely two columns follow a straight line, from −1 to 1; the number of rows is included.",
    assuming: EVENLY,
    accuracy: (statistic, failureProbability, rows) =>
      rows === null ? null : correlationHalfWidth(designOf(statistic), statistic.noise, rows, failureProbability),
    read: (noisy, statistic, failureProbability) =>
      reading(noisy, statistic, failureProbability, {
        most: 1,
        scale: 1,
        estimate: (s, beta) => readCorrelation(s, designOf(statistic), statistic.noise, beta),
      }),
    extent: () => 2,
    noise: { like: "covariance" },
  },
  regression: {
    ...measured,
    others: "on",
    task: jointTask(MAX_AXES - 1),
    shows: { chart: "slopes", value: "change", bin: "term" },
    audit: [
      { asked: { column: "pay", with: ["age"] }, by: "declared" },
      { asked: { column: "pay", with: ["age", "member"] }, by: "declared", price: { rho: 1 } },
    ],
    label: "linear regression",
    help: "The straight line that predicts a column from one or several others: an intercept and a slope for each, with honest standard errors.",
    assuming: EVENLY,
    subject: (statistic) =>
      slopesOf(designOf(statistic)).length === 1 ? "the slope" : "the effect of a predictor over its whole range",
    accuracy: (statistic, failureProbability, rows) => {
      const design = designOf(statistic);
      if (rows === null) return null;
      const [predictor, another] = slopesOf(design);
      if (predictor !== undefined && another === undefined)
        return (
          slopeScale(design, predictor) *
          slopeHalfWidth(design, statistic.noise, rows, failureProbability, steepest(design))
        );
      return 2 * half(axisOf(design, 0)) * linearHalfWidth(design, statistic.noise, rows, failureProbability, 2);
    },
    bins: ({ design }) => outputsOf(design),
    cells: readLine,
    read: (noisy, statistic, failureProbability) =>
      readLine(noisy, statistic, failureProbability)[1] ?? { value: 0, interval: [0, 0] },
    extent: (statistic) => {
      const design = designOf(statistic);
      const [predictor, another] = slopesOf(design);
      // A slope that may map one end of the range to the other is no information.
      return predictor !== undefined && another === undefined
        ? 4 * slopeScale(design, predictor)
        : 4 * half(axisOf(design, 0));
    },
    noise: [
      { column: "pay", with: ["age", "member"], epsilon: 1 },
      { column: "pay", with: ["age", "member"], rho: 0.5 },
    ],
  },
} as const satisfies Record<string, Statistic<JointTask>>;
