import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { seededRandom } from "@dosimeter/core/testing";
import { duckdbEngine } from "@dosimeter/engines/duckdb";
import { addNoise } from "@dosimeter/query/answer";
import { boundPlan } from "@dosimeter/query/bind";
import type { Declaration } from "@dosimeter/query/declaration";
import type { Engine } from "@dosimeter/query/plan";
import type { AnswerCell, Plan } from "@dosimeter/query/statistics";
import { afterAll, beforeAll, expect, test } from "vitest";
import { temporaryFolder } from "../../../../test/folder.kit.ts";
import { adultsDeclaration, visitsDeclaration } from "./declarations.ts";
import { syntheticPeople, syntheticVisits, toCsv } from "./people.ts";
import { DEMO_PEOPLE, firstReleases } from "./seed.ts";

/** How often each answer of the demo is noised again. */
const REPEATS = 400;
/** Chance that a correct demo fails here, over all answers together. The seed is fixed. */
const SIGNIFICANCE = 1e-6;

const people = syntheticPeople(DEMO_PEOPLE);
const tables = {
  adults: { declaration: adultsDeclaration, csv: toCsv(people) },
  visits: { declaration: visitsDeclaration, csv: toCsv(syntheticVisits(people)) },
};
const folder = temporaryFolder();
let engine: Engine;

beforeAll(async () => {
  for (const [name, { csv }] of Object.entries(tables)) writeFileSync(join(folder, `${name}.csv`), csv);
  engine = await duckdbEngine({ root: folder });
});
afterAll(() => engine.close());

async function measure(plan: Plan, declaration: Declaration) {
  const salt = "0".repeat(64);
  const placed = { ...declaration, source: { csv: join(folder, `${declaration.name}.csv`) } };
  const bounded = boundPlan(plan, placed);
  return { bounded, exact: await engine.run(bounded, await engine.check(placed, { salt })) };
}

/** This many of the repeats may miss at most: P(Bin(n, p) > k) < significance. */
function mostMisses(n: number, p: number, significance: number): number {
  const logChoose = (k: number) => {
    let sum = 0;
    for (let i = 1; i <= k; i += 1) sum += Math.log((n - k + i) / i);
    return sum;
  };
  let tail = 0;
  for (let k = n; k > 0; k -= 1) {
    tail += Math.exp(logChoose(k) + k * Math.log(p) + (n - k) * Math.log1p(-p));
    if (tail > significance) return k;
  }
  return 0;
}

test.each(firstReleases.map((release) => [release.key, release] as const))(
  "%s: each answer's interval holds the truth as often as it says",
  async (_key, { dataset, plan: asked }) => {
    const plan = asked as unknown as Plan; // the wire's type of a plan leaves its statistics open
    const { declaration } = tables[dataset];
    const { bounded, exact } = await measure(plan, declaration);
    // The bounded, clamped, rounded answer itself: what the same statistics say with noise that is nearly always 0.
    const sharp = { ...plan, statistics: plan.statistics.map((statistic) => ({ ...statistic, epsilon: "900000" })) };
    const clear = await measure(sharp, declaration);
    const truth = addNoise(clear.bounded, clear.exact, seededRandom(7)).flatMap(({ cells }) => cells);
    const misses = truth.map(() => 0);
    const random = seededRandom(20_261_121);
    for (let repeat = 0; repeat < REPEATS; repeat += 1) {
      const cells = addNoise(bounded, exact, random).flatMap((answer) => answer.cells);
      for (const [index, { interval }] of cells.entries()) {
        if (!holds(interval, truth[index])) misses[index] = (misses[index] ?? 0) + 1;
      }
    }
    const most = mostMisses(REPEATS, 0.05, SIGNIFICANCE / 50);
    expect(most).toBeGreaterThan(35);
    expect(most).toBeLessThan(60);
    for (const missed of misses) expect(missed).toBeLessThanOrEqual(most);
    // And not by intervals so wide that they would say nothing.
    expect(misses.reduce((a, b) => a + b, 0) / (REPEATS * misses.length)).toBeGreaterThan(0.02);
  },
);

const holds = ([from, to]: readonly [number, number], cell: AnswerCell | undefined): boolean =>
  cell !== undefined && from - 1e-6 <= cell.value && cell.value <= to + 1e-6;

test("those truths are the people's own: incomes cut to their bounds, in tens, by schooling", async () => {
  const { lower = 0, upper = 0 } = adultsDeclaration.columns.income ?? {};
  const plan: Plan = {
    statistics: [{ statistic: "mean", column: "income", groupBy: ["education"], epsilon: "900000" }],
  };
  const { bounded, exact } = await measure(plan, adultsDeclaration);
  for (const { group, value } of addNoise(bounded, exact, seededRandom(7)).flatMap(({ cells }) => cells)) {
    const incomes = people.filter(({ education }) => education === group.education).map(({ income }) => income);
    const cut = incomes.map((income) => 10 * Math.round(Math.min(upper, Math.max(lower, income)) / 10));
    expect(value).toBeCloseTo(cut.reduce((sum, income) => sum + income, 0) / cut.length, 3);
  }
});
