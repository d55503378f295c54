import { Exact } from "@dosimeter/core";
import { seededRandom } from "@dosimeter/core/testing";
import { afterAll, beforeAll, expect, test } from "vitest";
import { duckdbUnderTest } from "../../../engines/src/duckdb/under-test.kit.ts";
import { type EngineUnderTest, measure } from "../../../engines/src/engine/under-test.kit.ts";
import { boundPlan } from "../bind/bound-plan.ts";
import { checkDeclaration } from "../declaration/check-declaration.ts";
import type { Declaration } from "../declaration/declaration.ts";
import type { StatisticRequest } from "../statistics/request.ts";
import { addNoise } from "./add-noise.ts";
import type { Answer } from "./answer.ts";
import { missingShares } from "./missing-share.ts";

/** A third of 300 rows has a sex that is not declared. */
const OUTSIDE = 100;
const rows = Array.from({ length: 300 }, (_, at) => ({
  sex: ["f", "m", "unknown"][at % 3] ?? "",
  age: 20 + (at % 50),
}));
const sex = { type: "category", categories: ["f", "m"], label: "Sex" };
const age = { type: "integer", lower: 0, upper: 100, required: true };

let under: EngineUnderTest;
let declared: (columns: object, more?: object) => Declaration;
beforeAll(async () => {
  under = await duckdbUnderTest("parquet", 1);
  const source = await under.store({ sex: "VARCHAR", age: "BIGINT" }, rows);
  declared = (columns, more) => checkDeclaration({ name: "t", source, privacyUnit: "row", columns, ...more });
});
afterAll(() => under.close());

type Rows = readonly StatisticRequest[];
const all = { id: "all", statistic: "count", epsilon: 0.5 } as const;
const by = { id: "by", statistic: "count", groupBy: ["sex"], epsilon: 0.5 } as const;
const bars = { id: "bars", statistic: "histogram", column: "sex", rho: 0.1 } as const;

async function* noted(statistics: Rows, over: Declaration, runs: number) {
  const plan = { statistics };
  const exact = new Exact(await measure(under.engine, plan, over));
  for (let run = 0; run < runs; run++) {
    const answers = addNoise(boundPlan(plan, over), exact, seededRandom(run));
    yield { answers, missing: missingShares(plan, over, answers).missing ?? {} };
  }
}

async function notesOf(statistics: Rows, over: Declaration) {
  for await (const { missing } of noted(statistics, over, 1)) return missing;
  return {};
}

test("answers in declared groups say how many rows are in none, and hold that as often as they say [M387]", async () => {
  const RUNS = 1000;
  const missed: Record<string, number> = { by: 0, bars: 0 };
  for await (const { missing } of noted([all, by, bars], declared({ sex, age }), RUNS))
    for (const id of ["by", "bars"]) {
      const [, least, most] =
        /^(?:At most|Between (\d+) and) (\d+) rows with no declared value of Sex/.exec(missing[id] ?? "") ?? [];
      if (!(Number(least ?? 0) <= OUTSIDE && OUTSIDE <= Number(most))) missed[id] = (missed[id] ?? 0) + 1;
    }
  // At most 5 % miss; 78 of 1,000 are four standard errors above.
  for (const count of Object.values(missed)) expect(count).toBeLessThan(78);
});

test("where nothing tells how many, that others are in no group is said all the same", async () => {
  const words = "Rows with no declared value of Sex are in none of these groups, and nothing is said about them.";
  expect(await notesOf([by], declared({ sex, age }))).toEqual({ by: words });
  const mean = { id: "mean", statistic: "mean", column: "age", groupBy: ["sex"], epsilon: 5 } as const;
  expect(await notesOf([all, mean], declared({ sex, age }))).toEqual({ mean: words });
  // Bins of numbers hold no row without one.
  const bins = { id: "bins", statistic: "histogram", column: "age", bins: 5, groupBy: ["sex"], epsilon: 5 } as const;
  expect(await notesOf([all, bins], declared({ sex, age: { ...age, required: false } }))).toEqual({ bins: words });
  const whole = declared({ sex: { ...sex, categories: ["f", "m", "unknown"] }, age });
  expect((await notesOf([all, by], whole)).by).toMatch(
    /^At most \d+ rows with no declared value of Sex .*in 95 of 100 cases\.$/,
  );
  // Another filter counts other rows; answers from earlier releases have noise of their own.
  expect(await notesOf([{ ...all, where: "age > 30" }, by], declared({ sex, age }))).toEqual({ by: words });
  for await (const { answers } of noted([all, by], declared({ sex, age }), 1)) {
    const earlier = answers.map((each): Answer => ({ ...each, origin: { kind: "derived", from: [] } }));
    expect(missingShares({ statistics: [all, by] }, declared({ sex, age }), earlier).missing).toEqual({ by: words });
  }
});

test("a public number of rows tells too", async () => {
  const over = declared({ sex, age: { ...age, required: false } }, { adjacency: "replace", size: { public: 300 } });
  expect((await notesOf([{ ...by, epsilon: 5 }], over)).by).toMatch(/^Between \d+ and \d+ rows with no declared value/);
});

test("nothing where every row has a declared value, or groups are found", async () => {
  expect(await notesOf([all, by, bars], declared({ sex: { ...sex, required: true }, age }))).toEqual({});
  const found = { id: "found", statistic: "count", groupBy: ["sex"], keys: "select", delta: 1e-6, epsilon: 5 } as const;
  expect(await notesOf([all, found], declared({ sex, age }))).toEqual({});
  const ages = { id: "ages", statistic: "histogram", column: "age", bins: 5, epsilon: 1 } as const;
  expect(await notesOf([all, ages], declared({ sex, age: { ...age, required: false } }))).toEqual({});
});
