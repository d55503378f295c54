import { seededRandom } from "@dosimeter/core/testing";
import { afterAll, beforeAll, expect, test } from "vitest";
import { duckdbUnderTest } from "../../../engines/src/duckdb/under-test.kit.ts";
import type { EngineUnderTest } from "../../../engines/src/engine/under-test.kit.ts";
import { postgresUnderTest } from "../../../engines/src/postgres/under-test.kit.ts";
import type { Engine } from "../plan/engine.ts";
import { benchOf, expectSensitivities } from "./bench.kit.ts";
import { type Bench, fuzzSensitivities, replayed, replayNoise } from "./index.ts";

let under: EngineUnderTest;
let bench: Bench;
beforeAll(async () => {
  under = await duckdbUnderTest("csv", 1);
  bench = benchOf(under);
});
afterAll(() => under.close());

const replay = (on: Bench, asked = replayed) => replayNoise(on, { draws: 6000, asked, random: seededRandom(7) });

/** An engine that keeps more rows of a unit than the plan says, or counts every row twice. */
const faulty = (fault: Partial<Pick<Engine, "run">>): Bench => ({
  ...bench,
  engine: { ...under.engine, ...bound(under.engine), ...fault },
});
const bound = ({ describe, list, check, fit, append, checkSize, run, probe, close }: Engine): Engine => ({
  describe: describe.bind(under.engine),
  list: list.bind(under.engine),
  check: check.bind(under.engine),
  fit: fit.bind(under.engine),
  append: append.bind(under.engine),
  run: run.bind(under.engine),
  checkSize: checkSize.bind(under.engine),
  probe: probe.bind(under.engine),
  close: close.bind(under.engine),
});

test.each([
  ["DuckDB", () => duckdbUnderTest("csv", 1), 1000],
  ["PostgreSQL", postgresUnderTest, 800],
])(
  "%s: no statistic moves further than declared between neighbouring tables, and each as far [M81]",
  async (_, open, pairs) => {
    const opened = await open();
    try {
      await expectSensitivities(benchOf(opened), pairs);
    } finally {
      await opened.close();
    }
  },
);

test("noise proves nothing beyond the claims here, and comes close to them [M127]", async () => {
  for (const { statistic, noise, claimed, delta, atLeast } of await replay(bench)) {
    expect(atLeast, statistic).toBeLessThanOrEqual(claimed);
    // Found keys: a part of the price decides only what is published.
    if (noise !== "selection") expect(atLeast, statistic).toBeGreaterThan((delta > 0 ? 0.25 : 0.55) * claimed);
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
  const asked = replayed.filter(
    ({ statistic, keys }) => ["count", "sum", "mean", "cdf"].includes(statistic) && keys === undefined,
  );
  const found = await replay(faulty({ run }), asked);
  expect(found).toHaveLength(10);
  expect(found.filter(({ atLeast, claimed }) => atLeast <= claimed)).toEqual([]);
});
