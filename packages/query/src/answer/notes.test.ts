import { Exact } from "@dosimeter/core";
import { seededRandom } from "@dosimeter/core/testing";
import { afterAll, beforeAll, expect, test } from "vitest";
import { duckdbUnderTest } from "../../../engines/src/duckdb/under-test.kit.ts";
import { type EngineUnderTest, measure } from "../../../engines/src/engine/under-test.kit.ts";
import { boundPlan } from "../bind/bound-plan.ts";
import { checkDeclaration } from "../declaration/check-declaration.ts";
import type { Declaration } from "../declaration/declaration.ts";
import { binsOf } from "../plan/task.ts";
import { quotePlan } from "../quote/quote.ts";
import type { StatisticRequest } from "../statistics/request.ts";
import { clampedNote } from "../statistics/words.ts";
import { addNoise } from "./add-noise.ts";
import { notesOf as notesAbout } from "./notes.ts";

/** Most pays lie far above the upper bound, ages within their bounds, and debts below the lower bound. */
const rows = Array.from({ length: 400 }, (_, index) => ({
  person: `p${index % 200}`,
  pay: index % 50 === 0 ? 3 : 99,
  age: 30 + (index % 41),
  debt: index % 50 === 0 ? 1 : -7,
}));
const columns = {
  person: { type: "text" },
  pay: { type: "number", lower: 0, upper: 6, granularity: 0.01, required: true },
  age: { type: "integer", lower: 0, upper: 100, required: true },
  debt: { type: "number", lower: 0, upper: 6, granularity: 0.01 },
};

let under: EngineUnderTest;
let declaration: Declaration;
beforeAll(async () => {
  under = await duckdbUnderTest("parquet", 1);
  const source = await under.store({ person: "VARCHAR", pay: "DOUBLE", age: "BIGINT", debt: "DOUBLE" }, rows);
  declaration = checkDeclaration({ name: "t", source, privacyUnit: "row", columns });
});
afterAll(() => under.close());

async function notesOf(request: StatisticRequest, over = declaration): Promise<string> {
  const plan = { statistics: [request] };
  const exact = new Exact(await measure(under.engine, plan, over));
  const [answer] = addNoise(boundPlan(plan, over), exact, seededRandom(5));
  return answer?.notes.filter((note) => /capping|bound(ing)? (may|6|0)/i.test(note)).join(" ") ?? "";
}

test.each<[StatisticRequest, string]>([
  [{ statistic: "mean", column: "pay", epsilon: 50 }, "values of pay lie near 6"],
  [{ statistic: "mean", column: "debt", epsilon: 50 }, "values of debt lie near 0"],
  [{ statistic: "variance", column: "pay", epsilon: 50 }, "values of pay lie near 6"],
  [{ statistic: "variance", column: "pay", rho: 50 }, "values of pay lie near 6"],
  [{ statistic: "standardDeviation", column: "debt", rho: 50 }, "values of debt lie near 0"],
  [{ statistic: "covariance", column: "age", with: "pay", epsilon: 50 }, "values of pay lie near 6"],
  [{ statistic: "regression", column: "age", with: ["pay", "debt"], rho: 50 }, "values of debt lie near 0"],
  [{ statistic: "median", column: "pay", epsilon: 50 }, "lies at the bound 6"],
  [{ statistic: "quantiles", column: "debt", quantiles: [0.1, 0.9], epsilon: 50 }, "lies at the bound 0"],
  [{ statistic: "maximum", column: "pay", epsilon: 50 }, "lies at the bound 6"],
  [{ statistic: "minimum", column: "debt", epsilon: 50 }, "lies at the bound 0"],
  [{ statistic: "cdf", column: "pay", epsilon: 50 }, "rows lie at the bound 6"],
  [{ statistic: "cdf", column: "debt", epsilon: 50 }, "rows lie at the bound 0"],
  [{ statistic: "clippedValues", column: "pay", epsilon: 50 }, "one value of pay in twenty"],
])("%o says that capping may matter more than noise", async (request, words) => {
  expect(await notesOf(request)).toContain(words);
});

test("many people over the row limit give a note", async () => {
  const people = { ...declaration, privacyUnit: { column: "person" } };
  const ask = (contribution: { rows: number }) =>
    notesOf({ statistic: "cutUnits", epsilon: 50 }, checkDeclaration({ ...people, contribution }));
  expect(await ask({ rows: 1 })).toContain("one person in twenty");
  expect(await ask({ rows: 2 })).toBe("");
});

test("a sum over a public number of rows gives the mean", async () => {
  const over = checkDeclaration({ ...declaration, adjacency: "replace", size: { public: rows.length } });
  expect(await notesOf({ statistic: "sum", column: "pay", epsilon: 50 }, over)).toContain("values of pay lie near 6");
  expect(await notesOf({ statistic: "sum", column: "age", epsilon: 50 }, over)).toBe("");
});

test.each<[StatisticRequest]>([
  [{ statistic: "mean", column: "age", epsilon: 50 }],
  [{ statistic: "variance", column: "age", epsilon: 50 }],
  [{ statistic: "median", column: "age", epsilon: 50 }],
  [{ statistic: "minimum", column: "age", epsilon: 50 }],
  [{ statistic: "cdf", column: "age", epsilon: 50 }],
  [{ statistic: "clippedValues", column: "age", epsilon: 50 }],
  // With noise too large for any conclusion there is no note.
  [{ statistic: "mean", column: "pay", epsilon: 1e-6 }],
  [{ statistic: "mean", column: "pay", epsilon: 0.05 }],
  [{ statistic: "variance", column: "pay", epsilon: 0.02 }],
  [{ statistic: "variance", column: "pay", rho: 0.0002 }],
  [{ statistic: "regression", column: "age", with: ["pay", "debt"], rho: 0.0004 }],
  [{ statistic: "sum", column: "pay", epsilon: 50 }],
])("%o says nothing of capping", async (request) => {
  expect(await notesOf(request)).toBe("");
});

test("a histogram says what its bins at both ends also hold", async () => {
  const exact = (request: StatisticRequest, over = declaration) => {
    const bounded = boundPlan({ statistics: [request] }, over);
    const cells = bounded.statistics.flatMap((statistic) => binsOf(statistic).map(() => 0n));
    return addNoise(bounded, new Exact([cells]), seededRandom(5))[0]?.notes;
  };
  expect(exact({ statistic: "histogram", column: "age", bins: [20, 30, 60], epsilon: 1 })).toContain(
    "The bins at both ends also hold the values below 20 and above 60.",
  );
  const day = { type: "date", lower: "2024-01-10", upper: "2024-12-20" };
  const dated = checkDeclaration({ ...declaration, columns: { day } });
  expect(exact({ statistic: "histogram", column: "day", bins: "month", epsilon: 1 }, dated)).toContain(
    "The bins at both ends also hold the values below 2024-01-10 and above 2024-12-20.",
  );
});

test("bounds are written as people write numbers", () => {
  expect(clampedNote({ lower: -10_000, upper: 250_000.5 })).toContain("outside −10,000 to 250,000.5 were");
  expect(clampedNote({ lower: 0, upper: 1e-7 })).toContain("outside 0 to 0.0000001 were");
  expect(clampedNote({ lower: 0, upper: 365, calendar: "day" })).toContain("outside 1970-01-01 to 1971-01-01 were");
});

test("a quantile says its steps, in its quote and in its note", () => {
  const said = (request: StatisticRequest, table = declaration) => {
    const bounded = boundPlan({ statistics: [request] }, table);
    const [statistic] = bounded.statistics;
    const [quote] = quotePlan(bounded);
    if (statistic === undefined || quote === undefined) throw new RangeError("one row");
    const notes = notesAbout(statistic, [], 0.05).filter((note) => note.startsWith("Values are in steps"));
    return [/ Values are (in steps of [^.]*(?:\.\d+)?)\./.exec(quote.sentence)?.[1], ...notes];
  };
  expect(said({ statistic: "median", column: "age", epsilon: 1 })).toEqual([
    "in steps of 1",
    "Values are in steps of 1, by the middle of each.",
  ]);
  expect(said({ statistic: "quantiles", column: "age", granularity: 5, epsilon: 1 })[0]).toBe("in steps of 5");
  expect(said({ statistic: "mean", column: "age", epsilon: 1 })).toEqual([undefined]);
  const inUnit = (unit: string) => {
    const columns = { age: { type: "integer", lower: 0, upper: 100, unit } };
    return said({ statistic: "median", column: "age", epsilon: 1 }, checkDeclaration({ ...declaration, columns }))[0];
  };
  expect(["years", "year", "$", "celsius"].map(inUnit)).toEqual(
    ["1 year", "1 year", "$1", "1 celsius"].map((each) => `in steps of ${each}`),
  );
});
