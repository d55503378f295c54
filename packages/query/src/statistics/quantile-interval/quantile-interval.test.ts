import { Exact, toDouble } from "@dosimeter/core";
import { seededRandom } from "@dosimeter/core/testing";
import { describe, expect, test } from "vitest";
import { consistentSteps } from "../../../../reuse/src/consistent.ts";
import { diagramsOf } from "../../../../reuse/src/diagram.ts";
import { poolOf } from "../../../../reuse/src/earlier.ts";
import { waysTo } from "../../../../reuse/src/offer.ts";
import { askedFor, declaration, released } from "../../../../reuse/src/reuse.kit.ts";
import { addNoise } from "../../answer/add-noise.ts";
import { boundPlan } from "../../bind/bound-plan.ts";
import { atOnce } from "../../plan/steps.ts";
import { accuracy, epsilonFor } from "../../quote/calculus.ts";
import { quotePlan } from "../../quote/quote.ts";
import type { AnswerCell } from "../cell.ts";
import { lawOf, leafCounts, mostMisses, worstOfNeighbours } from "../choice/ranks.kit.ts";
import type { StatisticRequest } from "../request.ts";
import { choicesOf } from "./index.ts";

const LEAVES = 100;
const asked = { statistic: "quantileInterval", column: "age", epsilon: 1 } as const;
const bounded = (request: StatisticRequest, confidence = 0.95) =>
  boundPlan({ confidence, statistics: [request] }, declaration);
const quotedOf = (request: StatisticRequest): number =>
  quotePlan(bounded(request))[0]?.accuracy.halfWidth ?? Number.NaN;

function* draws(plan: ReturnType<typeof bounded>, counts: readonly bigint[], releases: number): Generator<AnswerCell> {
  const random = seededRandom(188);
  for (let i = 0; i < releases; i++) {
    const [cell] = addNoise(plan, new Exact([counts]), random)[0]?.cells ?? [];
    if (cell === undefined) throw new Error("one cell");
    yield cell;
  }
}

/** The least and the largest value that is a quantile of these rows; the bounds where there is none. */
function quantilesOf(counts: readonly bigint[], share: number, last = LEAVES - 1): readonly [number, number] {
  const values = counts.flatMap((count, value) => new Array<number>(Number(count)).fill(value));
  const rank = share * values.length;
  return [values[Math.ceil(rank) - 1] ?? 0, values[Math.floor(rank)] ?? last];
}

describe("a quantile with an interval [M188]", () => {
  const heap = (low: number, rows: number): readonly bigint[] =>
    leafCounts(LEAVES, [])
      .with(0, BigInt(low * rows))
      .with(LEAVES - 1, BigInt(rows - low * rows));
  const tables: readonly (readonly [string, readonly bigint[]])[] = [
    ["no row", leafCounts(LEAVES, [])],
    ["one row", leafCounts(LEAVES, [60])],
    ["fifty rows", leafCounts(LEAVES, [...new Array(50).keys()])],
    [
      "a thousand rows",
      leafCounts(
        LEAVES,
        Array.from({ length: 1000 }, (_, i) => (i * i) % LEAVES),
      ),
    ],
    [
      "many rows",
      leafCounts(
        LEAVES,
        Array.from({ length: 20_000 }, (_, i) => (i * i) % LEAVES),
      ),
    ],
    ["rows that are alike", leafCounts(LEAVES, new Array(5000).fill(37))],
    ["two heaps at the bounds, half of the rows each", heap(0.5, 10_000)],
    ["two heaps at the bounds, nearly half of the rows each", heap(0.495, 10_000)],
  ];

  test.each(tables.flatMap(([name, counts]) => [0.5, 0.1, 0, 1].map((share) => [share, name, counts] as const)))(
    "share %d of %s: every value that is this quantile lies in the interval",
    (share, _, counts) => {
      const [least, largest] = quantilesOf(counts, share);
      let missed = 0;
      for (const { value, interval } of draws(bounded({ ...asked, quantiles: [share] }), counts, 100)) {
        const [from, to] = interval;
        expect(from).toBeLessThanOrEqual(value);
        expect(value).toBeLessThanOrEqual(to);
        if (least < from || to < largest) missed += 1;
      }
      // Intervals are drawn for 99.9 %: a correct one of the 32 fails with a chance of at most 1e-6.
      expect(missed).toBeLessThanOrEqual(mostMisses(100, 0.001));
    },
  );

  test.each([0.5, 0.1, 0, 1])(
    "share %d: the exact chance of a miss is at most 0.1 %, and no hundredth of it everywhere",
    (share) => {
      const [statistic] = bounded({ ...asked, quantiles: [share] }).statistics;
      if (statistic?.task.kind !== "choice") throw new Error("a choice");
      const chosen = { ...statistic, task: { ...statistic.task, leaves: 4 } };
      let worst = 0;
      for (const table of [
        [0, 0, 0, 0],
        [1, 0, 0, 0],
        [5, 0, 0, 5],
        [10, 10, 0, 0],
        [0, 60, 40, 0],
        [100, 0, 0, 100],
        [0, 0, 0, 200],
      ]) {
        const counts = table.map(BigInt);
        const { choices, width } = choicesOf(counts, chosen);
        const [low, middle, high] = choices.map((runs) =>
          lawOf(
            runs.flatMap(({ length, loss }) => new Array<number>(length).fill(Number(loss))),
            toDouble(width, "up"),
          ),
        );
        const [least, largest] = quantilesOf(counts, share, 3);
        let missed = 0;
        for (const [i, p] of (low ?? []).entries())
          for (const [j, q] of (middle ?? []).entries())
            for (const [k, r] of (high ?? []).entries())
              if (Math.min(i, j, k) > least + 1 || Math.max(i, j, k) < largest + 1) missed += p * q * r;
        worst = Math.max(worst, missed);
      }
      expect(worst).toBeLessThanOrEqual(0.001);
      expect(worst).toBeGreaterThan(0.00001);
    },
  );

  test("no end is more rows from the quantile than is quoted", () => {
    const quoted = quotedOf(asked);
    const counts = leafCounts(
      LEAVES,
      Array.from({ length: 1000 }, (_, i) => i % LEAVES),
    );
    // Ten rows of each value: 500 lie on either side of the median, 10(from + 1) up to the lower end, 10·to below the upper one.
    const far = [...draws(bounded(asked), counts, 200)].map(({ interval: [from, to] }) =>
      Math.max(500 - 10 * (from + 1), 10 * to - 500),
    );
    expect(far.filter((rows) => rows > quoted).length).toBeLessThanOrEqual(mostMisses(200, 0.05));
    expect(Math.max(...far)).toBeGreaterThan(quoted / 3);
  });

  test("of few rows the interval is the whole range, and marked; of many it is short, and not", () => {
    const wholes = (rows: number): number =>
      [
        ...draws(
          bounded(asked),
          leafCounts(
            LEAVES,
            Array.from({ length: rows }, (_, i) => i % LEAVES),
          ),
          50,
        ),
      ].filter(({ interval: [from, to], unreliable = false }) => {
        expect(unreliable).toBe(from === 0 && to === LEAVES - 1);
        return unreliable;
      }).length;
    expect([wholes(10), wholes(20_000)]).toEqual([50, 0]);
  });

  test("a confidence above that for which the ends are drawn is refused", () => {
    expect(() => bounded(asked, 0.9995)).toThrow(
      "confidence is 0.9995, must be at most 0.999 for a quantile with an interval",
    );
    const counts = leafCounts(
      LEAVES,
      Array.from({ length: 20_000 }, (_, i) => i % LEAVES),
    );
    const [usual] = draws(bounded(asked, 0.999), counts, 1);
    expect(usual?.unreliable).toBeUndefined();
  });

  test.each([[0.5], [0.1], [1]])(
    "share %d: no neighbour of any table of four leaves with up to four rows each changes an answer by more than e^ε",
    (share) => {
      const [statistic] = bounded({ ...asked, quantiles: [share] }).statistics;
      if (statistic?.task.kind !== "choice" || statistic.noise.kind !== "laplace") throw new Error("a choice");
      const chosen = { ...statistic, task: statistic.task };
      const { width } = choicesOf([], chosen);
      const worst = worstOfNeighbours((counts) => choicesOf(counts, chosen).choices, toDouble(width, "up"));
      expect(worst).toBeLessThanOrEqual(1 + 1e-9);
      expect(worst).toBeGreaterThan(0.3);
    },
  );

  test("another share than a half is named", () => {
    const binsOf = (quantiles: readonly number[]) =>
      [...draws(bounded({ ...asked, quantiles }), leafCounts(LEAVES, []), 1)][0]?.bin;
    expect(binsOf([0.9])).toEqual({ label: "90%", value: 0.9 });
    expect(binsOf([0.5])).toBeUndefined();
  });

  test("one price, one answer in each group; groups that are found in rows too", () => {
    const grouped = bounded({ ...asked, groupBy: ["sex"] });
    expect(grouped.statistics[0]?.events).toEqual([{ kind: "pure", epsilon: "1" }]);
    expect(quotePlan(grouped)[0]).toMatchObject({ noise: "selection", cells: 2 });
    const found = bounded({ ...asked, groupBy: ["sex"], keys: "select", delta: 1e-6, epsilon: 20 });
    const exact = new Exact([
      Object.assign([5000n, 5000n], { found: ["f", "m"], cellsOf: () => new Array<bigint>(LEAVES).fill(50n) }),
    ]);
    const [answer] = addNoise(found, exact, seededRandom(3));
    expect(
      answer?.cells.map(({ group: { sex }, interval: [from, to] }) => [sex, from <= 50 && 50 <= to, to - from < 20]),
    ).toEqual([
      ["f", true, true],
      ["m", true, true],
    ]);
  });

  test("offers say how many rows an interval reaches over, not how long it is", () => {
    const diagrams = diagramsOf(declaration);
    const counts = leafCounts(
      LEAVES,
      Array.from({ length: 3000 }, (_, i) => i % LEAVES),
    );
    const same = waysTo(askedFor(asked), [released(asked, counts, seededRandom(1))], diagrams)[0];
    expect(same).toMatchObject({ kind: "same", halfWidth: quotedOf(asked) });
    expect(same?.sentence).toContain(`within ± ${quotedOf(asked)} rows`);
    const curve = released({ statistic: "cdf", column: "age", epsilon: 1 }, counts, seededRandom(1));
    const [median, derived] = ["median", "quantileInterval"].map(
      (statistic) =>
        waysTo(askedFor({ statistic, column: "age", epsilon: 1 } as StatisticRequest), [curve], diagrams)[0],
    );
    expect(derived?.halfWidth).toBe(median?.cells?.[0]?.rank);
  });

  test("groups share the chance of a miss", () => {
    const groups = (groupBy: readonly ("sex" | "member")[]) => quotedOf({ ...asked, groupBy });
    expect(groups(["sex"])).toBeGreaterThan(groups([]));
    expect(groups(["sex", "member"])).toBeGreaterThan(groups(["sex"]));
  });

  test("the least epsilon for an error reaches it, and one unit less does not", () => {
    const request = { statistic: "quantileInterval", lower: 0, upper: 100 } as const;
    const { epsilon } = epsilonFor({ ...request, accuracy: 400 }) as { epsilon: string };
    expect(accuracy({ ...request, epsilon })).toBeLessThanOrEqual(400);
    expect(accuracy({ ...request, epsilon: Number(epsilon) - 1e-9 })).toBeGreaterThan(400);
  });

  test("a curve gives it for nothing, and a median of the same rows does not move it", () => {
    const diagrams = diagramsOf(declaration);
    const counts = leafCounts(
      LEAVES,
      Array.from({ length: 3000 }, (_, i) => i % LEAVES),
    );
    const random = seededRandom(5);
    const curve = released({ statistic: "cdf", column: "age", epsilon: 1 }, counts, random);
    const [way] = waysTo(askedFor(asked), [curve], diagrams);
    expect(way).toMatchObject({ kind: "derived", cells: [{ value: expect.closeTo(49, -1) }] });
    expect(way?.cells?.[0]).not.toHaveProperty("rank");
    const [median] = waysTo(askedFor({ statistic: "median", column: "age", epsilon: 1 }), [curve], diagrams);
    expect(way?.cells?.[0]?.interval).toEqual(median?.cells?.[0]?.interval);
    const pools = [asked, { ...asked, statistic: "median" } as const].map((request) =>
      poolOf(released(request, counts, random)),
    );
    expect(atOnce(consistentSteps(pools, diagrams, 0.05)).cells).toEqual([null, null]);
  });

  test.each([
    [{ quantiles: [0.25, 0.75] }, "statistics[0].quantiles is [0.25,0.75], must be one share from 0 to 1"],
    [{ quantiles: [] }, "statistics[0].quantiles is 0, must be 1 to 99 shares"],
    [{ quantiles: [2] }, "statistics[0].quantiles[0] is 2, must be a share from 0 to 1"],
    [{ rho: 1, epsilon: undefined }, "a quantile with an interval is chosen, which is paid in epsilon"],
    [{ column: "sex" }, "an integer, number or date column"],
  ])("%j is refused", (more, message) => {
    const { epsilon, ...rest } = { ...asked, ...more };
    const request = (epsilon === undefined ? rest : { ...rest, epsilon }) as StatisticRequest;
    expect(() => bounded(request)).toThrow(message);
  });
});
