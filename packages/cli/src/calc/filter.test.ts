import { Readable } from "node:stream";
import { unboundedWork } from "@dosimeter/core";
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
  expect(() => readArguments(example, given, unboundedWork)).toThrow(message);
});

test("non-finite numbers come in as strings", () => {
  expect(readArguments(example, { x: "Infinity" }, unboundedWork)).toEqual({ x: Number.POSITIVE_INFINITY });
});

test("a line that takes too much work is refused, and the next is answered", async () => {
  const noise = (rate: number, noiseMultiplier: number) => ({
    kind: "poissonSampled",
    rate,
    event: { kind: "gaussian", noiseMultiplier },
  });
  const events = [
    { kind: "approximate", epsilon: 0.007363, delta: 0.0005184 },
    { kind: "repeated", count: 487, event: noise(0.0003142, 87.16) },
    noise(0.03174, 0.1101),
  ];
  const deltas = Array.from({ length: 500 }, (_, i) => 10 ** (-0.5 - i / 200));
  const slow = { id: 1, fn: "total.curve", events, deltas, method: "pld" };
  const quick = { id: 2, fn: "total.loss", events: [{ kind: "pure", epsilon: 0.1 }], delta: 0, method: "pld" };
  expect(await filter(`${JSON.stringify(slow)}\n${JSON.stringify(quick)}\n`)).toEqual([
    { id: 1, error: { code: "TOO_MUCH_WORK", message: expect.stringContaining("more than 1000000000 points") } },
    { id: 2, value: expect.objectContaining({ epsilon: 0.1 }) },
  ]);
});

test("amounts are printed as the decimals that they are", () => {
  const events = Array.from({ length: 3 }, () => ({ kind: "pure", epsilon: 0.1 }));
  const admitted = answerLine(
    JSON.stringify({ fn: "filter.admit", epsilon: 1, delta: 1e-6, rule: "addition", events }),
  );
  expect(JSON.parse(admitted).value.state.epsilon).toBe(0.3);
  const losses = [{ epsilon: 0.1, delta: 0, blocks: 3 }];
  expect(JSON.parse(answerLine(JSON.stringify({ fn: "blocks.loss", losses }))).value.epsilon).toBe(0.3);
});
