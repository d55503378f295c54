import { inspect } from "node:util";
import { expect, test } from "vitest";
import { Exact, reveal } from "./exact.ts";

const secret = new Exact({ count: 4217, list: [4217n] });

test("no ordinary way of printing shows the value", () => {
  const shown = [
    String(Object.prototype.toString.call(secret)),
    secret.toString(),
    inspect(secret, { depth: 9, showHidden: true }),
    Object.keys(secret).join(),
    JSON.stringify(Object.entries(secret)),
  ];
  for (const text of shown) expect(text).not.toContain("4217");
  for (const leak of [
    () => JSON.stringify({ secret }),
    () => `${secret as unknown as string}`,
    () => Number(secret),
    () => structuredClone([secret]).map(String).join().includes("4217") && undefined,
  ]) {
    try {
      expect(leak()).toBeUndefined();
    } catch (error) {
      expect(String(error)).not.toContain("4217");
    }
  }
  expect(() => JSON.stringify(secret)).toThrow("about to leave");
});

test("a mechanism can reveal it, and a computation keeps it secret", () => {
  expect(reveal(secret).count).toBe(4217);
  expect(reveal(secret.map(({ count }) => count + 1))).toBe(4218);
});
