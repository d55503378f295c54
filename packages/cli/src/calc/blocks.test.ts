import { expect, test } from "vitest";
import { answerLine } from "./filter.ts";

const call = (fn: string, args: object) => JSON.parse(answerLine(JSON.stringify({ id: 0, fn, ...args })));

const year = { unit: "month", zone: "UTC", first: "2024-01", last: "2024-12" };
const ledger = { blocks: year, epsilon: 1, delta: 1e-6, rule: "addition" };
const pure = (epsilon: number) => [{ kind: "pure", epsilon }];

test("a month that is overspent is refused there and only there", () => {
  const charges = [
    { window: { blocks: ["2024-03"] }, events: pure(0.75) },
    { window: { latest: 12 }, events: pure(0.5) },
    { window: { from: "2024-04", to: "2024-12" }, events: pure(0.5) },
  ];
  expect(call("blocks.admit", { ...ledger, charges }).value).toEqual({
    decisions: [
      { admitted: true, window: [["2024-03", "2024-03"]], switched: [] },
      {
        admitted: false,
        block: "2024-03",
        fits: [
          ["2024-01", "2024-02"],
          ["2024-04", "2024-12"],
        ],
        largestEpsilon: 0.25,
      },
      { admitted: true, window: [["2024-04", "2024-12"]], switched: [] },
    ],
    states: [
      { blocks: ["2024-01", "2024-02"], epsilon: 0, delta: 0, mu2: 0 },
      { blocks: ["2024-03", "2024-03"], epsilon: 0.75, delta: 0, mu2: null },
      { blocks: ["2024-04", "2024-12"], epsilon: 0.5, delta: 0, mu2: null },
    ],
  });
});

test("cohorts are named one by one, and the latest blocks are the closed ones", () => {
  const cohorts = { ...ledger, blocks: { cohorts: ["2020", "2021"] } };
  const one = [{ window: { blocks: ["2021"] }, events: pure(1) }];
  expect(call("blocks.admit", { ...cohorts, charges: one }).value.states).toMatchObject([
    { blocks: ["2020", "2020"], epsilon: 0 },
    { blocks: ["2021", "2021"], epsilon: 1 },
  ]);
  const latest = [{ window: { latest: 2 }, events: pure(0.1) }];
  expect(call("blocks.admit", { ...ledger, closed: "2024-05", charges: latest }).value.decisions).toMatchObject([
    { admitted: true, window: [["2024-04", "2024-05"]] },
  ]);
});

test.each([
  [{ blocks: 1 }, "blocks is 1, must be"],
  [{ blocks: { ...year, zone: 2 } }, "blocks.zone is 2, must be a string"],
  [{ closed: "2025-01" }, 'closed is "2025-01"'],
  [{ charges: [{ window: { latest: 13 }, events: pure(0.1) }] }, "window.latest is 13"],
  [{ charges: [{ window: { latest: 1, all: "closed" }, events: pure(0.1) }] }, "charges[0].window is"],
  [{ charges: [{ window: { all: "open" }, events: pure(0.1) }] }, "charges[0].window is"],
  [{ charges: [{ events: pure(0.1) }] }, "charges[0].window is missing"],
  [{ adjacency: "replace" }, 'argument is "adjacency"'],
])("%j is refused", (change, message) => {
  const { error } = call("blocks.admit", { ...ledger, charges: [], ...change });
  expect(error).toMatchObject({ code: "INVALID_PARAMETER", message: expect.stringContaining(message) });
});

test("the loss of a person in twelve blocks", () => {
  const { epsilon, delta } = call("blocks.loss", { losses: [{ epsilon: 0.1, delta: 1e-6, blocks: 12 }] }).value;
  expect(epsilon).toBe(1.2); // 1.2 is no double: the next one above
  expect(delta).toBeCloseTo((1e-6 * Math.expm1(1.2)) / Math.expm1(0.1), 15);
  const { error } = call("blocks.loss", {
    losses: [
      { epsilon: 1, delta: 0, blocks: 10_000 },
      { epsilon: 1, delta: 0 },
    ],
  });
  expect(error.message).toContain("at most 10000 blocks");
});
