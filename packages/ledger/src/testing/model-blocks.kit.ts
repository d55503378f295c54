import {
  type ContinualStep,
  columnMu2,
  type EpsilonAmount,
  formatDate,
  formatEpsilon,
  type Mu2Amount,
  rangeName,
  rangesOf,
  type Terms,
} from "@dosimeter/core";
import fc from "fast-check";
import { expect, test } from "vitest";
import { blockStates } from "../blocks/runs.ts";
import type { LedgerDatabase } from "../index.ts";
import type { Store } from "../stores/store.ts";
import type { AccountId, ScheduleId } from "../values/id.ts";
import { AHEAD, buildFixture, by, codeOf, del, type Fixture, gaussian, pastAhead, reopenByTwo } from "./fixture.kit.ts";
import { eventOf } from "./model-scenario.kit.ts";

/** The reference: for each node its quota, and a plain sum for each block. */
interface Node {
  readonly id: string;
  readonly parent: Node | null;
  epsilon: bigint;
  /** What scheduled reports have set aside of it, or spent. */
  given: bigint;
  readonly spent: Map<number, bigint>;
  /** What each block through this one has spent that is not listed: of charges from before there were blocks, and of write-offs. */
  old: { readonly amount: bigint; readonly through: number };
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
  /** Of a running total that goes on; null of other reports. */
  readonly horizon: number | null;
}

interface Scheduled extends Windows {
  readonly id: ScheduleId;
  readonly who: 0 | 1;
  /** Of the event of each report. */
  readonly size: number;
  /** Of a total: the charges of its reports. */
  readonly steps: string[];
  hasEnded: boolean;
}

const MONTHLY = { every: "month", zone: "UTC" } as const;
/** The block that steps count from: December of the year ahead, which is past by the clock of both servers. */
const ZERO = 12 * (AHEAD - 1970) + 11;
/** The block that has begun by that clock. */
const BEGUN = ZERO + 13;

/** No step names a block beyond these. */
const NAMED = Array.from({ length: 17 }, (_, index) => ZERO - 6 + index);

const nodeOf = (id: string, parent: Node | null, epsilon: bigint): Node => ({
  ...{ id, parent, epsilon, given: 0n, spent: new Map() },
  old: { amount: 0n, through: ZERO },
});

const pathOf = (node: Node): readonly Node[] => (node.parent === null ? [node] : [...pathOf(node.parent), node]);

function roomOf({ rule, terms }: Scenario, epsilon: bigint): bigint {
  return rule === "addition" ? epsilon : (terms.mu2 * epsilon) / terms.epsilon;
}

interface Step {
  readonly kind: "charge" | "allocate" | "withdraw" | "raise" | "schedule" | "report" | "end" | "restore";
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
      ...(["schedule", "schedule", "report", "report", "report", "end", "restore"] as const),
    ),
    who: fc.constantFrom(0, 1),
    server: fc.constantFrom(0, 1),
    size: fc.integer({ min: 1, max: 60 }),
    blocks: windows,
  }),
  { minLength: 4, maxLength: 25, size: "max" },
);

const costOf = ({ rule }: Pick<Scenario, "rule">, size: number) =>
  eventOf(rule === "addition" ? "additionThenTight" : rule, size);

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

const spentOn = ({ spent, old }: Node, block: number): bigint =>
  spent.get(block) ?? (block <= old.through ? old.amount : 0n);

/** The last block that has a state; null where none has. */
const lastOf = ({ spent, old }: Node): number =>
  Math.max(...spent.keys(), old.amount > 0n ? old.through : Number.NEGATIVE_INFINITY);

function debit(node: Node, blocks: readonly number[], cost: bigint): void {
  for (const each of pathOf(node)) for (const block of blocks) each.spent.set(block, spentOn(each, block) + cost);
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
  const reached = reports.flatMap(({ first, latest }) =>
    windowOf(payer.old.through, payer.old.through - first + latest),
  );
  return [...payer.spent.keys(), ...(payer.old.amount > 0n ? reached : [])].some((block) => {
    const parts = reports.map((report) => {
      const part = partOf(scenario, report, block);
      return { part, needed: part - spentOn(report.node, block) };
    });
    if (parts.every(({ part }) => part === 0n)) return false;
    const others = more === undefined ? 0n : roomOf(scenario, more.epsilon);
    const all = parts.reduce((sum, { needed }) => (needed > 0n ? sum + needed : sum), others);
    return all > roomOf(scenario, payer.epsilon) - spentOn(payer, block);
  });
}

/** What a report takes of a block over its life: of ε each window; of μ² all, as pure answers take more the less is left; of a total its column. */
function partOf(scenario: Scenario, { node, first, latest, horizon }: Windows, block: number): bigint {
  const room = roomOf(scenario, node.epsilon);
  if (horizon !== null)
    return first <= block && block < first + horizon ? columnOf(room, { horizon, step: block - first + 1 }) : 0n;
  const [all, count] = [BigInt(latest), BigInt(Math.max(0, Math.min(latest, block - first + latest)))];
  return scenario.rule === "tight" && count > 0n ? room : (room * count + all - 1n) / all;
}

const columnOf = (mu2: bigint, at: ContinualStep): bigint => columnMu2(mu2 as Mu2Amount, at);

const openReports = ({ schedules }: Scenario, payer: Node): readonly Windows[] =>
  schedules.filter(({ node, hasEnded }) => !hasEnded && node.parent?.id === payer.id);

const windowOf = (block: number, latest: number): readonly number[] =>
  Array.from({ length: latest }, (_, index) => block - latest + 1 + index);

/** Sets aside what every block pays over its life, in an account of its own, unless a block that is there has no room for it. */
async function schedule(scenario: Scenario, { who, server, size, blocks }: Step): Promise<void> {
  const { rule, built, databases, nodes, schedules, terms } = scenario;
  const [root, payer] = [nodes[0] as Node, nodes[who + 2] as Node];
  const horizon = rule === "tight" && size % 2 === 0 ? 3 : null;
  const [latest, first, small] = [horizon === null ? 1 + (size % 4) : 1, blocks[0] as number, 1 + (size % 12)];
  const { events, cost } = costOf(scenario, small);
  const { principal: by, account: from } = personOf(scenario, who);
  const { schedules: operations } = databases[server] as LedgerDatabase;
  const name = `reports ${schedules.length}`;
  const asked = {
    by,
    dataset: built.dataset.id,
    from,
    name,
    plan: planOf(horizon),
    events,
    latest,
    first,
    recipients: [],
  };

  const planned = new Map<number, bigint>();
  const ahead = (node: Node, block: number) => spentOn(node, block) + (planned.get(block) ?? 0n);
  let refused: string | null = null;
  for (let block = first; block < Math.max(first, lastOf(root)) + latest && refused === null; block++) {
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
  const below = nodeOf("", payer, earmark);
  const before = openReports(scenario, payer);
  const isRefused =
    payer.given + earmark > payer.epsilon ||
    isUnbacked(scenario, payer, before, below) ||
    isUnbacked(scenario, payer, [...before, { node: below, first, latest, horizon }]);
  if (isRefused) {
    expect(await codeOf(operations.createSchedule(asked))).toBe("QUOTA_UNAVAILABLE");
    return;
  }
  const made = await operations.createSchedule(asked);
  expect(made.earmark.epsilon).toBe(earmark);
  payer.given += earmark;
  const node: Node = { ...below, id: made.account };
  nodes.push(node);
  const one: Scheduled = { id: made.id, who, node, first, latest, horizon, size: small, steps: [], hasEnded: false };
  schedules.push(one);
  // Begun at once, so that a write-off often finds one that has.
  if (horizon !== null) await step(scenario, { ...one, horizon }, server);
}

const planOf = (horizon: number | null): string => (horizon === null ? "{}" : JSON.stringify({ horizon }));

/** Noise that costs this number of units, a little more than it has to be. */
const noiseOf = (mu2: bigint) => gaussian(String((1 + 1e-15) / Math.sqrt(Number(mu2) / 1e12)));

/** The next report of a total: each block pays its column once. [M209] */
async function step(scenario: Scenario, one: Scheduled & { readonly horizon: number }, server: 0 | 1): Promise<void> {
  const { built, databases } = scenario;
  const { horizon, steps: before, first } = one;
  if (before.length === horizon) return;
  const at = { horizon, step: before.length + 1 };
  const block = first + before.length;
  const { events, cost } = costOf(scenario, one.size);
  const mu2 = columnOf(cost.epsilon, at);
  const refused = refusalOf(scenario, one.node, [block], mu2);
  const { principal } = personOf(scenario, one.who);
  const { ledgers, releases } = databases[server] as LedgerDatabase;
  const window = { blocks: [rangeName(formatDate(first, "month"), formatDate(block, "month"))] };
  const ask = (continues: readonly string[]) =>
    ledgers.charge({
      ...{ schedule: one.id, principal, account: one.node.id as AccountId, dataset: built.dataset.id },
      ...{ key: `report/${one.id}/${block}/${continues.length}`, window: [{ from: block, to: block }] },
      request: { plan: { horizon }, window, ...(before.length === 0 ? {} : { continues }) },
      ...{
        events: before.length === 0 ? events : noiseOf(mu2),
        adjacency: "addRemove",
        lease: { owner: "model", seconds: 60 },
      },
    });
  if (before.length > 0) expect(await codeOf(ask(before.slice(1)))).toBe("CONFLICT");
  const asked = ask(before);
  expect(await codeOf(asked)).toBe(refused ?? "done");
  if (refused !== null) return;
  const { id } = (await asked).charge;
  await releases.complete({ charge: id, owner: "model", answers: [], statistics: [] });
  before.push(id);
  debit(one.node, [block], mu2);
}

/** A report of some block, from either server; one that was made before is not paid again. */
async function report(scenario: Scenario, { server, size }: Step): Promise<void> {
  const { built, databases, keys, schedules } = scenario;
  const open = schedules.filter(({ hasEnded }) => !hasEnded);
  const one = open[size % Math.max(1, open.length)];
  if (one === undefined) return;
  const { horizon } = one;
  if (horizon !== null) return step(scenario, { ...one, horizon }, server);
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
  const { databases, schedules } = scenario;
  const one = schedules[size % Math.max(1, schedules.length)];
  if (one === undefined) return;
  const { principal: by } = personOf(scenario, one.who);
  await (databases[server] as LedgerDatabase).schedules.endSchedule({ schedule: one.id, by });
  if (!one.hasEnded) closed(scenario, one);
}

function closed({ rule, terms }: Scenario, one: Scheduled): void {
  one.hasEnded = true;
  const most = mostOf(one.node);
  const kept = rule === "addition" ? most : (most * terms.epsilon + terms.mu2 - 1n) / terms.mu2;
  if (one.node.parent !== null) one.node.parent.given -= one.node.epsilon - kept;
  one.node.epsilon = kept;
}

const mostOf = ({ spent, old }: Node): bigint => [...spent.values()].reduce((a, b) => (a > b ? a : b), old.amount);

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

/**
 * A backup is restored that lacks a charge: every block that has begun is brought up to what the fullest one had spent. Where there is no checkpoint, each
 * pays what is given. [M169]
 */
async function restore(scenario: Scenario, { server, size, who }: Step): Promise<void> {
  const { rule, built, databases, nodes, schedules, terms } = scenario;
  const { id } = built.ledger;
  const root = nodes[0] as Node;
  const { audit, ledgers, schedules: operations } = databases[server] as LedgerDatabase;
  const kept = await audit.checkpoint();
  const sums = kept?.ledgers[id];
  if (kept === null || sums === undefined) throw new RangeError("no checkpoint");
  const isLevelled = who === 0;
  // Its witness, asked by the server, shows that nothing is missing.
  const isProven = !isLevelled && size % 2 === 0;
  const { cost } = costOf(scenario, 1 + (size % 8));
  const most = mostOf(root);
  // What an ε takes from μ² depends on what is left, so that only a checkpoint says what is lost there.
  const hasRoom =
    !isProven && (rule === "addition" || isLevelled) && most + cost.epsilon <= roomOf(scenario, root.epsilon);
  const lost = hasRoom ? cost.epsilon : 0n;
  const more =
    rule === "addition"
      ? { epsilon: String(BigInt(sums.epsilon ?? 0) + lost) }
      : { mu2: String(BigInt(sums.mu2 ?? terms.mu2) - lost) };
  const newer = { seq: String(BigInt(kept.seq) + 1n), hash: "0".repeat(64) };
  await audit.nameWitness("its key");
  if (isLevelled) await audit.compareCheckpoint({ ...kept, ...newer, ledgers: { [id]: { ...sums, ...more } } });
  else await audit.freezeUnvouched();
  const epsilon = (rule === "addition" ? lost : 0n) as EpsilonAmount;
  const reopening = { ledger: id, epsilon, delta: del("0"), reason: "restored" };
  if (isProven) await ledgers.reopenLedger({ ...reopening, by, witness: { kept, signedBy: "its key" } });
  else await reopenByTwo(databases[server] as LedgerDatabase, reopening);
  if (!isProven) for (const one of schedules) if (one.steps.length > 0 && !one.hasEnded) closed(scenario, one);
  for (const { id: made, hasEnded } of schedules)
    expect((await operations.schedule(made)).status).toBe(hasEnded ? "ended" : "active");
  if (isLevelled) {
    root.spent.clear();
    if (most + lost > 0n) root.old = { amount: most + lost, through: BEGUN };
  } else if (lost > 0n) {
    for (const block of NAMED) root.spent.set(block, spentOn(root, block) + lost);
    root.old = { amount: spentOn(root, BEGUN) + lost, through: BEGUN };
  }
}

const done = { charge, allocate: move, withdraw: move, raise, schedule, report, end, restore } as const;

async function compare({ rule, built, nodes }: Scenario): Promise<void> {
  for (const node of nodes) {
    const { id, spent, old } = node;
    const { caps } = await built.database.ledgers.balance(id as never);
    const states = await blockStates({ db: built.store.read }, id);
    const shown = states.flatMap(({ from, to, value }) => {
      const sum = rule === "addition" ? value.epsilon : caps.mu2 - (value.mu2 ?? -1n);
      return NAMED.filter((block) => from <= block && block <= to).map((block) => [block, sum] as const);
    });
    const isThere = (block: number): boolean => spent.has(block) || (old.amount > 0n && block <= old.through);
    const summed = NAMED.filter(isThere).map((block) => [block, spentOn(node, block)] as const);
    expect(shown, formatEpsilon(caps.epsilon)).toEqual(summed);
    expect(states.at(-1)?.to ?? Number.NEGATIVE_INFINITY).toBe(lastOf(node));
  }
}

const RUNS = Number(process.env.MODEL_RUNS ?? 3);

/** Charges of a ledger that then gets blocks: in those through the first one that steps count from, the ledger counts them twice. [M168] */
async function migrate({ rule, built, nodes }: Scenario, sizes: readonly number[]): Promise<void> {
  const { database, ada, adas, dataset, ledger } = built;
  for (const [index, size] of sizes.entries()) {
    const { events, cost } = costOf({ rule }, size);
    const key = `before ${index}`;
    const { charge: made } = await database.ledgers.charge({
      ...{ principal: ada.id, account: adas.id, dataset: dataset.id, key, request: { key }, events },
      ...{ adjacency: "addRemove", lease: { owner: "model", seconds: 60 } },
    });
    await database.releases.complete({ charge: made.id, owner: "model", answers: [] });
    for (const node of pathOf(nodes[2] as Node)) {
      const more = node.parent === null ? twice(rule, size) : cost.epsilon;
      node.old = { amount: node.old.amount + more, through: ZERO };
    }
  }
  const through = `${AHEAD}-12`;
  await database.ledgers.migrateLedger({ ledger: ledger.id, ...MONTHLY, through, reason: "the table grows", by });
}

/** What a person who goes and comes back without the rows of one block takes: 2ε, or (2μ)². */
const twice = (rule: Scenario["rule"], size: number): bigint => {
  const noise = BigInt(70 - size);
  return rule === "addition"
    ? 2n * BigInt(size) * 10n ** 10n
    : (4n * 10n ** 12n + noise * noise - 1n) / (noise * noise);
};

interface Script {
  /** Sizes of charges from before the ledger had blocks; null where it opens with them. */
  readonly before: readonly number[] | null;
  readonly steps: readonly Step[];
}

const scripts: fc.Arbitrary<Script> = fc.record({
  before: fc.option(fc.array(fc.integer({ min: 1, max: 12 }), { maxLength: 2 })),
  steps,
});

async function buildScenario(store: Store, rule: Scenario["rule"], before: Script["before"]): Promise<Scenario> {
  const amounts = { epsilon: "3", quota: "2", share: "0.75" };
  const built = await buildFixture(store, { rule, blocks: before === null ? MONTHLY : null, ...amounts });
  const { ledger, teamAccount, adas, bobs } = built;
  const root = nodeOf(ledger.id, null, ledger.quota.epsilon);
  const team = nodeOf(teamAccount.id, root, teamAccount.quota.epsilon);
  const people = [adas, bobs].map(({ id, quota }) => nodeOf(id, team, quota.epsilon));
  const scenario: Scenario = {
    ...{ rule, built, nodes: [root, team, ...people], schedules: [], keys: new Set(), terms: ledger.terms },
    databases: [],
  };
  if (before !== null) await migrate(scenario, before);
  return { ...scenario, databases: [await pastAhead(built), await pastAhead(built)] };
}

/**
 * Random charges over blocks, moves of quota, raises, scheduled reports, running totals and write-offs, by two servers on one database whose ledger opened with blocks or
 * got them, against a map of blocks after each step.
 */
export function blockModelKit(open: () => Promise<Store>): void {
  test.each(["addition", "tight"] as const)(
    "blocks do what a map of plain sums does, under %s [M160] [M168] [M169]",
    async (rule) => {
      await fc.assert(
        fc.asyncProperty(scripts, async ({ before, steps: script }) => {
          const scenario = await buildScenario(await open(), rule, before);
          const { database } = scenario.built;
          try {
            await compare(scenario);
            for (const step of script) {
              await done[step.kind](scenario, { ...step, blocks: step.blocks.map((block) => ZERO + block) });
              await compare(scenario);
            }
            expect((await database.audit.verify()).problems).toEqual([]);
          } finally {
            await database.close();
          }
        }),
        { numRuns: RUNS },
      );
    },
  );
}
