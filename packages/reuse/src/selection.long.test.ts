import { Exact } from "@dosimeter/core";
import { seededRandom } from "@dosimeter/core/testing";
import { expect, test } from "vitest";
import { addNoise } from "../../query/src/answer/add-noise.ts";
import { boundPlan } from "../../query/src/bind/bound-plan.ts";
import { checkDeclaration } from "../../query/src/declaration/check-declaration.ts";
import type { AnswerCell } from "../../query/src/statistics/cell.ts";
import type { StatisticRequest } from "../../query/src/statistics/request.ts";
import { canonicalOf } from "./canonical.ts";
import { diagramsOf } from "./diagram.ts";
import { type Earlier, earlierOf } from "./earlier.ts";
import { type Way, waysTo } from "./offer.ts";

/** Draws of each case. Binomial(2000, 0.05) is above 150 with probability 3·10⁻⁷; the seeds are fixed. */
const DRAWS = 2000;
const MAX_MISSES = 150;

const declaration = checkDeclaration({
  name: "words",
  source: { csv: "words.csv" },
  privacyUnit: "row",
  columns: { word: { type: "text" }, pay: { type: "integer", lower: 0, upper: 10, required: true } },
});
const about = { dataset: "ds_1", version: 1, declaration };
const diagrams = diagramsOf(declaration);
const random = seededRandom(187);

function asked(request: StatisticRequest) {
  const plan = boundPlan({ statistics: [request] }, declaration);
  const [statistic] = plan.statistics;
  if (statistic === undefined) throw new Error("one statistic");
  return { plan, statistic, key: canonicalOf(statistic, about).key, confidence: 0.95, rows: 1000 };
}

/** Releases a request many times, or once, on fixed integers: only the noise is drawn again. */
function drawer(request: StatisticRequest, measured: readonly bigint[]) {
  const { plan, statistic, key } = asked(request);
  let releases = 0;
  return (): Earlier => {
    const [answer] = addNoise(plan, new Exact([measured]), random);
    if (answer === undefined) throw new Error("one answer");
    releases += 1;
    return earlierOf({ release: `rel_${releases}`, row: "s1" }, statistic, key, answer);
  };
}

const holds = ({ interval: [from, to] }: Pick<AnswerCell, "interval">, truth: number): boolean =>
  from <= truth && truth <= to;

/** How often the first free way misses the truth. */
function missed(request: StatisticRequest, draw: () => readonly Earlier[], truth: number): number {
  const spec = asked(request);
  let misses = 0;
  for (let i = 0; i < DRAWS; i++) {
    const [first]: readonly (Way | undefined)[] = waysTo(spec, draw(), diagrams);
    const cell = first?.cells?.[0];
    if (cell === undefined) throw new Error("a free way");
    if (!holds(cell, truth)) misses += 1;
  }
  return misses;
}

const times = (count: number, draw: () => Earlier) => () => Array.from({ length: count }, draw);

test("of eight released counts near zero the offered one holds as often as it says [M187]", () => {
  const count: StatisticRequest = { statistic: "count", epsilon: 0.1 };
  expect(missed(count, times(8, drawer(count, [3n])), 3)).toBeLessThanOrEqual(MAX_MISSES);
});

test("of eight released means of few rows the offered one holds as often as it says [M187]", () => {
  const mean: StatisticRequest = { statistic: "mean", column: "pay", epsilon: 0.5 };
  const { statistic } = asked(mean);
  const fine = 103n; // ticks of one row are refined to 1,030
  if (statistic.sensitivity.l1 !== 10n * fine) throw new Error("another grid");
  expect(missed(mean, times(8, drawer(mean, [fine * 60n, fine * 60n])), 5)).toBeLessThanOrEqual(MAX_MISSES);
});

/** Forty words that too few people share: one is published only where the noise is large. */
const words = Array.from({ length: 40 }, (_, at) => `w${String(at).padStart(2, "0")}`);
const people = new Map(words.map((word, at) => [word, 20 + (at % 10)]));
const measured = Object.assign(
  words.map((word) => BigInt(people.get(word) ?? 0)),
  { found: words },
);
const truthOf = ({ group }: Pick<AnswerCell, "group">): number => people.get(String(group.word)) ?? 0;
const counts: StatisticRequest = { statistic: "keyCounts", column: "word", epsilon: 0.2, delta: 1e-4 };
const top: StatisticRequest = { statistic: "topValues", column: "word", k: 3, epsilon: 0.2, delta: 1e-4 };

test("counts of published values hold one by one, given that they were published [M118]", () => {
  const draw = drawer(counts, measured);
  let [shown, misses] = [0, 0];
  for (let i = 0; i < DRAWS; i++)
    for (const cell of draw().answer.cells) {
      shown += 1;
      if (!holds(cell, truthOf(cell))) misses += 1;
    }
  expect(shown).toBeGreaterThan(DRAWS);
  // Five standard deviations above one in twenty.
  expect(misses).toBeLessThanOrEqual(0.05 * shown + 5 * Math.sqrt(0.05 * 0.95 * shown));
});

test.each(["fresh", "derived"] as const)(
  "all counts of the most frequent published values hold at once: %s [M116, M183]",
  (how) => {
    const draw = drawer(how === "fresh" ? top : counts, measured);
    const spec = asked(top);
    let misses = 0;
    for (let i = 0; i < DRAWS; i++) {
      const source = draw();
      const cells =
        how === "fresh"
          ? source.answer.cells
          : waysTo(spec, [source], diagrams).find(({ kind }) => kind === how)?.cells;
      expect(cells?.length ?? 0).toBeLessThanOrEqual(3);
      if (!(cells ?? []).every((cell) => holds(cell, truthOf(cell)))) misses += 1;
    }
    expect(misses).toBeLessThanOrEqual(MAX_MISSES);
  },
);
