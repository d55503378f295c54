import { Exact, parseRational } from "@dosimeter/core";
import { seededRandom } from "@dosimeter/core/testing";
import { describe, expect, test } from "vitest";
import { duckdbUnderTest } from "../../../engines/src/duckdb/under-test.kit.ts";
import { columns, fixed, people, ROWS, sampleKit } from "../../../engines/src/engine/sample.kit.ts";
import { addNoise } from "../answer/add-noise.ts";
import { boundPlan } from "../bind/bound-plan.ts";
import { checkDeclaration } from "../declaration/check-declaration.ts";
import { leavesIn } from "../plan/task.kit.ts";
import { quotePlan } from "../quote/quote.ts";
import type { Plan } from "./request.ts";

const source = { parquet: "t.parquet" };

sampleKit("DuckDB", () => duckdbUnderTest("parquet", 1, { mostHeld: 40_000 }));

describe("what a sample means", () => {
  const weight = { type: "number", lower: 0, upper: 200 };
  const of = { ...people, columns: { ...columns, weight, word: { type: "text" } } };
  const declaration = checkDeclaration({ ...of, source, size: { assumed: 4000 } });
  const one = (sample: unknown, statistic: object, over = declaration) =>
    boundPlan({ sample, statistics: [{ epsilon: "0.5", ...statistic }] } as unknown as Plan, over).statistics[0];

  test("its events name it", () => {
    const event = one({ rate: "0.1" }, { statistic: "count" })?.events[0];
    if (event?.kind !== "poissonSampled") throw new Error("a sampled event");
    expect(parseRational(event.rate)).toEqual({ numerator: 1n, denominator: 10n });
    const replaced = one({ size: 100 }, { statistic: "mean", column: "age" }, checkDeclaration({ ...fixed, source }));
    expect(replaced?.events[0]).toMatchObject({ kind: "sampledWithoutReplacement", size: 100, population: ROWS });
    expect(replaced?.task).toMatchObject({ publicRows: 100 });
  });

  test("answers that grow with the table are scaled to the whole of it, others are not", () => {
    const plan: Plan = {
      sample: { rate: "0.25" },
      statistics: [
        { statistic: "count", epsilon: 1000 },
        { statistic: "mean", column: "age", epsilon: 1000 },
      ],
    };
    const bounded = boundPlan(plan, declaration);
    const exact = new Exact([[100n], [3000n * 11n, (10_000n - 3000n) * 11n]]);
    const [count, mean] = addNoise(bounded, exact, seededRandom(1));
    expect(count?.cells[0]).toMatchObject({ value: 400, noisy: ["100"] });
    expect(count?.notes.join()).toContain("secret sample");
    expect(mean?.cells[0]?.value).toBeCloseTo(30, 1);
    expect(mean?.cells[0]?.rows?.value).toBeCloseTo(400, 0);
    const [whole, sampled] = [quotePlan(boundPlan({ statistics: plan.statistics }, declaration)), quotePlan(bounded)];
    expect(sampled[0]?.accuracy.halfWidth).toBe(4 * (whole[0]?.accuracy.halfWidth ?? 0));
    expect(sampled[1]?.accuracy.halfWidth).toBeCloseTo(4 * (whole[1]?.accuracy.halfWidth ?? 0), 10);
  });

  test("the rows of an answer's notes are those of its cells and its quote", () => {
    const statistics = ["median", "quantileInterval"].map((statistic) => ({ statistic, column: "age", epsilon: 1 }));
    const bounded = boundPlan({ sample: { rate: "0.25" }, statistics } as unknown as Plan, declaration);
    const exact = bounded.statistics.map((each) => new Array<bigint>(leavesIn(each)).fill(20n));
    const [median, interval] = addNoise(bounded, new Exact(exact), seededRandom(1));
    const [quoted] = quotePlan(bounded);
    expect(median?.cells[0]?.rank).toBe(quoted?.accuracy.halfWidth);
    expect(median?.notes.join()).toContain(`At most ${quoted?.accuracy.halfWidth} rows`);
    // The note holds for the confidence of the ends, a quote for that of the plan.
    const [at] = quotePlan({ ...bounded, confidence: 0.999 }).slice(1);
    expect(interval?.notes.join()).toContain(`at most ${at?.accuracy.halfWidth} rows`);
  });

  test("several columns, curves and the most frequent values are scaled to the whole table too", () => {
    const at = (statistic: object, isSampled = true) => {
      const bounded = one(isSampled ? { rate: "0.25" } : undefined, { epsilon: 1000, ...statistic });
      if (bounded === undefined) throw new Error("one statistic");
      return quotePlan({ declaration, adjacency: "addRemove", confidence: 0.95, statistics: [bounded] })[0]?.accuracy;
    };
    // Counts and ranks grow four times; a covariance has a quarter of the rows.
    for (const statistic of [
      { statistic: "cdf", column: "age", bins: 64 },
      { statistic: "median", column: "age" },
      { statistic: "clippedValues", column: "age" },
      { statistic: "topValues", column: "age", k: 1 },
    ])
      expect(at(statistic)?.halfWidth, statistic.statistic).toBeCloseTo(4 * (at(statistic, false)?.halfWidth ?? 0), 6);
    const pair = { statistic: "covariance", column: "age", with: "weight" };
    expect((at(pair)?.halfWidth ?? 0) / (at(pair, false)?.halfWidth ?? 1)).toBeCloseTo(4, 1);
    const curve: Plan = { sample: { rate: "0.5" }, statistics: [{ statistic: "cdf", column: "age", epsilon: 1000 }] };
    const bounded = boundPlan(curve, declaration);
    const leaves = leavesIn(bounded.statistics[0]);
    const [answer] = addNoise(bounded, new Exact([Array.from({ length: leaves }, () => 10n)]), seededRandom(2));
    expect(answer?.cells.at(-1)?.value).toBeCloseTo(20 * leaves, -1);
    expect(answer?.simultaneous).toBe(quotePlan(bounded)[0]?.accuracy.halfWidth);
  });

  test.each([
    [{ rate: 0 }, { statistic: "count" }, "sample.rate"],
    [{ rate: 1 }, { statistic: "count" }, "sample.rate"],
    [{ rate: "1e-30" }, { statistic: "count" }, "sample.rate"],
    [{ size: 10 }, { statistic: "count" }, "sample.size"],
    [{ rate: 0.5, size: 10 }, { statistic: "count" }, "sample"],
    [{ seen: true, rate: 0.5 }, { statistic: "count" }, "sample.seen"],
    [{}, { statistic: "count" }, "sample"],
    [{ rate: 0.5 }, { statistic: "minimum", column: "age" }, "the ends of a sample"],
    [{ rate: 0.5 }, { statistic: "maximum", column: "age" }, "the ends of a sample"],
    [{ rate: 0.5 }, { statistic: "bounds", column: "age" }, "need not hold the table"],
    [{ rate: 0.5 }, { statistic: "distinctValues", column: "age" }, "says little about the table"],
    [{ rate: 0.5 }, { statistic: "keyCounts", column: "word", delta: 1e-6 }, "statistics[0].column"],
    [{ rate: 0.5 }, { statistic: "count", groupBy: ["age"], keys: "select", delta: 1e-6 }, "statistics[0].keys"],
  ])("%j with %j is refused", (sample, statistic, words) => {
    expect(() => one(sample, statistic)).toThrow(words);
  });

  test.each([
    [{ size: ROWS }, "sample.size"],
    [{ size: 0 }, "sample.size"],
    [{ rate: 0.5 }, "sample.rate"],
  ])("over a public number of rows, %j is refused", (sample, words) => {
    const over = checkDeclaration({ ...fixed, source });
    expect(() => one(sample, { statistic: "count" }, over)).toThrow(words);
  });
});
