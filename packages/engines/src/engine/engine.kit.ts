import { reveal } from "@dosimeter/core/exact";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { boundPlan } from "../../../query/src/bind/bound-plan.ts";
import { expressionKit } from "../../../query/src/expression/expression-engine.kit.ts";
import { joinKit } from "../../../query/src/join/join.kit.ts";
import { distinctKit } from "../../../query/src/statistics/distinct/distinct.kit.ts";
import { jointKit } from "../../../query/src/statistics/joint/joint.kit.ts";
import { keyKit } from "../../../query/src/statistics/keys/keys.kit.ts";
import { lossesKit } from "../../../query/src/statistics/losses/losses.kit.ts";
import { seriesKit } from "../../../query/src/statistics/series/series.kit.ts";
import { sumsKit } from "../../../query/src/statistics/sums/sums.kit.ts";
import { boundingKit } from "./bounding.kit.ts";
import { cohortKit } from "./cohort.kit.ts";
import { datesKit } from "./dates.kit.ts";
import { decimalsKit } from "./decimals.kit.ts";
import { markersKit } from "./markers.kit.ts";
import { neighbourKit } from "./neighbours.kit.ts";
import { type Bench, benchOf } from "./people.kit.ts";
import { predicateKit } from "./predicate.kit.ts";
import { requiredKit } from "./required.kit.ts";
import { scansKit } from "./scans.kit.ts";
import { timestampsKit } from "./timestamps.kit.ts";
import { type EngineUnderTest, measure, SALT } from "./under-test.kit.ts";
import { valueKit } from "./values.kit.ts";
import { windowKit } from "./window.kit.ts";

/**
 * The specification of an engine: the same exact integers, or nothing. `pairs` neighbours are fuzzed. For an engine
 * that other tests cover fully, one in `every` statistics of each bound is enough, with the next ones for the next
 * bound. `joins` tables of people are fuzzed for joins, by default as many; null: other tests cover all of joins.
 * `whole`: whether dates, timestamps, decimals, windows, selected keys and markers of missing values are tried too.
 */
export function engineKit(
  name: string,
  open: () => Promise<EngineUnderTest>,
  {
    pairs,
    every = 1,
    joins = pairs,
    whole = true,
  }: {
    readonly pairs: number;
    readonly every?: number;
    readonly joins?: number | null;
    readonly whole?: boolean;
  },
): void {
  describe(name, () => {
    let opened: EngineUnderTest;
    beforeAll(async () => {
      opened = await open();
    });
    afterAll(() => opened.close());
    const bench = benchOf(() => opened);
    neighbourKit(bench, { pairs, every });
    boundingKit(bench);
    scansKit(bench, pairs);
    for (const family of [distinctKit, lossesKit, sumsKit]) family(bench);
    jointKit(bench, pairs);
    if (joins !== null) joinKit(bench, { pairs: joins });
    valueKit(bench, pairs);
    predicateKit(bench, pairs);
    requiredKit(bench, pairs);
    expressionKit(bench.under, measure as never, pairs);
    if (whole) {
      keyKit(bench.under, { pairs: Math.min(pairs, 40) });
      markersKit(bench, Math.min(pairs, 20));
      datesKit(bench, pairs);
      timestampsKit(bench, pairs);
      decimalsKit(bench, pairs);
      windowKit(bench, { pairs: Math.min(pairs, 4) });
      cohortKit(bench, { pairs: Math.min(pairs, 4) });
      seriesKit(bench, { pairs: Math.min(pairs, 4) });
    }
    versionKit(bench);
  });
}

/** The table that a plan runs over, and the error when it cannot run. */
function versionKit({ under, declare }: Bench): void {
  test("case 40: equal tables under another salt and another order give equal unbounded integers and another version", async () => {
    const declaration = await declare([{ person: "p", region: "a", age: 1, pay: 1, member: true }], {});
    const [one, two, again] = await Promise.all(
      ["aa", "bb", "aa"].map((salt) => under().engine.check(declaration, { salt })),
    );
    expect(one?.version).not.toBe(two?.version);
    expect(again).toEqual(one);
  });

  test("an abort, a table of another version and a missing table give the same error", async () => {
    const declaration = await declare([{ person: "p", region: "a", age: 1, pay: 1, member: true }], {});
    const version = await under().engine.check(declaration, { salt: SALT });
    const bounded = boundPlan({ statistics: [{ statistic: "count", epsilon: 1 }] }, declaration);
    const message = "the data engine could not run the plan; the charge stands and is run again under its key";
    const failure = { code: "ENGINE_FAILED", message, details: {} };
    await expect(under().engine.run(bounded, { ...version, signal: AbortSignal.abort() })).rejects.toMatchObject(
      failure,
    );
    await expect(under().engine.run(bounded, { ...version, version: "00" })).rejects.toMatchObject(failure);
    const gone = { ...bounded, declaration: { ...declaration, source: { parquet: "nowhere.parquet" } } };
    await expect(under().engine.run(gone, version)).rejects.toMatchObject(failure);
    expect(reveal(await under().engine.run(bounded, version))).toEqual([[1n]]);
  });
}
