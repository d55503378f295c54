import { checkDeclaration } from "@dosimeter/query/declaration";
import { expect, test } from "vitest";
import { declaredVisits } from "../visits.kit.ts";
import { dueOf, firstOf } from "./calendar.ts";

const at = (iso: string): number => Date.parse(iso) / 1000;
const month = (text: string): number => (Number(text.slice(0, 4)) - 1970) * 12 + Number(text.slice(5)) - 1;
const visits = (upper: string, more?: object) => checkDeclaration(declaredVisits({ upper, blocks: more }));
const waits = (block: string, { now, published = now, more }: { now: string; published?: string; more?: object }) =>
  dueOf(visits("2024-12-31", more), month(block), () => at(published), at(now)).waitsFor;

test("a month ends by the clocks of its zone, in summer and in winter time, and its lag follows", () => {
  // Berlin's clocks go forward on the last day of March, and back in the last days of October.
  for (const [block, last, first] of [
    ["2024-03", "2024-03-31T21:59:59Z", "2024-03-31T22:00:00Z"],
    ["2024-02", "2024-02-29T22:59:59Z", "2024-02-29T23:00:00Z"],
    ["2024-10", "2024-10-31T22:59:59Z", "2024-10-31T23:00:00Z"],
    ["2024-09", "2024-09-30T21:59:59Z", "2024-09-30T22:00:00Z"],
  ] as const) {
    expect([block, waits(block, { now: last })]).toEqual([block, "calendar"]);
    expect([block, waits(block, { now: first })]).toEqual([block, "nothing"]);
  }
  expect(waits("2024-03", { now: "2024-04-05T21:59:59Z", more: { lag: 5 } })).toBe("calendar");
  expect(waits("2024-03", { now: "2024-04-05T22:00:00Z", more: { lag: 5 } })).toBe("nothing");
});

test("a file has all of a month only if it was published after its end, whatever the clock says", () => {
  const now = "2098-01-01T00:00:00Z";
  expect(waits("2024-03", { now, published: "2024-03-31T21:59:59Z" })).toBe("version");
  expect(waits("2024-03", { now, published: "2024-03-31T22:00:00Z" })).toBe("nothing");
  // Not declared yet.
  expect(waits("2025-01", { now })).toBe("version");
  // The lag is about late rows: a version that came before its end will do.
  expect(waits("2024-03", { now: "2024-05-01T00:00:00Z", published: "2024-04-01T00:00:00Z", more: { lag: 5 } })).toBe(
    "nothing",
  );
});

test("where blocks are closed by hand, closing says that a month is complete, whatever was published when", () => {
  const byHand = (closed?: string) => ({ more: { closes: "by hand", closed }, published: "2024-03-01T00:00:00Z" });
  const over = "2024-03-31T22:00:00Z";
  expect(waits("2024-03", { now: "2024-03-31T21:59:59Z", ...byHand("2024-03") })).toBe("calendar");
  expect(waits("2024-03", { now: over, ...byHand("2024-02") })).toBe("closing");
  expect(waits("2024-03", { now: over, ...byHand() })).toBe("closing");
  expect(waits("2024-03", { now: over, ...byHand("2024-03") })).toBe("nothing");
  expect(waits("2025-01", { now: "2098-01-01T00:00:00Z", ...byHand("2024-12") })).toBe("closing");
});

test("the first report is that of the next month to be over, once there are as many as it covers", () => {
  const first = (latest: number, now: string, from?: string) =>
    firstOf(visits("2024-12-31"), { latest, from, now: at(now) });
  expect(first(12, "2024-03-15T00:00:00Z")).toBe(month("2024-03"));
  expect(first(12, "2022-03-15T00:00:00Z")).toBe(month("2022-12"));
  expect(first(12, "2098-01-01T00:00:00Z")).toBe(month("2025-01"));
  expect(first(12, "2024-03-15T00:00:00Z", "2023-01")).toBe(month("2023-01"));
  expect(() => first(12, "2024-03-15T00:00:00Z", "2022-11")).toThrow(
    "from 2022-12, the first with 12 months and at most 120 back, to 2034-03",
  );
  expect(() => first(12, "2024-03-15T00:00:00Z", "2034-04")).toThrow("from is");
});
