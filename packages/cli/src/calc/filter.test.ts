import { Readable } from "node:stream";
import { expect, test } from "vitest";
import { answerLine, answerLines, calcFunctions, listCalcFunctions } from "./filter.ts";
import { calcFunction, optional, readArguments, required } from "./function.ts";
import { array, number, oneOf } from "./readers.ts";

async function filter(...pieces: string[]): Promise<unknown[]> {
  let answers = "";
  for await (const piece of answerLines(Readable.from(pieces))) answers += piece;
  return answers
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line));
}

test("a bad line is answered with an error and the next one still runs", async () => {
  const answers = await filter('nonsense\n{"id":7,"fn":"no.such"}\n\n[1]\n{"id":"last"}');
  expect(answers).toEqual([
    { id: null, error: { code: "INVALID_PARAMETER", message: expect.stringContaining("must be one JSON object") } },
    { id: 7, error: { code: "INVALID_PARAMETER", message: expect.stringContaining('fn is "no.such"') } },
    { id: null, error: { code: "INVALID_PARAMETER", message: expect.any(String) } },
    { id: "last", error: { code: "INVALID_PARAMETER", message: expect.stringContaining("fn is missing") } },
  ]);
});

test("lines may be cut anywhere, ids are whatever they were", async () => {
  const line = `${JSON.stringify({ id: { deep: ["ä", null] }, fn: "?" })}\n`;
  const bytes = [...line].flatMap((character) => [character]);
  expect(await filter(...bytes, ...bytes)).toEqual([
    { id: { deep: ["ä", null] }, error: expect.anything() },
    { id: { deep: ["ä", null] }, error: expect.anything() },
  ]);
});

test("a line of a million brackets is an answer, not a crash", () => {
  expect(JSON.parse(answerLine(`{"id":1,"fn":${"[".repeat(1_000_000)}`))).toHaveProperty("error.code");
  expect(JSON.parse(answerLine(`{"id":1,"fn":${"[".repeat(100_000)}${"]".repeat(100_000)}}`))).toHaveProperty("error");
});

test("every function is listed once, with a type and words for each argument", () => {
  const listed = listCalcFunctions().map((line) => JSON.parse(line));
  expect(new Set(listed.map(({ fn }) => fn)).size).toBe(calcFunctions.length);
  for (const { fn, summary, arguments: args } of listed) {
    expect(summary, fn).not.toBe("");
    for (const { name, type, docs } of args) expect(`${type} ${docs}`.length, `${fn}.${name}`).toBeGreaterThan(5);
  }
});

const example = calcFunction(
  "example",
  "for this test",
  {
    x: required(number({ above: 0, infinite: true }), "a number"),
    xs: optional(array(number({ min: 0, max: 1 })), "more"),
    how: optional(oneOf(["up", "down"]), "a direction"),
  },
  ({ x }) => x,
);

test.each([
  [{ x: 1, y: 2 }, 'argument is "y", must be one of the arguments of example: x, xs, how'],
  [{}, "x is missing"],
  [{ x: 0 }, "x is 0, must be number > 0"],
  [{ x: "NaN" }, 'x is "NaN"'],
  [{ x: "1" }, 'x is "1"'],
  [{ x: 1, xs: [0, 2] }, "xs[1] is 2, must be number >= 0 and <= 1"],
  [{ x: 1, xs: ["Infinity"] }, "xs[0] is"],
  [{ x: 1, how: "left" }, 'how is "left", must be "up" | "down"'],
  [{ x: 1, __proto__: null, constructor: 1 }, 'argument is "constructor"'],
])("%o is refused by name and place", (given, message) => {
  expect(() => readArguments(example, given)).toThrow(message);
});

test("non-finite numbers come in as strings", () => {
  expect(readArguments(example, { x: "Infinity" })).toEqual({ x: Number.POSITIVE_INFINITY });
});
