import { expect, test } from "vitest";
import { acrossWords } from "./across-words.ts";

test("what one block promises comes to more over several, of which no ledger needs years to have that many", () => {
  const of = (every: "month" | "quarter" | "year", protects?: "person") =>
    acrossWords("person", { every, zone: "UTC", protects }, { epsilon: "1", delta: "0" });
  expect(of("month")).toContain("with 12 months, this promises at most ε = 12 together");
  expect(of("quarter")).toContain("with 4 quarters, this promises at most ε = 4 together");
  expect(of("year")).toContain("with 2 years, this promises at most ε = 2 together");
  expect(of("year", "person")).toContain("of two cohorts, this promises at most ε = 2 together");
});
