import { expect, test } from "vitest";
import { epsilonAmount, type Mu2Amount } from "../amounts/amount.ts";
import type { Rule } from "../filter/rules.ts";
import { openTerms } from "../filter/terms.ts";
import { columnMu2 } from "./continual.ts";
import { MAX_DUE, type Simulation, simulate } from "./simulate.ts";

const terms = (epsilon: string, rule: Rule = "addition") => openTerms({ epsilon, delta: "1e-6", rule });

function simulation(more: Partial<Simulation> = {}): Simulation {
  const own = more.terms ?? terms("1");
  return {
    blocks: 24,
    terms: own,
    teams: [{ name: "a", quota: own }],
    reports: [{ team: "a", events: [{ kind: "pure", epsilon: "0.1" }], latest: 3, every: 1 }],
    ...more,
  };
}

test("a report a month ends with a lifetime, and goes on for ever where each month has a budget", () => {
  const { lifetime, blocks } = simulate(simulation());
  // Due from month 3 on: the tenth report is the last that fits, in month 12.
  expect(lifetime.teams).toEqual([{ team: "a", due: 22, paid: 10, firstRefusal: { block: 13, report: 0 } }]);
  expect(lifetime.used).toEqual([
    ...[0, 0],
    ...Array.from({ length: 10 }, (_, index) => (index + 1) / 10),
    ...Array<number>(12).fill(1),
  ]);
  expect(blocks.teams).toEqual([{ team: "a", due: 22, paid: 22, firstRefusal: null }]);
  expect(blocks.used).toEqual([0.1, 0.2, ...Array<number>(20).fill(0.3), 0.2, 0.1]);
});

test("a window of more reports than a block can pay is refused until a block that has room for all has come", () => {
  const { blocks } = simulate(
    simulation({
      blocks: 6,
      reports: [{ team: "a", events: [{ kind: "pure", epsilon: "0.4" }], latest: 3, every: 1 }],
    }),
  );
  // Block 3 is full after month 4, so month 5 is refused; the window of month 6 is without it.
  expect(blocks.teams).toEqual([{ team: "a", due: 4, paid: 3, firstRefusal: { block: 5, report: 0 } }]);
  expect(blocks.used).toEqual([0.4, 0.8, 0.8, 0.8, 0.4, 0.4]);
});

test("a team that overspends is refused by its own share, and only it", () => {
  const half = { epsilon: epsilonAmount("0.5", "down"), delta: terms("1").delta };
  const { blocks, lifetime } = simulate(
    simulation({
      teams: [
        { name: "a", quota: half },
        { name: "b", quota: half },
      ],
      reports: [
        { team: "a", events: [{ kind: "pure", epsilon: "0.1" }], latest: 12, every: 1 },
        { team: "b", events: [{ kind: "pure", epsilon: "0.1" }], latest: 4, every: 1 },
      ],
    }),
  );
  expect(blocks.teams[0]).toMatchObject({ firstRefusal: { block: 17, report: 0 } });
  expect(blocks.teams[1]).toMatchObject({ due: 21, paid: 21, firstRefusal: null });
  expect(lifetime.teams.map(({ firstRefusal }) => firstRefusal?.block)).toEqual([17, 9]);
});

/** μ² = 0.01 in the first block. */
const total = { team: "a", events: [{ kind: "gaussian", noiseMultiplier: "10" }], latest: 1, every: 1 } as const;
const MU2 = 10_000_000_000n as Mu2Amount;

test("a running total that goes on pays once in each block, for its column; as one lifetime it is asked again each time [M209]", () => {
  const own = terms("1", "tight");
  const { blocks, lifetime } = simulate(simulation({ terms: own, reports: [{ ...total, horizon: 12 }] }));
  expect(blocks.teams).toEqual([{ team: "a", due: 12, paid: 12, firstRefusal: null }]);
  const columns = Array.from({ length: 12 }, (_, at) => columnMu2(MU2, { horizon: 12, step: at + 1 }));
  const shares = columns.map((mu2) => Number(mu2) / Number(own.mu2));
  for (const [at, used] of blocks.used.entries()) expect(used).toBeCloseTo(shares[at] ?? 0, 9);
  const fit = Number(own.mu2 / MU2);
  expect(fit).toBeLessThan(12);
  expect(lifetime.teams).toEqual([{ team: "a", due: 12, paid: fit, firstRefusal: { block: fit + 1, report: 0 } }]);
});

test("a running total ends with the first of its reports that is refused", () => {
  const own = terms("1", "tight");
  const most = Math.sqrt(1e12 / Number(own.mu2)) * (1 + 1e-9);
  const all = { team: "a", events: [{ kind: "gaussian", noiseMultiplier: most }], latest: 1, every: 5 } as const;
  const { blocks } = simulate(simulation({ terms: own, reports: [all, { ...total, horizon: 12 }] }));
  // Block 5 is spent before its report; those of 6 to 12 would have had room.
  expect(blocks.teams).toEqual([{ team: "a", due: 16, paid: 8, firstRefusal: { block: 5, report: 1 } }]);
  expect(blocks.used.slice(5, 9)).toEqual([0, 0, 0, 0]);
});

test.each([
  ["a rule that switches", { terms: terms("1", "additionThenTight") }, "blocks switch to no other rule"],
  ["no report", { reports: [] }, "at least one report"],
  ["no block", { blocks: 0 }, "a whole number from 1 to 10000"],
  ["10⁶ blocks", { blocks: 1e6 }, "a whole number from 1 to 10000"],
  ["a window that never comes", { reports: [{ team: "a", events: [], latest: 25, every: 1 }] }, "from 1 to 24"],
  ["half a block", { reports: [{ team: "a", events: [], latest: 1, every: 0.5 }] }, "reports[0].every is 0.5"],
  ["a total over windows", { reports: [{ ...total, latest: 2, horizon: 12 }] }, "reports[0].latest is 2"],
  ["a total now and then", { reports: [{ ...total, every: 2, horizon: 12 }] }, "reports[0].every is 2"],
  ["a total without end", { reports: [{ ...total, horizon: 121 }] }, "reports[0].horizon is 121"],
  [
    "a total paid in ε",
    { reports: [{ ...total, events: [{ kind: "pure", epsilon: 1 }], horizon: 9 }] },
    "only Gaussian",
  ],
  ["an unknown team", { reports: [{ team: "b", events: [], latest: 1, every: 1 }] }, "one of the teams"],
  ["a team twice", { teams: Array(2).fill({ name: "a", quota: terms("1") }) }, "different from the teams before it"],
  ["more than there is", { teams: [{ name: "a", quota: terms("2") }] }, "at most the budget"],
  [
    "too many reports",
    { blocks: 10_000, reports: Array(3).fill({ team: "a", events: [], latest: 1, every: 1 }) },
    `at most ${MAX_DUE} in all`,
  ],
] as const)("%s is refused", (_, more, message) => {
  expect(() => simulate(simulation(more as Partial<Simulation>))).toThrow(message);
});
