import {
  type DeltaAmount,
  type DpEvent,
  type EpsilonAmount,
  formatDelta,
  formatEpsilon,
  type Mu2Amount,
} from "@dosimeter/core";
import fc from "fast-check";
import { expect } from "vitest";
import type { Store } from "../stores/store.ts";
import type { AccountId, AmendmentId, ChargeId, PrincipalId, RequestId } from "../values/id.ts";
import { buildFixture, by, codeOf, type Fixture } from "./fixture.kit.ts";
import {
  type Amount,
  allBelow,
  isOpen,
  type Model,
  type Node,
  newNode,
  pathOf,
  promised,
} from "./model-reference.kit.ts";

export type Person = "ada" | "bob" | "cleo" | "nightly" | "lead" | "eve";

export interface Charged {
  readonly id: ChargeId;
  readonly size: number;
  readonly node: Node;
  readonly cost: Amount;
  /** Caps that counted it when a person read it. */
  readonly read: Set<Node>;
  answers: string | null;
  /** A program outside: it has no answers here. */
  readonly isDeclared?: true;
  isPublic?: true;
}

/** The ledger, its reference, and the reference's facts about people. */
export interface Scenario {
  readonly fixture: Fixture;
  readonly model: Model;
  readonly people: Readonly<Record<Person, PrincipalId>>;
  /** People who are not in the team now. */
  readonly absent: Set<PrincipalId>;
  /** People who cannot sign in. */
  readonly gone: Set<PrincipalId>;
  readonly charges: Map<string, Charged>;
  /** Accounts with the right to charge for programs outside. */
  readonly declaring: Set<Node>;
  /** Lines of the ledger that are not charges. */
  lines: number;
  /** Open requests below the team, by requester. */
  readonly asked: Map<PrincipalId, { request: RequestId; version: number }>;
  readonly rejected: Set<PrincipalId>;
  /** The number of requests of each person that were not granted. */
  readonly ungranted: Map<PrincipalId, number>;
  approvalInAdvance: { readonly id: string; readonly most: bigint; room: bigint } | null;
  raise: { readonly id: AmendmentId; readonly amount: Amount } | null;
  lastRaise: AmendmentId | null;
  /** Numbers of raises without effect. */
  readonly raises: { rejected: number; withdrawn: number };
  /** The role that makes Eve a second admin. */
  second: string | null;
}

export async function buildScenario(store: Store, rule: Model["rule"]): Promise<Scenario> {
  const fixture = await buildFixture(store, { rule, epsilon: "3", delta: "1e-6", quota: "2", share: "0.75" });
  const { database, ledger, team, teamAccount, ada, bob } = fixture;
  const person = async (name: string) => (await database.people.createPrincipal({ kind: "user", name, by })).id;
  const people = {
    ada: ada.id,
    bob: bob.id,
    cleo: await person("Cleo"),
    nightly: (await database.people.createPrincipal({ kind: "service", name: "nightly", onBehalfOf: ada.id, by })).id,
    lead: await person("Lead"),
    eve: await person("Eve"),
  };
  for (const principal of [people.cleo, people.nightly])
    await database.people.addMember({ team: team.id, principal, by });
  await database.people.grantRole({ by, principal: people.lead, role: "teamAdmin", object: team.id });
  await database.people.grantRole({ by, principal: ada.id, role: "datasetAdmin", object: fixture.dataset.id });
  const { terms } = ledger;
  const root = newNode({ id: ledger.id, parent: null, holder: "ledger", of: ledger.id }, terms);
  const teams = newNode({ id: teamAccount.id, parent: root, holder: "team", of: team.id }, teamAccount.quota);
  for (const { id, quota, holder } of [fixture.adas, fixture.bobs])
    newNode({ id, parent: teams, holder: "principal", of: holder.id }, quota);
  return {
    fixture,
    people,
    model: { rule, terms, halted: false, switched: false, root },
    absent: new Set(),
    gone: new Set(),
    charges: new Map(),
    declaring: new Set(),
    lines: 1,
    asked: new Map(),
    rejected: new Set(),
    ungranted: new Map(),
    approvalInAdvance: null,
    raise: null,
    lastRaise: null,
    raises: { rejected: 0, withdrawn: 0 },
    second: null,
  };
}

/** The ledger itself, then every account in the order of the tree. */
const nodesOf = ({ model: { root } }: Scenario): readonly Node[] => [root, ...allBelow(root)];

export const accountOf = (node: Node): AccountId => node.id as AccountId;

/** The account for an arbitrary number. */
export function pick(scenario: Scenario, number: number): Node {
  const accounts = nodesOf(scenario).slice(1);
  return accounts[number % accounts.length] as Node;
}

export const teamOf = ({ model: { root } }: Scenario): Node => root.children[0] as Node;

export const analystOf = ({ people }: Scenario, principal: PrincipalId): readonly PrincipalId[] =>
  principal === people.ada || principal === people.nightly ? [people.ada, people.nightly] : [principal];

/** An amount as the ledger takes it. */
export const quota = ({ epsilon, delta }: Amount) => ({
  epsilon: epsilon as EpsilonAmount,
  delta: delta as DeltaAmount,
});

/** "ok", or the code of the refusal. */
export const outcomeOf = (asked: Promise<unknown>): Promise<string> => codeOf(asked.then(() => Promise.reject("ok")));

/** Outcomes that depend on a sum: after the switch the reference cannot predict which of these comes. */
const SUMS: readonly string[] = ["ok", "QUOTA_UNAVAILABLE", "QUOTA_EXHAUSTED", "BUDGET_EXHAUSTED"];

/**
 * Checks an outcome against the expected one and returns it; `unlessReplayed` is the outcome allowed instead of "ok"
 * after the switch.
 */
export async function answers(
  { model }: Scenario,
  asked: Promise<unknown>,
  expected: string,
  unlessReplayed?: string,
): Promise<string> {
  const code = await outcomeOf(asked);
  if (model.switched && SUMS.includes(expected))
    expect(unlessReplayed === undefined ? SUMS : ["ok", unlessReplayed]).toContain(code);
  else expect(code).toBe(expected);
  return code;
}

/**
 * Copies the quotas and states of the ledger: under Gaussian noise the search for the free amount may stop up to
 * `slack` units below the reference, never above it.
 */
export async function adopt(scenario: Scenario, slack: bigint | null): Promise<void> {
  for (const node of nodesOf(scenario).slice(1)) {
    const { quota: shown, status } = await scenario.fixture.database.ledgers.account(node.id);
    if (slack !== null && node.kind === "share") {
      expect(shown.epsilon - node.epsilon <= slack && shown.epsilon >= node.epsilon, "free, to a few units").toBe(true);
    }
    Object.assign(node, { epsilon: shown.epsilon, delta: shown.delta, status });
  }
}

/** I1 to I4, I6, I8: every balance of the ledger equals the reference's, whose spent sums only grow. */
export async function compare(scenario: Scenario): Promise<void> {
  const { ledgers } = scenario.fixture.database;
  const nodes = nodesOf(scenario);
  const shown = await Promise.all(nodes.map(({ id }) => ledgers.balance(id as AccountId)));
  const spent = shown.map(({ caps, state }) =>
    scenario.model.rule === "tight" ? caps.mu2 - (state.mu2 ?? (-1n as Mu2Amount)) : state.epsilon,
  );
  expect(spent).toEqual(nodes.map((node) => node.spent));
  expect(shown.map(({ state }) => state.delta)).toEqual(nodes.map((node) => node.spentDelta));
  expect(shown.map(({ quota: { epsilon, delta } }) => [formatEpsilon(epsilon), formatDelta(delta)])).toEqual(
    nodes.map((node) => [formatEpsilon(node.epsilon as EpsilonAmount), formatDelta(node.delta)]),
  );
  expect(shown.map(({ allocated }) => allocated)).toEqual(nodes.map(promised));
  const statuses = (await ledgers.accounts(scenario.fixture.ledger.id)).map(({ id, status }) => [id, status]);
  expect(new Map(statuses as [string, string][])).toEqual(
    new Map(nodes.slice(1).map(({ id, status }) => [id, status])),
  );
}

/** Who spends from an account: its person; from a purpose, the person above it. */
export const spenderOf = ({ holder, of, parent }: Node): PrincipalId | null => {
  if (holder === "purpose") return parent?.holder === "principal" ? (parent.of as PrincipalId) : null;
  return holder === "principal" ? (of as PrincipalId) : null;
};

export const maySpend = ({ absent, gone }: Scenario, node: Node, principal: PrincipalId): boolean =>
  spenderOf(node) === principal &&
  !gone.has(principal) &&
  !(absent.has(principal) && pathOf(node).some(({ holder }) => holder === "team")) &&
  !(node.holder === "principal" && node.children.some(isOpen));

/** ε = size/100 with δ = size·1e-9, or Gaussian noise whose μ² is about size⁻²: always exact in ledger units. */
export function eventOf(rule: Model["rule"], size: number): { events: readonly DpEvent[]; cost: Amount } {
  const epsilon = BigInt(size) * 10n ** 10n;
  if (rule === "additionThenTight")
    return { events: [{ kind: "pure", epsilon: `${size / 100}` }], cost: { epsilon, delta: 0n } };
  if (rule === "addition") {
    const events = [{ kind: "approximate", epsilon: `${size / 100}`, delta: `${size}e-9` }] as const;
    return { events, cost: { epsilon, delta: BigInt(size) * 10n ** 9n } };
  }
  const noise = BigInt(70 - size);
  return {
    events: [{ kind: "gaussian", noiseMultiplier: Number(noise) }],
    cost: { epsilon: (10n ** 12n + noise * noise - 1n) / (noise * noise), delta: 0n },
  };
}

/** One step of a script, in the form that a failure prints. */
export interface Step {
  readonly text: string;
  readonly run: (scenario: Scenario) => Promise<void>;
}

/** A kind of step: its frequency, its inputs, and its effect on the ledger and on the reference. */
export interface Command {
  readonly weight: number;
  readonly arbitrary: (name: string) => fc.Arbitrary<Step>;
}

const text = (name: string, given: unknown): string =>
  `${name} ${JSON.stringify(given, (_, value) => (typeof value === "bigint" ? String(value) : value))}`;

export function command<Given extends object>(
  weight: number,
  fields: { readonly [Key in keyof Given]: fc.Arbitrary<Given[Key]> },
  run: (scenario: Scenario, given: Given) => Promise<void>,
): Command & { readonly step: (given: Given) => Step } {
  const step = (given: Given, name = ""): Step => {
    const shown = { text: text(name, given), run: (scenario: Scenario) => run(scenario, given) };
    return Object.assign(shown, { [fc.toStringMethod]: () => shown.text });
  };
  return { weight, arbitrary: (name) => fc.record(fields).map((given) => step(given as Given, name)), step };
}
