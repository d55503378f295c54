import { Exact } from "@dosimeter/core";
import { seededRandom } from "@dosimeter/core/testing";
import { expect, test } from "vitest";
import { addNoise } from "../../query/src/answer/add-noise.ts";
import { boundPlan } from "../../query/src/bind/bound-plan.ts";
import { checkDeclaration } from "../../query/src/declaration/check-declaration.ts";
import type { StatisticRequest } from "../../query/src/statistics/request.ts";
import { canonicalOf } from "./canonical.ts";
import { diagramsOf } from "./diagram.ts";
import { earlierOf } from "./earlier.ts";
import { answerOf, type OfferKind, waysTo } from "./offer.ts";

const declaration = checkDeclaration({
  name: "words",
  source: { csv: "words.csv" },
  privacyUnit: { column: "person" },
  contribution: { groups: 1, rowsPerGroup: 1 },
  columns: {
    person: { type: "integer" },
    word: { type: "text" },
    state: { type: "category", categories: ["a", "b", "c"] },
  },
});
const about = { dataset: "ds_1", version: 1, declaration };
const diagrams = diagramsOf(declaration);

const asked = (request: StatisticRequest) => {
  const [statistic] = boundPlan({ statistics: [request] }, declaration).statistics;
  if (statistic === undefined) throw new Error("one statistic");
  return { statistic, key: canonicalOf(statistic, about).key, confidence: 0.95, rows: 1000 };
};

function released(request: StatisticRequest, counts: readonly number[], found?: readonly string[]) {
  const { statistic, key } = asked(request);
  const integers = counts.map(BigInt);
  const measured = found === undefined ? integers : Object.assign(integers, { found });
  const [answer] = addNoise(boundPlan({ statistics: [request] }, declaration), new Exact([measured]), seededRandom(4));
  if (answer === undefined) throw new Error("one answer");
  return earlierOf({ release: "rel_1", row: "s1" }, statistic, key, answer);
}

const way = (wanted: StatisticRequest, source: ReturnType<typeof released>, kind: OfferKind) =>
  waysTo(asked(wanted), [source], diagrams).find((one) => one.kind === kind);

test("published values are found again for free, and so are the most frequent of them", () => {
  const found: StatisticRequest = { statistic: "keyCounts", column: "word", epsilon: 1, delta: 1e-6 };
  const source = released(found, [400, 900, 650], ["few", "most", "many"]);
  const again = way(found, source, "same");
  expect(again).toMatchObject({ asAccurate: true, cost: { epsilon: "0" } });
  const top: StatisticRequest = { statistic: "topValues", column: "word", k: 2, epsilon: 1, delta: 1e-6 };
  const best = way(top, source, "derived");
  expect(best?.cells?.map(({ group }) => group.word)).toEqual(["most", "many"]);
  expect(best?.asAccurate).toBe(true);
  expect(way({ ...top, epsilon: 2 }, source, "derived")?.asAccurate).toBe(false);
  expect(way({ ...top, where: "state = 'a'" }, source, "derived")).toBeUndefined();
  expect(way({ ...found, epsilon: 2 }, source, "same")).toBeUndefined();
  const answer = best === undefined ? null : answerOf(best, asked(top));
  expect(answer).toMatchObject({ statistic: "topValues", origin: { kind: "derived" } });
});

test("the most frequent declared values from people counted in each group", () => {
  const source = released({ statistic: "distinctUnits", groupBy: ["state"], epsilon: 1 }, [30, 500, 200]);
  const top: StatisticRequest = { statistic: "topValues", column: "state", k: 2, epsilon: 0.1 };
  const best = way(top, source, "derived");
  expect(best?.cells?.map(({ group }) => group.state)).toEqual(["b", "c"]);
  // Rows are not people here, and other groups are other questions.
  expect(
    way(top, released({ statistic: "count", groupBy: ["state"], epsilon: 1 }, [3, 5, 2]), "derived"),
  ).toBeUndefined();
});
