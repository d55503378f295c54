import { expect, test } from "vitest";
import { hostileHour } from "./hostile/hour.kit.ts";

test("half a minute of every attack at once loses nothing, fails nothing, and leaves an analyst's releases done", async () => {
  const { quiet, hostile, attacks, answers, promised, released, verified } = await hostileHour({
    milliseconds: 30_000,
    clients: 26,
  });
  expect([...quiet.errors, ...quiet.server.failures, ...hostile.errors, ...hostile.server.failures]).toEqual([]);
  expect(Object.keys(answers).filter((answer) => / 5\d\d$/.test(answer))).toEqual([]);
  for (const attack of attacks)
    expect(Object.keys(answers), "each was tried").toContainEqual(expect.stringMatching(`^${attack} \\d`));
  expect(hostile.analyst.release?.times).toBeGreaterThan(0);
  expect(promised.length).toBeGreaterThan(0);
  expect(released).toEqual(promised);
  expect(verified).toBe(true);
});
