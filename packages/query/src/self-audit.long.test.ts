import { seededRandom } from "@dosimeter/core/testing";
import { afterAll, beforeAll, expect, test } from "vitest";
import { duckdbUnderTest } from "./duckdb.kit.ts";
import type { EngineUnderTest } from "./engine.kit.ts";
import type { Engine } from "./engine.ts";
import { type Bench, fuzzSensitivities, type MadeUpRow, replayNoise } from "./self-audit.ts";

const stored = { person: "VARCHAR", region: "VARCHAR", age: "BIGINT", pay: "DOUBLE", member: "BOOLEAN" } as const;
let under: EngineUnderTest;
let bench: Bench;
beforeAll(async () => {
  under = await duckdbUnderTest("csv", 1);
  const store = (rows: readonly MadeUpRow[]) =>
    under.store(
      stored,
      rows.map((row) => ({ ...row })),
    );
  bench = { engine: under.engine, store, salt: "5e".repeat(32) };
});
afterAll(() => under.close());

const replay = (on: Bench) => replayNoise(on, { draws: 6000, random: seededRandom(7) });

/** An engine that keeps more rows of a unit than the plan says, or counts every row twice. */
const faulty = (fault: Partial<Pick<Engine, "run">>): Bench => ({
  ...bench,
  engine: { ...under.engine, ...bound(under.engine), ...fault },
});
const bound = ({ describe, check, run, close }: Engine): Engine => ({
  describe: describe.bind(under.engine),
  check: check.bind(under.engine),
  run: run.bind(under.engine),
  close: close.bind(under.engine),
});

test("finds nothing beyond the claims here, and comes close to them [M127]", async () => {
  const fuzzed = await fuzzSensitivities(bench, 6, seededRandom(3));
  expect(fuzzed.filter(({ violations }) => violations > 0)).toEqual([]);
  expect(fuzzed.length).toBeGreaterThanOrEqual(10);
  for (const { statistic, noise, claimed, atLeast } of await replay(bench)) {
    expect(atLeast, statistic).toBeLessThanOrEqual(claimed);
    if (noise !== "selection") expect(atLeast, statistic).toBeGreaterThan(0.75 * claimed);
  }
});

test("finds an engine that does not bound contributions", async () => {
  const run: Engine["run"] = (plan, options) =>
    under.engine.run(
      {
        ...plan,
        statistics: plan.statistics.map((each) => ({
          ...each,
          contribution: { ...each.contribution, bound: { rows: 50, groups: null, rowsPerGroup: null } },
        })),
      },
      options,
    );
  const fuzzed = await fuzzSensitivities(faulty({ run }), 6, seededRandom(3));
  expect(fuzzed.find(({ statistic }) => statistic === "count")?.violations).toBeGreaterThan(0);
});

test("finds noise that is half of what was claimed", async () => {
  const run: Engine["run"] = async (plan, options) =>
    (await under.engine.run(plan, options)).map((vectors) =>
      vectors.map((vector) => vector.map((value) => 2n * value)),
    );
  const beyond = (await replay(faulty({ run }))).filter(({ atLeast, claimed }) => atLeast > claimed);
  expect(beyond.map(({ statistic }) => statistic)).toContain("sum of pay");
  expect(beyond.length).toBeGreaterThanOrEqual(8);
});
