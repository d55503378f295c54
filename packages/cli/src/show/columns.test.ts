import { expect, test } from "vitest";
import { short } from "./columns.ts";

test("what was spent is never shown as less, and what is left never as more", () => {
  expect(["0.1234561", "0.02", "0"].map((spent) => short(spent, "up"))).toEqual(["0.123457", "0.02", "0"]);
  expect(["0.1234569", "0.02", "0"].map((left) => short(left, "down"))).toEqual(["0.123456", "0.02", "0"]);
  expect(short(null, "up")).toBe("—");
});
