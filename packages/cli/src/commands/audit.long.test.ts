import { type StatisticName, statisticNames, statisticOf } from "@dosimeter/query/statistics";
import { expect, test } from "vitest";
import { said } from "../terminal.kit.ts";

const audit = (...args: readonly string[]) => said(["audit", ...args], { cwd: "." });

/** All limits of one audit hold together with probability 0.9999, and its noise has no seed: three that fail are one of 10¹² runs. */
const MAX_AUDITS = 3;

test("the audit of this installation covers every statistic, passes, and says what it is [M127]", async () => {
  const run = async () => {
    const { code, out } = await audit("--pairs", "50", "--draws", "1000", "--json");
    return { code, found: JSON.parse(out) };
  };
  let { code, found } = await run();
  const isOfNoise = () => found.sensitivities.every(({ violations }: { violations: number }) => violations === 0);
  for (let audits = 1; code === 1 && isOfNoise() && audits < MAX_AUDITS; audits += 1) ({ code, found } = await run());
  expect({ code, passed: found.passed }).toEqual({ code: 0, passed: true });
  expect(found.note).toContain("A check, not a proof");
  const fuzzed = found.sensitivities as readonly { readonly statistic: StatisticName; readonly pairs: number }[];
  expect(fuzzed.map(({ statistic }) => statistic).toSorted()).toEqual(statisticNames.toSorted());
  // What is asked of a whole table is counted for one pair in fifty.
  const isAlone = (name: StatisticName) => statisticOf(name).audit.every(({ by }) => by === "alone");
  for (const { statistic, pairs } of fuzzed) expect(pairs).toBeGreaterThanOrEqual(isAlone(statistic) ? 1 : 50);
  const claims = found.noise as readonly { readonly claimed: number; readonly atLeast: number }[];
  expect(claims.length).toBeGreaterThanOrEqual(20);
  for (const { claimed, atLeast } of claims) expect(atLeast).toBeLessThanOrEqual(claimed);
});

test.each([
  ["--pairs", "0"],
  ["--draws", "many"],
  ["--seed", "-1"],
])("%s %s is refused", async (flag, value) => {
  const { code, err } = await audit(`${flag}=${value}`);
  expect(code).toBe(2);
  expect(err).toContain(`[INVALID_PARAMETER]`);
});
