import { readFileSync } from "node:fs";
import { accountants } from "@dosimeter/core/accounting";
import { expect, test } from "vitest";
import { answerLine } from "./filter.ts";

type Answer = {
  readonly value?: Record<string, unknown>;
  readonly error?: { readonly code: string; readonly message: string };
};
const ask = (call: Readonly<Record<string, unknown>>): Answer => JSON.parse(answerLine(JSON.stringify(call)));

interface Golden {
  readonly id: string;
  readonly category: string;
  readonly inputs: Readonly<Record<string, number>>;
  readonly value: number;
  readonly tolerance: { readonly rel: number };
}
const { values } = JSON.parse(
  readFileSync(new URL("../../../../test/golden/accounting.json", import.meta.url), "utf8"),
) as { readonly values: readonly Golden[] };
const named = (category: string): readonly (readonly [string, Golden])[] =>
  values.filter((golden) => golden.category === category).map((golden) => [golden.id, golden]);

const pure = (epsilon: number) => ({ kind: "pure", epsilon });
const times = (count: number, event: unknown) => ({ kind: "repeated", count, event });

test.each(accountants.map(({ method }) => method))("total.loss by %s, both ways round", (method) => {
  const events = [times(20, pure(0.1))];
  const { value } = ask({ fn: "total.loss", events, delta: 1e-6, method });
  expect(value).toMatchObject({ method, delta: 1e-6, epsilon: expect.any(Number), assumes: expect.any(String) });
  const back = ask({ fn: "total.loss", events, epsilon: value?.epsilon, method }).value;
  expect(back?.delta).toBeLessThanOrEqual(1e-6 * (1 + 1e-6));
});

test.each(named("kov-optimal"))("total.loss: %s", (_id, { inputs, value, tolerance }) => {
  const { eps, k, delta_each = 0, delta } = inputs;
  const events = [times(k as number, { kind: "approximate", epsilon: eps, delta: delta_each })];
  const answer = ask({ fn: "total.loss", events, delta, method: "optimal" }).value;
  expect(answer?.epsilon).toBeGreaterThanOrEqual(value * (1 - 2 ** -52));
  expect(answer?.epsilon).toBeLessThanOrEqual(value * (1 + tolerance.rel));
});

test.each(named("agent"))("total.agent: %s", (id, { inputs, value, tolerance }) => {
  const { eps, delta_each, k, delta_budget } = inputs;
  const answer = ask({
    fn: "total.agent",
    spends: [[eps, delta_each, k]],
    budget: { epsilon: 1, delta: delta_budget },
  }).value;
  const got = (id.endsWith("eps") ? answer?.epsilon : answer?.delta) as number;
  expect(Math.abs(got / value - 1)).toBeLessThanOrEqual(tolerance.rel);
});

test("total.best lists every method and names the winner", () => {
  const { value } = ask({
    fn: "total.best",
    events: [times(100, { kind: "laplace", noiseMultiplier: 10 })],
    delta: 1e-6,
  });
  expect(value).toMatchObject({ method: "pld" });
  expect(value?.all).toHaveLength(accountants.length);
});

test("every total is under the neighbour relation that is asked for", () => {
  const event = { kind: "randomizedResponse", categories: 50, epsilon: 1 };
  const events = [{ kind: "repeated", count: 6, event }];
  const under = (adjacency: string | undefined, fn: string, more: object) =>
    ask({ fn, events, ...(adjacency === undefined ? {} : { adjacency }), ...more }).value;
  const budget = { delta: 1e-6, epsilon: 5, method: "pld", event, events: [] };
  expect(under("addRemove", "total.count", budget)).toEqual({ count: 5 });
  expect(under("replace", "total.count", budget)).toEqual({ count: 9 });
  expect(under(undefined, "total.count", budget)).toEqual({ count: 9 });
  for (const more of [{ deltas: [1e-6] }, { epsilons: [3] }]) {
    const [addRemove, replace] = ["addRemove", "replace"].map((one) =>
      JSON.stringify(under(one, "total.curve", { ...more, method: "pld" })),
    );
    expect(addRemove).not.toBe(replace);
  }
  const gaussian = { kind: "poissonSampled", rate: 0.1, event: { kind: "gaussian", noiseMultiplier: 2 } };
  expect(ask({ fn: "total.odometer", events: [gaussian], adjacency: "replace", delta: 1e-6 }).error).toMatchObject({
    code: "ADJACENCY_MISMATCH",
  });
});

test("total.curve, total.odometer and total.count", () => {
  const events = [times(100, pure(0.01))];
  expect(
    ask({ fn: "total.curve", events, deltas: [1e-3, 1e-6], epsilons: [0.5], method: "optimal" }).value,
  ).toHaveLength(3);
  expect(ask({ fn: "total.odometer", events, delta: 1e-6 }).value?.epsilon).toBeCloseTo(0.575, 3);
  expect(ask({ fn: "total.count", event: pure(0.01), epsilon: 1, delta: 1e-6, method: "optimal" }).value).toEqual({
    count: 562,
  });
  expect(ask({ fn: "total.count", event: pure(0.01), epsilon: 1, delta: 1e-6, method: "basic" }).value).toEqual({
    count: 100,
  });
  expect(
    ask({ fn: "total.count", event: { kind: "gdp", mu: 0.01 }, epsilon: 1, delta: 1e-6, method: "gdp" }).value,
  ).toEqual({ count: 560 });
});

test("calibrate takes an event without its noise, or a flat description", () => {
  const tree = ask({
    fn: "calibrate",
    mechanism: times(100, { kind: "gaussian" }),
    target: { epsilon: 1, delta: 1e-6 },
  }).value;
  const flat = ask({
    fn: "calibrate",
    mechanism: { kind: "gaussian", count: 100, sensitivity: 2 },
    target: { epsilon: 1, delta: 1e-6 },
  }).value;
  expect(tree).toMatchObject({ parameter: "noiseMultiplier", noiseMultiplier: expect.closeTo(42.24678889326835, 9) });
  expect(flat?.sigma).toBeCloseTo(84.4935777865367, 9);
  const power = ask({ fn: "calibrate", mechanism: { kind: "gaussian" }, target: { tpr: 0.1, fpr: 0.01 } }).value;
  expect(power?.reached).toBeLessThanOrEqual(0.1);
});

test("sample.functioning and its inverse, group, plan.price", () => {
  const frame = { n: 1200, population: 1223992 };
  const inside = ask({ fn: "sample.functioning", epsilon: 2, delta: 1e-8, ...frame }).value;
  expect(inside?.epsilon).toBeCloseTo(8.78229135034049, 12);
  expect(ask({ fn: "sample.amplified", ...inside, ...frame }).value?.epsilon).toBeCloseTo(2, 12);
  expect(ask({ fn: "group", epsilon: 0.3, delta: 1e-8, size: 5 }).value?.delta).toBeCloseTo(9.951697641860009e-8, 18);
  expect(ask({ fn: "plan.price", events: [{ kind: "gaussian", noiseMultiplier: 2 }], mu2: 1, eta: 0 }).value).toEqual({
    cost: expect.closeTo(0.25, 12),
    eta: 0,
  });
});

test.each([
  [
    { fn: "total.loss", events: [times(1.5, pure(1))], delta: 0, method: "basic" },
    "INVALID_PARAMETER",
    /events\[0\]\.count/,
  ],
  [
    { fn: "total.loss", events: [times(2 ** 53, pure(1))], delta: 0, method: "basic" },
    "INVALID_PARAMETER",
    /events\[0\]\.count/,
  ],
  [
    {
      fn: "total.loss",
      events: [{ kind: "composed", events: [pure(1), { kind: "magic" }] }],
      delta: 0,
      method: "basic",
    },
    "UNSUPPORTED_EVENT",
    /events\[0\]\.events\[1\]\.kind/,
  ],
  [
    { fn: "total.loss", events: [{ kind: "zcdp", rho: 1 }], delta: 1e-6, method: "pld" },
    "UNSUPPORTED_EVENT",
    /events\[0\]/,
  ],
  [{ fn: "total.loss", events: [pure(1)], delta: 1, method: "pld" }, "INVALID_PARAMETER", /delta/],
  [{ fn: "total.loss", events: [pure(1)], method: "pld" }, "INVALID_PARAMETER", /delta/],
  [
    { fn: "total.loss", events: [{ kind: "poissonSampled", rate: 1.1, event: pure(1) }], delta: 0, method: "pld" },
    "INVALID_PARAMETER",
    /rate/,
  ],
  [{ fn: "total.agent", spends: [[-1, 0]], budget: { delta: 1e-6 } }, "INVALID_PARAMETER", /spends\[0\]\.epsilon/],
  [
    { fn: "calibrate", mechanism: { kind: "gaussian" }, target: { epsilon: 1, delta: 2 } },
    "INVALID_PARAMETER",
    /target\.delta/,
  ],
  [{ fn: "sample.functioning", epsilon: 1, n: 10, population: 5 }, "INVALID_PARAMETER", /size/],
])("%j is an error object", (call, code, message) => {
  const { error } = ask(call);
  expect(error?.code).toBe(code);
  expect(error?.message).toMatch(message);
});

test("δ = 0, δ below what was given up, and nothing at all", () => {
  const loss = (events: unknown[], delta: number, method = "pld") =>
    ask({ fn: "total.loss", events, delta, method }).value;
  expect(loss([{ kind: "gaussian", noiseMultiplier: 1 }], 0)?.epsilon).toBe("Infinity");
  expect(loss([{ kind: "approximate", epsilon: 1, delta: 1e-3 }], 1e-4)?.epsilon).toBe("Infinity");
  expect(loss([], 0)?.epsilon).toBe(0);
  expect(loss([pure(800)], 1e-6)?.epsilon).toBeCloseTo(800, 5);
  expect(loss([pure(1e-12)], 0)?.epsilon).toBe(1e-12);
});
