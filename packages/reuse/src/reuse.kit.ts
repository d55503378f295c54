import { Exact, type Random, toDouble } from "@dosimeter/core";
import { seededRandom } from "@dosimeter/core/testing";
import { addNoise } from "../../query/src/answer/add-noise.ts";
import { boundPlan } from "../../query/src/bind/bound-plan.ts";
import { checkDeclaration } from "../../query/src/declaration/check-declaration.ts";
import type { Declaration } from "../../query/src/declaration/declaration.ts";
import type { BoundedStatistic } from "../../query/src/plan/bounded.ts";
import { binsOf, gridOf } from "../../query/src/plan/task.ts";
import { definitionOf } from "../../query/src/statistics/registry.ts";
import type { StatisticRequest } from "../../query/src/statistics/request.ts";
import { canonicalOf } from "./canonical.ts";
import { type Earlier, earlierOf } from "./earlier.ts";
import type { StatisticSpec } from "./offer.ts";

export interface Person {
  readonly age: number;
  readonly pay: number;
  readonly sex: "f" | "m";
  readonly member: boolean;
}

export const declaration: Declaration = checkDeclaration({
  name: "people",
  source: { csv: "people.csv" },
  privacyUnit: "row",
  columns: {
    age: { type: "integer", lower: 0, upper: 99, required: true },
    pay: { type: "number", lower: 0, upper: 100, granularity: 0.25, required: true },
    sex: { type: "category", categories: ["f", "m"], required: true },
    member: { type: "boolean", required: true },
  },
});

export const about = { dataset: "ds_1", version: 1, declaration };

export function peopleOf(count: number, seed = 1): readonly Person[] {
  const random = seededRandom(seed);
  const unit = (): number => random.uint32() / 2 ** 32;
  return Array.from({ length: count }, () => ({
    age: Math.floor(100 * unit()),
    pay: Math.round(400 * unit() ** 2) / 4,
    sex: unit() < 0.6 ? "f" : "m",
    member: unit() < 0.3,
  }));
}

export function bounded(request: StatisticRequest, within = declaration): BoundedStatistic {
  const [statistic] = boundPlan({ statistics: [request] }, within).statistics;
  if (statistic === undefined) throw new Error("a plan of one statistic");
  return statistic;
}

export const askedFor = (request: StatisticRequest, confidence = 0.95, rows: number | null = null): StatisticSpec => {
  const statistic = bounded(request);
  return { statistic, key: canonicalOf(statistic, about).key, confidence, rows };
};

/** The exact integers of a statistic over the people that `keep` selects. */
export function measured(
  statistic: BoundedStatistic,
  people: readonly Person[],
  keep: (person: Person) => boolean = () => true,
): readonly bigint[] {
  const { aggregates: of, integers } = definitionOf(statistic);
  const aggregates = of(statistic.task);
  const { column, groups } = statistic;
  const bins = binsOf(statistic);
  const ticks = gridOf(statistic) ?? null;
  const binOf = (person: Person): number => {
    const value = person[column as keyof Person];
    const at = bins.findIndex((bin) => "value" in bin && bin.value === value);
    return at >= 0 ? at : bins.findLastIndex((bin, i) => "lower" in bin && (i === 0 || (value as number) >= bin.lower));
  };
  const tickOf = (person: Person): bigint =>
    ticks === null
      ? 0n
      : BigInt(
          Math.round(
            (Number(person[column as keyof Person]) - toDouble(ticks.lower, "down")) / toDouble(ticks.step, "down"),
          ),
        );
  return groups.flatMap((group) => {
    const here = people.filter(
      (person) =>
        keep(person) && Object.entries(group).every(([name, value]) => person[name as keyof Person] === value),
    );
    return Array.from({ length: Math.max(1, bins.length) }, (_, bin) => {
      const rows = bins.length === 0 ? here : here.filter((person) => binOf(person) === bin);
      const sum = (f: (tick: bigint) => bigint): bigint =>
        rows.reduce((total, person) => total + f(tickOf(person)), 0n);
      const values = {
        rows: BigInt(rows.length),
        units: BigInt(rows.length),
        ticks: sum((tick) => tick),
        signedTicks: sum((tick) => tick + (ticks?.first ?? 0n)),
        squares: sum((tick) => tick * tick),
      };
      return integers(
        aggregates.map((name) => values[name as keyof typeof values]),
        statistic,
      );
    }).flat();
  });
}

/** A fresh release of one statistic. */
export function released(
  request: StatisticRequest,
  exact: readonly bigint[],
  random: Random,
  { release = "rel_1", confidence = 0.95, within = declaration } = {},
): Earlier {
  const plan = boundPlan({ statistics: [request], confidence }, within);
  const [statistic] = plan.statistics;
  const [answer] = addNoise(plan, new Exact([exact]), random);
  if (statistic === undefined || answer === undefined) throw new Error("a plan of one statistic");
  return earlierOf({ release, row: answer.id }, statistic, canonicalOf(statistic, about).key, answer);
}
