import { seededRandom } from "@dosimeter/core/testing";
import { describe, expect, test } from "vitest";
import { atOnce } from "../../plan/steps.ts";
import type { TableTask } from "../../plan/task.ts";
import { byRounds } from "./choose.ts";

/** Real numbers from 0 as whole numbers of 10⁻⁸⁰: what is said of 60 digits leaves twenty for rounding. */
const ONE = 10n ** 80n;
const LAST = 10n ** 20n;
const times = (a: bigint, b: bigint): bigint => (a * b) / ONE;

/** e^(a/b). */
function exp(a: bigint, b: bigint): bigint {
  if (a < 0n) return (ONE * ONE) / exp(-a, b);
  let [sum, term] = [ONE, ONE];
  for (let n = 1n; term > 0n; n += 1n) {
    term = (term * a) / (b * n);
    sum += term;
  }
  return sum;
}

const isSame = (a: bigint, b: bigint): boolean => (a > b ? a - b : b - a) <= LAST;

/** All orders of the numbers below n. */
const orders = (n: number): readonly (readonly number[])[] =>
  n === 0 ? [[]] : orders(n - 1).flatMap((rest) => Array.from({ length: n }, (_, at) => rest.toSpliced(at, 0, n - 1)));

/** The law of permute and flip as it is defined: each order as likely, and in each the first candidate whose coin falls. */
function overAllOrders(accept: readonly bigint[]): readonly bigint[] {
  const law = accept.map(() => 0n);
  const all = orders(accept.length);
  for (const order of all) {
    let reach = ONE;
    for (const at of order) {
      const taken = times(reach, accept[at] ?? 0n);
      law[at] = (law[at] ?? 0n) + taken;
      reach -= taken;
    }
  }
  return law.map((chance) => chance / BigInt(all.length));
}

/** The same by the integral of M92: w·∫₀¹ Π (1 − z·wⱼ) dz over the others, whose polynomial is integrated term by term. */
function byIntegral(accept: readonly bigint[]): readonly bigint[] {
  return accept.map((own, at) => {
    let polynomial = [ONE];
    for (const other of accept.toSpliced(at, 1))
      polynomial = [...polynomial, 0n].map((term, power) => term - times(other, polynomial[power - 1] ?? 0n));
    return times(
      own,
      polynomial.reduce((sum, term, power) => sum + term / BigInt(power + 1), 0n),
    );
  });
}

interface Choice {
  readonly scores: readonly bigint[];
  readonly weights: readonly bigint[];
  /** The chance to be taken of a candidate this far below the best. */
  readonly accept: (loss: bigint) => bigint;
}

/** Four columns, six pairs, three rounds: of three pairs of a triangle two can be chosen. */
const PAIRS = [0, 1, 2, 3].flatMap((a) => [1, 2, 3].filter((b) => b > a).map((b) => [a, b] as const));
const ROUNDS = 3;
const penalty = (_: number, measured: number): bigint => BigInt(measured);

/** Pairs that close no circle with those chosen, by colouring what they join; no class of the product is used. */
function open(chosen: readonly number[]): readonly number[] {
  const colour = [0, 1, 2, 3];
  for (const at of chosen) {
    const [a = 0, b = 0] = PAIRS[at] ?? [];
    const [from, to] = [colour[b], colour[a]];
    colour.forEach((each, column) => {
      if (each === from && to !== undefined) colour[column] = to;
    });
  }
  return [...PAIRS.keys()].filter((at) => {
    const [a = 0, b = 0] = PAIRS[at] ?? [];
    return colour[a] !== colour[b];
  });
}

/** Of every list of pairs, in their order, the chance that it is what is chosen. */
function lawOf({ scores, weights, accept }: Choice, law: (accept: readonly bigint[]) => readonly bigint[]) {
  const chances = new Map<string, bigint>();
  const visit = (chosen: readonly number[], reach: bigint): void => {
    const left = chosen.length === ROUNDS ? [] : open(chosen);
    if (left.length === 0) {
      chances.set(chosen.join(), reach);
      return;
    }
    const gains = [0n, ...left.map((at) => (weights[at] ?? 1n) * ((scores[at] ?? 0n) - BigInt(chosen.length + 1)))];
    const best = gains.reduce((a, b) => (a > b ? a : b));
    const [stop = 0n, ...taken] = law(gains.map((gain) => accept(best - gain)));
    chances.set(chosen.join(), times(reach, stop));
    left.forEach((at, place) => {
      visit([...chosen, at], times(reach, taken[place] ?? 0n));
    });
  };
  visit([], ONE);
  return chances;
}

/** Three rounds share ε = 1 of scores that a unit moves by 1: each has the scale 2·3·W. */
const scaleOf = (weights: readonly bigint[]): bigint =>
  2n * BigInt(ROUNDS) * weights.reduce((a, b) => (a > b ? a : b), 1n);
const choice = (scores: readonly bigint[], weights: readonly bigint[], scale = scaleOf(weights)): Choice => ({
  scores,
  weights,
  accept: (loss) => exp(-loss, scale),
});
const even = [1n, 1n, 1n, 1n, 1n, 1n];
const uneven = [3n, 1n, 2n, 1n, 1n, 2n];

/** All neighbours of two tables, with every score one higher or lower: the largest ratio of two chances, and those beyond e by more than rounding. */
function compared(weights: readonly bigint[], scale: bigint) {
  const e = exp(1n, 1n);
  let [worst, beyond, lists] = [0n, 0, 0];
  for (const scores of [
    [0n, 0n, 0n, 0n, 0n, 0n],
    [9n, 4n, 4n, 1n, 0n, 7n],
  ]) {
    const here = lawOf(choice(scores, weights, scale), byIntegral);
    for (let mask = 0; mask < 64; mask++) {
      const moved = scores.map((score, at) => score + ((mask >> at) % 2 === 1 ? 1n : -1n));
      const there = lawOf(choice(moved, weights, scale), byIntegral);
      for (const [name, chance] of here) {
        const other = there.get(name) ?? 0n;
        const [low, high] = chance < other ? [chance, other] : [other, chance];
        if (high > times(e, low) + LAST) beyond += 1;
        if (high * ONE > worst * low) worst = (high * ONE) / low;
        lists += 1;
      }
    }
  }
  return { worst, beyond, lists };
}

describe("the law of what is chosen, to 60 digits [M92, M202]", () => {
  test("e, to 60 digits", () => {
    expect(exp(1n, 1n) / LAST).toBe(2718281828459045235360287471352662497757247093699959574966967n);
    expect(isSame(times(exp(7n, 3n), exp(-7n, 3n)), ONE)).toBe(true);
  });

  test.each([[[0, 0, 0]], [[0, 3, 7, 7]], [[5, 0, 1, 40, 2, 2]], [[0, 1, 1, 2, 3, 5, 8]]])(
    "all orders of candidates %j below the best have the law of the integral",
    (losses) => {
      const accept = losses.map((loss) => exp(-BigInt(loss), 5n));
      const [enumerated, integrated] = [overAllOrders(accept), byIntegral(accept)];
      enumerated.forEach((chance, at) => {
        expect(isSame(chance, integrated[at] ?? 0n)).toBe(true);
      });
      expect(
        isSame(
          enumerated.reduce((sum, chance) => sum + chance, 0n),
          ONE,
        ),
      ).toBe(true);
    },
  );

  test.each([
    ["alike", even],
    ["3 1 2 1 1 2", uneven],
  ])("no neighbour changes three rounds by more than e, and one by more than √e, weights %s", (_, weights) => {
    const { worst, beyond, lists } = compared(weights, scaleOf(weights));
    expect(lists).toBeGreaterThan(10_000);
    expect(beyond).toBe(0);
    expect(worst > exp(1n, 2n)).toBe(true);
  });

  test("the noise that equal weights need is too small for others", () => {
    expect(compared(uneven, scaleOf(even)).beyond).toBeGreaterThan(0);
  });

  test.each([
    ["alike", even],
    ["3 1 2 1 1 2", uneven],
  ])("the code draws from that law, weights %s", (_, weights) => {
    const scores = [5n, 4n, 2n, 0n, 6n, 3n];
    const column = { type: "boolean" as const, bins: [], hasMissing: false, cells: 1 };
    const task: TableTask = {
      kind: "table",
      columns: ["a", "b", "c", "d"].map((name) => ({ name, ...column })),
      pairs: PAIRS,
      weights: weights.map(Number),
      cells: 10,
    };
    const law = lawOf(choice(scores, weights), byIntegral);
    const total = [...law.values()].reduce((sum, chance) => sum + chance, 0n);
    expect(isSame(total, ONE)).toBe(true);
    const DRAWS = 20_000;
    const random = seededRandom(60);
    const tally = new Map<string, number>();
    for (let draw = 0; draw < DRAWS; draw++) {
      const name = atOnce(byRounds({ task, scores, penalty, most: ROUNDS, random }, 1n, 10n ** 12n)).join();
      expect(law.has(name), name).toBe(true);
      tally.set(name, (tally.get(name) ?? 0) + 1);
    }
    // About 140 outcomes each, off by more than 6σ (and 3 more, of those that are rare) with a chance below 10⁻⁶ in all.
    for (const [name, chance] of law) {
      const share = Number(chance / 10n ** 62n) / 1e18;
      const sigma = Math.sqrt(DRAWS * share * (1 - share));
      expect(Math.abs((tally.get(name) ?? 0) - DRAWS * share), name).toBeLessThan(6 * sigma + 3);
    }
  });
});
