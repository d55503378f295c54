import { expect, test } from "vitest";
import { grouped } from "./grouped.ts";

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
