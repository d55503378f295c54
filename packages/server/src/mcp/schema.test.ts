import { expect, test } from "vitest";
import { numbersAsTaken } from "./schema.ts";

const taken = (text: string) => numbersAsTaken(text, { type: "number" });

test("a text becomes a number where only numbers are taken, and every other text stays", () => {
  for (const text of ["1", "-1", " 0.5 ", "1.", ".5", "3e-1", "1E+2", "007"]) expect(taken(text)).toBe(Number(text));
  for (const text of ["", " ", ".", "-", "1e", "0x10", "1 2", "1..2", "Infinity", "1_0", "９"])
    expect(taken(text)).toBe(text);
  expect(numbersAsTaken("1", { anyOf: [{ type: "string" }, { type: "number" }] })).toBe("1");
  expect(taken("1".repeat(401))).toBe("1".repeat(401));
});

test("a long text is read in time in proportion to its length", () => {
  const before = process.threadCpuUsage();
  for (const part of ["1", " ", "1.", ".1", "e1", "-"]) {
    const text = `${part.repeat(100_000 / part.length)}x`;
    expect(taken(text)).toBe(text);
  }
  const { user, system } = process.threadCpuUsage(before);
  expect(user + system, "microseconds; in proportion to the square it would be a minute").toBeLessThan(1_000_000);
});
