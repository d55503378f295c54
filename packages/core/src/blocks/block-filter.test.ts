import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { EpsilonAmount } from "../amounts/amount.ts";
import type { DpEvent } from "../event.ts";
import { admit, type FilterNode, openingRule } from "../filter/filter.ts";
import { largestEpsilon } from "../filter/headroom.ts";
import { type StoredStep, verifyHistory } from "../filter/replay.ts";
import { type ActiveRule, type Rule, ruleNames } from "../filter/rules.ts";
import { ledgerCaps, openState, openTerms, shareCaps } from "../filter/terms.ts";
import { admitWindow, type BlockPath, type BlockTerms, openBlocks } from "./block-filter.ts";
import { type BlockRange, rangesOf } from "./run.ts";

const CLOSED: BlockPath = { rules: [], nodes: [] };
const BLOCKS = 8;

function opened(rule: Rule, policy: "auto" | "ask" = "auto") {
  const opening = openTerms({ epsilon: 1, delta: 1e-6, rule });
  const caps = [ledgerCaps(opening), shareCaps(opening, { epsilon: (opening.epsilon / 2n) as EpsilonAmount })];
  const terms: BlockTerms = { rule, policy };
  return { terms, caps, path: openBlocks(CLOSED, { from: 0, to: BLOCKS - 1 }, { rule, caps }) };
}

const pure = (epsilon: number): DpEvent => ({ kind: "pure", epsilon });

/** The same filters without runs: each block is a ledger of its own. */
interface Plain {
  readonly activeRule: ActiveRule;
  readonly nodes: readonly FilterNode[];
}

const spread = <T>(runs: readonly { from: number; to: number; value: T }[]): readonly T[] =>
  runs.flatMap(({ from, to, value }) => Array.from({ length: to - from + 1 }, () => value));

const plainOf = ({ rules, nodes }: BlockPath): readonly Plain[] => {
  const lists = nodes.map(spread);
  return spread(rules).map((activeRule, block) => ({
    activeRule,
    nodes: lists.flatMap((list) => list[block] ?? []),
  }));
};

const inside = (window: readonly BlockRange[], block: number): boolean =>
  window.some(({ from, to }) => from <= block && block <= to);

const events = fc.oneof(
  fc.constantFrom(0.01, 0.05, 0.1, 0.3, 2).map(pure),
  fc.constantFrom(5, 20, 60).map((noiseMultiplier): DpEvent => ({ kind: "gaussian", noiseMultiplier })),
  fc.constant<DpEvent>({ kind: "approximate", epsilon: 0.02, delta: 1e-8 }),
);
const windows = fc
  .uniqueArray(fc.integer({ min: 0, max: BLOCKS - 1 }), { minLength: 1 })
  .map((blocks) => rangesOf(blocks));
const charges = fc.array(fc.record({ window: windows, events: fc.array(events, { minLength: 1, maxLength: 2 }) }), {
  maxLength: 30,
});

describe.each(ruleNames)("blocks under the rule %s", (rule) => {
  test("each block decides as a ledger of its own would, and all admit a charge or none is changed", () => {
    fc.assert(
      fc.property(charges, fc.constantFrom("auto", "ask"), (offered, policy) => {
        const { terms, path: start } = opened(rule, policy);
        let path = start;
        let plain = plainOf(start);
        for (const { window, events: charge } of offered) {
          const decisions = plain.map(({ activeRule, nodes }) =>
            admit({ ...terms, activeRule, adjacency: "addRemove" }, nodes, charge),
          );
          const named = decisions
            .map((decision, block) => ({ block, decision }))
            .filter((each) => inside(window, each.block));
          const refused = named.filter(({ decision }) => !decision.admitted);
          const decided = admitWindow(terms, path, window, { events: charge });
          expect(decided.admitted).toBe(refused.length === 0);
          if (decided.admitted) {
            path = decided.path;
            plain = plain.map((before, block) => {
              const decision = decisions[block];
              if (decision === undefined || !decision.admitted || !inside(window, block)) return before;
              const nodes = before.nodes.map((node, index) => ({
                ...node,
                state: decision.states[index] ?? node.state,
              }));
              return { activeRule: decision.activeRule, nodes };
            });
            const switches = named.filter(({ decision }) => decision.admitted && decision.switched);
            expect(decided.switched).toEqual(rangesOf(switches.map(({ block }) => block)));
          } else {
            expect(decided.block).toBe(refused[0]?.block);
            expect(refused[0]?.decision).toMatchObject({ refusals: decided.refusals });
            const fitting = named.filter(({ decision }) => decision.admitted).map(({ block }) => block);
            expect(decided.fits).toEqual(rangesOf(fitting));
            const largest = named.map(({ block }) => {
              const { activeRule, nodes } = plain[block] as Plain;
              return largestEpsilon({ ...terms, activeRule }, nodes);
            });
            expect(decided.largestEpsilon).toBe(largest.reduce((a, b) => (b < a ? b : a)));
          }
          expect(plainOf(path)).toEqual(plain);
        }
        for (const runs of path.nodes)
          for (const [index, run] of runs.entries()) expect(run.value).not.toEqual(runs[index - 1]?.value);
      }),
      { numRuns: 40 },
    );
  });
});

test("the charges that name a block verify as a ledger's history", () => {
  const {
    terms,
    caps: [caps],
    path: start,
  } = opened("additionThenTight");
  if (caps === undefined) throw new Error("no caps");
  fc.assert(
    fc.property(charges, (offered) => {
      let path = start;
      const histories: StoredStep[][] = Array.from({ length: BLOCKS }, () => []);
      for (const { window, events: charge } of offered) {
        const decided = admitWindow(terms, path, window, { events: charge });
        if (!decided.admitted) continue;
        const [before, after] = [plainOf(path), plainOf(decided.path)];
        path = decided.path;
        for (const [block, { activeRule, nodes }] of after.entries()) {
          const [was, is] = [before[block]?.nodes[0]?.state, nodes[0]?.state];
          if (!inside(window, block) || was === undefined || is === undefined) continue;
          histories[block]?.push({ events: charge, activeRule, before: was, after: is });
        }
      }
      const ledger = { caps, rule: "additionThenTight", adjacency: "addRemove" } as const;
      for (const history of histories) expect(verifyHistory(ledger, history)).toEqual([]);
    }),
    { numRuns: 20 },
  );
});

test("a refusal names the first block without room, the largest window that fits and the largest ε", () => {
  const { terms, path } = opened("addition");
  const spent = admitWindow(terms, path, [{ from: 3, to: 4 }], { events: [pure(0.45)] });
  if (!spent.admitted) throw new Error("refused");
  const whole = [{ from: 0, to: 7 }];
  const refused = admitWindow(terms, spent.path, whole, { events: [pure(0.1)] });
  expect(refused).toMatchObject({
    admitted: false,
    block: 3,
    refusals: [{ index: 1, dimension: "epsilon", available: 50_000_000_000n, requested: 100_000_000_000n }],
    fits: [
      { from: 0, to: 2 },
      { from: 5, to: 7 },
    ],
    largestEpsilon: 50_000_000_000n,
  });
  if (refused.admitted) return;
  expect(admitWindow(terms, spent.path, refused.fits, { events: [pure(0.1)] }).admitted).toBe(true);
  expect(admitWindow(terms, spent.path, whole, { events: [pure(0.05)] }).admitted).toBe(true);
  expect(admitWindow(terms, spent.path, whole, { events: [pure(0.050_000_000_001)] }).admitted).toBe(false);
});

test("a charge switches every block that needs it, and none when one block has no room under either rule", () => {
  const { terms, path } = opened("additionThenTight");
  let now = path;
  const spend = (window: readonly BlockRange[], epsilon: number, times: number): void => {
    for (let i = 0; i < times; i++) {
      const decided = admitWindow(terms, now, window, { events: [pure(epsilon)] });
      if (decided.admitted) now = decided.path;
    }
  };
  spend([{ from: 2, to: 2 }], 0.01, 50);
  const charge = { events: [pure(0.01)] };
  expect(admitWindow(terms, now, [{ from: 0, to: 7 }], charge)).toMatchObject({
    admitted: true,
    switched: [{ from: 2, to: 2 }],
  });
  spend([{ from: 5, to: 5 }], 0.5, 1);
  const before = now;
  expect(admitWindow(terms, now, [{ from: 0, to: 7 }], charge)).toMatchObject({ admitted: false, block: 5 });
  expect(before.rules).toEqual([{ from: 0, to: 7, value: openingRule("additionThenTight") }]);
});

test("a block is opened once, with the others or later", () => {
  const { terms, caps, path } = opened("tight");
  const opening = { rule: "tight", caps } as const;
  expect(() => openBlocks(path, { from: 7, to: 9 }, opening)).toThrow("block is 7");
  expect(() => openBlocks(path, { from: 90, to: 99 }, { ...opening, caps: [] })).toThrow(/0 caps for a path of/);
  expect(() => openBlocks(path, { from: -3, to: 0 }, opening)).toThrow("block is 0");
  const paid = admitWindow(terms, path, [{ from: 0, to: 7 }], { events: [pure(0.1)] });
  if (!paid.admitted) throw new Error("refused");
  const later = openBlocks(paid.path, { from: 10, to: 11 }, opening);
  const [ledger = caps[0]] = caps;
  expect(later.nodes[0]?.at(-1)).toEqual({
    from: 10,
    to: 11,
    value: { caps: ledger, state: openState(ledger as never) },
  });
  expect(() => admitWindow(terms, later, [{ from: 7, to: 10 }], { events: [pure(0.1)] })).toThrow("window is 8");
});

test.each([
  [[]],
  [[{ from: 3, to: 2 }]],
  [
    [
      { from: 0, to: 3 },
      { from: 3, to: 4 },
    ],
  ],
  [
    [
      { from: 4, to: 5 },
      { from: 0, to: 1 },
    ],
  ],
])("a window that would be charged less than once is an error: %j", (window) => {
  const { terms, path } = opened("tight");
  expect(() => admitWindow(terms, path, window, { events: [pure(0.1)] })).toThrow(RangeError);
});

test("blocks in equal states are decided once, however many there are", () => {
  const { terms, caps } = opened("tight");
  const path = openBlocks(CLOSED, { from: 0, to: 9_999 }, { rule: "tight", caps });
  const decided = admitWindow(terms, path, [{ from: 100, to: 9_000 }], { events: [pure(0.1)] });
  expect(decided.admitted && decided.path.nodes.map((runs) => runs.length)).toEqual([3, 3]);
});
