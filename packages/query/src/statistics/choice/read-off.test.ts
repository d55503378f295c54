import { Exact, rational } from "@dosimeter/core";
import { laplacePmf, laplaceSampler } from "@dosimeter/core/internal";
import { seededRandom } from "@dosimeter/core/testing";
import { describe, expect, test } from "vitest";
import { addNoise } from "../../answer/add-noise.ts";
import { boundPlan } from "../../bind/bound-plan.ts";
import { checkDeclaration } from "../../declaration/check-declaration.ts";
import { atOnce } from "../../plan/steps.ts";
import { quotePlan } from "../../quote/quote.ts";
import type { StatisticRequest } from "../request.ts";
import { rankHalfWidth, selectQuantiles, targetsOf } from "./quantile.ts";
import { leafCounts, mostMisses, mostOff } from "./ranks.kit.ts";
import { isReadOff, nodesOf, ranksHalfWidth, readAt } from "./read-off.ts";

const declaration = checkDeclaration({
  name: "people",
  source: { csv: "people.csv" },
  privacyUnit: "row",
  size: { assumed: 10_000 },
  columns: { pay: { type: "integer", lower: 0, upper: 999 }, age: { type: "integer", lower: 0, upper: 100 } },
});
const bounded = (request: StatisticRequest) => boundPlan({ statistics: [request] }, declaration);
const evenly = (count: number): readonly number[] =>
  Array.from({ length: count }, (_, at) => Number(((at + 1) / (count + 1)).toFixed(4)));
const selectionOf = (shares: readonly number[], leaves: number) => ({
  ...targetsOf(shares, "quantiles"),
  leaves,
  ticksPerLeaf: 1n,
  extreme: false,
});

/** Seven of ten rows at 40 values of a thousand, the others spread out. */
function heaped(rows: number, seed: number): readonly bigint[] {
  const random = seededRandom(seed);
  const below = (bound: number): number => Math.floor((random.uint32() / 2 ** 32) * bound);
  const value = (): number => (below(10) < 7 ? 25 * Math.floor((below(40) + below(40)) / 2) : below(1000));
  return leafCounts(1000, Array.from({ length: rows }, value));
}

describe("quantiles read off a noisy tree [M406]", () => {
  test.each([9, 19, 99])("%i shares: all at once are within the quoted ranks, and rise", (count) => {
    const shares = evenly(count);
    for (const [column, leaves] of [
      ["age", 101],
      ["pay", 1000],
    ] as const) {
      const plan = bounded({ statistic: "quantiles", column, epsilon: 1, quantiles: shares });
      const quoted = quotePlan(plan)[0]?.accuracy.halfWidth ?? Number.NaN;
      expect(quoted).toBe(ranksHalfWidth(selectionOf(shares, leaves), 1, 0.05));
      const random = seededRandom(count);
      const none = new Array<bigint>(leaves).fill(0n);
      const heaps = none.with(0, 2600n).with(leaves - 1, 7400n);
      const tables = [none, heaps, heaps.toReversed(), none.fill(3n), ...(leaves === 1000 ? [heaped(10_000, 2)] : [])];
      for (const counts of tables) {
        // A correct one fails for one of the tables with a chance of at most 27e-6.
        const off = mostOff(plan, [counts], { shares, releases: 20, random });
        expect(off.filter((rows) => rows > quoted).length).toBeLessThanOrEqual(mostMisses(20, 0.05));
        const [answer] = addNoise(plan, new Exact([counts]), random);
        const values = answer?.cells.map(({ value }) => value) ?? [];
        expect(values).toEqual(values.toSorted((a, b) => a - b));
        expect(answer?.cells.every(({ rank }) => rank === quoted)).toBe(true);
        expect(answer?.notes.join()).toContain("read off noisy counts");
      }
    }
  });

  test("a noisy number of rows below 0 gives answers that rise too, each within what it was off before", () => {
    const selection = selectionOf(evenly(9), 5);
    expect(readAt([-4, -3, -3, -2, -8], selection)).toEqual([0, 0, 0, 0, 4, 4, 4, 4, 4].map(BigInt));
    expect(readAt([-20, 5, 5, 5, -8], selection)).toEqual([2, 2, 3, 4, 4, 4, 4, 4, 4].map(BigInt));
  });

  // Means of 12 releases are .3 to .4 and .07 of the other ones; a ratio above the aim is 5 standard deviations away.
  test.each([
    [9, 0.5],
    [99, 0.25],
  ] as const)(
    "%i shares of 10,000 heaped rows: at most %d times the rank error of a choice for each",
    (count, most) => {
      const shares = evenly(count);
      const plan = bounded({ statistic: "quantiles", column: "pay", epsilon: 1, quantiles: shares });
      const counts = heaped(10_000, 3);
      let sum = 0;
      const upTo = counts.map((here) => (sum += Number(here)));
      const random = seededRandom(52);
      const offOf = (leaf: number, at: number): number => {
        const rank = (shares[at] ?? 0) * sum;
        return Math.max(0, (upTo[leaf - 1] ?? 0) - rank, rank - (upTo[leaf] ?? 0));
      };
      const apart = Array.from({ length: 24 }, () => {
        const chosen = atOnce(selectQuantiles(counts, selectionOf(shares, 1000), rational(1n), random));
        return Math.max(...chosen.map((leaf, at) => offOf(Number(leaf), at)));
      });
      const mean = (errors: readonly number[]): number => errors.reduce((all, each) => all + each, 0) / errors.length;
      expect(mean(mostOff(plan, [counts], { shares, releases: 24, random })) / mean(apart)).toBeLessThan(most);
    },
  );

  test("no neighbour of a table of three leaves with up to two rows each changes an answer by more than e^ε", () => {
    const selection = selectionOf([0.1, 0.3, 0.5, 0.6, 0.8, 0.9], 3);
    const reach = 16;
    const noise = Array.from({ length: 2 * reach + 1 }, (_, at) => at - reach);
    const lawOf = (counts: readonly number[], scale: number): Map<string, number> => {
      const chance = noise.map((z) => laplacePmf(scale, z));
      const law = new Map<string, number>();
      for (const [a, p] of chance.entries())
        for (const [b, q] of chance.entries())
          for (const [c, r] of chance.entries()) {
            const noisy = [a, b, c].map((at, leaf) => (counts[leaf] ?? 0) + at - reach);
            const answer = readAt(noisy, selection).join();
            law.set(answer, (law.get(answer) ?? 0) + p * q * r);
          }
      return law;
    };
    const worst = (p: Map<string, number>, q: Map<string, number>): number =>
      Math.max(
        ...[...p].filter(([, chance]) => chance > 1e-4).map(([to, chance]) => Math.log(chance / (q.get(to) ?? 0))),
      );
    const epsilon = 2;
    const tables = [
      [0, 0, 0],
      [1, 0, 2],
      [2, 2, 0],
    ];
    // Under add/remove the scale is 1/ε, under replace-one 2/ε; what is cut off is below e^-16.
    for (const counts of tables) {
      const more = counts.map((here, at) => counts.with(at, here + 1));
      const [law, laws] = [lawOf(counts, 1 / epsilon), more.map((table) => lawOf(table, 1 / epsilon))];
      const ratios = laws.flatMap((other) => [worst(law, other), worst(other, law)]);
      expect(Math.max(...ratios)).toBeLessThanOrEqual(epsilon + 1e-3);
      expect(Math.max(...ratios)).toBeGreaterThan(epsilon / 2);
      const [from, to] = [0, 2].map((at) => lawOf(more[at] ?? [], 2 / epsilon));
      if (from !== undefined && to !== undefined) expect(worst(from, to)).toBeLessThanOrEqual(epsilon + 1e-3);
    }
  });

  test("each node of a tree gets noise for all that one row changes", () => {
    const shares = evenly(19);
    const plan = bounded({ statistic: "quantiles", column: "pay", epsilon: "0.3", quantiles: shares });
    const counts = heaped(3000, 5);
    const selection = selectionOf(shares, 1000);
    const nodes = nodesOf(counts, selection);
    const more = nodesOf(counts.with(700, (counts[700] ?? 0n) + 1n), selection);
    const changed = more.reduce((sum, node, at) => sum + Math.abs(Number(node - (nodes[at] ?? 0n))), 0);
    expect(changed).toBeGreaterThan(1);
    const random = seededRandom(7);
    const draw = laplaceSampler(rational(BigInt(10 * changed), 3n));
    const noisy = nodes.map((node) => Number(node + draw(random)));
    const leaves = addNoise(plan, new Exact([counts]), seededRandom(7))[0]?.cells.map(({ noisy: [leaf] }) =>
      BigInt(leaf ?? ""),
    );
    expect(leaves).toEqual(readAt(noisy, selection));
    expect(plan.statistics[0]?.events).toEqual([{ kind: "pure", epsilon: "0.3" }]);
  });

  test("one unit with five rows, or one replaced, has five times, or twice, the rows of error", () => {
    const shares = evenly(19);
    const errorIn = (over: object): number => {
      const units = checkDeclaration({
        ...over,
        name: "units",
        source: { csv: "units.csv" },
        columns: { pay: { type: "integer", lower: 0, upper: 999 }, who: { type: "text" } },
      });
      const [quote] = quotePlan(
        boundPlan({ statistics: [{ statistic: "quantiles", column: "pay", epsilon: 1, quantiles: shares }] }, units),
      );
      return quote?.accuracy.halfWidth ?? Number.NaN;
    };
    const one = errorIn({ privacyUnit: "row" });
    expect(errorIn({ privacyUnit: { column: "who" }, contribution: { rows: 5 } }) / one).toBeCloseTo(5, 1);
    expect(errorIn({ privacyUnit: "row", adjacency: "replace" }) / one).toBeCloseTo(2, 1);
  });

  test("a large price leaves an error of a few rows, and a tiny one ends", () => {
    const shares = evenly(9);
    for (const epsilon of [1e-9, 1e-5, 50, 1e6]) {
      const plan = bounded({ statistic: "quantiles", column: "pay", epsilon, quantiles: shares });
      const [off = 0] = mostOff(plan, [heaped(2000, 4)], { shares, releases: 1, random: seededRandom(5) });
      expect(off).toBeLessThanOrEqual(epsilon < 1 ? 2000 : 3);
    }
  });
});

test("what is promised is never more than by a choice for each, which few shares of many values keep [M407]", () => {
  for (const shares of [
    [0.5],
    [0.25, 0.75],
    [0.25, 0.5, 0.75],
    [0.01, 0.02, 0.5, 0.98, 1],
    evenly(6),
    evenly(9),
    evenly(99),
  ])
    for (const leaves of [1, 2, 5, 101, 1000, 65_536]) {
      const selection = selectionOf(shares, leaves);
      for (const unit of [0.001, 0.3, 1, 2.5, 1000])
        expect(ranksHalfWidth(selection, unit, 0.05)).toBeLessThanOrEqual(
          rankHalfWidth(selection, unit, 0.05) + (unit < 1 ? 1 : 0),
        );
    }
  expect([2, 3, 5].map((count) => isReadOff(selectionOf(evenly(count), 1000)))).toEqual([false, false, false]);
  expect([7, 9, 99].map((count) => isReadOff(selectionOf(evenly(count), 1000)))).toEqual([true, true, true]);
  expect(isReadOff(selectionOf(evenly(7), 65_536))).toBe(false);
});

test("three choices around one quantile are choices, also among few values", () => {
  const few = checkDeclaration({
    name: "few",
    source: { csv: "few.csv" },
    privacyUnit: "row",
    columns: { kind: { type: "integer", lower: 1, upper: 5 } },
  });
  const [quote] = quotePlan(
    boundPlan({ statistics: [{ statistic: "quantileInterval", column: "kind", epsilon: 1 }] }, few),
  );
  const three = { leaves: 7, targets: [0.5, 0.5, 0.5].map((share) => ({ share, numerator: 1n })), denominator: 2n };
  const [margin, rank] = [0.001, 0.05].map((chance) =>
    rankHalfWidth({ ...three, ticksPerLeaf: 1n, extreme: false }, 1, chance),
  );
  expect(quote?.accuracy.halfWidth).toBe((margin ?? 0) + 1 + (rank ?? 0));
});
