import { Exact } from "@dosimeter/core";
import { seededRandom } from "@dosimeter/core/testing";
import { biasOf } from "@dosimeter/query/quote";
import { expect, test } from "vitest";
import { addNoise } from "../../query/src/answer/add-noise.ts";
import { boundPlan } from "../../query/src/bind/bound-plan.ts";
import { checkDeclaration } from "../../query/src/declaration/check-declaration.ts";
import { quotePlan } from "../../query/src/quote/quote.ts";
import type { StatisticRequest } from "../../query/src/statistics/request.ts";
import { canonicalOf } from "./canonical.ts";
import { diagramsOf } from "./diagram.ts";
import { type Earlier, earlierOf } from "./earlier.ts";
import { knownOf } from "./known.ts";
import { bounded } from "./reuse.kit.ts";

const K = 3;
const declaration = checkDeclaration({
  name: "visits",
  source: { csv: "visits.csv" },
  privacyUnit: { column: "person" },
  contribution: { rows: K },
  size: { assumed: 6000 },
  columns: {
    person: { type: "integer" },
    pay: { type: "number", lower: 0, upper: 100, granularity: 0.25, required: true },
    sex: { type: "category", categories: ["f", "m"], required: true },
  },
});
const about = { dataset: "ds_1", version: 1, declaration };
const diagrams = diagramsOf(declaration);
const random = seededRandom(7);
const unit = (): number => random.uint32() / 2 ** 32;
/** Most people have two rows; one in fifteen has up to eight. */
const people = Array.from({ length: 2500 }, () =>
  Array.from({ length: unit() < 1 / 15 ? 4 + Math.floor(5 * unit()) : 2 }, () => Math.round(400 * unit() ** 2) / 4),
);
/** Of each person at most K rows: those that come first in this order, by default a new one each time. */
const kept = (order: (pay: number) => number = unit): readonly number[] =>
  people.flatMap((rows) =>
    rows
      .map((pay) => [order(pay), pay] as const)
      .toSorted(([a], [b]) => a - b)
      .slice(0, K)
      .map(([, pay]) => pay),
  );
const cut = people.filter((rows) => rows.length > K).length;
const cutUnits: StatisticRequest = { statistic: "cutUnits", epsilon: 1 };
const histogram: StatisticRequest = { statistic: "histogram", column: "pay", bins: 20, epsilon: 2 };
const capped: StatisticRequest = { statistic: "mean", column: "pay", upper: 20, epsilon: 1 };

function released(request: StatisticRequest, exact: readonly number[], seed: number): Earlier {
  const plan = boundPlan({ statistics: [request] }, declaration);
  const [statistic] = plan.statistics;
  const [answer] = addNoise(plan, new Exact([exact.map(BigInt)]), seededRandom(seed));
  if (statistic === undefined || answer === undefined) throw new Error("a plan of one statistic");
  return earlierOf({ release: `rel_${seed}`, row: answer.id }, statistic, canonicalOf(statistic, about).key, answer);
}
const cuts = (seed: number, more: object = {}): Earlier =>
  released({ ...cutUnits, ...more }, [people.length - cut, cut], seed);
function counts(seed: number, pays = kept(), { bins, epsilon } = { bins: 20, epsilon: 2 }): Earlier {
  const each = Array.from({ length: bins }, () => 0);
  for (const pay of pays) {
    const bin = Math.min(bins - 1, Math.floor((pay * bins) / 100));
    each[bin] = (each[bin] ?? 0) + 1;
  }
  return released({ ...histogram, bins, epsilon }, each, seed);
}
const known = (request: StatisticRequest, earlier: readonly Earlier[]) => {
  const statistic = bounded(request, declaration);
  return knownOf(
    { statistic, key: canonicalOf(statistic, about).key, confidence: 0.95, rows: null },
    [],
    earlier,
    diagrams,
  );
};
const average = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length;

test("where rows are left out, capping and people are known as often as is stated, whichever rows were kept [M378]", () => {
  const draws = 60;
  let [missed, wrong] = [0, 0];
  for (let seed = 0; seed < draws; seed++) {
    const { tails, cut: told } = known(capped, [counts(seed), cuts(1000 + seed)]);
    const pays = kept();
    const truth = average(pays.map((pay) => Math.min(pay, 20))) - average(pays);
    const [least, most] = biasOf(bounded(capped, declaration), tails) ?? [Number.NaN, Number.NaN];
    if (!(least <= truth && truth <= most)) missed += 1;
    if (!((told?.people[0] ?? Number.NaN) <= cut && cut <= (told?.people[1] ?? Number.NaN))) wrong += 1;
    expect(most - least).toBeLessThan(22);
  }
  // At half a percent, 8 misses of 60 have a chance below 10⁻⁸.
  expect(missed).toBeLessThan(8);
  expect(wrong).toBeLessThan(8);
});

test("the answers may have kept the rows that differ most: the histogram the smallest, the mean the largest [M378]", () => {
  const [least, most] = [kept((pay) => pay), kept((pay) => -pay)];
  const source = counts(1, least, { bins: 100, epsilon: 1e5 });
  const change = (pays: readonly number[]): number => average(pays.map((pay) => Math.min(pay, 20))) - average(pays);
  const [from, to] = biasOf(bounded(capped, declaration), known(capped, [source, cuts(2)]).tails) ?? [0, 0];
  expect(from).toBeLessThan(change(most));
  expect(to).toBeGreaterThan(change(most));
  // Or as many rows as could be others would not be needed: the histogram alone is off by more than its bins are wide.
  expect(change(least) - change(most)).toBeGreaterThan(1);
});

test("of other bounds, groups or rows nothing is known; of more rows only at most how many", () => {
  expect(known(capped, [counts(1)])).toEqual({});
  expect(known({ statistic: "distinctUnits", epsilon: 1 }, [cuts(1)]).cut).toBeUndefined();
  expect(known({ ...capped, groupBy: ["sex"] }, [cuts(1)]).cut).toBeUndefined();
  expect(known({ statistic: "count", where: "sex = 'f'", epsilon: 1 }, [cuts(1)]).cut?.people[0]).toBe(0);
  expect(known({ statistic: "count", epsilon: 1 }, [cuts(1, { where: "sex = 'f'" })]).cut).toBeUndefined();
});

test("a quote says of how many people rows are left out, or what would tell it", () => {
  const plan = boundPlan({ statistics: [{ statistic: "count", epsilon: 1 }] }, declaration);
  const sentence = (cut?: readonly [number, number]) =>
    quotePlan(
      plan,
      cut === undefined
        ? {}
        : { known: new Map([["s1", { cut: { people: cut, from: "people over the row limit" } }]]) },
    )[0]?.sentence;
  expect(sentence()).toMatch(
    / How many people have rows left out: unknown; the statistic “people over the row limit” for ε = 0\.\d+ would tell\.$/,
  );
  expect(sentence([3, 40])).toMatch(/ 3 to 40 people have rows left out, by the earlier people over the row limit\.$/);
  expect(sentence([0, 0])).toMatch(/ No one has rows left out, by the earlier people over the row limit\.$/);
});
