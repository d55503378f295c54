import { type EpsilonAmount, formatEpsilon } from "@dosimeter/core";
import fc from "fast-check";
import { expect } from "vitest";
import type { Holder } from "../accounts/account.ts";
import { usualRequestLimits } from "../guarantee/request-limits.ts";
import type { AccountId, PrincipalId } from "../values/id.ts";
import { by } from "./fixture.kit.ts";
import {
  type Amount,
  admits,
  allBelow,
  allocate,
  close,
  closeTree,
  isOpen,
  type Node,
  newNode,
  opens,
  pathOf,
  pays,
  promised,
  recall,
  spend,
  transfer,
  withdraw,
} from "./model-reference.kit.ts";
import {
  accountOf,
  adopt,
  analystOf,
  answers,
  type Charged,
  type Command,
  command,
  eventOf,
  maySpend,
  outcomeOf,
  type Person,
  pick,
  quota,
  type Scenario,
  spenderOf,
} from "./model-scenario.kit.ts";

const some = fc.nat({ max: 11 });
/** A raise after which an account's share of δ is too small for its charges. [M152] */
const NOT_DELEGATED = "CONFLICT";
const member = fc.constantFrom<Person>("ada", "bob", "cleo", "nightly");
const epsilon = fc.oneof(fc.bigInt({ min: 0n, max: 10n ** 12n }), fc.constantFrom(0n, 1n, 10n ** 12n));
const delta = fc.bigInt({ min: 0n, max: 4n * 10n ** 11n });
const MAX_ACCOUNTS = 9;
const owner = "model";

/**
 * Under Gaussian noise or after a switch, the search for the free amount is approximate: takes the amounts of the
 * ledger.
 */
async function settle(scenario: Scenario): Promise<void> {
  const { rule, switched } = scenario.model;
  if (rule === "tight" && !switched) await adopt(scenario, 64n);
}

export interface Making extends Amount {
  readonly parent: Node;
  readonly holder: Holder;
  readonly kind?: Node["kind"];
  readonly mode?: Node["mode"];
}

/** The error of opening the account, or "ok". */
export function foretellOpening(
  scenario: Scenario,
  { parent, holder, kind = "share", mode = "funded", ...amount }: Making,
) {
  if (holder.kind === "principal" && scenario.gone.has(holder.id)) return "INVALID_PARAMETER";
  const analyst = holder.kind === "principal" ? analystOf(scenario, holder.id) : [];
  return opens(scenario.model.root, { parent, holder: holder.kind, of: holder.id, kind, mode, analyst, amount });
}

/** Adds the opened account to the reference. */
export const settleIn = ({ parent, holder, kind, mode, ...amount }: Making, id: string): Node =>
  newNode({ id, parent, holder: holder.kind, of: holder.id, ...(kind && { kind }), ...(mode && { mode }) }, amount);

function holderOf({ people, fixture }: Scenario, holder: string): Holder {
  if (holder === "dataset") return { kind: "dataset", id: fixture.dataset.id };
  if (holder === "thesis" || holder === "survey") return { kind: "purpose", id: holder };
  return { kind: "principal", id: people[holder as Person] };
}

/** The caps against which a charge counts for the first time when a person, or everyone, reads it. */
const unread = ({ model, people }: Scenario, reader: Person | null, charged: { node: Node; read: ReadonlySet<Node> }) =>
  allBelow(model.root).filter(
    (node) =>
      node.kind === "cap" &&
      isOpen(node) &&
      node.holder === "principal" &&
      (reader === null || node.of === people[reader]) &&
      !pathOf(charged.node).includes(node) &&
      !charged.read.has(node),
  );

/**
 * The charges with which a new cap of this person starts: those that they or their services made, that an earlier
 * cap counted, or that were ever public.
 */
function learnedBy(scenario: Scenario, principal: PrincipalId): readonly Charged[] {
  const analyst = analystOf(scenario, principal);
  return [...scenario.charges].flatMap(([key, charged]) => {
    const asked = analyst.some((one) => key.startsWith(`${one} `));
    const counted = [...charged.read].some(({ of }) => analyst.some((one) => one === of));
    return asked || counted || charged.isPublic ? [charged] : [];
  });
}

/** Leaving the team or the server: spent amounts stay, the accounts stop. */
function stop({ model }: Scenario, principal: PrincipalId, everywhere: boolean): void {
  for (const node of allBelow(model.root)) {
    const isHis = node.holder === "principal" && node.of === principal && node.status === "active";
    if (isHis && (everywhere || node.parent?.holder === "team")) node.status = "frozen";
  }
}

/** Every command except those of requests, which have their own file. */
export const commands = {
  charge: command(
    14,
    { who: some, size: fc.integer({ min: 1, max: 60 }), key: fc.nat({ max: 30 }), other: fc.nat({ max: 9 }) },
    async (scenario, { who, size, key: number, other }) => {
      const { model, fixture, people, charges } = scenario;
      const node = pick(scenario, who);
      const spender = spenderOf(node) ?? people.ada;
      const principal = other > 0 ? spender : spender === people.bob ? people.ada : people.bob;
      const { events, cost } = eventOf(model.rule, size);
      const key = `${node.id} ${number}`;
      const known = charges.get(`${principal} ${key}`);
      const expected =
        known !== undefined
          ? known.size === size
            ? "ok"
            : "IDEMPOTENCY_CONFLICT"
          : maySpend(scenario, node, principal)
            ? admits(model, node, cost)
            : "FORBIDDEN";
      const asked = fixture.database.ledgers.charge({
        principal,
        account: accountOf(node),
        dataset: fixture.dataset.id,
        key,
        request: { size },
        events,
        adjacency: "addRemove",
        lease: { owner, seconds: 60 },
      });
      if ((await answers(scenario, asked, expected)) !== "ok") return;
      const { charge } = await asked;
      expect(charge.id).toBe(known?.id ?? charge.id);
      if (known !== undefined) return;
      spend(pathOf(node), cost);
      charges.set(`${principal} ${key}`, { id: charge.id, size, node, cost, read: new Set(), answers: null });
    },
  ),
  declare: command(
    6,
    { who: some, size: fc.integer({ min: 1, max: 60 }), key: fc.nat({ max: 30 }) },
    async (scenario, { who, size, key: number }) => {
      const { model, fixture, people, charges, declaring } = scenario;
      const node = pick(scenario, who);
      const principal = spenderOf(node) ?? people.ada;
      const { events, cost } = eventOf(model.rule, size);
      const key = `${node.id} outside ${number}`;
      const known = charges.get(`${principal} ${key}`);
      const person = (Object.keys(people) as Person[]).find((name) => people[name] === principal) ?? "ada";
      const caps = unread(scenario, person, { node, read: known?.read ?? new Set() });
      // What a program says its person reads: where a cap has no room, which code comes depends on the other nodes too.
      if (caps.length > 0 && (model.switched || !caps.every((cap) => pays(model, cap, cap, cost)))) return;
      const admitted = maySpend(scenario, node, principal) ? admits(model, node, cost) : "FORBIDDEN";
      const expected = admitted === "ok" && !declaring.has(node) ? "FORBIDDEN" : admitted;
      const asked = fixture.database.declared.charge({
        ...{ principal, account: accountOf(node), dataset: fixture.dataset.id, key },
        declared: { events, relation: "add-or-remove-one", purpose: "a model" },
      });
      if (known !== undefined) {
        await answers(scenario, asked, known.size === size ? "ok" : "IDEMPOTENCY_CONFLICT");
        return;
      }
      if (model.switched && !declaring.has(node) && expected !== "ACCOUNT_CLOSED") {
        expect(["FORBIDDEN", "QUOTA_EXHAUSTED", "BUDGET_EXHAUSTED"]).toContain(await outcomeOf(asked));
        return;
      }
      if ((await answers(scenario, asked, expected)) !== "ok") return;
      spend(pathOf(node), cost);
      spend(caps, cost);
      const { id } = (await asked).charge;
      charges.set(`${principal} ${key}`, {
        id,
        size,
        node,
        cost,
        read: new Set(caps),
        answers: null,
        isDeclared: true,
      });
    },
  ),
  let: command(3, { who: some, may: fc.boolean() }, async (scenario, { who, may }) => {
    const node = pick(scenario, who);
    const right = { account: accountOf(node), mostEpsilon: may ? ((10n ** 15n) as EpsilonAmount) : null, by };
    const expected = node.status === "active" ? "ok" : "ACCOUNT_CLOSED";
    const asked = scenario.fixture.database.declared.setRight(right);
    if ((await answers(scenario, asked, expected)) !== "ok") return;
    if (may) scenario.declaring.add(node);
    else scenario.declaring.delete(node);
  }),
  release: command(2, { which: fc.nat({ max: 40 }), words: fc.string({ maxLength: 5 }) }, async (scenario, given) => {
    const charged = [...scenario.charges.values()][given.which];
    if (charged === undefined) return;
    const { releases } = scenario.fixture.database;
    if (charged.isDeclared) {
      const asked = releases.complete({ charge: charged.id, owner, answers: given.words });
      expect(await outcomeOf(asked)).toBe("CONFLICT");
      return;
    }
    const { answers: stored } = await releases.complete({ charge: charged.id, owner, answers: given.words });
    charged.answers ??= given.words;
    expect(stored).toBe(charged.answers);
  }),
  read: command(3, { reader: member, which: fc.nat({ max: 20 }) }, async (scenario, { reader, which }) => {
    const { model, fixture, people, charges } = scenario;
    const charged = [...charges.values()][which];
    if (charged === undefined || model.switched) return;
    const asked = { charge: charged.id, reader: people[reader] };
    const caps = unread(scenario, reader, charged);
    const told = await fixture.database.ledgers.unreadUnderCaps({
      charges: [charged.id],
      reader: people[reader],
    });
    expect(told).toEqual(caps.length > 0 ? [charged.id] : []);
    const expected = caps.every((cap) => pays(model, cap, cap, charged.cost)) ? "ok" : "QUOTA_EXHAUSTED";
    if ((await answers(scenario, fixture.database.ledgers.readUnderCaps(asked), expected)) !== "ok") return;
    spend(caps, charged.cost);
    for (const cap of caps) charged.read.add(cap);
  }),
  publish: command(3, { which: fc.nat({ max: 20 }), ends: fc.boolean() }, async (scenario, { which, ends }) => {
    const { model, fixture, charges } = scenario;
    const charged = [...charges.values()][which];
    if (charged === undefined || model.switched) return;
    const { releases } = fixture.database;
    const [charge, caps] = [charged.id, unread(scenario, null, charged)];
    const fits = caps.every((cap) => pays(model, cap, cap, charged.cost));
    const expected = charged.answers === null ? "CONFLICT" : fits ? "ok" : "QUOTA_EXHAUSTED";
    const words = { title: null, isIndexed: false, expiresAt: "9999-12-31T00:00:00.000Z" };
    const asked = releases.publishAnswer({ charge, origins: [], ...words, by });
    if ((await answers(scenario, asked, expected)) !== "ok") return;
    spend(caps, charged.cost);
    for (const cap of caps) charged.read.add(cap);
    charged.isPublic = true;
    if (ends) await releases.endPublicAnswer({ charge, by });
  }),
  open: command(
    7,
    {
      place: some,
      top: fc.boolean(),
      holder: fc.constantFrom("ada", "ada", "bob", "cleo", "nightly", "nightly", "thesis", "survey", "dataset"),
      kind: fc.constantFrom("share" as const, "cap" as const),
      mode: fc.constantFrom("funded" as const, "funded" as const, "overbooked" as const),
      epsilon: fc.bigInt({ min: 0n, max: 4n * 10n ** 11n }),
      delta: fc.bigInt({ min: 0n, max: 10n ** 11n }),
    },
    async (scenario, { place, top, holder: name, ...given }) => {
      const { root } = scenario.model;
      if (allBelow(root).length > MAX_ACCOUNTS) return;
      const parent = top ? root : pick(scenario, place);
      const holder = holderOf(scenario, name);
      const making = { ...given, parent, holder };
      const learned = given.kind === "cap" && holder.kind === "principal" ? learnedBy(scenario, holder.id) : [];
      if (learned.length > 0 && scenario.model.switched) return;
      const total = {
        epsilon: learned.reduce((sum, { cost }) => sum + cost.epsilon, 0n),
        delta: learned.reduce((sum, { cost }) => sum + cost.delta, 0n),
      };
      const asked = scenario.fixture.database.ledgers.openAccount({
        ...given,
        ...quota(given),
        ledger: scenario.fixture.ledger.id,
        parent: parent === root ? null : accountOf(parent),
        holder,
        by,
      });
      const opens = foretellOpening(scenario, making);
      const isTooSmall =
        opens === "ok" && !pays(scenario.model, { ...root, ...given, spent: 0n, spentDelta: 0n }, given, total);
      if ((await answers(scenario, asked, isTooSmall ? "QUOTA_EXHAUSTED" : opens)) !== "ok") return;
      const node = settleIn(making, (await asked).id);
      spend([node], total);
      for (const { read } of learned) read.add(node);
    },
  ),
  allocate: command(4, { who: some, epsilon, delta }, async (scenario, { who, ...amount }) => {
    const node = pick(scenario, who);
    const asked = scenario.fixture.database.ledgers.allocate({ account: accountOf(node), ...quota(amount), by });
    await answers(scenario, asked, allocate(node, amount));
  }),
  withdraw: command(4, { who: some, epsilon, delta }, async (scenario, { who, ...amount }) => {
    const node = pick(scenario, who);
    const asked = scenario.fixture.database.ledgers.withdraw({ account: accountOf(node), ...quota(amount), by });
    await answers(scenario, asked, withdraw(scenario.model, node, amount));
  }),
  transfer: command(4, { who: some, to: some, epsilon, delta }, async (scenario, { who, to, ...amount }) => {
    const [source, target] = [pick(scenario, who), pick(scenario, to)];
    const ends = { from: accountOf(source), to: accountOf(target) };
    const asked = scenario.fixture.database.ledgers.transfer({ ...ends, ...quota(amount), by });
    await answers(scenario, asked, transfer(scenario.model, source, target, amount));
  }),
  recall: command(
    3,
    { who: some, epsilon: fc.bigInt({ min: 0n, max: 2n * 10n ** 12n }), delta, cascade: fc.boolean() },
    async (scenario, { who, cascade, ...amount }) => {
      const node = pick(scenario, who);
      const asked = scenario.fixture.database.ledgers.recall({
        account: accountOf(node),
        ...quota(amount),
        cascade,
        by,
      });
      if ((await answers(scenario, asked, isOpen(node) ? "ok" : "ACCOUNT_CLOSED")) !== "ok") return;
      const taken = recall(scenario.model, node, amount, cascade);
      if (scenario.model.rule === "addition") expect((await asked).recalled).toEqual(taken);
      await settle(scenario);
    },
  ),
  freeze: command(1, { who: some }, async (scenario, { who }) => turn(scenario, pick(scenario, who), "freeze")),
  unfreeze: command(3, { who: some }, async (scenario, { who }) => turn(scenario, pick(scenario, who), "unfreeze")),
  close: command(1, { who: some }, async (scenario, { who }) => {
    const node = pick(scenario, who);
    const asked = scenario.fixture.database.ledgers.closeAccount({ account: accountOf(node), by });
    await answers(scenario, asked, close(scenario.model, node));
    await settle(scenario);
  }),
  expire: command(1, { who: fc.integer({ min: 1, max: 11 }) }, async (scenario, { who }) => {
    const { store, database } = scenario.fixture;
    const node = pick(scenario, who);
    // The date must lie ahead when the call reaches the ledger, which takes longer on a busy machine.
    let [set, ahead] = ["INVALID_PARAMETER", 10];
    while (set === "INVALID_PARAMETER") {
      ahead *= 4;
      const expiresAt = new Date(Date.parse(store.now()) + ahead).toISOString();
      set = await outcomeOf(database.ledgers.setAccount({ account: accountOf(node), expiresAt, by }));
    }
    expect(set).toBe(isOpen(node) ? "ok" : "ACCOUNT_CLOSED");
    if (set !== "ok") return;
    await new Promise((resolve) => setTimeout(resolve, ahead + 5));
    expect(await database.ledgers.expireDue()).toEqual([node.id]);
    expect(await database.ledgers.expireDue(), "twice changes nothing more").toEqual([]);
    closeTree(scenario.model, node);
    await settle(scenario);
  }),
  limit: command(
    2,
    { who: some, size: fc.option(fc.integer({ min: 5, max: 60 })) },
    async (scenario, { who, size }) => {
      // Under tight a limit does not count a plain sum: see tree.test.ts.
      if (scenario.model.rule === "tight") return;
      const node = pick(scenario, who);
      const queryEpsilon = size === null ? null : ((BigInt(size) * 10n ** 10n) as EpsilonAmount);
      const asked = scenario.fixture.database.ledgers.setAccount({ account: accountOf(node), queryEpsilon, by });
      if ((await answers(scenario, asked, isOpen(node) ? "ok" : "ACCOUNT_CLOSED")) === "ok") node.limit = queryEpsilon;
    },
  ),
  promise: command(
    2,
    { who: fc.nat({ max: 12 }), mode: fc.constantFrom("funded" as const, "overbooked" as const) },
    async (scenario, { who, mode }) => {
      const { ledgers } = scenario.fixture.database;
      const node = who === 12 ? scenario.model.root : pick(scenario, who);
      const { epsilon: given, delta: withIt } = promised(node);
      const isOver = given > node.epsilon || withIt > node.delta;
      const expected = !isOpen(node) ? "ACCOUNT_CLOSED" : mode === "funded" && isOver ? "CONFLICT" : "ok";
      const asked =
        node === scenario.model.root
          ? ledgers.setLedger({ ledger: scenario.fixture.ledger.id, mode, by })
          : ledgers.setAccount({ account: accountOf(node), mode, by });
      if ((await answers(scenario, asked, expected)) === "ok") node.mode = mode;
    },
  ),
  appoint: command(2, {}, async (scenario) => {
    const { people } = scenario.fixture.database;
    if (scenario.second === null) {
      const role = {
        principal: scenario.people.eve,
        role: "datasetAdmin",
        object: scenario.fixture.dataset.id,
      } as const;
      scenario.second = (await people.grantRole({ ...role, by })).id;
      return;
    }
    await people.revokeRole({ binding: scenario.second, by });
    scenario.second = null;
  }),
  raise: command(
    2,
    { more: fc.integer({ min: 1, max: 4 }), twice: fc.boolean() },
    async (scenario, { more, twice }) => {
      const { epsilon: now, delta: beside } = scenario.model.root;
      const amount = { epsilon: now + BigInt(more) * 10n ** 11n, delta: twice ? 2n * beside : beside };
      const asked = scenario.fixture.database.ledgers.proposeAmendment({
        ledger: scenario.fixture.ledger.id,
        ...quota(amount),
        reason: "the model asks",
        by: scenario.people.ada,
      });
      const { rejected, withdrawn } = scenario.raises;
      const isTired = rejected > 0 || withdrawn >= usualRequestLimits.aDay;
      const expected = scenario.raise !== null ? "CONFLICT" : isTired ? "RATE_LIMITED" : "ok";
      if ((await answers(scenario, asked, expected, NOT_DELEGATED)) !== "ok") return;
      const { id, status } = await asked;
      expect(status, "at once only where nobody else could decide").toBe(
        scenario.second === null ? "effective" : "proposed",
      );
      if (scenario.second === null) return amended(scenario, id, amount);
      scenario.raise = { id, amount };
    },
  ),
  decide: command(
    3,
    {
      verb: fc.constantFrom("secondAmendment" as const, "rejectAmendment" as const, "withdrawAmendment" as const),
      who: fc.constantFrom<Person>("ada", "eve", "nightly"),
    },
    async (scenario, { verb, who }) => {
      const amendment = scenario.raise?.id ?? scenario.lastRaise;
      if (amendment === null) return;
      const may = verb === "withdrawAmendment" ? who === "ada" : who === "eve" && scenario.second !== null;
      const expected = scenario.raise === null ? "CONFLICT" : may ? "ok" : "FORBIDDEN";
      const asked = scenario.fixture.database.ledgers[verb]({ amendment, by: scenario.people[who] });
      if ((await answers(scenario, asked, expected, NOT_DELEGATED)) !== "ok" || scenario.raise === null) return;
      const { amount } = scenario.raise;
      scenario.raise = null;
      scenario.lastRaise = amendment;
      if (verb === "secondAmendment") return amended(scenario, amendment, amount);
      scenario.raises[verb === "rejectAmendment" ? "rejected" : "withdrawn"] += 1;
    },
  ),
  halt: command(1, {}, async (scenario) => {
    await scenario.fixture.database.ledgers.freezeLedger({
      ledger: scenario.fixture.ledger.id,
      reason: "the model asks",
      by,
    });
    scenario.model.halted = true;
  }),
  resume: command(3, { size: fc.integer({ min: 0, max: 60 }) }, async (scenario, { size }) => {
    const { model, fixture } = scenario;
    const cost = { epsilon: model.rule === "tight" ? 0n : BigInt(size) * 10n ** 10n, delta: 0n };
    const asked = fixture.database.ledgers.reopenLedger({
      ledger: fixture.ledger.id,
      ...quota(cost),
      reason: "found",
      by,
    });
    const fits = pays(model, model.root, model.root, cost) ? "ok" : "BUDGET_EXHAUSTED";
    if ((await answers(scenario, asked, model.halted ? fits : "CONFLICT")) !== "ok") return;
    spend([model.root], cost);
    model.halted = false;
    scenario.lines += 1;
  }),
  switch: command(1, {}, async (scenario) => {
    const { model, fixture } = scenario;
    const { possible } = await fixture.database.ledgers.previewSwitch(fixture.ledger.id);
    if (model.rule !== "additionThenTight" || model.switched) expect(possible).toBe(false);
    const asked = fixture.database.ledgers.switchRule({ ledger: fixture.ledger.id, by });
    if (
      (await answers({ ...scenario, model: { ...model, switched: false } }, asked, possible ? "ok" : "CONFLICT")) !==
      "ok"
    )
      return;
    model.switched = true;
    scenario.lines += 1;
  }),
  openAgain: command(1, {}, async ({ fixture }) => {
    const { population, terms } = fixture.ledger;
    const asked = fixture.database.ledgers.open({ population, epsilon: terms.epsilon, delta: terms.delta, by });
    expect(await outcomeOf(asked), formatEpsilon(terms.epsilon)).toBe("CONFLICT");
  }),
  leave: command(2, { who: member }, async (scenario, { who }) => {
    const principal = scenario.people[who];
    const asked = scenario.fixture.database.people.removeMember({
      team: scenario.fixture.team.id,
      principal,
      by,
    });
    if ((await answers(scenario, asked, scenario.absent.has(principal) ? "NOT_FOUND" : "ok")) !== "ok") return;
    scenario.absent.add(principal);
    scenario.asked.delete(principal);
    stop(scenario, principal, false);
  }),
  comeBack: command(3, { who: member }, async (scenario, { who }) => {
    const principal = scenario.people[who];
    if (scenario.gone.has(principal)) return;
    await scenario.fixture.database.people.addMember({ team: scenario.fixture.team.id, principal, by });
    scenario.absent.delete(principal);
  }),
  remove: command(1, { who: fc.constantFrom<Person>("bob", "cleo", "nightly") }, async (scenario, { who }) => {
    const principal = scenario.people[who];
    await scenario.fixture.database.people.disablePrincipal({ principal, by });
    if (scenario.gone.has(principal)) return;
    scenario.gone.add(principal);
    scenario.absent.add(principal);
    scenario.asked.delete(principal);
    stop(scenario, principal, true);
  }),
  restore: command(2, { who: fc.constantFrom<Person>("bob", "cleo", "nightly") }, async (scenario, { who }) => {
    const principal = scenario.people[who];
    await scenario.fixture.database.people.restorePrincipal({ principal, by });
    scenario.gone.delete(principal);
  }),
} as const satisfies Readonly<Record<string, Command>>;

async function turn(scenario: Scenario, node: Node, verb: "freeze" | "unfreeze"): Promise<void> {
  const asked = scenario.fixture.database.ledgers[verb]({ account: node.id as AccountId, by });
  if ((await answers(scenario, asked, isOpen(node) ? "ok" : "ACCOUNT_CLOSED")) !== "ok") return;
  node.status = verb === "freeze" ? "frozen" : "active";
}

async function amended(scenario: Scenario, id: Scenario["lastRaise"], amount: Amount): Promise<void> {
  const { root } = scenario.model;
  scenario.lastRaise = id;
  scenario.lines += 1;
  scenario.model.terms = (await scenario.fixture.database.ledgers.ledger(scenario.fixture.ledger.id)).terms;
  Object.assign(root, amount);
}
