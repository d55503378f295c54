import { PassThrough, Readable } from "node:stream";
import { text } from "node:stream/consumers";
import { type StatisticName, statisticNames, statisticOf } from "@dosimeter/query";
import { expect, test } from "vitest";
import { run } from "../program.ts";

async function audit(...args: readonly string[]) {
  const [out, err] = [new PassThrough(), new PassThrough()];
  const both = Promise.all([text(out), text(err)]);
  const terminal = { in: Readable.from([""]), out, err, isInteractive: false, env: {}, cwd: "." };
  const code = await run(["audit", ...args], terminal);
  out.end();
  err.end();
  const [saidOut, saidErr] = await both;
  return { code, out: saidOut, err: saidErr };
}

test("the audit of this installation covers every statistic, passes, and says what it is [M127]", async () => {
  const { code, out } = await audit("--pairs", "50", "--draws", "1000", "--json");
  const found = JSON.parse(out);
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
