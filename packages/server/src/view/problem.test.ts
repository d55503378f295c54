import { errorCodes, PrivacyError } from "@dosimeter/core";
import { expect, test } from "vitest";
import { bucket, createLog, errorFields } from "../telemetry/log.ts";
import { problemOf, publicError } from "./problem.ts";

test("a refusal leaves with its facts, exact amounts as text", () => {
  const error = new PrivacyError("QUOTA_EXHAUSTED", {
    largestEpsilon: 300_000_000_000n,
    got: Number.NaN,
    name: "epsilon",
  });
  expect(problemOf(publicError(error))).toEqual({
    type: "urn:dosimeter:QUOTA_EXHAUSTED",
    title: errorCodes.QUOTA_EXHAUSTED,
    status: 409,
    code: "QUOTA_EXHAUSTED",
    detail: "epsilon is NaN",
    largestEpsilon: "300000000000",
    got: "NaN",
    name: "epsilon",
  });
});

test("the facts of a refusal cannot pose as its code or status", () => {
  const error = new PrivacyError("NOT_FOUND", { code: "OK", status: 200, detail: "all is well", type: "x" });
  expect(problemOf(error)).toMatchObject({ code: "NOT_FOUND", status: 404, type: "urn:dosimeter:NOT_FOUND" });
});

test("in every refusal the given value is cut, and so is every text", () => {
  const long = `${"x".repeat(79)}🙂${"x".repeat(10_000)}`;
  const problem = problemOf(
    new PrivacyError("NOT_FOUND", { name: long, got: long, want: long, refusals: [{ node: long }] }),
  );
  expect(problem.got).toBe(`${"x".repeat(79)}…`);
  expect(JSON.stringify(problem)).toMatch(/^(?!.*x{1001}).*NOT_FOUND/);
  expect(problemOf(new PrivacyError("CONFLICT", {}, long)).detail).toHaveLength(1001);
  for (const [got, said] of [
    [{ [long]: 1 }, "an object"],
    [[long], "a list"],
    [0.5, 0.5],
  ])
    expect(problemOf(new PrivacyError("CONFLICT", { name: "x", got })).got).toBe(said);
});

test.each([
  ["a driver's error", new TypeError('Could not convert string "sixty-two" to INT32 in row 3')],
  ["a leak that was stopped", new PrivacyError("EXACT_VALUE_LEAK", { got: 62 })],
  ["something thrown that is no error", "row 62"],
])("of %s nothing leaves and nothing is logged", (_, thrown) => {
  expect(JSON.stringify(problemOf(publicError(thrown)))).not.toMatch(/62|sixty|row/);
  const lines: string[] = [];
  createLog("info", (line) => lines.push(line)).error("REQUEST_FAILED", { status: 500, ...errorFields(thrown) });
  expect(lines.join("")).not.toMatch(/62 |"62"|sixty|convert/);
});

test.each([
  ["nobody listens", Object.assign(new AggregateError([]), { code: "ECONNREFUSED" })],
  ["the server shuts down", Object.assign(new Error("terminating connection at row 62"), { code: "57P01" })],
  ["the disk is full", Object.assign(new Error("database or disk is full: row 62"), { errcode: 13 })],
  ["a write sent ahead met all this", new Error("row 62", { cause: Object.assign(new Error(), { code: "08006" }) })],
])("while the database is away is not INTERNAL: %s", (_, thrown) => {
  expect(problemOf(publicError(thrown))).toEqual(problemOf(new PrivacyError("NOT_READY")));
});

test("a log keeps only the fields it knows", () => {
  const lines: string[] = [];
  const fields = { route: "me", status: 200, token: "secret", body: { age: 62 } };
  createLog("info", (line) => lines.push(line)).info("answered", fields);
  expect(JSON.parse(lines[0] ?? "")).toMatchObject({ route: "me", status: 200, msg: "answered" });
  expect(lines.join("")).not.toMatch(/secret|age/);
});

test("durations are rounded up to powers of two", () => {
  expect([0, 0.2, 1, 1.1, 3, 100, 1025].map(bucket)).toEqual([1, 1, 1, 2, 4, 128, 2048]);
});
