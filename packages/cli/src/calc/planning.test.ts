import { expect, test } from "vitest";
import { answerLine } from "./filter.ts";

const call = (fn: string, args: object) => JSON.parse(answerLine(JSON.stringify({ id: 0, fn, ...args })));
const value = (fn: string, args: object) => call(fn, args).value;

test("accuracy of a count is the exact tail of discrete Laplace noise", () => {
  // P(|Z| > k) = 2 e^{-(k+1)/λ} / (1 + e^{-1/λ}); λ = 2.
  const beyond = (k: number) => (2 * Math.exp(-(k + 1) / 2)) / (1 + Math.exp(-1 / 2));
  const k = value("accuracy", { statistic: "count", epsilon: 0.5, failureProbability: 0.05 });
  expect(beyond(k)).toBeLessThanOrEqual(0.05);
  expect(beyond(k - 1)).toBeGreaterThan(0.05);
});

test.each([
  { statistic: "count", accuracy: 10 },
  { statistic: "distinctUnits", accuracy: 3, failureProbability: 0.01 },
  { statistic: "sum", lower: -5, upper: 20, accuracy: 100 },
  { statistic: "mean", lower: 0, upper: 100, n: 1000, accuracy: 2 },
  { statistic: "mean", lower: 0, upper: 100, n: 1000, accuracy: 2, adjacency: "replace" },
  { statistic: "histogram", accuracy: 12, noise: "gaussian" },
  { statistic: "cdf", lower: 0, upper: 1000, bins: 512, accuracy: 300 },
  { statistic: "cdf", lower: 0, upper: 1000, accuracy: 300, noise: "gaussian" },
  { statistic: "quantiles", lower: 0, upper: 100, quantiles: [0.1, 0.9], accuracy: 200 },
  { statistic: "maximum", lower: 0, upper: 100, accuracy: 300 },
  { statistic: "unitSum", lower: 0, upper: 100, unitLower: 0, unitUpper: 500, rows: 4, accuracy: 2000 },
  { statistic: "keyCounts", delta: 1e-6, accuracy: 20 },
  { statistic: "keyCounts", delta: 1e-6, rows: 30, accuracy: 100 },
  { statistic: "topValues", values: 50, k: 3, accuracy: 20 },
  { statistic: "count", keys: "select", delta: 1e-6, accuracy: 20 },
  { statistic: "bounds", accuracy: 60 },
])("the price for an accuracy reaches it, and nothing cheaper does: %o", ({ accuracy, ...asked }) => {
  const { noise: _noise, ...statistic } = { noise: undefined, ...asked };
  const price = value("epsilonFor", { ...asked, accuracy });
  expect(value("accuracy", { ...statistic, ...price })).toBeLessThanOrEqual(accuracy);
  const [[name, amount]] = Object.entries(price) as [[string, number]];
  const cheaper = value("accuracy", { ...statistic, [name]: amount * 0.97 });
  expect(cheaper).toBeGreaterThan(accuracy * 0.999);
});

test("filter.admit counts what each rule admits, and goes on after a refusal", () => {
  const small = { kind: "pure", epsilon: 0.1 };
  const ledger = { epsilon: 1, delta: 1e-6, deltaSelection: 0 };
  const admitted = (rule: string, events: object[], more: object = {}) =>
    value("filter.admit", { ...ledger, rule, events, ...more });
  expect(admitted("addition", Array(12).fill(small))).toMatchObject({ admitted: 10, firstRefused: 10 });
  expect(admitted("addition", Array(12).fill(small)).state).toMatchObject({
    activeRule: "addition",
    epsilon: 1,
    delta: 0,
  });
  expect(admitted("addition", [small, { kind: "pure", epsilon: 5 }, small])).toMatchObject({
    admitted: 2,
    firstRefused: 1,
    state: { epsilon: 0.2 },
  });
  expect(admitted("tight", Array(3).fill(small)).state).toMatchObject({ epsilon: 0.3, delta: 0 });
  const many = Array(700).fill({ kind: "pure", epsilon: 0.01 });
  const tight = admitted("tight", many).admitted;
  expect(tight).toBeGreaterThan(500);
  expect(admitted("additionThenTight", many)).toMatchObject({ admitted: tight, state: { activeRule: "tight" } });
  expect(admitted("additionThenTight", many, { policy: "ask" })).toMatchObject({ admitted: 100 });
  expect(admitted("addition", [{ kind: "gaussian", noiseMultiplier: 10 }])).toMatchObject({ admitted: 0 });
});

test("apportion shares to the last unit, keeps what is held, and gives the edited row what was typed", () => {
  const rows = [
    { id: "a", epsilon: 0.2 },
    { id: "b", epsilon: 0.6 },
    { id: "c", epsilon: 0.2, held: true },
  ];
  const shares = (args: object) => value("apportion", args).rows.map(({ epsilon }: { epsilon: number }) => epsilon);
  expect(shares({ plan: { epsilon: 1, rows: [{ id: "a" }, { id: "b" }, { id: "c" }] } })).toEqual([
    0.333333333334, 0.333333333333, 0.333333333333,
  ]);
  expect(shares({ plan: { epsilon: 1, rows }, edit: { kind: "epsilon", id: "a", epsilon: 0.5 } })).toEqual([
    0.5, 0.3, 0.2,
  ]);
  expect(shares({ plan: { epsilon: 2, rows }, edit: { kind: "total", epsilon: 2 } })).toEqual([0.45, 1.35, 0.2]);
  expect(value("apportion", { plan: { epsilon: 0.1, rows } }).over).toBe(0.1);
});

test.each([
  ["accuracy", { statistic: "count", epsilon: 0 }, "epsilon"],
  ["accuracy", { statistic: "count", epsilon: "1e-400" }, "epsilon"],
  ["accuracy", { statistic: "mean", epsilon: 1 }, "lower"],
  ["accuracy", { statistic: "mean", lower: 1, upper: 1, n: 5, epsilon: 1 }, "lower"],
  ["accuracy", { statistic: "count", epsilon: 1, failureProbability: 0 }, "failureProbability"],
  ["epsilonFor", { statistic: "count", accuracy: -1 }, "accuracy"],
  ["filter.admit", { epsilon: 1, delta: 1, rule: "tight", events: [] }, "delta"],
  ["filter.admit", { epsilon: 1, delta: 0, rule: "tight", events: [] }, "delta"],
  ["filter.admit", { epsilon: 1, delta: 1e-6, rule: "loose", events: [] }, "rule"],
  ["filter.admit", { epsilon: 1, delta: 1e-6, rule: "tight", events: [{ kind: "pure", epsilon: -1 }] }, "events[0]"],
  ["apportion", { plan: { epsilon: 1, rows: [{}] } }, "plan.rows[0].id"],
  ["apportion", { plan: { epsilon: 1, rows: [] }, edit: { kind: "hold", id: "z" } }, "edit.id"],
])("%s of %o is refused, naming %s", (fn, args, name) => {
  const { error } = call(fn, args);
  expect(error.code).toBe("INVALID_PARAMETER");
  expect(error.message).toContain(name);
});

test("psiShares gives the published tables; a table that does not compose is an error object", () => {
  const shares = value("psiShares", { epsilons: [0.6, 0.3, 0.1, null], protectedRows: [0], epsilon: 1, delta: 1e-6 });
  [0.6, 0.199999, 0.066668, 0.133333].forEach((expected, index) => {
    expect(Math.abs(shares[index] - expected)).toBeLessThan(1e-4);
  });
  const refused = call("psiShares", { epsilons: [0.3, 0.9, 0.4], protectedRows: [0, 1], epsilon: 1, delta: 1e-6 });
  expect(refused.error.code).toBe("BUDGET_EXHAUSTED");
  expect(call("psiShares", { epsilons: ["x"], epsilon: 1, delta: 1e-6 }).error.code).toBe("INVALID_PARAMETER");
});

test("a released curve gives quantiles, each with an interval", () => {
  const cells = [10, 40, 90, 100].map((value, at) => ({
    group: {},
    bin: { label: `≤ ${10 * at + 9}`, lower: 10 * at, upper: 10 * at + 9 },
    value,
    interval: [value, value],
    noisy: [],
  }));
  const answer = { statistic: "cdf", groupBy: [], simultaneous: 2, cells };
  expect(value("cdf.quantile", { answer, share: 0.5 })).toEqual({ value: 29, interval: [20, 29], rank: 43 });
  expect(value("cdf.quantile", { answer, share: [0.1, 1] })).toEqual([
    { value: 9, interval: [0, 19], rank: 3 },
    { value: 39, interval: [30, 39], rank: 4 },
  ]);
  expect(call("cdf.quantile", { answer: { ...answer, statistic: "count" }, share: 0.5 }).error.code).toBe(
    "INVALID_PARAMETER",
  );
  expect(call("cdf.quantile", { answer: 7, share: 0.5 }).error.code).toBe("INVALID_PARAMETER");
  expect(call("cdf.quantile", { answer: { statistic: "cdf", simultaneous: 1 }, share: 0.5 }).error.code).toBe(
    "INVALID_PARAMETER",
  );
  expect(call("cdf.quantile", { answer: { ...answer, cells: [7] }, share: 0.5 }).error.code).toBe("INVALID_PARAMETER");
});
