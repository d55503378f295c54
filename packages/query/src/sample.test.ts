import { Exact, parseRational } from "@dosimeter/core";
import { seededRandom } from "@dosimeter/core/testing";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { addNoise } from "./answer.ts";
import { boundPlan } from "./bound.ts";
import { checkDeclaration } from "./declaration.ts";
import { duckdbUnderTest } from "./duckdb.kit.ts";
import { type EngineUnderTest, measure } from "./engine.kit.ts";
import type { Plan } from "./plan.ts";
import { postgresUnderTest } from "./postgres.kit.ts";
import { quotePlan } from "./quote.ts";

const columns = {
  person: { type: "text" },
  age: { type: "integer", lower: 0, upper: 100, required: true },
} as const;
const stored = { person: "VARCHAR", age: "BIGINT" } as const;
const ROWS = 4000;
const rows = Array.from({ length: ROWS }, (_, index) => ({ person: `p${index >> 1}`, age: index % 101 }));

const people = { name: "t", privacyUnit: { column: "person" }, contribution: { rows: 2 }, columns };
const fixed = { name: "t", privacyUnit: "row", adjacency: "replace", size: { public: ROWS }, columns };
const source = { parquet: "t.parquet" };

describe.each([
  ["DuckDB", () => duckdbUnderTest("parquet", 1)],
  ["PostgreSQL", postgresUnderTest],
] as const)("a secret sample in %s [M128]", (name, open) => {
  let under: EngineUnderTest;
  beforeAll(async () => {
    under = await open();
  });
  afterAll(() => under.close());

  test("each unit is in or out as a whole with its chance, and anew in every run", async () => {
    const declaration = checkDeclaration({ ...people, source: await under.store(stored, rows) });
    const statistics: Plan["statistics"] = [
      { statistic: "count", epsilon: 1 },
      { statistic: "distinctUnits", epsilon: 1 },
    ];
    const plan: Plan = { sample: { rate: "0.25" }, statistics };
    const units: number[] = [];
    for (let i = 0; i < 6; i++) {
      const [[count = 0n] = [], [distinct = 0n] = []] = await measure(under.engine, plan, declaration);
      expect(count % 2n).toBe(0n);
      units.push(Number(count) / 2, Number(distinct));
    }
    // 12 independent binomials of 2000 and ¼: each within 6σ, their spread as it should be (χ²₁₂ beyond 45 or below 1: 10⁻⁵).
    const scores = units.map((n) => (n - 500) / Math.sqrt(375));
    for (const score of scores) expect(Math.abs(score)).toBeLessThan(6);
    const chi = scores.reduce((sum, score) => sum + score ** 2, 0);
    expect(chi).toBeGreaterThan(1);
    expect(chi).toBeLessThan(45);
  });

  test("rows as units: each row has its chance", async () => {
    const declaration = checkDeclaration({
      ...people,
      privacyUnit: "row",
      contribution: undefined,
      source: await under.store(stored, rows),
    });
    const plan: Plan = { sample: { rate: 0.5 }, statistics: [{ statistic: "count", epsilon: 1 }] };
    const [[count = 0n] = []] = await measure(under.engine, plan, declaration);
    expect(Math.abs(Number(count) - ROWS / 2)).toBeLessThan(6 * Math.sqrt(ROWS / 4));
  });

  test("a fixed number of rows, any of them equally likely", async () => {
    const declaration = checkDeclaration({ ...fixed, source: await under.store(stored, rows) });
    const plan: Plan = {
      sample: { size: 400 },
      statistics: [
        { statistic: "count", epsilon: 1 },
        { statistic: "sum", column: "age", epsilon: 1 },
      ],
    };
    if (name === "PostgreSQL") {
      expect(() => boundPlan(plan, declaration)).toThrow("sample.size");
      return;
    }
    const [[count] = [], [sum = 0n] = []] = await measure(under.engine, plan, declaration);
    expect(count).toEqual(400n);
    expect(Math.abs(Number(sum) / 400 - 50)).toBeLessThan(6 * (29.2 / 20));
    const [, [other] = []] = await measure(under.engine, plan, declaration);
    expect(other).not.toBe(sum); // equal with probability about 1/1500
  });
});

describe("what a sample means", () => {
  const declaration = checkDeclaration({ ...people, source, size: { assumed: 4000 } });
  const one = (sample: unknown, statistic: object, over = declaration) =>
    boundPlan({ sample, statistics: [{ epsilon: "0.5", ...statistic }] } as Plan, over).statistics[0];

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
