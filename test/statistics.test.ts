import { type StatisticName, statisticNames, statisticOf, type statistics } from "@dosimeter/query";
import { describe, expect, test } from "vitest";
import { answerKinds } from "../packages/plot/src/report/answer-kind.ts";

/**
 * `plot` knows no statistics, so how it draws them is a table of its own: one that lacks a row, or draws another chart than the
 * registry says, does not compile. The tables of `docs/statistics.md` have a test of their own.
 */
const drawn: { readonly [Name in StatisticName]: { readonly chart: (typeof statistics)[Name]["chart"] } } = answerKinds;

test("nothing is drawn that the registry does not have", () => {
  expect(Object.keys(drawn).toSorted()).toEqual(statisticNames.toSorted());
});

describe.each(statisticNames)("%s", (name) => {
  const { reuse, noise } = statisticOf(name);
  const known: readonly string[] = statisticNames;

  test("is near statistics that exist", () => {
    expect((reuse.near?.from ?? []).filter((other) => !known.includes(other))).toEqual([]);
  });

  test("has a noise that the audit draws, its own or that of another", () => {
    const drawn = "like" in noise ? statisticOf(noise.like).noise : noise;
    expect(drawn).not.toHaveProperty("like");
  });
});
