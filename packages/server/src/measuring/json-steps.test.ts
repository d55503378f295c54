import fc from "fast-check";
import { expect, test } from "vitest";
import { jsonSteps } from "./json-steps.ts";

/** Its text and the number of its steps. */
function written(value: unknown): { text: string; steps: number } {
  const work = jsonSteps(value);
  for (let steps = 0; ; steps++) {
    const { done, value: text } = work.next();
    if (done === true) return { text, steps };
  }
}

test("plain data are written as JSON.stringify writes them", () => {
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 4 }), (value) => {
      expect(written(value).text).toBe(JSON.stringify(value));
    }),
  );
  const odd = { a: undefined, b: [undefined, Number.NaN], 'c"': { d: undefined }, e: [] };
  expect(written(odd).text).toBe(JSON.stringify(odd));
});

test("a long list takes many steps, wherever it is", () => {
  const cells = Array.from({ length: 10_000 }, (_, n) => ({ value: n, label: `cell ${n}` }));
  const answers = [{ id: "ages", groups: [{ key: ["f"], cells }] }];
  const { text, steps } = written(answers);
  expect(text).toBe(JSON.stringify(answers));
  expect(steps).toBeGreaterThan(50);
});
