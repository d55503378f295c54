import type { DpEvent } from "../event.ts";
import type { EventAdjacency } from "../filter/adjacency.ts";
import { fallingRoot } from "../numeric/root.ts";
import { QUESTION_WORK, workBudget } from "../work.ts";
import { characteristic, type Spectrum } from "./characteristic.ts";
import { neededAdjacency, type SpendClass, spendClasses } from "./classes.ts";
import { muOf } from "./composition.ts";
import { applyGaussian, type ContourPlan, readContour } from "./contour.ts";
import { gdpEpsilon } from "./gdp.ts";
import { checkDelta } from "./loss.ts";
import { isSymmetric } from "./loss-distribution.ts";
import type { Direction } from "./profile.ts";
import { cannotPrice, PAIR, type SteppedSpend } from "./spends.ts";

/** The (ε, δ) near which the running total is sharpest: it chooses its tilt for this point once. */
export interface RunningTarget {
  readonly epsilon: number;
  readonly delta: number;
}

/**
 * A total that grows one spend at a time: a class table, one spectrum per direction and cached transforms, so that a
 * spend costs one sweep [M52]. Every answer is an upper bound, as if the list had been fixed in advance, and is
 * sharpest near the target. No other object in this package is mutable. After 10⁴ spends one more takes 0.45 ms, 0.12 of a known class,
 * and 11 on the grid of dp_accounting.
 */
export interface RunningTotal {
  /** Adds an event, `count` times. Errors: UNSUPPORTED_EVENT, ADJACENCY_MISMATCH, TOO_MUCH_WORK; then nothing has changed. */
  readonly add: (event: DpEvent, count?: number) => void;
  /** Upper bound on ε at δ. */
  readonly epsilon: (delta: number) => number;
  /** Upper bound on δ at ε ≥ 0. */
  readonly delta: (epsilon: number) => number;
  readonly spends: () => number;
}

interface Side {
  readonly direction: Direction;
  readonly spectrum: Spectrum;
  logMgf: number;
  muSquared: number;
  logFinite: number;
}

interface UnitTransform {
  readonly log: Float64Array;
  readonly arg: Float64Array;
  readonly error: Float64Array;
  readonly logMgf: number;
  readonly logFinite: number;
}

const SIZE = 1024;
/** ln of the most that frequencies beyond the last may add, relative to the leading one. */
const TAIL = -40;

/** The frequencies of the transforms, and the least Gaussian that makes the cut at the last frequency negligible. */
interface Frequencies {
  readonly theta: number;
  readonly period: number;
  readonly step: number;
  readonly leastMuSquared: number;
}

function frequenciesFor(target: RunningTarget): Frequencies {
  const delta = Math.max(1e-290, checkDelta(target.delta));
  const theta = tiltFor(target.epsilon, delta);
  const period = Math.max((40 - Math.log(delta)) / theta, 3 * target.epsilon);
  const step = (2 * Math.PI) / period;
  return { theta, period, step, leastMuSquared: (-2 * TAIL) / ((SIZE - 1) * step) ** 2 };
}

const emptySpectrum = (step: number): Spectrum => ({
  step,
  log: new Float64Array(SIZE),
  arg: new Float64Array(SIZE),
  error: new Float64Array(SIZE),
});

const emptySides = ({ step }: Frequencies): readonly Side[] =>
  (["remove", "add"] as const).map((direction) => ({
    direction,
    spectrum: emptySpectrum(step),
    logMgf: 0,
    muSquared: 0,
    logFinite: 0,
  }));

/** The transforms of one spend in both directions; a symmetric spend has the same transform twice. */
function transformsOf(spend: SpendClass, { theta, step }: Frequencies): readonly UnitTransform[] {
  const work = workBudget(QUESTION_WORK);
  const transform = (direction: Direction): UnitTransform => {
    const found = characteristic({ ...spend, count: 1 }, direction, work);
    if (found === undefined) throw cannotPrice(spend, PAIR);
    const unit = emptySpectrum(step);
    found.accumulate(theta, unit);
    return { ...unit, logMgf: found.logMgf(theta), logFinite: Math.log1p(-found.infinite) };
  };
  const remove = transform("remove");
  return [remove, isSymmetric(spend.event) ? remove : transform("add")];
}

export function runningTotal(target: RunningTarget, adjacency?: EventAdjacency): RunningTotal {
  const frequencies = frequenciesFor(target);
  const sides = emptySides(frequencies);
  const known = new Map<string, readonly UnitTransform[]>();
  let needed = adjacency;
  let spends = 0;
  let isOneWay = true;

  function unitsOf(spend: SpendClass): readonly UnitTransform[] {
    const key = JSON.stringify(spend.event);
    const units = known.get(key) ?? transformsOf(spend, frequencies);
    known.set(key, units);
    return units;
  }

  const readers = () => readersOf(isOneWay ? sides.slice(0, 1) : sides, spends, frequencies);

  return {
    add(event, count = 1) {
      const kind = neededAdjacency([event], needed, "event");
      // a later event may still need add/remove
      const classes = spendClasses([{ kind: "repeated", count, event }], "event", kind ?? "addRemove");
      const rows = classes.map((spend) => ({
        spend,
        mu: muOf(spend),
        units: muOf(spend) === undefined ? unitsOf(spend) : [],
      }));
      needed = kind;
      for (const { spend, mu, units } of rows) {
        spends += spend.count;
        isOneWay &&= isSymmetric(spend.event);
        sides.forEach((side, i) => {
          grow(side, { mu, unit: units[i], count: spend.count });
        });
      }
    },
    spends: () => spends,
    delta(epsilon) {
      if (spends === 0) return 0;
      return readers().reduce((high, at) => Math.max(high, at(epsilon)), 0);
    },
    epsilon(asked) {
      checkDelta(asked);
      if (spends === 0) return 0;
      return readers().reduce((high, at) => Math.max(high, epsilonFrom(at, asked, target.epsilon)), 0);
    },
  };
}

/**
 * What a running total reads at the target's δ after each step, when all steps are known [M52]: each class is transformed
 * once and then forgotten, so memory grows with the steps alone. Errors: UNSUPPORTED_EVENT.
 */
export function runningLine(rows: readonly SteppedSpend[], steps: number, target: RunningTarget): readonly number[] {
  const frequencies = frequenciesFor(target);
  const directions = rows.every(({ spend }) => isSymmetric(spend.event)) ? 1 : 2;
  const line = Array.from({ length: steps }, () => ({
    sides: emptySides(frequencies).slice(0, directions),
    spends: 0,
  }));
  for (const { spend, upTo } of rows) {
    const mu = muOf(spend);
    const units = mu === undefined ? transformsOf(spend, frequencies) : [];
    line.forEach((point, step) => {
      const count = (upTo[step] ?? 0) - (upTo[step - 1] ?? 0);
      if (count === 0) return;
      point.spends += count;
      point.sides.forEach((side, i) => {
        grow(side, { mu, unit: units[i], count });
      });
    });
  }
  return line.map((point, step) => {
    const before = line[step - 1];
    point.spends += before?.spends ?? 0;
    point.sides.forEach((side, i) => {
      const earlier = before?.sides[i];
      if (earlier === undefined) return;
      accumulate(side, { ...earlier.spectrum, logMgf: earlier.logMgf, logFinite: earlier.logFinite }, 1);
      side.muSquared += earlier.muSquared;
    });
    if (point.spends === 0) return 0;
    return readersOf(point.sides, point.spends, frequencies).reduce(
      (high, at) => Math.max(high, epsilonFrom(at, target.delta, target.epsilon)),
      0,
    );
  });
}

/** δ at ε in each direction, total, from the present spectra. */
function readersOf(
  sides: readonly Side[],
  spends: number,
  { theta, period, step, leastMuSquared }: Frequencies,
): readonly ((epsilon: number) => number)[] {
  return sides.map((side) => {
    const added = Math.max(0, leastMuSquared - side.muSquared);
    const gaussian = side.muSquared + added;
    const spectrum = {
      step,
      log: side.spectrum.log.slice(),
      arg: side.spectrum.arg.slice(),
      error: side.spectrum.error.slice(),
    };
    applyGaussian(spectrum, theta, gaussian);
    const logMgf = side.logMgf + (gaussian * theta * (theta + 1)) / 2;
    const logTail = (-gaussian * ((SIZE - 1) * step) ** 2) / 2;
    const plan: ContourPlan = {
      theta,
      period,
      size: SIZE,
      muSquared: gaussian,
      logMgf,
      logTail,
      orders: [],
      largest: 0,
    };
    const { delta: at } = readContour(plan, spectrum, spends);
    const lost = -Math.expm1(side.logFinite);
    return (epsilon) => Math.min(1, (lost + (1 - lost) * at(epsilon).upper) * (1 + 2 ** -50));
  });
}

function grow(
  side: Side,
  {
    mu,
    unit,
    count,
  }: { readonly mu: number | undefined; readonly unit: UnitTransform | undefined; readonly count: number },
): void {
  if (mu !== undefined) side.muSquared += count * mu * mu * (1 + 4e-16);
  if (unit !== undefined) accumulate(side, unit, count);
}

function accumulate(side: Side, unit: UnitTransform, count: number): void {
  const { log, arg, error } = side.spectrum;
  for (let k = 1; k < SIZE; k++) {
    log[k] = (log[k] as number) + count * (unit.log[k] as number);
    arg[k] = (arg[k] as number) + count * (unit.arg[k] as number);
    error[k] = (error[k] as number) + count * (unit.error[k] as number);
  }
  side.logMgf += count * unit.logMgf;
  side.logFinite += count * unit.logFinite;
}

/** The saddle of the Gaussian whose curve passes through the target. */
function tiltFor(epsilon: number, delta: number): number {
  const excess = (logMu: number): number => epsilon - gdpEpsilon(Math.exp(2 * logMu), delta);
  const mu = Math.exp(fallingRoot(excess, -20, 20, 1e-6));
  return Math.max(0.05, epsilon / (mu * mu) - 0.5);
}

function epsilonFrom(at: (epsilon: number) => number, delta: number, guess: number): number {
  const log = Math.log(delta);
  const excess = (epsilon: number): number => Math.log(at(epsilon)) - log;
  if (excess(0) <= 0) return 0;
  let high = Math.max(guess, 1e-9);
  while (high < 1e12 && excess(high) > 0) high *= 2;
  return high < 1e12 ? fallingRoot(excess, high > guess ? high / 2 : 0, high, 1e-11) : Number.POSITIVE_INFINITY;
}
