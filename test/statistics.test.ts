import { statisticNames, statistics } from "@dosimeter/query";
import { describe, expect, test } from "vitest";
import { answerKinds } from "../packages/plot/src/report/answer-kind.ts";
import { everyStatistic, jointly } from "../packages/query/src/engine/engine.kit.ts";
import { requests } from "../packages/query/src/statistics/keys/keys.kit.ts";

/**
 * The tables that cannot be computed from the registry, as they live in packages that do not know it or are prose: a statistic
 * that one of them lacks is a failing row here. The tables of `docs/statistics.md` have a test of their own.
 */
describe.each(statisticNames)("%s", (name) => {
  const { chart, audit, reuse } = statistics[name];

  test("is drawn as the registry says", () => expect(answerKinds[name]?.chart).toBe(chart));

  test("is measured by the kit that every engine runs", () => {
    const asked = [...everyStatistic([], undefined), ...jointly([], undefined), ...requests("word")].map(
      ({ statistic }) => statistic,
    );
    expect(asked).toContain(name);
  });

  test("is asked by the audit of an installation", () => expect(audit.length).toBeGreaterThan(0));

  test("is near statistics that exist", () => {
    const known: readonly string[] = statisticNames;
    expect((reuse.near?.from ?? []).filter((other) => !known.includes(other))).toEqual([]);
  });
});

test("nothing is drawn that the registry does not have", () => {
  expect(Object.keys(answerKinds).toSorted()).toEqual(statisticNames.toSorted());
});
