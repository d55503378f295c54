import type { Exact, Random } from "@dosimeter/core";
import { reveal } from "@dosimeter/core/exact";
import { auditThreshold } from "@dosimeter/tradeoff";
import { type NoisyVector, noisyIntegers } from "../answer/draw.ts";
import { boundPlan } from "../bind/bound-plan.ts";
import { checkDeclaration } from "../declaration/check-declaration.ts";
import { unitsOf } from "../noise/noise-at.ts";
import type { BoundedPlan, BoundedStatistic } from "../plan/bounded.ts";
import type { Measured } from "../plan/engine.ts";
import { isChosen } from "../plan/task-kinds.ts";
import { statisticNames, statisticOf } from "../statistics/registry.ts";
import type { Plan, StatisticRequest } from "../statistics/request.ts";
import { tableTrialsOf } from "../statistics/table-trials.ts";
import { type Bench, released } from "./fuzz.ts";
import { derivedColumns, type MadeUpRow, madeUpColumns } from "./people.ts";

/** The loss that an attacker can prove from the noise alone, and the claimed one. */
export interface ReplayedNoise {
  readonly statistic: string;
  readonly noise: "laplace" | "gaussian" | "selection";
  /** "epsilon", or "mu" for Gaussian noise. */
  readonly parameter: "epsilon" | "mu";
  readonly claimed: number;
  /** Claimed next to ε; 0 unless values that no one declared are published. */
  readonly delta: number;
  /** The true loss is no less, with probability at least `confidence` for all statistics of one run together. */
  readonly atLeast: number;
  readonly confidence: number;
  readonly draws: number;
}

export interface ReplayOptions {
  /** Draws for each of the two tables. */
  readonly draws: number;
  /** The questions; `replayed` when absent. */
  readonly asked?: readonly StatisticRequest[];
  /** Of all bounds together; 0.9999 when absent, so that a sound installation rarely fails. */
  readonly confidence?: number;
  readonly random: Random;
  readonly progress?: (done: number) => void;
}

/** Every noise of the product, at ε = 1 or ρ = ½: what the registry says of each statistic that has one of its own. */
export const replayed: readonly StatisticRequest[] = statisticNames.flatMap((statistic) => {
  const { noise } = statisticOf(statistic);
  return "like" in noise ? [] : noise.map((asked) => ({ statistic, ...asked }));
});

/** Values in the middle, and one unit as far away as it can be: it moves every statistic by its whole sensitivity. */
const crowd: readonly MadeUpRow[] = Array.from({ length: 9 }, (_, index) => ({
  block: 0,
  person: `p${index}`,
  region: ["a", "b"][index % 2] ?? "a",
  word: "x",
  age: 4 + (index % 3),
  pay: 1,
  member: true,
}));
const odd: readonly MadeUpRow[] = Array.from({ length: 3 }, () => ({
  block: 0,
  person: "odd",
  region: "a",
  word: "x",
  age: 99,
  pay: 99,
  member: true,
}));

/** Words that enough people share to be published as a rule; the odd one may use all three. */
const WORDS = ["x", "y", "z"] as const;
const speakers = (people: number): readonly MadeUpRow[] =>
  WORDS.flatMap((word) =>
    crowd.flatMap((row) =>
      Array.from({ length: Math.ceil(people / crowd.length) }, (_, at) => ({
        ...row,
        person: `${word}${row.person}${at}`,
        word,
      })),
    ),
  );
const speaker: readonly MadeUpRow[] = odd.map((row, at) => ({ ...row, word: WORDS[at] ?? "x" }));
const SPEAKERS = 99;

/** The table that a question is about, and its odd one out. */
function tableOf({
  statistic,
  groupBy = [],
  column,
}: StatisticRequest): readonly [readonly MadeUpRow[], readonly MadeUpRow[]] {
  // A row of the first period, or bin, is in every total to date; one of the last moves less than is paid for.
  if (statistic === "cdf" || statisticOf(statistic).shows.chart === "series")
    return [crowd, odd.map((row) => ({ ...row, age: -99 }))];
  if (column === "word") return [speakers(SPEAKERS), speaker];
  return [groupBy.includes("word") ? speakers(SPEAKERS) : crowd, odd];
}

/**
 * Freezes the exact integers of two neighbouring made-up tables and draws the noise of each many times through the code that
 * releases use. Half of the draws choose the attack, the other half are counted: Clopper–Pearson limits [M78] then bound the
 * loss from below. A bound above the claim is a fault; one below it proves nothing. [M127]
 */
export async function replayNoise(bench: Bench, options: ReplayOptions): Promise<readonly ReplayedNoise[]> {
  const { asked = replayed, confidence = 0.9999 } = options;
  const results: ReplayedNoise[] = [];
  for (const request of asked) {
    const plan: Plan = { let: derivedColumns, statistics: [request] };
    const [others, one] = tableOf(request);
    const [bounded, present] = await frozen(bench, [...others, ...one], plan);
    const [, absent] = await frozen(bench, others, plan);
    const each = { ...options, confidence: 1 - (1 - confidence) / asked.length };
    results.push({ ...attack(bounded, present, absent, each), confidence });
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
  { draws, confidence, random }: ReplayOptions & { readonly confidence: number },
): Omit<ReplayedNoise, "confidence"> {
  const [statistic] = plan.statistics;
  if (statistic === undefined) throw new RangeError("one statistic is replayed at a time");
  const sample = (exact: Exact<Measured>): readonly NoisyVector[] =>
    Array.from({ length: draws }, () => drawn(plan, exact, random));
  const [inside, outside] = [sample(present), sample(absent)];
  const half = Math.floor(draws / 2);
  const score = scoreOf(statistic, [present, absent], [inside.slice(0, half), outside.slice(0, half)]);
  const [seen, other] = [inside.map(score), outside.map(score)];
  const isGaussian = statistic.noise.kind === "gaussian";
  const delta = Number(statistic.keys?.delta ?? 0n) / 1e18;
  const proved = (threshold: number, from: number, to: number): number => {
    const audit = auditThreshold({
      falsePositives: other.slice(from, to).filter((value) => value >= threshold).length,
      absent: to - from,
      falseNegatives: seen.slice(from, to).filter((value) => value < threshold).length,
      present: to - from,
      confidence,
    });
    return isGaussian ? audit.muLower : audit.epsilonLower(delta);
  };
  const [threshold = 0] = quantilesOf([...seen.slice(0, half), ...other.slice(0, half)])
    .map((each) => [each, proved(each, 0, half)] as const)
    .reduce((best, each) => (each[1] > best[1] ? each : best), [0, -1] as const);
  return {
    statistic: statistic.label,
    noise: isChosen(statistic) ? "selection" : statistic.noise.kind,
    parameter: isGaussian ? "mu" : "epsilon",
    claimed: claimOf(statistic),
    delta,
    atLeast: proved(threshold, half, draws),
    draws,
  };
}

function drawn(plan: BoundedPlan, exact: Exact<Measured>, random: Random): NoisyVector {
  const steps = noisyIntegers(plan, exact, random);
  for (;;) {
    const { done, value } = steps.next();
    if (done === true) return value[0] ?? { groups: [], integers: [] };
  }
}

/** ε as charged, found keys and their answers together, or √(2ρ) = μ. */
function claimOf({ noise, keys }: BoundedStatistic): number {
  const units = Number(keys?.units ?? unitsOf(noise)) / 1e12;
  return noise.kind === "laplace" ? units : Math.sqrt(units);
}

type Score = (drawn: NoisyVector) => number;

/** The likelihood ratio of the stated noise; for a choice, how much oftener the first half chose so. */
function scoreOf(
  statistic: BoundedStatistic,
  [present, absent]: readonly [Exact<Measured>, Exact<Measured>],
  [inside, outside]: readonly [readonly NoisyVector[], readonly NoisyVector[]],
): Score {
  const { noise, keys } = statistic;
  if (isChosen(statistic)) return talliedScore(inside, outside);
  const spread = noise.kind === "laplace" ? Math.abs : (z: number): number => z * z;
  const ratio = (y: bigint | number, a: number, b: number): number => spread(Number(y) - b) - spread(Number(y) - a);
  const [a = [], b = []] = [reveal(present)[0] ?? [], reveal(absent)[0] ?? []];
  const audited = tableTrialsOf(statistic)?.audited;
  if (audited !== undefined) {
    const power = noise.kind === "laplace" ? 1 : 2;
    return ({ integers }) =>
      audited(integers, statistic).reduce((sum, { from, counts, size }) => {
        const parts = counts.map((y, at) => ratio(y, Number(a[from + at] ?? 0n), Number(b[from + at] ?? 0n)));
        return sum + parts.reduce((all, part) => all + part, 0) / size ** power;
      }, 0);
  }
  if (keys === undefined) {
    const [here, there] = [a, b].map((vector) => released(statistic, vector).map(Number));
    return ({ integers }) => integers.reduce((sum, y, at) => sum + ratio(y, here?.[at] ?? 0, there?.[at] ?? 0), 0);
  }
  // The answer of each published word.
  const exactOf = (vector: typeof a, name: unknown): readonly number[] => {
    const at = vector.found?.indexOf(name as string) ?? -1;
    return at < 0 ? [] : (vector.cellsOf?.(at) ?? vector.slice(at, at + 1)).map(Number);
  };
  const exact = new Map(WORDS.map((word) => [word as unknown, [exactOf(a, word), exactOf(b, word)] as const]));
  return ({ groups, integers }) => {
    const each = integers.length / groups.length;
    return groups.reduce((sum, group, at) => {
      const [here = [], there = []] = exact.get(group[keys.column]) ?? [];
      const answers = integers.slice(at * each, (at + 1) * each);
      const moved = answers.reduce((part, y, i) => part + ratio(y, here[i] ?? 0, there[i] ?? 0), 0);
      return sum + moved;
    }, 0);
  };
}

function talliedScore(inside: readonly NoisyVector[], outside: readonly NoisyVector[]): Score {
  const nameOf = ({ groups, integers }: NoisyVector): string => `${JSON.stringify(groups)}${integers.join()}`;
  const [seen, other] = [inside, outside].map((list) => {
    const tally = new Map<string, number>();
    for (const each of list) tally.set(nameOf(each), (tally.get(nameOf(each)) ?? 0) + 1);
    return tally;
  });
  return (each) => Math.log((1 + (seen?.get(nameOf(each)) ?? 0)) / (1 + (other?.get(nameOf(each)) ?? 0)));
}

function quantilesOf(values: readonly number[]): readonly number[] {
  const sorted = [...values].sort((a, b) => a - b);
  return [
    ...new Set(Array.from({ length: 60 }, (_, at) => sorted[Math.floor(((at + 0.5) / 60) * sorted.length)] ?? 0)),
  ];
}
