import { expect, test } from "vitest";
import { epsilonAmount } from "../amounts/amount.ts";
import type { Rule } from "../filter/rules.ts";
import { openTerms } from "../filter/terms.ts";
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

test.each([
  ["a rule that switches", { terms: terms("1", "additionThenTight") }, "blocks switch to no other rule"],
  ["no report", { reports: [] }, "at least one report"],
  ["no block", { blocks: 0 }, "a whole number from 1 to 10000"],
  ["10⁶ blocks", { blocks: 1e6 }, "a whole number from 1 to 10000"],
  ["a window that never comes", { reports: [{ team: "a", events: [], latest: 25, every: 1 }] }, "from 1 to 24"],
  ["half a block", { reports: [{ team: "a", events: [], latest: 1, every: 0.5 }] }, "reports[0].every is 0.5"],
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
