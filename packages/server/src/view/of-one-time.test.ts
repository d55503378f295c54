import type { Charge } from "@dosimeter/ledger";
import type { Source } from "@dosimeter/query/source";
import { expect, test } from "vitest";
import { ofOneTime } from "./of-one-time.ts";

const from = (...releases: readonly string[]) => releases.map((release) => ({ release, row: "s1" }));
const resolutions = [
  { row: "old", kind: "same", from: from("r1") },
  { row: "older", kind: "derived", from: from("r1", "r1") },
  { row: "mixed", kind: "pooled", from: from("r1", "r2") },
  { row: "topped", kind: "refined", from: from("r1") },
];
const charge = { id: "r3", request: { plan: { statistics: [] }, resolutions } } as unknown as Charge;
const live = { postgres: { connection: "main", schema: "public", table: "people" } } as Source;

test("answers about a table that may change are of one time where one run drew both [M148]", () => {
  const isOfOneTime = ofOneTime(charge, { source: live });
  const isOne = { "new newer": true, "old older": true, "old old": true, "new old": false, "old mixed": false };
  for (const [pair, want] of Object.entries({ ...isOne, "mixed mixed": false, "topped old": false })) {
    const [row = "", other = ""] = pair.split(" ");
    expect([pair, isOfOneTime(row, other), isOfOneTime(other, row)]).toEqual([pair, want, want]);
  }
});

test("those about a file, which is the same at every time, always are", () => {
  expect(ofOneTime(charge, { source: { csv: "people.csv" } })("new", "mixed")).toBe(true);
  expect(ofOneTime(charge, {})("new", "mixed")).toBe(true);
});
