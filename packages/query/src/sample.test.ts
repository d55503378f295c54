import { Exact, parseRational } from "@dosimeter/core";
import { seededRandom } from "@dosimeter/core/testing";
import { describe, expect, test } from "vitest";
import { addNoise } from "./answer.ts";
import { boundPlan } from "./bound.ts";
import { checkDeclaration } from "./declaration.ts";
import { duckdbUnderTest } from "./duckdb.kit.ts";
import type { Plan } from "./plan.ts";
import { quotePlan } from "./quote.ts";
import { fixed, people, ROWS, sampleKit } from "./sample.kit.ts";

const source = { parquet: "t.parquet" };

sampleKit("DuckDB", () => duckdbUnderTest("parquet", 1));

describe("what a sample means", () => {
  const declaration = checkDeclaration({ ...people, source, size: { assumed: 4000 } });
  const one = (sample: unknown, statistic: object, over = declaration) =>
    boundPlan({ sample, statistics: [{ epsilon: "0.5", ...statistic }] } as unknown as Plan, over).statistics[0];

  test("its events name it", () => {
    const event = one({ rate: "0.1" }, { statistic: "count" })?.events[0];
    if (event?.kind !== "poissonSampled") throw new Error("a sampled event");
    expect(parseRational(event.rate)).toEqual({ numerator: 1n, denominator: 10n });
    const replaced = one({ size: 100 }, { statistic: "mean", column: "age" }, checkDeclaration({ ...fixed, source }));
    expect(replaced?.events[0]).toMatchObject({ kind: "sampledWithoutReplacement", size: 100, population: ROWS });
    expect(replaced?.publicRows).toBe(100);
  });

  test("answers that grow with the table are told for the whole of it, others are not", () => {
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

  test.each([
    [{ rate: 0 }, { statistic: "count" }, "sample.rate"],
    [{ rate: 1 }, { statistic: "count" }, "sample.rate"],
    [{ rate: "1e-30" }, { statistic: "count" }, "sample.rate"],
    [{ size: 10 }, { statistic: "count" }, "sample.size"],
    [{ rate: 0.5, size: 10 }, { statistic: "count" }, "sample"],
    [{ seen: true, rate: 0.5 }, { statistic: "count" }, "sample.seen"],
    [{}, { statistic: "count" }, "sample"],
    [{ rate: 0.5 }, { statistic: "minimum", column: "age" }, "statistics[0].statistic"],
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
