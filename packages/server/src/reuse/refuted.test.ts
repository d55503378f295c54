import { Exact, type Random } from "@dosimeter/core";
import { seededRandom } from "@dosimeter/core/testing";
import { expect, test } from "vitest";
import { addNoise } from "../../../query/src/answer/add-noise.ts";
import { boundPlan } from "../../../query/src/bind/bound-plan.ts";
import type { StatisticRequest } from "../../../query/src/statistics/request.ts";
import { about, askedFor, bounded, declaration, measured, peopleOf } from "../../../reuse/src/reuse.kit.ts";
import { agreeing } from "./agree.ts";

const people = peopleOf(500);
const count: StatisticRequest = { id: "all", statistic: "count", epsilon: 0.2 };
const bySex: StatisticRequest = { id: "sex", statistic: "count", epsilon: 0.2, groupBy: ["sex"] };
const byMember: StatisticRequest = { id: "member", statistic: "count", epsilon: 0.2, groupBy: ["member"] };
const requests = [count, bySex, byMember];

/** What a release of these shows where the rows of one sex are `fewer` than its total says. */
function shown(random: Random, fewer: bigint) {
  const plan = boundPlan({ statistics: requests, confidence: 0.95 }, declaration);
  const exact = requests.map((request) => [...measured(bounded(request), people)]);
  const [, sexes = []] = exact;
  sexes[0] = (sexes[0] ?? 0n) - fewer;
  const drawn = addNoise(plan, new Exact(exact), random);
  const facts = { ways: new Map(), drawn, fresh: plan, about, charge: "chg_1" };
  return agreeing(
    drawn,
    requests.map((request) => askedFor(request)),
    facts,
  );
}

test("an equation that released numbers refute is named by its columns for the admins, and to the readers of both [M385]", async () => {
  const { answers, refuted } = await shown(seededRandom(3), 300n);
  expect(refuted).toEqual([["sex"]]);
  const against = answers.map(({ notes }) => notes.some((note) => note.includes("do not add up")));
  expect(against).toEqual([true, true, false]);
  expect(answers.map(({ cells }) => cells[0]?.consistent !== undefined)).toEqual([true, false, true]);
});

test("every answer that was made to agree names what the owner requires, and none is refuted where it is so [M354]", async () => {
  for (let seed = 0; seed < 40; seed++) {
    const { answers, refuted } = await shown(seededRandom(seed), 0n);
    expect(refuted).toEqual([]);
    for (const { cells, notes } of answers) {
      expect(cells.every(({ consistent }) => consistent !== undefined)).toBe(true);
      expect(notes.filter((note) => note.startsWith("It rests on what the owner requires"))).toEqual([
        expect.stringContaining("a declared value of member and sex counts nowhere"),
      ]);
    }
  }
});
