import { expect, test } from "vitest";
import { examples, run } from "./tradeoff-docs.kit.ts";

test("every example of docs/tradeoff.md prints what stands below it", () => {
  const list = examples();
  expect(list.length).toBeGreaterThan(8);
  const said = run(list);
  for (const [i, { code, output }] of list.entries()) expect(said[i], code).toBe(output);
});
