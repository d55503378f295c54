import type { Exact, Random } from "@dosimeter/core";
import { reveal } from "@dosimeter/core/exact";
import { auditThreshold } from "@dosimeter/core/tradeoff";
import { boundPlan } from "../bound.ts";
import { checkDeclaration } from "../declaration.ts";
import { noisyIntegers } from "../draw.ts";
import type { Measured } from "../engine.ts";
import type { BoundedPlan, BoundedStatistic, Plan, StatisticRequest } from "../plan.ts";
import type { Bench } from "./fuzz.ts";
import { type MadeUpRow, madeUpColumns } from "./people.ts";

/** What an attacker proves from the noise alone, beside what was claimed. */
export interface ReplayedNoise {
  readonly statistic: string;
  readonly noise: "laplace" | "gaussian" | "selection";
  /** "epsilon", or "mu" for Gaussian noise. */
  readonly parameter: "epsilon" | "mu";
  readonly claimed: number;
  /** With probability at least `confidence` the true loss is no less. */
  readonly atLeast: number;
  readonly confidence: number;
  readonly draws: number;
}

export interface ReplayOptions {
  /** Draws for each of the two tables. */
  readonly draws: number;
  readonly confidence?: number;
  readonly random: Random;
  readonly progress?: (done: number) => void;
}

/** Every noise of the product once, at ε = 1 or ρ = ½. */
export const replayed: readonly StatisticRequest[] = [
  { statistic: "count", epsilon: 1 },
  { statistic: "count", rho: 0.5 },
  { statistic: "count", groupBy: ["region"], epsilon: 1 },
  { statistic: "sum", column: "pay", epsilon: 1 },
  { statistic: "sum", column: "pay", rho: 0.5 },
  { statistic: "mean", column: "pay", epsilon: 1 },
  { statistic: "mean", column: "pay", rho: 0.5 },
  { statistic: "variance", column: "pay", epsilon: 1 },
  { statistic: "histogram", column: "region", rho: 0.5 },
  { statistic: "median", column: "age", epsilon: 1 },
];

/** Values in the middle, and one unit as far away as it can be: it moves every statistic by its whole sensitivity. */
const crowd: readonly MadeUpRow[] = Array.from({ length: 9 }, (_, index) => ({
  person: `p${index}`,
  region: ["a", "b"][index % 2] ?? "a",
  age: 4 + (index % 3),
  pay: 1,
  member: true,
}));
const odd: readonly MadeUpRow[] = Array.from({ length: 3 }, () => ({
  person: "odd",
  region: "a",
  age: 99,
  pay: 99,
  member: true,
}));

/**
 * Freezes the exact integers of two neighbouring made-up tables and draws the noise of each many times through the code that
 * releases use. Half of the draws choose the attack, the other half are counted: Clopper–Pearson limits [M78] then bound the
 * loss from below. A bound above the claim is a fault; one below it proves nothing.
 */
export async function replayNoise(bench: Bench, options: ReplayOptions): Promise<readonly ReplayedNoise[]> {
  const results: ReplayedNoise[] = [];
  for (const request of replayed) {
    const plan: Plan = { statistics: [request] };
    const [bounded, present] = await frozen(bench, [...crowd, ...odd], plan);
    const [, absent] = await frozen(bench, crowd, plan);
    results.push(attack(bounded, present, absent, options));
    options.progress?.(results.length);
  }
  return results;
}

async function frozen(
  { engine, store, salt }: Bench,
  rows: readonly MadeUpRow[],
  plan: Plan,
): Promise<readonly [BoundedPlan, Exact<Measured>]> {
  const declaration = checkDeclaration({
    name: "made up",
    source: await store(rows),
    privacyUnit: { column: "person" },
    contribution: { rows: 3 },
    columns: madeUpColumns,
  });
  const bounded = boundPlan(plan, declaration);
  return [bounded, await engine.run(bounded, await engine.check(declaration, { salt }))];
}

function attack(
  plan: BoundedPlan,
  present: Exact<Measured>,
  absent: Exact<Measured>,
  { draws, confidence = 0.999, random }: ReplayOptions,
): ReplayedNoise {
  const [statistic] = plan.statistics;
  if (statistic === undefined) throw new RangeError("one statistic is replayed at a time");
  const sample = (exact: Exact<Measured>): readonly (readonly bigint[])[] =>
    Array.from({ length: draws }, () => drawn(plan, exact, random));
  const [inside, outside] = [sample(present), sample(absent)];
  const half = Math.floor(draws / 2);
  const score = scoreOf(statistic, [present, absent], [inside.slice(0, half), outside.slice(0, half)]);
  const [seen, other] = [inside.map(score), outside.map(score)];
  const isGaussian = statistic.noise.kind === "gaussian";
  const proved = (threshold: number, from: number, to: number): number => {
    const audit = auditThreshold({
      falsePositives: other.slice(from, to).filter((value) => value >= threshold).length,
      absent: to - from,
      falseNegatives: seen.slice(from, to).filter((value) => value < threshold).length,
      present: to - from,
      confidence,
    });
    return isGaussian ? audit.muLower : audit.epsilonLower(0);
  };
  const [threshold = 0] = quantilesOf([...seen.slice(0, half), ...other.slice(0, half)])
    .map((each) => [each, proved(each, 0, half)] as const)
    .reduce((best, each) => (each[1] > best[1] ? each : best), [0, -1] as const);
  return {
    statistic: statistic.label,
    noise: statistic.selection === null ? statistic.noise.kind : "selection",
    parameter: isGaussian ? "mu" : "epsilon",
    claimed: claimOf(statistic),
    atLeast: proved(threshold, half, draws),
    confidence,
    draws,
  };
}

function drawn(plan: BoundedPlan, exact: Exact<Measured>, random: Random): readonly bigint[] {
  const steps = noisyIntegers(plan, exact, random);
  for (;;) {
    const { done, value } = steps.next();
    if (done === true) return value[0]?.integers ?? [];
  }
}

/** ε as charged, or √(2ρ) = μ. */
function claimOf({ noise }: BoundedStatistic): number {
  return noise.kind === "laplace" ? Number(noise.epsilon) / 1e12 : Math.sqrt(Number(noise.residue) / 1e12);
}

/** The likelihood ratio of the stated noise; for a choice, how much oftener the first half chose so. */
function scoreOf(
  { noise, selection }: BoundedStatistic,
  [present, absent]: readonly [Exact<Measured>, Exact<Measured>],
  [inside, outside]: readonly [readonly (readonly bigint[])[], readonly (readonly bigint[])[]],
): (drawn: readonly bigint[]) => number {
  if (selection !== null) {
    const tally = new Map<string, number>();
    for (const [side, list] of [
      [1, inside],
      [-1, outside],
    ] as const)
      for (const each of list) {
        const key = `${side}:${each.join()}`;
        tally.set(key, (tally.get(key) ?? 0) + 1);
      }
    const count = (side: 1 | -1, each: readonly bigint[]): number => 1 + (tally.get(`${side}:${each.join()}`) ?? 0);
    return (each) => Math.log(count(1, each) / count(-1, each));
  }
  const [a, b] = [reveal(present)[0] ?? [], reveal(absent)[0] ?? []].map((vector) => [...vector].map(Number));
  const spread = noise.kind === "laplace" ? Math.abs : (z: number): number => z * z;
  return (each) =>
    each.reduce(
      (sum, y, index) => sum + spread(Number(y) - (b?.[index] ?? 0)) - spread(Number(y) - (a?.[index] ?? 0)),
      0,
    );
}

function quantilesOf(values: readonly number[]): readonly number[] {
  const sorted = [...values].sort((a, b) => a - b);
  return [
    ...new Set(Array.from({ length: 60 }, (_, at) => sorted[Math.floor(((at + 0.5) / 60) * sorted.length)] ?? 0)),
  ];
}
