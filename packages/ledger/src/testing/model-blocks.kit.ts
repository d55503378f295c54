import { type EpsilonAmount, formatEpsilon, rangesOf, type Terms } from "@dosimeter/core";
import fc from "fast-check";
import { expect, test } from "vitest";
import { type LedgerDatabase, openLedgerDatabase } from "../index.ts";
import { blockStates } from "../ledger/block-runs.ts";
import type { Store } from "../stores/store.ts";
import type { AccountId, ScheduleId } from "../values/id.ts";
import { buildFixture, by, codeOf, del, type Fixture } from "./fixture.kit.ts";
import { eventOf } from "./model-scenario.kit.ts";

/** The reference: for each node its quota, and a plain sum for each block. */
interface Node {
  readonly id: string;
  readonly parent: Node | null;
  epsilon: bigint;
  /** What scheduled reports have set aside of it, or spent. */
  given: bigint;
  readonly spent: Map<number, bigint>;
}

interface Scenario {
  readonly rule: "addition" | "tight";
  readonly built: Fixture;
  /** Two servers on one database, each with what it remembers. */
  readonly databases: readonly LedgerDatabase[];
  /** The ledger, the team, its two people, and the accounts of schedules. */
  readonly nodes: Node[];
  readonly schedules: Scheduled[];
  readonly keys: Set<string>;
  /** Of the version in force. */
  terms: Terms;
}

interface Windows {
  readonly node: Node;
  readonly first: number;
  readonly latest: number;
}

interface Scheduled extends Windows {
  readonly id: ScheduleId;
  readonly who: 0 | 1;
  /** Of the event of each report. */
  readonly size: number;
  hasEnded: boolean;
}

const pathOf = (node: Node): readonly Node[] => (node.parent === null ? [node] : [...pathOf(node.parent), node]);

function roomOf({ rule, terms }: Scenario, epsilon: bigint): bigint {
  return rule === "addition" ? epsilon : (terms.mu2 * epsilon) / terms.epsilon;
}

interface Step {
  readonly kind: "charge" | "allocate" | "withdraw" | "raise" | "schedule" | "report" | "end";
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
    kind: fc.constantFrom(
      ...(["charge", "charge", "charge", "charge", "allocate", "withdraw", "raise"] as const),
      ...(["schedule", "schedule", "report", "report", "report", "end"] as const),
    ),
    who: fc.constantFrom(0, 1),
    server: fc.constantFrom(0, 1),
    size: fc.integer({ min: 1, max: 60 }),
    blocks: windows,
  }),
  { minLength: 4, maxLength: 25, size: "max" },
);

const costOf = ({ rule }: Scenario, size: number) => eventOf(rule === "addition" ? "additionThenTight" : rule, size);

/** Why a charge of a node is refused, by plain sums: where the first block without room is short; null where all have room. */
function refusalOf(
  scenario: Scenario,
  node: Node,
  blocks: readonly number[],
  cost: bigint,
  spent = spentOn,
): string | null {
  const short = (block: number): readonly Node[] =>
    pathOf(node).filter((each) => spent(each, block) + cost > roomOf(scenario, each.epsilon));
  const first = blocks.toSorted((a, b) => a - b).find((block) => short(block).length > 0);
  if (first === undefined) return null;
  return short(first).some(({ parent }) => parent === null) ? "BUDGET_EXHAUSTED" : "QUOTA_EXHAUSTED";
}

const spentOn = ({ spent }: Node, block: number): bigint => spent.get(block) ?? 0n;

function debit(node: Node, blocks: readonly number[], cost: bigint): void {
  for (const each of pathOf(node))
    for (const block of blocks) each.spent.set(block, (each.spent.get(block) ?? 0n) + cost);
}

const personOf = ({ built }: Scenario, who: 0 | 1) =>
  who === 0 ? { principal: built.ada.id, account: built.adas.id } : { principal: built.bob.id, account: built.bobs.id };

async function charge(scenario: Scenario, { who, server, size, blocks }: Step): Promise<void> {
  const { built, databases, nodes, keys, schedules } = scenario;
  const node = nodes[who + 2] as Node;
  const { events, cost } = costOf(scenario, size);
  const refused = refusalOf(scenario, node, blocks, cost.epsilon);
  const key = `k${keys.size}`;
  keys.add(key);
  const window = rangesOf(blocks);
  const { principal, account } = personOf(scenario, who);
  const { ledgers } = databases[server] as LedgerDatabase;
  const quoted = await ledgers.quote({ account, events, window });
  const asked = ledgers.charge({
    ...{ principal, account, dataset: built.dataset.id, key, request: { key }, events, window },
    adjacency: "addRemove",
    lease: { owner: "model", seconds: 60 },
  });
  // While something of it is set aside, an account pays for nothing itself.
  const isShut = schedules.some((each) => each.who === who && !each.hasEnded);
  expect(await codeOf(asked)).toBe(isShut ? "FORBIDDEN" : (refused ?? "done"));
  expect(quoted.admitted).toBe(refused === null);
  if (!isShut && refused === null) debit(node, blocks, cost.epsilon);
}

/** Whether reports from this account would lose what they set aside, where `more` below it pays for anything: in a block that it has spent from itself. */
function isUnbacked(scenario: Scenario, payer: Node, reports: readonly Windows[], more?: Node): boolean {
  return [...payer.spent.keys()].some((block) => {
    const parts = reports.map(({ node, first, latest }) => {
      const [all, count] = [BigInt(latest), BigInt(Math.max(0, Math.min(latest, block - first + latest)))];
      return { count, needed: (roomOf(scenario, node.epsilon) * count + all - 1n) / all - spentOn(node, block) };
    });
    if (parts.every(({ count }) => count === 0n)) return false;
    const others = more === undefined ? 0n : roomOf(scenario, more.epsilon);
    const needed = parts.reduce((sum, part) => (part.needed > 0n ? sum + part.needed : sum), others);
    return needed > roomOf(scenario, payer.epsilon) - spentOn(payer, block);
  });
}

const openReports = ({ schedules }: Scenario, payer: Node): readonly Windows[] =>
  schedules.filter(({ node, hasEnded }) => !hasEnded && node.parent?.id === payer.id);

const windowOf = (block: number, latest: number): readonly number[] =>
  Array.from({ length: latest }, (_, index) => block - latest + 1 + index);

/** Sets aside what every block pays over its life, in an account of its own, unless a block that is there has no room for it. */
async function schedule(scenario: Scenario, { who, server, size, blocks }: Step): Promise<void> {
  const { rule, built, databases, nodes, schedules, terms } = scenario;
  const [root, payer] = [nodes[0] as Node, nodes[who + 2] as Node];
  const [latest, first, small] = [1 + (size % 4), blocks[0] as number, 1 + (size % 12)];
  const { events, cost } = costOf(scenario, small);
  const { principal: by, account: from } = personOf(scenario, who);
  const { schedules: operations } = databases[server] as LedgerDatabase;
  const name = `reports ${schedules.length}`;
  const asked = { by, dataset: built.dataset.id, from, name, plan: "{}", events, latest, first, recipients: [] };

  const planned = new Map<number, bigint>();
  const ahead = (node: Node, block: number) => spentOn(node, block) + (planned.get(block) ?? 0n);
  let refused: string | null = null;
  for (let block = first; block < Math.max(first, ...root.spent.keys()) + latest && refused === null; block++) {
    const window = windowOf(block, latest);
    refused = refusalOf(scenario, payer, window, cost.epsilon, ahead);
    for (const each of window) planned.set(each, (planned.get(each) ?? 0n) + cost.epsilon);
  }
  if (refused !== null) {
    expect(await codeOf(operations.createSchedule(asked))).toBe(refused);
    return;
  }
  const { epsilon: earmark } = await operations.earmark(asked);
  const needed = cost.epsilon * BigInt(latest);
  if (rule === "addition") expect(earmark).toBe(needed);
  else {
    expect(roomOf(scenario, earmark)).toBeGreaterThanOrEqual(needed);
    expect(roomOf(scenario, earmark - (terms.epsilon >> 20n) - 1n)).toBeLessThan(needed);
  }
  const below: Node = { id: "", parent: payer, epsilon: earmark, given: 0n, spent: new Map() };
  const before = openReports(scenario, payer);
  const isRefused =
    payer.given + earmark > payer.epsilon ||
    isUnbacked(scenario, payer, before, below) ||
    isUnbacked(scenario, payer, [...before, { node: below, first, latest }]);
  if (isRefused) {
    expect(await codeOf(operations.createSchedule(asked))).toBe("QUOTA_UNAVAILABLE");
    return;
  }
  const made = await operations.createSchedule(asked);
  expect(made.earmark.epsilon).toBe(earmark);
  payer.given += earmark;
  const node: Node = { ...below, id: made.account };
  nodes.push(node);
  schedules.push({ id: made.id, who, node, first, latest, size: small, hasEnded: false });
}

/** A report of some block, from either server; one that was made before is not paid again. */
async function report(scenario: Scenario, { server, size }: Step): Promise<void> {
  const { built, databases, keys, schedules } = scenario;
  const open = schedules.filter(({ hasEnded }) => !hasEnded);
  const one = open[size % Math.max(1, open.length)];
  if (one === undefined) return;
  const block = one.first + (size % 5);
  const window = windowOf(block, one.latest);
  const { events, cost } = costOf(scenario, one.size);
  const key = `report/${one.id}/${block}`;
  const refused = keys.has(key) ? null : refusalOf(scenario, one.node, window, cost.epsilon);
  const { principal } = personOf(scenario, one.who);
  const asked = (databases[server] as LedgerDatabase).ledgers.charge({
    ...{ schedule: one.id, principal, account: one.node.id as AccountId, dataset: built.dataset.id, key },
    ...{ request: { key }, events, window: rangesOf(window) },
    adjacency: "addRemove",
    lease: { owner: "model", seconds: 60 },
  });
  expect(await codeOf(asked)).toBe(refused ?? "done");
  if (refused !== null || keys.has(key)) return;
  keys.add(key);
  debit(one.node, window, cost.epsilon);
}

/** Gives back what was not spent: the account keeps the least quota that has room for its fullest block. */
async function end(scenario: Scenario, { server, size }: Step): Promise<void> {
  const { rule, databases, schedules, terms } = scenario;
  const one = schedules[size % Math.max(1, schedules.length)];
  if (one === undefined) return;
  const { principal: by } = personOf(scenario, one.who);
  await (databases[server] as LedgerDatabase).schedules.endSchedule({ schedule: one.id, by });
  if (one.hasEnded) return;
  one.hasEnded = true;
  const most = mostOf(one.node);
  const kept = rule === "addition" ? most : (most * terms.epsilon + terms.mu2 - 1n) / terms.mu2;
  if (one.node.parent !== null) one.node.parent.given -= one.node.epsilon - kept;
  one.node.epsilon = kept;
}

const mostOf = ({ spent }: Node): bigint => [...spent.values()].reduce((a, b) => (a > b ? a : b), 0n);

async function move(scenario: Scenario, { kind, who, server, size }: Step): Promise<void> {
  const { databases, nodes } = scenario;
  const node = nodes[who + 2] as Node;
  const sibling = nodes[3 - who] as Node;
  const { parent } = node;
  const amount = BigInt(size) * 10n ** 10n;
  const { account } = personOf(scenario, who);
  const given = { account, epsilon: amount as EpsilonAmount, delta: del("0"), by };
  const { ledgers } = databases[server] as LedgerDatabase;
  const after = kind === "allocate" ? node.epsilon + amount : node.epsilon - amount;
  const fits =
    kind === "allocate"
      ? after + sibling.epsilon <= (parent?.epsilon ?? 0n)
      : after >= node.given &&
        mostOf(node) <= roomOf(scenario, after) &&
        !isUnbacked(scenario, { ...node, epsilon: after }, openReports(scenario, node));
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

const done = { charge, allocate: move, withdraw: move, raise, schedule, report, end } as const;

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

const RUNS = Number(process.env.MODEL_RUNS ?? 3);

/** Random charges over blocks, moves of quota, raises and scheduled reports, by two servers on one database, against a map of blocks after each step. */
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
              given: 0n,
              spent: new Map(),
            });
            const root = node(ledger.id, null, ledger.quota.epsilon);
            const team = node(teamAccount.id, root, teamAccount.quota.epsilon);
            const people = [adas, bobs].map(({ id, quota }) => node(id, team, quota.epsilon));
            const databases = [database, await openLedgerDatabase(store)];
            const nodes = [root, team, ...people];
            const scenario: Scenario = {
              rule,
              built,
              databases,
              nodes,
              schedules: [],
              keys: new Set(),
              terms: ledger.terms,
            };
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
