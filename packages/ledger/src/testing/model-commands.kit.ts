import { type EpsilonAmount, formatEpsilon } from "@dosimeter/core";
import fc from "fast-check";
import { expect } from "vitest";
import type { Holder } from "../ledger/account.ts";
import { usualRequestLimits } from "../requests/request-limits.ts";
import type { AccountId, PrincipalId } from "../values/id.ts";
import { by } from "./fixture.kit.ts";
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
  spenderOf,
  type World,
} from "./model-fixture.kit.ts";
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

const some = fc.nat({ max: 11 });
/** A raise under which an account's share of δ no longer carries its charges. [M152] */
const NOT_CARRIED = "CONFLICT";
const member = fc.constantFrom<Person>("ada", "bob", "cleo", "nightly");
const epsilon = fc.oneof(fc.bigInt({ min: 0n, max: 10n ** 12n }), fc.constantFrom(0n, 1n, 10n ** 12n));
const delta = fc.bigInt({ min: 0n, max: 4n * 10n ** 11n });
const MAX_ACCOUNTS = 9;
const owner = "model";

/** Where noise is Gaussian or the rule has switched, the books say how far a search for what is free came. */
async function settle(world: World): Promise<void> {
  const { rule, switched } = world.model;
  if (rule === "tight" && !switched) await adopt(world, 64n);
}

export interface Making extends Amount {
  readonly parent: Node;
  readonly holder: Holder;
  readonly kind?: Node["kind"];
  readonly mode?: Node["mode"];
}

/** Why it cannot be opened, or "ok". */
export function foretellOpening(world: World, { parent, holder, kind = "share", mode = "funded", ...amount }: Making) {
  if (holder.kind === "principal" && world.gone.has(holder.id)) return "INVALID_PARAMETER";
  const analyst = holder.kind === "principal" ? analystOf(world, holder.id) : [];
  return opens(world.model.root, { parent, holder: holder.kind, of: holder.id, kind, mode, analyst, amount });
}

/** The account that was opened, in the reference. */
export const settleIn = ({ parent, holder, kind, mode, ...amount }: Making, id: string): Node =>
  newNode({ id, parent, holder: holder.kind, of: holder.id, ...(kind && { kind }), ...(mode && { mode }) }, amount);

function holderOf({ people, town }: World, holder: string): Holder {
  if (holder === "dataset") return { kind: "dataset", id: town.dataset.id };
  if (holder === "thesis" || holder === "survey") return { kind: "purpose", id: holder };
  return { kind: "principal", id: people[holder as Person] };
}

/** Of a charge that somebody reads: the caps it counts against for the first time. */
const unread = ({ model, people }: World, reader: Person, charged: { node: Node; read: ReadonlySet<Node> }) =>
  allBelow(model.root).filter(
    (node) =>
      node.kind === "cap" &&
      isOpen(node) &&
      node.holder === "principal" &&
      node.of === people[reader] &&
      !pathOf(charged.node).includes(node) &&
      !charged.read.has(node),
  );

/** What a cap of this person begins with: what they or their services asked for, or had counted by an earlier cap. */
function learnedBy(world: World, principal: PrincipalId): readonly Charged[] {
  const analyst = analystOf(world, principal);
  return [...world.charges].flatMap(([key, charged]) => {
    const asked = analyst.some((one) => key.startsWith(`${one} `));
    const counted = [...charged.read].some(({ of }) => analyst.some((one) => one === of));
    return asked || counted ? [charged] : [];
  });
}

/** Leaving the team, or the house: what was spent stays, the accounts stop. */
function stop({ model }: World, principal: PrincipalId, everywhere: boolean): void {
  for (const node of allBelow(model.root)) {
    const isHis = node.holder === "principal" && node.of === principal && node.status === "active";
    if (isHis && (everywhere || node.parent?.holder === "team")) node.status = "frozen";
  }
}

/** What happens to money: every command beside requests, which have a file of their own. */
export const commands = {
  charge: command(
    14,
    { who: some, size: fc.integer({ min: 1, max: 60 }), key: fc.nat({ max: 30 }), other: fc.nat({ max: 9 }) },
    async (world, { who, size, key: number, other }) => {
      const { model, town, people, charges } = world;
      const node = pick(world, who);
      const spender = spenderOf(node) ?? people.ada;
      const principal = other > 0 ? spender : spender === people.bob ? people.ada : people.bob;
      const { events, cost } = eventOf(model.rule, size);
      const key = `${node.id} ${number}`;
      const known = charges.get(`${principal} ${key}`);
      const foretold =
        known !== undefined
          ? known.size === size
            ? "ok"
            : "IDEMPOTENCY_CONFLICT"
          : maySpend(world, node, principal)
            ? admits(model, node, cost)
            : "FORBIDDEN";
      const asked = town.books.ledgers.charge({
        principal,
        account: accountOf(node),
        dataset: town.dataset.id,
        key,
        request: { size },
        events,
        adjacency: "addRemove",
        lease: { owner, seconds: 60 },
      });
      if ((await answers(world, asked, foretold)) !== "ok") return;
      const { charge } = await asked;
      expect(charge.id).toBe(known?.id ?? charge.id);
      if (known !== undefined) return;
      spend(pathOf(node), cost);
      charges.set(`${principal} ${key}`, { id: charge.id, size, node, cost, read: new Set(), answers: null });
    },
  ),
  release: command(2, { which: fc.nat({ max: 40 }), words: fc.string({ maxLength: 5 }) }, async (world, given) => {
    const charged = [...world.charges.values()][given.which];
    if (charged === undefined) return;
    const { releases } = world.town.books;
    const { answers: stored } = await releases.complete({ charge: charged.id, owner, answers: given.words });
    charged.answers ??= given.words;
    expect(stored).toBe(charged.answers);
  }),
  read: command(3, { reader: member, which: fc.nat({ max: 20 }) }, async (world, { reader, which }) => {
    const { model, town, people, charges } = world;
    const charged = [...charges.values()][which];
    if (charged === undefined || model.switched) return;
    const asked = { charge: charged.id, reader: people[reader] };
    const caps = unread(world, reader, charged);
    const told = await town.books.ledgers.unreadUnderCaps({ charges: [charged.id], reader: people[reader] });
    expect(told).toEqual(caps.length > 0 ? [charged.id] : []);
    const foretold = caps.every((cap) => pays(model, cap, cap, charged.cost)) ? "ok" : "QUOTA_EXHAUSTED";
    if ((await answers(world, town.books.ledgers.readUnderCaps(asked), foretold)) !== "ok") return;
    spend(caps, charged.cost);
    for (const cap of caps) charged.read.add(cap);
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
    async (world, { place, top, holder: name, ...given }) => {
      const { root } = world.model;
      if (allBelow(root).length > MAX_ACCOUNTS) return;
      const parent = top ? root : pick(world, place);
      const holder = holderOf(world, name);
      const making = { ...given, parent, holder };
      const learned = given.kind === "cap" && holder.kind === "principal" ? learnedBy(world, holder.id) : [];
      if (learned.length > 0 && world.model.switched) return;
      const total = {
        epsilon: learned.reduce((sum, { cost }) => sum + cost.epsilon, 0n),
        delta: learned.reduce((sum, { cost }) => sum + cost.delta, 0n),
      };
      const asked = world.town.books.ledgers.openAccount({
        ...given,
        ...quota(given),
        ledger: world.town.ledger.id,
        parent: parent === root ? null : accountOf(parent),
        holder,
        by,
      });
      const opens = foretellOpening(world, making);
      const isTooSmall =
        opens === "ok" && !pays(world.model, { ...root, ...given, spent: 0n, spentDelta: 0n }, given, total);
      if ((await answers(world, asked, isTooSmall ? "QUOTA_EXHAUSTED" : opens)) !== "ok") return;
      const node = settleIn(making, (await asked).id);
      spend([node], total);
      for (const { read } of learned) read.add(node);
    },
  ),
  allocate: command(4, { who: some, epsilon, delta }, async (world, { who, ...amount }) => {
    const node = pick(world, who);
    const asked = world.town.books.ledgers.allocate({ account: accountOf(node), ...quota(amount), by });
    await answers(world, asked, allocate(node, amount));
  }),
  withdraw: command(4, { who: some, epsilon, delta }, async (world, { who, ...amount }) => {
    const node = pick(world, who);
    const asked = world.town.books.ledgers.withdraw({ account: accountOf(node), ...quota(amount), by });
    await answers(world, asked, withdraw(world.model, node, amount));
  }),
  transfer: command(4, { who: some, to: some, epsilon, delta }, async (world, { who, to, ...amount }) => {
    const [source, target] = [pick(world, who), pick(world, to)];
    const ends = { from: accountOf(source), to: accountOf(target) };
    const asked = world.town.books.ledgers.transfer({ ...ends, ...quota(amount), by });
    await answers(world, asked, transfer(world.model, source, target, amount));
  }),
  recall: command(
    3,
    { who: some, epsilon: fc.bigInt({ min: 0n, max: 2n * 10n ** 12n }), delta, cascade: fc.boolean() },
    async (world, { who, cascade, ...amount }) => {
      const node = pick(world, who);
      const asked = world.town.books.ledgers.recall({ account: accountOf(node), ...quota(amount), cascade, by });
      if ((await answers(world, asked, isOpen(node) ? "ok" : "ACCOUNT_CLOSED")) !== "ok") return;
      const taken = recall(world.model, node, amount, cascade);
      if (world.model.rule === "addition") expect((await asked).recalled).toEqual(taken);
      await settle(world);
    },
  ),
  freeze: command(1, { who: some }, async (world, { who }) => turn(world, pick(world, who), "freeze")),
  unfreeze: command(3, { who: some }, async (world, { who }) => turn(world, pick(world, who), "unfreeze")),
  close: command(1, { who: some }, async (world, { who }) => {
    const node = pick(world, who);
    const asked = world.town.books.ledgers.close({ account: accountOf(node), by });
    await answers(world, asked, close(world.model, node));
    await settle(world);
  }),
  expire: command(1, { who: fc.integer({ min: 1, max: 11 }) }, async (world, { who }) => {
    const { store, books } = world.town;
    const node = pick(world, who);
    // A busy machine may reach the ledger only after the date, which must lie ahead.
    let [set, ahead] = ["INVALID_PARAMETER", 10];
    while (set === "INVALID_PARAMETER") {
      ahead *= 4;
      const expiresAt = new Date(Date.parse(store.now()) + ahead).toISOString();
      set = await outcomeOf(books.ledgers.setAccount({ account: accountOf(node), expiresAt, by }));
    }
    expect(set).toBe(isOpen(node) ? "ok" : "ACCOUNT_CLOSED");
    if (set !== "ok") return;
    await new Promise((resolve) => setTimeout(resolve, ahead + 5));
    expect(await books.ledgers.expireDue()).toEqual([node.id]);
    expect(await books.ledgers.expireDue(), "twice changes nothing more").toEqual([]);
    closeTree(world.model, node);
    await settle(world);
  }),
  limit: command(2, { who: some, size: fc.option(fc.integer({ min: 5, max: 60 })) }, async (world, { who, size }) => {
    // What a limit lets through under tight is not a plain sum: see tree.test.ts.
    if (world.model.rule === "tight") return;
    const node = pick(world, who);
    const queryEpsilon = size === null ? null : ((BigInt(size) * 10n ** 10n) as EpsilonAmount);
    const asked = world.town.books.ledgers.setAccount({ account: accountOf(node), queryEpsilon, by });
    if ((await answers(world, asked, isOpen(node) ? "ok" : "ACCOUNT_CLOSED")) === "ok") node.limit = queryEpsilon;
  }),
  promise: command(
    2,
    { who: fc.nat({ max: 12 }), mode: fc.constantFrom("funded" as const, "overbooked" as const) },
    async (world, { who, mode }) => {
      const { ledgers } = world.town.books;
      const node = who === 12 ? world.model.root : pick(world, who);
      const { epsilon: given, delta: withIt } = promised(node);
      const isOver = given > node.epsilon || withIt > node.delta;
      const foretold = !isOpen(node) ? "ACCOUNT_CLOSED" : mode === "funded" && isOver ? "CONFLICT" : "ok";
      const asked =
        node === world.model.root
          ? ledgers.setLedger({ ledger: world.town.ledger.id, mode, by })
          : ledgers.setAccount({ account: accountOf(node), mode, by });
      if ((await answers(world, asked, foretold)) === "ok") node.mode = mode;
    },
  ),
  appoint: command(2, {}, async (world) => {
    const { people } = world.town.books;
    if (world.second === null) {
      const role = { principal: world.people.eve, role: "datasetAdmin", object: world.town.dataset.id } as const;
      world.second = (await people.grantRole({ ...role, by })).id;
      return;
    }
    await people.revokeRole({ binding: world.second, by });
    world.second = null;
  }),
  raise: command(2, { more: fc.integer({ min: 1, max: 4 }), twice: fc.boolean() }, async (world, { more, twice }) => {
    const { epsilon: now, delta: beside } = world.model.root;
    const amount = { epsilon: now + BigInt(more) * 10n ** 11n, delta: twice ? 2n * beside : beside };
    const asked = world.town.books.ledgers.proposeAmendment({
      ledger: world.town.ledger.id,
      ...quota(amount),
      reason: "the model asks",
      by: world.people.ada,
    });
    const { rejected, withdrawn } = world.raises;
    const isTired = rejected > 0 || withdrawn >= usualRequestLimits.aDay;
    const foretold = world.raise !== null ? "CONFLICT" : isTired ? "RATE_LIMITED" : "ok";
    if ((await answers(world, asked, foretold, NOT_CARRIED)) !== "ok") return;
    const { id, status } = await asked;
    expect(status, "at once only where nobody else could decide").toBe(
      world.second === null ? "effective" : "proposed",
    );
    if (world.second === null) return amended(world, id, amount);
    world.raise = { id, amount };
  }),
  decide: command(
    3,
    {
      verb: fc.constantFrom("secondAmendment" as const, "rejectAmendment" as const, "withdrawAmendment" as const),
      who: fc.constantFrom<Person>("ada", "eve", "nightly"),
    },
    async (world, { verb, who }) => {
      const amendment = world.raise?.id ?? world.lastRaise;
      if (amendment === null) return;
      const may = verb === "withdrawAmendment" ? who === "ada" : who === "eve" && world.second !== null;
      const foretold = world.raise === null ? "CONFLICT" : may ? "ok" : "FORBIDDEN";
      const asked = world.town.books.ledgers[verb]({ amendment, by: world.people[who] });
      if ((await answers(world, asked, foretold, NOT_CARRIED)) !== "ok" || world.raise === null) return;
      const { amount } = world.raise;
      world.raise = null;
      world.lastRaise = amendment;
      if (verb === "secondAmendment") return amended(world, amendment, amount);
      world.raises[verb === "rejectAmendment" ? "rejected" : "withdrawn"] += 1;
    },
  ),
  halt: command(1, {}, async (world) => {
    await world.town.books.ledgers.freezeLedger({ ledger: world.town.ledger.id, reason: "the model asks", by });
    world.model.halted = true;
  }),
  resume: command(3, { size: fc.integer({ min: 0, max: 60 }) }, async (world, { size }) => {
    const { model, town } = world;
    const cost = { epsilon: model.rule === "tight" ? 0n : BigInt(size) * 10n ** 10n, delta: 0n };
    const asked = town.books.ledgers.reopenLedger({ ledger: town.ledger.id, ...quota(cost), reason: "found", by });
    const fits = pays(model, model.root, model.root, cost) ? "ok" : "BUDGET_EXHAUSTED";
    if ((await answers(world, asked, model.halted ? fits : "CONFLICT")) !== "ok") return;
    spend([model.root], cost);
    model.halted = false;
    world.lines += 1;
  }),
  switch: command(1, {}, async (world) => {
    const { model, town } = world;
    const { possible } = await town.books.ledgers.previewSwitch(town.ledger.id);
    if (model.rule !== "additionThenTight" || model.switched) expect(possible).toBe(false);
    const asked = town.books.ledgers.switchRule({ ledger: town.ledger.id, by });
    if (
      (await answers({ ...world, model: { ...model, switched: false } }, asked, possible ? "ok" : "CONFLICT")) !== "ok"
    )
      return;
    model.switched = true;
    world.lines += 1;
  }),
  openAgain: command(1, {}, async ({ town }) => {
    const { population, terms } = town.ledger;
    const asked = town.books.ledgers.open({ population, epsilon: terms.epsilon, delta: terms.delta, by });
    expect(await outcomeOf(asked), formatEpsilon(terms.epsilon)).toBe("CONFLICT");
  }),
  leave: command(2, { who: member }, async (world, { who }) => {
    const principal = world.people[who];
    const asked = world.town.books.people.removeMember({ team: world.town.team.id, principal, by });
    if ((await answers(world, asked, world.away.has(principal) ? "NOT_FOUND" : "ok")) !== "ok") return;
    world.away.add(principal);
    world.asked.delete(principal);
    stop(world, principal, false);
  }),
  comeBack: command(3, { who: member }, async (world, { who }) => {
    const principal = world.people[who];
    if (world.gone.has(principal)) return;
    await world.town.books.people.addMember({ team: world.town.team.id, principal, by });
    world.away.delete(principal);
  }),
  remove: command(1, { who: fc.constantFrom<Person>("bob", "cleo", "nightly") }, async (world, { who }) => {
    const principal = world.people[who];
    await world.town.books.people.disablePrincipal({ principal, by });
    if (world.gone.has(principal)) return;
    world.gone.add(principal);
    world.away.add(principal);
    world.asked.delete(principal);
    stop(world, principal, true);
  }),
  restore: command(2, { who: fc.constantFrom<Person>("bob", "cleo", "nightly") }, async (world, { who }) => {
    const principal = world.people[who];
    await world.town.books.people.restorePrincipal({ principal, by });
    world.gone.delete(principal);
  }),
} as const satisfies Readonly<Record<string, Command>>;

async function turn(world: World, node: Node, verb: "freeze" | "unfreeze"): Promise<void> {
  const asked = world.town.books.ledgers[verb]({ account: node.id as AccountId, by });
  if ((await answers(world, asked, isOpen(node) ? "ok" : "ACCOUNT_CLOSED")) !== "ok") return;
  node.status = verb === "freeze" ? "frozen" : "active";
}

async function amended(world: World, id: World["lastRaise"], amount: Amount): Promise<void> {
  const { root } = world.model;
  world.lastRaise = id;
  world.lines += 1;
  world.model.terms = (await world.town.books.ledgers.ledger(world.town.ledger.id)).terms;
  Object.assign(root, amount);
}
