import { parseRational } from "../amounts/rational.ts";
import { PrivacyError } from "../error.ts";
import type { DpEvent } from "../event.ts";
import type { EventAdjacency } from "../filter/adjacency.ts";
import { unboundedWork, type Work } from "../work.ts";
import { neededAdjacency, type SpendClass, spendClasses } from "./classes.ts";
import { type LossFacts, lossFacts } from "./facts.ts";
import { odometerGrid, orderGrid } from "./orders.ts";
import { revealedMass } from "./revealed.ts";
import { decimalAtLeast, exactSum, lower, upper } from "./rounding.ts";

export interface Spend extends SpendClass {
  readonly facts: LossFacts;
}

/** A fixed list of spends, read once for every report [M31]. */
export interface Spends {
  readonly classes: readonly Spend[];
  readonly count: number;
  readonly adjacency: EventAdjacency | undefined;
  /** Σδᵢ, rounded up. */
  readonly deltaSum: number;
  /** 1 − Π(1 − δᵢ), rounded up: the least that holds together with any ε [M30]. */
  readonly deltaMass: number;
  /** The same, rounded down. */
  readonly deltaLeast: number;
  /** What every total of the list is counted on. */
  readonly work: Work;
  /** Σ λ·D_{1+λ}, where it is summed for all steps of a history at once. */
  readonly renyiSum?: (lambda: number) => number | undefined;
}

/** Errors: ADJACENCY_MISMATCH; INVALID_PARAMETER for a count beyond 2⁵³ − 1. */
export function readSpends(
  events: readonly DpEvent[],
  adjacency?: EventAdjacency,
  path = "events",
  work: Work = unboundedWork,
): Spends {
  const needed = neededAdjacency(events, adjacency, path);
  return spendsOf(
    spendClasses(events, path, needed).map((spend) => ({ ...spend, facts: lossFacts(spend.event, work) })),
    needed,
    work,
  );
}

function spendsOf(classes: readonly Spend[], adjacency: EventAdjacency | undefined, work: Work): Spends {
  const count = classes.reduce((sum, spend) => sum + spend.count, 0);
  const exact = exactSum(classes.map(({ facts, count: times }) => ({ value: facts.delta, count: times })));
  const deltaSum = decimalAtLeast(exact);
  const mass = revealedMass(
    classes.map(({ facts: { delta }, count: times }) => ({
      exact: parseRational(delta),
      most: upper(delta),
      least: lower(delta),
      count: times,
    })),
  );
  return {
    classes,
    count,
    adjacency,
    work,
    deltaSum,
    deltaMass: Math.min(deltaSum, mass.upper),
    deltaLeast: mass.lower,
  };
}

/** A class of spends, and how many of them each step of a history has seen. */
export interface SteppedSpend {
  readonly spend: Spend;
  readonly upTo: ArrayLike<number>;
}

const ON_GRID: ReadonlySet<number> = new Set([...orderGrid, ...odometerGrid]);

/** The list after each step of a history; the Rényi sums at the common orders are computed once for all steps. */
export function spendsOverTime(
  rows: readonly SteppedSpend[],
  steps: number,
  adjacency: EventAdjacency | undefined,
): readonly Spends[] {
  const known = new Map<number, Float64Array>();
  const sumsAt = (lambda: number): Float64Array => {
    const before = known.get(lambda);
    if (before !== undefined) return before;
    const sums = new Float64Array(steps);
    for (const { spend, upTo } of rows) {
      const one = spend.facts.renyi(lambda);
      for (let step = 0; step < steps; step++) {
        const count = upTo[step] as number;
        if (count > 0) sums[step] = (sums[step] as number) + count * one;
      }
    }
    known.set(lambda, sums);
    return sums;
  };
  return Array.from({ length: steps }, (_, step) => {
    const classes = rows.flatMap(({ spend, upTo }) => {
      const count = upTo[step] ?? 0;
      return count === 0 ? [] : [{ ...spend, count }];
    });
    return {
      ...spendsOf(classes, adjacency, unboundedWork),
      renyiSum: (lambda) => (ON_GRID.has(lambda) ? sumsAt(lambda)[step] : undefined),
    };
  });
}

/** The δ′ left for a bound that spends one of its own, in the product form: δ′ with 1 − (1 − δ′)Π(1 − δᵢ) ≤ δ. */
export function slackDelta(spends: Spends, delta: number): number {
  if (spends.deltaMass === 0) return delta;
  return ((delta - spends.deltaMass) / (1 - spends.deltaMass)) * (1 - 2 ** -51);
}

/** What an event is that the composition of distributions prices. */
export const PAIR = "an event with a dominating pair: the noise itself, in place of a bound on what it loses";

export function cannotPrice({ event, path }: SpendClass, want: string): PrivacyError {
  return new PrivacyError("UNSUPPORTED_EVENT", { name: path, got: event.kind, want });
}
