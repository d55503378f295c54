import { seededRandom } from "@dosimeter/core/testing";
import { expect, test } from "vitest";
import { none } from "../../query/src/noise/form.ts";
import { atOnce } from "../../query/src/plan/steps.ts";
import { nothing, selectedForm } from "../../query/src/statistics/index.ts";
import type { StatisticRequest } from "../../query/src/statistics/request.ts";
import { consistentSteps } from "./consistent.ts";
import { fromSumsOf } from "./derive.ts";
import { diagramsOf } from "./diagram.ts";
import { cellForms, poolOf } from "./earlier.ts";
import { bounded, declaration, measured, type Person, peopleOf, released } from "./reuse.kit.ts";

const diagrams = diagramsOf(declaration);
/** So few women that a mean of theirs is shown only where the noise is large. */
const people = peopleOf(300).map((one, at): Person => ({ ...one, sex: at < 14 ? "f" : "m" }));

/** Counts whose noise is so large that they change the means next to nothing. */
const requests: readonly StatisticRequest[] = [
  { statistic: "mean", column: "pay", groupBy: ["sex"], rho: 0.1 },
  { statistic: "count", groupBy: ["sex"], rho: 1e-8 },
  { statistic: "count", rho: 1e-8 },
];
const vectors = requests.map((request) => measured(bounded(request), people));
const BETA = 0.2;

test("an agreed mean that is shown is read at the failure probability of its own mark [M352]", () => {
  const random = seededRandom(352);
  let [shown, wider] = [0, 0];
  for (let drawn = 0; drawn < 100; drawn++) {
    const sources = requests.map((request, at) =>
      released(request, vectors[at] ?? [], random, { release: `rel_${at}`, confidence: 1 - BETA }),
    );
    const pools = sources.map(poolOf);
    const [pool] = pools;
    const rule = pool === undefined ? null : fromSumsOf(pool.statistic);
    if (pool === undefined || rule === null) throw new Error("a mean is made of sums");
    if (sources[0]?.answer.cells[0]?.unreliable === true) continue;
    const own = rule.needs.map((need) => [need, cellForms(pool, need)?.[0] ?? none] as const);
    const rows = own.find(([need]) => need === "rows")?.[1] ?? none;
    const widthAt = (failureProbability: number): number => {
      const { interval } = rule.read({ ...nothing, ...Object.fromEntries(own) }, pool.statistic, failureProbability);
      return interval[1] - interval[0];
    };
    const [means] = atOnce(consistentSteps(pools, diagrams, BETA)).cells;
    const [from = 0, to = 0] = means?.[0]?.interval ?? [];
    const marked = widthAt(Math.min(BETA, selectedForm(rows, pool.statistic, BETA).failureProbability));
    expect((to - from) / marked).toBeCloseTo(1, 2);
    shown += 1;
    if (marked > 1.05 * widthAt(BETA)) wider += 1;
  }
  // Of most that are shown the noise may be why: had the mark not counted, these intervals would be narrower.
  expect(shown).toBeGreaterThanOrEqual(30);
  expect(wider).toBeGreaterThanOrEqual(20);
});
