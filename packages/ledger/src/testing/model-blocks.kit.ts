import { type EpsilonAmount, formatEpsilon, rangesOf, type Terms } from "@dosimeter/core";
import fc from "fast-check";
import { expect, test } from "vitest";
import { type LedgerDatabase, openLedgerDatabase } from "../index.ts";
import { blockStates } from "../ledger/block-runs.ts";
import type { Store } from "../stores/store.ts";
import { buildFixture, by, codeOf, del, type Fixture } from "./fixture.kit.ts";
import { eventOf } from "./model-scenario.kit.ts";

/** The reference: for each node its quota, and a plain sum for each block. */
interface Node {
  readonly id: string;
  readonly parent: Node | null;
  epsilon: bigint;
  readonly spent: Map<number, bigint>;
}

interface Scenario {
  readonly rule: "addition" | "tight";
  readonly built: Fixture;
  /** Two servers on one database, each with what it remembers. */
  readonly databases: readonly LedgerDatabase[];
  readonly nodes: readonly Node[];
  readonly keys: Set<string>;
  /** Of the version in force. */
  terms: Terms;
}

const pathOf = (node: Node): readonly Node[] => (node.parent === null ? [node] : [...pathOf(node.parent), node]);

function roomOf({ rule, terms }: Scenario, epsilon: bigint): bigint {
  return rule === "addition" ? epsilon : (terms.mu2 * epsilon) / terms.epsilon;
}

interface Step {
  readonly kind: "charge" | "allocate" | "withdraw" | "raise";
  readonly who: 0 | 1;
  readonly server: 0 | 1;
  readonly size: number;
  readonly blocks: readonly number[];
}

/** A window in which runs of neighbours are as likely as lists. */
const windows = fc.oneof(
  fc.uniqueArray(fc.integer({ min: -2, max: 5 }), { minLength: 1 }),
  fc
    .tuple(fc.integer({ min: -2, max: 5 }), fc.integer({ min: 1, max: 6 }))
    .map(([from, length]) => Array.from({ length }, (_, index) => from + index)),
);
const steps: fc.Arbitrary<readonly Step[]> = fc.array(
  fc.record({
    kind: fc.constantFrom("charge", "charge", "charge", "charge", "allocate", "withdraw", "raise"),
    who: fc.constantFrom(0, 1),
    server: fc.constantFrom(0, 1),
    size: fc.integer({ min: 1, max: 60 }),
    blocks: windows,
  }),
  { minLength: 4, maxLength: 25, size: "max" },
);

async function charge(scenario: Scenario, { who, server, size, blocks }: Step): Promise<void> {
  const { rule, built, databases, nodes, keys } = scenario;
  const node = nodes[who + 2] as Node;
  const { events, cost } = eventOf(rule === "addition" ? "additionThenTight" : rule, size);
  const short = (block: number): readonly Node[] =>
    pathOf(node).filter((each) => (each.spent.get(block) ?? 0n) + cost.epsilon > roomOf(scenario, each.epsilon));
  const first = blocks.toSorted((a, b) => a - b).find((block) => short(block).length > 0);
  const ledgerIsShort = first !== undefined && short(first).some(({ parent }) => parent === null);
  const key = `k${keys.size}`;
  keys.add(key);
  const window = rangesOf(blocks);
  const account = who === 0 ? built.adas : built.bobs;
  const { ledgers } = databases[server] as LedgerDatabase;
  const quoted = await ledgers.quote({ account: account.id, events, window });
  const asked = ledgers.charge({
    principal: who === 0 ? built.ada.id : built.bob.id,
    ...{ account: account.id, dataset: built.dataset.id, key, request: { key }, events, window },
    adjacency: "addRemove",
    lease: { owner: "model", seconds: 60 },
  });
  const want = first === undefined ? "done" : ledgerIsShort ? "BUDGET_EXHAUSTED" : "QUOTA_EXHAUSTED";
  expect(await codeOf(asked)).toBe(want);
  expect(quoted.admitted).toBe(first === undefined);
  if (first !== undefined) return;
  for (const each of pathOf(node))
    for (const block of blocks) each.spent.set(block, (each.spent.get(block) ?? 0n) + cost.epsilon);
}

async function move(scenario: Scenario, { kind, who, server, size }: Step): Promise<void> {
  const { built, databases, nodes } = scenario;
  const node = nodes[who + 2] as Node;
  const sibling = nodes[3 - who] as Node;
  const { parent } = node;
  const amount = BigInt(size) * 10n ** 10n;
  const account = who === 0 ? built.adas.id : built.bobs.id;
  const given = { account, epsilon: amount as EpsilonAmount, delta: del("0"), by };
  const { ledgers } = databases[server] as LedgerDatabase;
  const after = kind === "allocate" ? node.epsilon + amount : node.epsilon - amount;
  const most = [...node.spent.values()].reduce((a, b) => (a > b ? a : b), 0n);
  const fits =
    kind === "allocate"
      ? after + sibling.epsilon <= (parent?.epsilon ?? 0n)
      : after >= 0n && most <= roomOf(scenario, after);
  const code = await codeOf(kind === "allocate" ? ledgers.allocate(given) : ledgers.withdraw(given));
  expect(code).toBe(fits ? "done" : "QUOTA_UNAVAILABLE");
  if (fits) node.epsilon = after;
}

/** Every block may spend more, those that are there and those to come; what was spent stays. [M166] */
async function raise(scenario: Scenario, { server, size }: Step): Promise<void> {
  const { built, databases, nodes } = scenario;
  const [root] = nodes;
  if (root === undefined) return;
  const { ledgers } = databases[server] as LedgerDatabase;
  const epsilon = (root.epsilon + BigInt(size) * 10n ** 10n) as EpsilonAmount;
  const { delta } = scenario.terms;
  const raised = await ledgers.proposeAmendment({ ledger: built.ledger.id, epsilon, delta, reason: "more", by });
  expect(raised.status).toBe("effective");
  scenario.terms = (await ledgers.ledger(built.ledger.id)).terms;
  root.epsilon = epsilon;
}

const done = { charge, allocate: move, withdraw: move, raise } as const;

async function compare({ rule, built, nodes }: Scenario): Promise<void> {
  for (const { id, spent } of nodes) {
    const { caps } = await built.database.ledgers.balance(id as never);
    const states = await blockStates({ db: built.store.read }, id);
    const shown = states.flatMap(({ from, to, value }) => {
      const sum = rule === "addition" ? value.epsilon : caps.mu2 - (value.mu2 ?? -1n);
      return Array.from({ length: to - from + 1 }, (_, index) => [from + index, sum] as const);
    });
    expect(shown, formatEpsilon(caps.epsilon)).toEqual([...spent].toSorted(([a], [b]) => a - b));
  }
}

const RUNS = Number(process.env.MODEL_RUNS ?? 4);

/** Random charges over blocks, moves of quota and raises, by two servers on one database, against a map of blocks after each step. */
export function blockModelKit(open: () => Promise<Store>): void {
  test.each(["addition", "tight"] as const)(
    "blocks do what a map of plain sums does, under %s [M160]",
    async (rule) => {
      await fc.assert(
        fc.asyncProperty(steps, async (script) => {
          const blocks = { every: "month", zone: "UTC" } as const;
          const built = await buildFixture(await open(), { rule, blocks, epsilon: "3", quota: "2", share: "0.75" });
          try {
            const { store, database, ledger, teamAccount, adas, bobs } = built;
            const node = (id: string, parent: Node | null, epsilon: bigint): Node => ({
              id,
              parent,
              epsilon,
              spent: new Map(),
            });
            const root = node(ledger.id, null, ledger.quota.epsilon);
            const team = node(teamAccount.id, root, teamAccount.quota.epsilon);
            const people = [adas, bobs].map(({ id, quota }) => node(id, team, quota.epsilon));
            const databases = [database, await openLedgerDatabase(store)];
            const nodes = [root, team, ...people];
            const scenario: Scenario = { rule, built, databases, nodes, keys: new Set(), terms: ledger.terms };
            for (const step of script) {
              await done[step.kind](scenario, step);
              await compare(scenario);
            }
            expect((await database.audit.verify()).problems).toEqual([]);
          } finally {
            await built.database.close();
          }
        }),
        { numRuns: RUNS },
      );
    },
  );
}
