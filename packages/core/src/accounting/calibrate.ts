import { invalid, PrivacyError } from "../error.ts";
import { type DpEvent, parseEvent } from "../event.ts";
import { fallingRoot } from "../numeric/root.ts";
import { unboundedWork, type Work } from "../work.ts";
import { type PrivacyLossDistribution, privacyLossDistribution } from "./pld.ts";
import { accountantNamed, lossOf, tightestOf } from "./report.ts";
import { readSpends } from "./spends.ts";

/** The largest loss of the whole run. */
export type CalibrationTarget =
  | { readonly epsilon: number; readonly delta: number }
  | { readonly rho: number }
  | { readonly mu: number }
  /** Largest advantage over guessing of a test for one person: the δ at ε = 0. */
  | { readonly advantage: number }
  /** Largest true positive rate of any test at this false positive rate. */
  | { readonly truePositiveRate: number; readonly falsePositiveRate: number };

export interface Calibration {
  /** The field of the event that was found. */
  readonly parameter: string;
  /** Noise rounded up, losses rounded down: the target holds at exactly this double. */
  readonly value: number;
  readonly event: DpEvent;
  /** The certified loss at `value`, in the target's own measure. */
  readonly reached: number;
}

/** The field of a kind to find, and whether a larger value means more noise. */
const FREE: Readonly<Record<string, { readonly field: string; readonly isNoise: boolean }>> = {
  gaussian: { field: "noiseMultiplier", isNoise: true },
  laplace: { field: "noiseMultiplier", isNoise: true },
  discreteLaplace: { field: "scale", isNoise: true },
  discreteGaussian: { field: "sigma", isNoise: true },
  pure: { field: "epsilon", isNoise: false },
  approximate: { field: "epsilon", isNoise: false },
  exponential: { field: "epsilon", isNoise: false },
  randomizedResponse: { field: "epsilon", isNoise: false },
  zcdp: { field: "rho", isNoise: false },
  gdp: { field: "mu", isNoise: false },
  shuffled: { field: "epsilon", isNoise: false },
  permuteAndFlip: { field: "epsilon", isNoise: false },
  poissonReplaced: { field: "noiseMultiplier", isNoise: true },
  gaussianMixture: { field: "noiseMultiplier", isNoise: true },
  truncatedPoisson: { field: "noiseMultiplier", isNoise: true },
  bandedMatrix: { field: "noiseMultiplier", isNoise: true },
  treeAggregation: { field: "noiseMultiplier", isNoise: true },
  randomAllocation: { field: "noiseMultiplier", isNoise: true },
};

/**
 * The least noise (or the largest loss) of an event that meets a target [M53]. `template` is an event whose one leaf lacks
 * its noise: {"kind": "repeated", "count": 100, "event": {"kind": "gaussian"}}. The returned double itself is verified.
 * Errors: INVALID_PARAMETER for a target that no noise meets, or a template without a free field.
 */
export function calibrate(template: unknown, target: CalibrationTarget, work: Work = unboundedWork): Calibration {
  const free = freeField(template, "mechanism");
  const excess = excessOf(checkTarget(target), work);
  const build = (value: number): DpEvent => parseEvent(fill(template, free.path, free.field, value), "mechanism");
  const sign = free.isNoise ? 1 : -1;
  const at = (log: number): number => excess.read([build(Math.exp(sign * log))]) - excess.target;
  let high = 0;
  for (let step = FIRST_STEP; at(high) > 0; step *= 2, high += step) {
    if (high > 60) invalid("target", target, "a loss that some noise meets");
  }
  let low = high - FIRST_STEP;
  for (let step = FIRST_STEP; low > -60 && at(low) <= 0; step *= 2, low -= step) high = low;
  if (low <= -60) invalid("target", target, "a loss that needs some noise");
  const log = fallingRoot(at, low, high, 0, 2e-15);
  const holds = (x: number): boolean => excess.show([build(x)]) <= excess.most;
  const exact = Math.exp(sign * log);
  const short = Number(exact.toPrecision(12));
  const value = Math.abs(short - exact) < 1e-13 * exact && holds(short) ? short : verified(exact, free.isNoise, holds);
  const event = build(value);
  return { parameter: free.field, value, event, reached: excess.show([event]) };
}

/** First step of the search, in ln of the noise. */
const FIRST_STEP = 0.25;

/** Moves a value towards more noise until the target holds at it. */
function verified(start: number, isNoise: boolean, holds: (value: number) => boolean): number {
  let value = start;
  for (let ulps = 1; !holds(value); ulps *= 2) value *= isNoise ? 1 + ulps * 2 ** -52 : 1 - ulps * 2 ** -52;
  return value;
}

interface Excess {
  /** A measure of the loss that falls as noise grows. */
  readonly read: (events: readonly DpEvent[]) => number;
  readonly target: number;
  readonly most: number;
  readonly show: (events: readonly DpEvent[]) => number;
}

function excessOf(target: CalibrationTarget, work: Work): Excess {
  const logarithm = (show: (events: readonly DpEvent[]) => number, most: number): Excess => ({
    read: (events) => Math.log(Math.max(show(events), 1e-320)),
    target: Math.log(most),
    most,
    show,
  });
  if ("rho" in target) return logarithm((events) => rhoOf(events), target.rho);
  if ("mu" in target) return logarithm((events) => muOf(events), target.mu);
  if ("advantage" in target) return logarithm((events) => deltaAt(events, 0, work), target.advantage);
  if ("truePositiveRate" in target) {
    return logarithm((events) => powerAt(events, target.falsePositiveRate, work), target.truePositiveRate);
  }
  if (target.delta === 0)
    return logarithm(
      (events) => tightestOf(readSpends(events, undefined, "events", work), { delta: 0 }).epsilon,
      target.epsilon,
    );
  return logarithm((events) => deltaAt(events, target.epsilon, work), target.delta);
}

function rhoOf(events: readonly DpEvent[]): number {
  return readSpends(events).classes.reduce((sum, { facts, count }) => sum + count * facts.rho, 0) * (1 + 2 ** -50);
}

function muOf(events: readonly DpEvent[]): number {
  const square = readSpends(events).classes.reduce((sum, { facts, count }) => sum + count * facts.muSquared, 0);
  return Math.sqrt(square) * (1 + 2 ** -51);
}

/** The least valid δ at ε: by exact composition where the events have dominating pairs, else the best other bound. */
function deltaAt(events: readonly DpEvent[], epsilon: number, work: Work): number {
  const spends = readSpends(events, undefined, "events", work);
  try {
    return lossOf(spends, { epsilon }, accountantNamed("pld")).delta;
  } catch (error) {
    if (error instanceof PrivacyError && error.code === "UNSUPPORTED_EVENT")
      return tightestOf(spends, { epsilon }).delta;
    throw error;
  }
}

function powerAt(events: readonly DpEvent[], falsePositiveRate: number, work: Work): number {
  return largestPower(privacyLossDistribution(events, { work }), falsePositiveRate);
}

/**
 * An upper bound on the true positive rate of any test with this false positive rate, in either direction:
 * min over real ε of δ(ε) + e^ε·α [M54]. Every ε gives a bound, so the search need not be exact.
 */
export function largestPower({ directions }: PrivacyLossDistribution, falsePositiveRate: number): number {
  let worst = falsePositiveRate;
  for (const { delta } of directions) {
    const bound = (epsilon: number): number =>
      Math.min(1, delta(epsilon).upper) + Math.exp(epsilon) * falsePositiveRate;
    let [a, b] = [-2, falsePositiveRate > 0 ? -Math.log(falsePositiveRate) : 60];
    let least = 1;
    for (let i = 0; i < 48; i++) {
      const [c, d] = [a + (b - a) * 0.382, a + (b - a) * 0.618];
      const [fc, fd] = [bound(c), bound(d)];
      least = Math.min(least, fc, fd);
      if (fc < fd) b = d;
      else a = c;
    }
    worst = Math.max(worst, least);
  }
  return Math.min(1, worst);
}

function checkTarget(target: CalibrationTarget): CalibrationTarget {
  const inside = (name: string, value: number, low: number, high: number): void => {
    if (!(value >= low && value < high)) {
      invalid(`target.${name}`, value, `>= ${low} and < ${high}`);
    }
  };
  const positive = (name: string, value: number, high: number): void => {
    if (!(value > 0 && value < high)) {
      invalid(`target.${name}`, value, `> 0 and < ${high}`);
    }
  };
  if ("rho" in target) positive("rho", target.rho, Number.POSITIVE_INFINITY);
  else if ("mu" in target) positive("mu", target.mu, Number.POSITIVE_INFINITY);
  else if ("advantage" in target) positive("advantage", target.advantage, 1);
  else if ("truePositiveRate" in target) {
    positive("falsePositiveRate", target.falsePositiveRate, 1);
    if (!(target.truePositiveRate > target.falsePositiveRate && target.truePositiveRate < 1)) {
      invalid("target.truePositiveRate", target.truePositiveRate, "above the false positive rate and < 1");
    }
  } else {
    inside("delta", target.delta, 0, 1);
    inside("epsilon", target.epsilon, 0, Number.POSITIVE_INFINITY);
    if (target.epsilon === 0 && target.delta === 0) positive("epsilon", target.epsilon, Number.POSITIVE_INFINITY);
  }
  return target;
}

interface FreeField {
  readonly path: readonly (string | number)[];
  readonly field: string;
  readonly isNoise: boolean;
}

function freeField(template: unknown, name: string): FreeField {
  const found: FreeField[] = [];
  const visit = (node: unknown, path: readonly (string | number)[]): void => {
    if (typeof node !== "object" || node === null) return;
    const record = node as Readonly<Record<string, unknown>>;
    const free = typeof record.kind === "string" && Object.hasOwn(FREE, record.kind) ? FREE[record.kind] : undefined;
    if (free !== undefined && record[free.field] === undefined) found.push({ path, ...free });
    if (record.event !== undefined) visit(record.event, [...path, "event"]);
    if (Array.isArray(record.events))
      record.events.forEach((item, i) => {
        visit(item, [...path, "events", i]);
      });
  };
  visit(template, []);
  const [only, second] = found;
  if (only === undefined || second !== undefined) {
    invalid(name, template, "an event tree in which exactly one event lacks its noise");
  }
  return only;
}

/** The template with one field set at a path. */
function fill(node: unknown, path: readonly (string | number)[], field: string, value: number): unknown {
  const [head, ...rest] = path;
  if (head === undefined) return { ...(node as object), [field]: value };
  if (Array.isArray(node)) return node.map((item, i) => (i === head ? fill(item, rest, field, value) : item));
  return { ...(node as object), [head]: fill((node as Readonly<Record<string, unknown>>)[head], rest, field, value) };
}
