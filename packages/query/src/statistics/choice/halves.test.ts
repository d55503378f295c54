import { Exact, rational, toDouble } from "@dosimeter/core";
import { seededRandom } from "@dosimeter/core/testing";
import { describe, expect, test } from "vitest";
import { addNoise } from "../../answer/add-noise.ts";
import { boundPlan } from "../../bind/bound-plan.ts";
import { checkDeclaration } from "../../declaration/check-declaration.ts";
import { atOnce } from "../../plan/steps.ts";
import { quotePlan } from "../../quote/quote.ts";
import type { StatisticRequest } from "../request.ts";
import { chooseCut, partOf, partsOf, reachOf } from "./cut.ts";
import { type Half, halvesOf, ranksHalfWidth, treeOf, within } from "./halves.ts";
import { rankHalfWidth, rowsIn, runsOf, selectQuantiles, targetsOf } from "./quantile.ts";
import { lawOf, leafCounts, mostMisses, mostOff } from "./ranks.kit.ts";

const declaration = checkDeclaration({
  name: "people",
  source: { csv: "people.csv" },
  privacyUnit: "row",
  size: { assumed: 10_000 },
  columns: { pay: { type: "integer", lower: 0, upper: 999 }, age: { type: "integer", lower: 0, upper: 100 } },
});
const bounded = (request: StatisticRequest) => boundPlan({ statistics: [request] }, declaration);
const evenly = (count: number): readonly number[] =>
  Array.from({ length: count }, (_, at) => (at + 1) / (count + 1)).map((share) => Number(share.toFixed(4)));
const selectionOf = (shares: readonly number[], leaves: number) => ({
  ...targetsOf(shares, "quantiles"),
  leaves,
  ticksPerLeaf: 1n,
  extreme: false,
});

/** Most rows at 40 values of a thousand, the others spread out. */
function heaped(rows: number, seed: number): readonly bigint[] {
  const random = seededRandom(seed);
  const below = (bound: number): number => Math.floor((random.uint32() / 2 ** 32) * bound);
  return leafCounts(
    1000,
    Array.from({ length: rows }, () => (below(10) < 7 ? 25 * Math.floor((below(40) + below(40)) / 2) : below(1000))),
  );
}

/** The law of the rows that a cut leaves on the left of its leaf, by both edges, as M409 says it. */
function cutsOf(counts: readonly bigint[], { numerator, denominator }: { numerator: bigint; denominator: bigint }, width: number) {
  const reach = reachOf(width / Number(denominator));
  const rows = Number(rowsIn(counts));
  let before = 0;
  const all = counts.flatMap((count, leaf) => {
    const here = Number(count);
    const start = before;
    before += here;
    return [true, false].flatMap((isNear) =>
      Array.from({ length: here + 1 }, (_, away) => {
        const left = isNear ? away : here - away;
        const codes = reach / (reach + away) - (away === here ? 0 : reach / (reach + away + 1));
        const loss = Math.abs(Number(denominator) * (start + left) - Number(numerator) * rows);
        return { leaf, left: BigInt(left), isNear, weight: codes * Math.exp(-loss / width) };
      }),
    );
  });
  const sum = all.reduce((total, { weight }) => total + weight, 0);
  return all.map(({ weight, ...cut }) => ({ ...cut, chance: weight / sum }));
}

/** The law of all answers together. */
function answersOf(half: Half | null, counts: readonly bigint[], scale: number, leaf = 0): Map<string, number> {
  if (half === null) return new Map([["", 1]]);
  const { own, width } = within(half);
  const scaled = (scale * Number(width.numerator)) / Number(width.denominator);
  if (counts.length === 1) return new Map([[half.shares.map(() => leaf).join(), 1]]);
  const laws = new Map<string, number>();
  const add = (answer: string, chance: number): void => void laws.set(answer, (laws.get(answer) ?? 0) + chance);
  const { cut } = half;
  if (cut === null) {
    const each = own.map(({ numerator, denominator }) =>
      lawOf(
        runsOf(counts, numerator * rowsIn(counts), denominator).flatMap(({ length, loss }) =>
          new Array<number>(length).fill(Number(loss)),
        ),
        scaled,
      ),
    );
    const together = each.reduce<readonly (readonly [readonly number[], number])[]>(
      (sofar, law) => sofar.flatMap(([chosen, chance]) => law.map((p, at) => [[...chosen, leaf + at], chance * p] as const)),
      [[[], 1]],
    );
    for (const [chosen, chance] of together) add(chosen.toSorted((a, b) => a - b).join(), chance);
    return laws;
  }
  const share = own[cut.at] ?? { numerator: 0n, denominator: 1n };
  for (const { chance, ...found } of cutsOf(counts, share, scaled)) {
    const [left, right] = partsOf(partOf(counts), found);
    for (const [below, p] of answersOf(cut.left, left.counts, scale, leaf))
      for (const [above, q] of answersOf(cut.right, right.counts, scale, leaf + found.leaf))
        add([below, `${leaf + found.leaf}`, above].filter((part) => part !== "").join(), chance * p * q);
  }
  return laws;
}

const tables = (leaves: number, most: number): readonly (readonly number[])[] =>
  Array.from({ length: (most + 1) ** leaves }, (_, table) =>
    Array.from({ length: leaves }, (_, at) => Math.floor(table / (most + 1) ** at) % (most + 1)),
  );

describe("a cut [M407]", () => {
  test("is drawn by the law that M409 states", () => {
    const counts = [3n, 0n, 40n, 1n, 7n];
    const share = { numerator: 3n, denominator: 5n };
    const law = cutsOf(counts, share, 8);
    const part = partOf(counts);
    const random = seededRandom(407);
    const draws = 20_000;
    const drawn = new Map<string, number>();
    for (let i = 0; i < draws; i++) {
      const { leaf, left } = chooseCut(part, share, rational(8n), random);
      drawn.set(`${leaf} ${left}`, (drawn.get(`${leaf} ${left}`) ?? 0) + 1);
    }
    const expected = new Map<string, number>();
    for (const { leaf, left, chance } of law)
      expected.set(`${leaf} ${left}`, (expected.get(`${leaf} ${left}`) ?? 0) + chance);
    // Each of 51 frequencies is six standard deviations off with a chance of about 2e-9, a little more where it is seldom.
    for (const [cut, chance] of expected) {
      const off = Math.abs((drawn.get(cut) ?? 0) - draws * chance);
      expect(off, cut).toBeLessThanOrEqual(6 * Math.sqrt(draws * chance) + 4);
    }
  });

  test("with one row more, one of the two parts has one row more and the other is the same", () => {
    for (const counts of tables(3, 3))
      for (const at of counts.keys())
        for (let leaf = 0; leaf < 3; leaf++)
          for (let away = 0; away < 5; away++)
            for (const isNear of [true, false]) {
              const cut = (of: readonly number[]) => {
                const here = of[leaf] ?? 0;
                const moved = Math.min(away, here);
                return partsOf(partOf(of.map(BigInt)), { leaf, left: BigInt(isNear ? moved : here - moved) });
              };
              const [before, after] = [cut(counts), cut(counts.with(at, (counts[at] ?? 0) + 1))];
              const moves = before.map((part, side) =>
                part.counts.map((count, place) => Number((after[side]?.counts[place] ?? 0n) - count)),
              );
              expect(moves.flat().filter((move) => move !== 0)).toEqual([1]);
            }
  });

  test("misses by more than M409 says as seldom as it says, on heaps of any size", () => {
    const random = seededRandom(409);
    const scale = 5;
    const width = rational(BigInt(scale) * 10n);
    for (const [name, counts] of [
      ["one heap, the share just inside", [600n, ...new Array<bigint>(998).fill(0n), 400n]],
      ["a huge heap", [60_000_000n, ...new Array<bigint>(998).fill(0n), 39_999_900n]],
      ["spread out", new Array<bigint>(1000).fill(1n)],
      ["heaps", heaped(10_000, 1)],
    ] as const) {
      const part = partOf(counts);
      const wanted = (59.9 * Number(rowsIn(counts))) / 100;
      const [reach, around] = [reachOf(scale), reachOf(scale) + scale + 4];
      const log = Math.log((8 * 1001 * around ** 2) / (Math.E * reach * scale));
      const missed = Array.from({ length: 150 }, () => {
        const { leaf, left } = chooseCut(part, { numerator: 599n, denominator: 1000n }, rational(width.numerator * 100n), random);
        return Math.abs(Number((part.before[leaf] ?? 0n) + left) - wanted);
      });
      const bound = 2 + ((scale * around) / (around - scale)) * (log + Math.log(20));
      expect(missed.filter((rows) => rows > bound).length, name).toBeLessThanOrEqual(mostMisses(150, 0.05));
      expect(Math.min(...missed), name).toBeLessThan(scale);
    }
  });
});

describe("quantiles by halves [M408]", () => {
  test.each([
    [[0.2, 0.5, 0.7], { together: 1, weight: 2 }],
    [[0.1, 0.3, 0.5, 0.9], { together: 2, weight: 3 }],
    [[0, 0.4, 0.6], { together: 1, weight: 3 }],
  ] as const)("%j: no neighbour of a table of three leaves changes an answer by more than e^ε", (shares, manner) => {
    const half = treeOf(selectionOf(shares, 3), manner);
    const known = new Map<string, Map<string, number>>();
    const lawAt = (counts: readonly number[], scale: number): Map<string, number> => {
      const key = `${counts} ${scale}`;
      const law = known.get(key) ?? answersOf(half, counts.map(BigInt), scale);
      known.set(key, law);
      return law;
    };
    const worst = (a: readonly number[], b: readonly number[], scale: number): number => {
      const [p, q] = [lawAt(a, scale), lawAt(b, scale)];
      return Math.max(...[...p].map(([answer, chance]) => Math.abs(Math.log(chance / (q.get(answer) ?? 0)))));
    };
    let [added, replaced] = [0, 0];
    for (const counts of tables(3, 2))
      for (const at of counts.keys()) {
        const more = counts.with(at, (counts[at] ?? 0) + 1);
        added = Math.max(added, worst(counts, more, 1));
        // Replace-one doubles K.
        for (const other of counts.keys())
          if (other !== at) replaced = Math.max(replaced, worst(more, counts.with(other, (counts[other] ?? 0) + 1), 2));
      }
    expect(added).toBeLessThanOrEqual(1 + 1e-9);
    expect(added).toBeGreaterThan(0.4);
    expect(replaced).toBeLessThanOrEqual(1 + 1e-9);
  });

  test.each([9, 19, 99])("%i shares: all at once are within the quoted ranks, which are fewer than before, and rise", (count) => {
    const shares = evenly(count);
    for (const [column, leaves] of [
      ["age", 101],
      ["pay", 1000],
    ] as const) {
      const plan = bounded({ statistic: "quantiles", column, epsilon: 1, quantiles: shares });
      const quoted = quotePlan(plan)[0]?.accuracy.halfWidth ?? Number.NaN;
      const selection = selectionOf(shares, leaves);
      expect(quoted).toBe(ranksHalfWidth(selection, 1, 0.05));
      expect(quoted).toBeLessThan(rankHalfWidth(selection, 1, 0.05));
      const random = seededRandom(count);
      const heaps = new Array<bigint>(leaves).fill(0n).with(0, 2600n).with(leaves - 1, 7400n);
      for (const counts of [heaps, heaps.toReversed(), new Array<bigint>(leaves).fill(0n), ...(leaves === 1000 ? [heaped(10_000, 2)] : [])]) {
        const off = mostOff(plan, [counts], { shares, releases: 10, random });
        expect(off.filter((rows) => rows > quoted).length).toBeLessThanOrEqual(mostMisses(10, 0.05));
        const cells = addNoise(plan, new Exact([counts]), random)[0]?.cells ?? [];
        expect(cells.map(({ value }) => value)).toEqual(cells.map(({ value }) => value).toSorted((a, b) => a - b));
        expect(cells.every(({ rank }) => rank === quoted)).toBe(true);
      }
    }
  });

  test.each([0.001, 0.1, 1, 10, 1000])("a few shares, or a scale of %d: never worse than all among all rows", (unit) => {
    for (const shares of [[0.5], [0.25, 0.75], [0.25, 0.5, 0.75], [0.01, 0.02, 0.5, 0.98, 1], evenly(9), evenly(19)])
      for (const leaves of [2, 101, 65_536]) {
        const selection = selectionOf(shares, leaves);
        expect(ranksHalfWidth(selection, unit, 0.05)).toBeLessThanOrEqual(rankHalfWidth(selection, unit, 0.05));
      }
    expect(halvesOf(selectionOf([0.25, 0.75], 1000), unit)).toBeNull();
  });

  test.each([
    [9, 0.5],
    [99, 0.25],
  ] as const)("%i shares of 10,000 heaped rows: at most %d times the rank error of all among all rows", (count, most) => {
    const shares = evenly(count);
    const plan = bounded({ statistic: "quantiles", column: "pay", epsilon: 1, quantiles: shares });
    const counts = heaped(10_000, 3);
    const random = seededRandom(52);
    const selection = selectionOf(shares, 1000);
    const before = Array.from({ length: 12 }, () => {
      const leaves = atOnce(selectQuantiles(counts, selection, rational(1n), random));
      const upTo: number[] = [];
      counts.forEach((here, at) => void upTo.push((upTo[at - 1] ?? 0) + Number(here)));
      return Math.max(
        ...leaves.map((leaf, at) => {
          const rank = (shares[at] ?? 0) * 10_000;
          return Math.max(0, (upTo[Number(leaf) - 1] ?? 0) - rank, rank - (upTo[Number(leaf)] ?? 0));
        }),
      );
    });
    const after = mostOff(plan, [counts], { shares, releases: 12, random });
    const mean = (errors: readonly number[]): number => errors.reduce((sum, each) => sum + each, 0) / errors.length;
    expect(mean(after) / mean(before)).toBeLessThan(most);
  });

  test("a large price has no error but of whole rows, and a tiny one ends", () => {
    const shares = evenly(9);
    for (const epsilon of [1e-5, 50, 1e6]) {
      const plan = bounded({ statistic: "quantiles", column: "pay", epsilon, quantiles: shares });
      const [off = 0] = mostOff(plan, [heaped(2000, 4)], { shares, releases: 1, random: seededRandom(5) });
      expect(off).toBeLessThanOrEqual(epsilon < 1 ? 2000 : 3);
    }
  });
});

test("the parts of ε that a row meets sum to at most 1", () => {
  const spent = (half: Half | null): number =>
    half === null ? 0 : toDouble(half.spends, "up") + Math.max(spent(half.cut?.left ?? null), spent(half.cut?.right ?? null));
  for (const count of [3, 4, 9, 50, 99])
    for (const manner of [1, 2, 3].flatMap((together) => [2, 3].map((weight) => ({ together, weight })))) {
      const all = spent(treeOf(selectionOf(evenly(count), 100), manner));
      expect(all).toBeLessThanOrEqual(1 + 1e-12);
      expect(all).toBeGreaterThan(0.99);
    }
});
