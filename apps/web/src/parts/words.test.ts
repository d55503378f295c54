import { expect, test } from "vitest";
import { acrossWords, grouped } from "./words.ts";

test.each([
  ["sample is 10000000, must be at most 11107: no more", "sample is 10,000,000, must be at most 11,107: no more"],
  ["is -250000.12345, must be at least 0.000001", "is -250,000.12345, must be at least 0.000001"],
  ['name is "1000000000", must be at most 100000.', 'name is "1000000000", must be at most 100,000.'],
  ["This is “1000000”, must be below 20000.", "This is “1000000”, must be below 20,000."],
  ["column x10000 of 12345_a from 2024 at localhost:18080", "column x10000 of 12345_a from 2024 at localhost:18080"],
  ["already 20,000 (50000)", "already 20,000 (50,000)"],
])("%s", (message, shown) => {
  expect(grouped(message)).toBe(shown);
});

test("what one block promises comes to more over several, of which no ledger needs years to have that many", () => {
  const of = (every: "month" | "quarter" | "year", protects?: "person") =>
    acrossWords("person", { every, zone: "UTC", protects }, { epsilon: "1", delta: "0" });
  expect(of("month")).toContain("with 12 months, this promises at most ε = 12 together");
  expect(of("quarter")).toContain("with 4 quarters, this promises at most ε = 4 together");
  expect(of("year")).toContain("with 2 years, this promises at most ε = 2 together");
  expect(of("year", "person")).toContain("of two cohorts, this promises at most ε = 2 together");
});
