import { Exact } from "@dosimeter/core";
import { expect, test } from "vitest";
import { measured } from "../../planner/src/practice/measure.ts";
import { practiceData, practiceRandom } from "../../planner/src/practice/practice-data.ts";
import { addNoise } from "../../query/src/answer/add-noise.ts";
import { boundPlan } from "../../query/src/bind/bound-plan.ts";
import { checkDeclaration } from "../../query/src/declaration/check-declaration.ts";
import { type StatisticName, statisticNames, statisticOf } from "../../query/src/statistics/registry.ts";
import type { StatisticRequest } from "../../query/src/statistics/request.ts";
import { canonicalOf } from "./canonical.ts";
import { diagramsOf } from "./diagram.ts";
import { type Earlier, earlierOf } from "./earlier.ts";
import { waysTo } from "./offer.ts";

const declaration = checkDeclaration({
  name: "people",
  source: { csv: "people.csv" },
  privacyUnit: "row",
  columns: { age: { type: "integer", lower: 0, upper: 80, required: true } },
});
const people = practiceData(declaration, 4000, 3);
const diagrams = diagramsOf(declaration);
const random = practiceRandom(9);
const confidenceOf = (name: string): number => (name === "quantileInterval" ? 0.999 : 0.999999);

const requestOf = (statistic: StatisticName): StatisticRequest => {
  const { column, takes, choose, others } = statisticOf(statistic);
  return {
    statistic,
    ...(column === "none" ? {} : { column: "age" }),
    ...(others === "over" ? { with: "age" } : {}),
    ...(column === "binned" && takes.includes("bins") ? { bins: 81 } : {}),
    epsilon: choose === undefined ? 1000 : 10_000,
  };
};

/** An answer with next to no noise, drawn for its own price. */
function drawn(request: StatisticRequest, release: string): Earlier {
  const plan = boundPlan({ statistics: [request], confidence: confidenceOf(request.statistic) }, declaration);
  const [statistic] = plan.statistics;
  if (statistic === undefined) throw new Error("a plan of one statistic");
  const [answer] = addNoise(plan, new Exact([measured(statistic, people)]), random);
  if (answer === undefined) throw new Error("one answer");
  const { key } = canonicalOf(statistic, { dataset: "ds_1", version: 1, declaration });
  return earlierOf({ release, row: answer.id }, statistic, key, answer);
}

/** Of the same column here: keys are found in rows, and what counts for it is no column of a key. */
const derivable = statisticNames.filter((name) => {
  const { reuse, column } = statisticOf(name);
  return reuse.near !== null && column !== "key";
});

/** Both ways from rows to an answer, its own draw and a derivation from others, give the same number. */
test.each(derivable)("%s derived from others equals its own draw", (name) => {
  const own = drawn(requestOf(name), "rel_own");
  const others = (statisticOf(name).reuse.near?.from ?? []).filter((other) => other !== name);
  const sources = others.map((other, at) => drawn(requestOf(other as StatisticName), `rel_${at}`));
  const spec = {
    statistic: own.statistic,
    key: own.key,
    confidence: confidenceOf(own.statistic.statistic),
    rows: people.length,
  };
  const derived = waysTo(spec, sources, diagrams).filter(({ kind }) => kind === "derived");
  expect(derived).toHaveLength(1);
  const cells = derived[0]?.cells ?? [];
  expect(cells).toHaveLength(own.answer.cells.length);
  for (const [at, { interval, value }] of cells.entries()) {
    const truth = own.answer.cells[at]?.value ?? Number.NaN;
    const tolerance = 0.02 * Math.max(1, Math.abs(truth));
    expect(truth).toBeGreaterThanOrEqual(interval[0] - tolerance);
    expect(truth).toBeLessThanOrEqual(interval[1] + tolerance);
    expect(Math.abs(value - truth)).toBeLessThanOrEqual(1 + tolerance);
  }
});
