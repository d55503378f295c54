import { Exact, type Random } from "@dosimeter/core";
import { seededRandom } from "@dosimeter/core/testing";
import { measured } from "../../../planner/src/practice/measure.ts";
import { errorsOf, exactAnswers } from "../../../planner/src/practice/practice.ts";
import { type PracticeRow, practiceData } from "../../../planner/src/practice/practice-data.ts";
import { canonicalOf } from "../../../reuse/src/canonical.ts";
import { consistentSteps } from "../../../reuse/src/consistent.ts";
import { diagramsOf } from "../../../reuse/src/diagram.ts";
import { type Earlier, earlierOf, poolOf } from "../../../reuse/src/earlier.ts";
import { answerOf, type StatisticSpec, waysTo } from "../../../reuse/src/offer.ts";
import { boundPlan } from "../bind/bound-plan.ts";
import { checkDeclaration } from "../declaration/check-declaration.ts";
import type { Declaration } from "../declaration/declaration.ts";
import type { BoundedPlan, BoundedStatistic } from "../plan/bounded.ts";
import type { MeasuredVector } from "../plan/engine.ts";
import { atOnce } from "../plan/steps.ts";
import { accuracyOf } from "../statistics/accuracy.ts";
import type { AnswerCell } from "../statistics/cell.ts";
import { definitionOf, noiseChoicesOf, type StatisticName } from "../statistics/registry.ts";
import type { StatisticRequest } from "../statistics/request.ts";
import { addNoise } from "./add-noise.ts";

const tableOf = (of: Pick<Declaration, "privacyUnit"> & Partial<Pick<Declaration, "contribution">>) => {
  const declaration = checkDeclaration({
    name: "people",
    source: { csv: "people.csv" },
    ...of,
    columns: {
      person: { type: "integer", required: true },
      age: { type: "integer", lower: 0, upper: 100, required: true },
      pay: { type: "number", lower: -20, upper: 80, granularity: 0.5, required: true },
      region: { type: "category", categories: ["a", "b", "c", "d"], required: true },
      member: { type: "boolean", required: true },
      word: { type: "text", required: true },
    },
  });
  return { declaration, diagrams: diagramsOf(declaration) };
};
type Table = ReturnType<typeof tableOf>;
const rowTable = tableOf({ privacyUnit: "row" });
const personTable = tableOf({ privacyUnit: { column: "person" }, contribution: { rows: 1 } });
/** What counts people needs their column; every person has one row here. */
const ofPeople: ReadonlySet<StatisticName> = new Set([
  "distinctUnits",
  "unitSum",
  "cutUnits",
  "topValues",
  "keyCounts",
]);

const CONFIDENCE = 0.95;
const SEED = 20_261_123;

type Ask = Omit<StatisticRequest, "statistic" | "epsilon" | "rho">;
/** How keys are known: those declared, or those found in the rows. */
export type Keys = "declared" | "found";
/** How an answer comes about. */
export const ways = ["fresh", "derived", "agreed", "toppedUp"] as const;
export type WayName = (typeof ways)[number];

/** A question, and the ways in which an answer to it can come about. */
interface Case {
  readonly ask: Ask;
  readonly ways: readonly WayName[];
}
type Cases = Readonly<Record<Keys, Case | null>>;

const found = (ask: Ask, groupBy: string): Case => ({
  ask: { ...ask, groupBy: [groupBy], keys: "select", delta: 0.001 },
  ways: ["fresh"],
});
const byRegion = (ask: Ask, ...others: readonly WayName[]): Cases => ({
  declared: { ask: { ...ask, groupBy: ["region"] }, ways: ["fresh", ...others] },
  found: found(ask, "word"),
});
/** What takes milliseconds to read or to make agree: few groups. */
const byMember = (ask: Ask, ...others: readonly WayName[]): Cases => ({
  declared: { ask, ways: ["fresh", ...others] },
  found: found(ask, "member"),
});
/** What cannot be asked of groups that are found. */
const declaredOnly = (ask: Ask, ...others: readonly WayName[]): Cases => ({
  declared: { ask, ways: ["fresh", ...others] },
  found: null,
});

/** What is asked of each statistic, with each kind of keys. */
export const cases: Readonly<Record<StatisticName, Cases>> = {
  count: byRegion({}, "derived", "agreed", "toppedUp"),
  distinctUnits: byRegion({}, "toppedUp"),
  sum: byMember({ column: "pay" }, "derived", "agreed", "toppedUp"),
  unitSum: byRegion({ column: "pay", unitLower: -20, unitUpper: 80 }, "toppedUp"),
  mean: byMember({ column: "pay" }, "derived", "agreed", "toppedUp"),
  variance: byMember({ column: "pay" }, "derived", "agreed", "toppedUp"),
  standardDeviation: byMember({ column: "pay" }, "derived", "agreed", "toppedUp"),
  median: declaredOnly({ column: "age" }, "derived", "agreed"),
  quantiles: declaredOnly({ column: "age", quantiles: [0.1, 0.5, 0.9] }, "derived", "agreed"),
  minimum: declaredOnly({ column: "age" }, "derived"),
  maximum: declaredOnly({ column: "age" }, "derived"),
  interquartileRange: declaredOnly({ column: "age" }, "derived"),
  quantileInterval: declaredOnly({ column: "age" }, "derived"),
  histogram: byRegion({ column: "age", bins: 5 }, "derived", "agreed", "toppedUp"),
  cdf: declaredOnly({ column: "age", bins: 16 }, "derived", "agreed"),
  runningCount: byRegion({ column: "age", bins: 12 }),
  runningTotal: byMember({ column: "pay", with: "age", bins: 12 }),
  keyCounts: { declared: null, found: { ask: { column: "word", delta: 0.001 }, ways: ["fresh"] } },
  topValues: {
    declared: { ask: { column: "region", k: 2 }, ways: ["fresh", "derived"] },
    found: { ask: { column: "word", k: 3, delta: 0.001 }, ways: ["fresh", "derived"] },
  },
  bounds: declaredOnly({ column: "age" }),
  covariance: declaredOnly({ column: "pay", with: "age" }),
  correlation: declaredOnly({ column: "pay", with: "age" }),
  regression: declaredOnly({ column: "pay", with: ["age", "member"] }),
  distinctValues: declaredOnly({ column: "age" }),
  clippedValues: declaredOnly({ column: "pay" }),
  cutUnits: declaredOnly({}),
  tables: declaredOnly({ with: ["region", "member"] }),
  tableSums: declaredOnly({ column: "pay", with: ["region", "member"] }),
  syntheticTable: declaredOnly({ with: ["region", "member"] }),
};

/** What takes more than a few milliseconds is drawn a third as often at each size; the sizes together are tested too. */
const slow: ReadonlySet<StatisticName> = new Set(["variance", "covariance", "correlation"]);
const DRAWS = 1500;
/**
 * Draws end early where every cell has held so often that this has a chance of at most 1 in 1,000, over all draws together, if it misses in
 * 10 cases of 100: Wald's sequential test, which only ever accepts early. Cells that are not in every draw are drawn to the end.
 */
const MISSES = 1 - CONFIDENCE;
const MANY_MISSES = 2 * MISSES;
const LOG_OVERLOOKED = Math.log(1e-3);
const isHeld = ({ shown, missed }: Pick<Tally, "shown" | "missed">): boolean =>
  missed * Math.log(MANY_MISSES / MISSES) + (shown - missed) * Math.log((1 - MANY_MISSES) / (1 - MISSES)) <=
  LOG_OVERLOOKED;

/**
 * A tenth for the root of a variance, which is read in the same way and drawn as said: an interval of half its width is still
 * refuted at each size with a chance of 99.9 %.
 */
const drawsOf = (name: StatisticName, way: WayName): number => {
  if (name === "standardDeviation") return DRAWS / 10;
  return slow.has(name) || way === "agreed" ? DRAWS / 3 : DRAWS;
};

/** The questions from which an answer to this one is derived, or with which it is made to agree, of the same groups. */
const sources: Partial<Readonly<Record<StatisticName, (ask: Ask, way: WayName) => readonly StatisticRequest[]>>> = {
  count: () => [{ statistic: "histogram", column: "age", bins: 5 }],
  sum: () => [{ statistic: "mean", column: "pay" }],
  mean: () => [{ statistic: "sum", column: "pay" }, { statistic: "count" }],
  variance: (_, way) => [{ statistic: way === "derived" ? "standardDeviation" : "sum", column: "pay" }],
  standardDeviation: (_, way) => [{ statistic: way === "derived" ? "variance" : "sum", column: "pay" }],
  median: (_, way) => [way === "derived" ? curve : { statistic: "quantiles", column: "age", quantiles: [0.4, 0.6] }],
  quantiles: (_, way) => [way === "derived" ? curve : { statistic: "median", column: "age" }],
  minimum: () => [curve],
  maximum: () => [curve],
  interquartileRange: () => [curve],
  quantileInterval: () => [curve],
  histogram: (_, way) => [
    way === "derived" ? { statistic: "histogram", column: "age", bins: 20 } : { statistic: "count" },
  ],
  cdf: (_, way) => [way === "derived" ? { statistic: "histogram", column: "age", bins: 101 } : { statistic: "count" }],
  topValues: ({ column = "word" }) =>
    column === "word" ? [{ statistic: "keyCounts", column }] : [{ statistic: "distinctUnits", groupBy: [column] }],
};
const curve: StatisticRequest = { statistic: "cdf", column: "age" };

function sourcesOf(name: StatisticName, ask: Ask, way: WayName): readonly StatisticRequest[] {
  const { groupBy, keys, delta } = ask;
  const same = { ...(groupBy && { groupBy }), ...(keys && { keys }), ...(delta && { delta }) };
  return (sources[name]?.(ask, way) ?? []).map((source) => ({ ...source, ...same, epsilon: 0.5 }));
}

/** A question, and the exact integers that answer it: measured once, however often the noise is drawn. */
interface Question {
  readonly table: Table;
  readonly plan: BoundedPlan;
  readonly spec: StatisticSpec;
  readonly vectors: readonly MeasuredVector[];
}

function asked(table: Table, rows: readonly PracticeRow[], ...requests: readonly StatisticRequest[]): Question {
  const plan = boundPlan({ statistics: requests, confidence: CONFIDENCE }, table.declaration);
  const statistic = first(plan.statistics);
  const spec = { statistic, key: keyOf(statistic, table), confidence: CONFIDENCE, rows: rows.length };
  const vectors = plan.statistics.map((each, at) => measuredOnce(each, rows, requests[at]));
  return { table, plan, spec, vectors };
}

/** What was measured for other ways to the same answer: it depends on whether a price is in ε, not on how much it is. */
const kept = new Map<string, MeasuredVector>();
function measuredOnce(
  statistic: BoundedStatistic,
  rows: readonly PracticeRow[],
  request?: StatisticRequest,
): MeasuredVector {
  const { epsilon, rho: _, ...question } = request ?? {};
  const key = JSON.stringify([rows.length, epsilon === undefined, question]);
  const vector = kept.get(key) ?? measured(statistic, rows);
  kept.set(key, vector);
  return vector;
}

const keyOf = (statistic: BoundedStatistic, { declaration }: Table): string =>
  canonicalOf(statistic, { dataset: "ds_1", version: 1, declaration }).key;

function first<T>(list: readonly T[]): T {
  const [one] = list;
  if (one === undefined) throw new Error("at least one");
  return one;
}

let releases = 0;
function released({ table, plan, vectors }: Question, random: Random): readonly Earlier[] {
  releases += 1;
  const answers = addNoise(plan, new Exact(vectors), random);
  return plan.statistics.map((statistic, at) => {
    const answer = answers[at];
    if (answer === undefined) throw new Error("one answer for each statistic");
    return earlierOf({ release: `rel_${releases}`, row: answer.id }, statistic, keyOf(statistic, table), answer);
  });
}

/** The cells of one answer, and the half-width that holds for all of them where it states one. */
interface Drawn {
  readonly cells: readonly AnswerCell[];
  readonly simultaneous?: number | undefined;
}

/** The first answer of a release, as it agrees with the others. */
function agreed(release: readonly Earlier[], { diagrams }: Table): Drawn & { readonly isMoved: boolean } {
  const [cells = null] = atOnce(consistentSteps(release.map(poolOf), diagrams, 1 - CONFIDENCE)).cells;
  const raw = first(release).answer.cells;
  return { cells: raw.map((cell, at) => ({ ...cell, ...cells?.[at] })), isMoved: cells !== null };
}

/** Draws an answer in one of the ways, again and again; null where there is no such way to it. */
function drawing(name: StatisticName, ask: Ask, rows: readonly PracticeRow[], way: WayName) {
  const random = seededRandom(SEED);
  const table = ofPeople.has(name) ? personTable : rowTable;
  const { diagrams } = table;
  if (way === "toppedUp" && noiseChoicesOf(name).length === 0) return null;
  const own: StatisticRequest = {
    statistic: name,
    ...ask,
    ...(way === "toppedUp" ? { rho: "0.05" } : { epsilon: 0.5 }),
  };
  const question = asked(table, rows, own);
  const { spec } = question;
  const drawn = (draw: () => Drawn | null) => (draw() === null ? null : { question, draw });
  const others = sourcesOf(name, ask, way);
  switch (way) {
    case "fresh":
      return drawn(() => first(released(question, random)).answer);
    case "derived": {
      const from = others.map((source) => asked(table, rows, source));
      const offers = () =>
        waysTo(
          spec,
          from.flatMap((each) => released(each, random)),
          diagrams,
        );
      return drawn(() => {
        const found = offers().find(({ kind }) => kind === "derived");
        return found?.cells == null ? null : { cells: found.cells, simultaneous: found.simultaneous };
      });
    }
    case "agreed": {
      const together = asked(table, rows, own, ...others);
      const draw = () => agreed(released(together, random), table);
      for (let i = 0; i < 20; i++) if (draw().isMoved) return drawn(draw);
      return null;
    }
    case "toppedUp": {
      const before = asked(table, rows, { ...own, rho: "0.0123" });
      const offer = () => waysTo(spec, released(before, random), diagrams).find(({ kind }) => kind === "refined");
      const rho = offer()?.fresh?.rho;
      if (rho === undefined) return null;
      const more = asked(table, rows, { ...own, rho });
      return drawn(() => {
        const made = offer();
        return made === undefined ? null : answerOf(made, spec, first(released(more, random)).answer);
      });
    }
    default:
      return way satisfies never;
  }
}

/** How often an answer was shown, and how often it was further off than it said. */
export interface Tally {
  readonly cell: string;
  readonly shown: number;
  readonly missed: number;
  /** Whether all draws were made. */
  readonly isWhole: boolean;
}

/**
 * Draws an answer many times on the same rows. One tally for each cell, of the draws that show it, and one for all cells at once where
 * that is what is stated; null where there is no such way to the answer.
 */
export function tallies(name: StatisticName, keys: Keys, way: WayName, size: number): readonly Tally[] | null {
  const asked = cases[name][keys];
  const made = asked === null ? null : drawing(name, asked.ask, peopleOf(size), way);
  if (made === null) return null;
  const { spec, vectors } = made.question;
  const vector = first(vectors);
  const truths = exactAnswers(spec.statistic, vector);
  const off = errorsOf(spec.statistic, vector);
  const stated = accuracyOf(spec.statistic, 1 - CONFIDENCE, size) ?? 0;
  const { byRank } = definitionOf(spec.statistic);
  const counts = new Map<string, { shown: number; missed: number }>();
  const note = (cell: string, isMissed: boolean): void => {
    const before = counts.get(cell) ?? { shown: 0, missed: 0 };
    counts.set(cell, { shown: before.shown + 1, missed: before.missed + Number(isMissed) });
  };
  const mayEndEarly = keys === "declared" && name !== "topValues";
  let isWhole = true;
  for (let i = 0; i < drawsOf(name, way); i++) {
    isWhole = !(mayEndEarly && counts.size > 0 && [...counts.values()].every(isHeld));
    if (!isWhole) break;
    const { cells, simultaneous } = made.draw() ?? { cells: [] };
    const places = new Map<string, number>();
    const missed = cells.map((cell) => {
      const group = JSON.stringify(cell.group);
      const place = places.get(group) ?? 0;
      places.set(group, place + 1);
      const truth = truths.get(group)?.[place] ?? 0;
      const { interval, rank = stated } = cell;
      const isMissed =
        name === "quantileInterval"
          ? !holdsMedian(interval, size)
          : byRank === undefined
            ? !holds(interval, truth)
            : off(cell, place) > rank * SLACK;
      note(`${group} ${place}`, isMissed);
      return simultaneous === undefined ? isMissed : off(cell, place) > simultaneous * SLACK;
    });
    if (simultaneous !== undefined || allAtOnce.has(name)) note("all at once", missed.includes(true));
  }
  return [...counts].map(([cell, tally]) => ({ cell, ...tally, isWhole }));
}

/** Their intervals hold together [M116, M122, M183]. */
const allAtOnce: ReadonlySet<StatisticName> = new Set(["topValues"]);

const SLACK = 1 + 1e-9;
const holds = ([from, to]: readonly [number, number], truth: number): boolean => {
  const slack = 1e-9 * Math.max(1, Math.abs(truth));
  return from <= truth + slack && truth - slack <= to;
};

/** Whether an interval of ages has a median in it: with an even number of people everything between the middle two is one. */
function holdsMedian([from, to]: readonly [number, number], size: number): boolean {
  const [low, high] = middles.get(size) ?? middleAges(size);
  return from <= high && low <= to;
}

const middles = new Map<number, readonly [number, number]>();
function middleAges(size: number): readonly [number, number] {
  const ages = peopleOf(size)
    .map(({ age }) => Number(age))
    .toSorted((a, b) => a - b);
  const [low = Number.NaN, high = Number.NaN] = [ages[Math.ceil(size / 2) - 1], ages[Math.floor(size / 2)]];
  middles.set(size, [low, high]);
  return [low, high];
}

const known = new Map<number, readonly PracticeRow[]>();
function peopleOf(size: number): readonly PracticeRow[] {
  const rows = known.get(size) ?? practiceData(rowTable.declaration, size, SEED);
  known.set(size, rows);
  return rows;
}
