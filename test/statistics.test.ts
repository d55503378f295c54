import { type StatisticName, statisticNames, statistics } from "@dosimeter/query";
import { expect, test } from "vitest";
import { answerKinds } from "../packages/plot/src/report/answer-kind.ts";

/**
 * `plot` knows no statistics, so how it draws them is a table of its own: one that lacks a row, or draws another chart than the
 * registry says, does not compile. The tables of `docs/statistics.md` have a test of their own.
 */
const drawn: { readonly [Name in StatisticName]: { readonly chart: (typeof statistics)[Name]["chart"] } } = answerKinds;

test("nothing is drawn that the registry does not have", () => {
  expect(Object.keys(drawn).toSorted()).toEqual(statisticNames.toSorted());
});

test.each(statisticNames)("%s is near statistics that exist", (name) => {
  const known: readonly string[] = statisticNames;
  expect((statistics[name].reuse.near?.from ?? []).filter((other) => !known.includes(other))).toEqual([]);
});
