import { seededRandom } from "@dosimeter/core/testing";
import { expect } from "vitest";
import type { EngineUnderTest } from "../../../engines/src/engine/under-test.kit.ts";
import { statisticNames, statisticOf } from "../statistics/registry.ts";
import { type Bench, fuzzSensitivities, type MadeUpRow } from "./index.ts";

export const benchOf = ({ engine, store }: EngineUnderTest): Bench => ({
  engine,
  salt: "5e".repeat(32),
  store: (rows: readonly MadeUpRow[]) => {
    const person = rows.some((row) => typeof row.person === "number") ? "BIGINT" : "VARCHAR";
    const types = { block: "BIGINT", person, region: "VARCHAR", word: "VARCHAR" } as const;
    return store(
      { ...types, age: "BIGINT", pay: "DOUBLE", member: "BOOLEAN" },
      rows.map((row) => ({ ...row })),
    );
  },
});

/** No statistic moves further than declared between neighbours, and each as far: at 800 pairs or more of this seed, of which a statistic of whole tables gets one in fifty. */
export async function expectSensitivities(bench: Bench, pairs: number): Promise<void> {
  const fuzzed = await fuzzSensitivities(bench, pairs, seededRandom(81));
  expect(fuzzed.filter(({ violations, largest }) => violations > 0 || largest !== 1)).toEqual([]);
  // What is asked of a whole table cannot be counted by block: one pair in fifty.
  for (const name of statisticNames.filter((each) => statisticOf(each).audit.some(({ by }) => by !== "alone")))
    expect(fuzzed.find(({ statistic }) => statistic === name)?.pairs, name).toBeGreaterThanOrEqual(pairs);
}
