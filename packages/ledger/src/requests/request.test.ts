import { copyFileSync } from "node:fs";
import { join } from "node:path";
import type { DeltaAmount } from "@dosimeter/core";
import { afterEach, beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
import { temporaryFolder } from "../../../../test/folder.kit.ts";
import type { Account, PrincipalId, Request, RequestStatus } from "../index.ts";
import { sqliteStore } from "../stores/sqlite/sqlite.ts";
import {
  buildFixture,
  by,
  codeOf,
  del,
  eps,
  type Fixture,
  type FixtureOptions,
  pure,
  reopenFixture,
} from "../testing/fixture.kit.ts";
import { transitions } from "./decision.ts";

const folder = temporaryFolder();

let serial = 0;
let fixture: Fixture;
let people: Record<"lead" | "owner" | "stranger" | "platformAdmin", PrincipalId>;

async function build(path: string, options?: FixtureOptions): Promise<void> {
  fixture = await buildFixture(await sqliteStore(path), { quota: "4", ...options });
  const { database, team, dataset } = fixture;
  const person = async (name: string) => (await database.people.createPrincipal({ kind: "user", name, by })).id;
  people = {
    lead: await person("Lead"),
    owner: await person("Owner"),
    stranger: await person("Stranger"),
    platformAdmin: await person("Admin"),
  };
  await database.people.grantRole({ principal: people.lead, role: "teamAdmin", object: team.id, by });
  await database.people.grantRole({ principal: people.owner, role: "datasetAdmin", object: dataset.id, by });
  await database.people.grantRole({ principal: people.platformAdmin, role: "platformAdmin", by });
}

/** The fixture as it is before each test. */
const first = join(folder, "first.sqlite");
let asBuilt: { readonly fixture: Fixture; readonly people: typeof people };
beforeAll(async () => {
  await build(first);
  await fixture.database.close();
  asBuilt = { fixture, people };
});

async function open(options?: FixtureOptions): Promise<void> {
  await fixture.database.close();
  serial += 1;
  const path = join(folder, `${serial}.sqlite`);
  if (options !== undefined) return build(path, options);
  copyFileSync(first, path);
  fixture = await reopenFixture(await sqliteStore(path), asBuilt.fixture);
  people = asBuilt.people;
}

beforeEach(() => open());
afterEach(async () => {
  vi.useRealTimers();
  const { problems } = await fixture.database.audit.verify();
  await fixture.database.close();
  expect(problems).toEqual([]);
});

/** Someone else is the team's admin from now on. */
async function dismissLead(): Promise<void> {
  const [binding] = await fixture.database.people.roleBindings(fixture.team.id);
  await fixture.database.people.grantRole({
    principal: people.stranger,
    role: "teamAdmin",
    object: fixture.team.id,
    by,
  });
  await fixture.database.people.revokeRole({ binding: binding?.id ?? "", by });
}

const ask = (
  epsilon = "0.4",
  more: { delta?: DeltaAmount; supersede?: boolean; days?: number; plan?: { statistics: [] } } = {},
) =>
  fixture.database.requests.make({
    by: fixture.ada.id,
    dataset: fixture.dataset.id,
    target: { account: fixture.adas.id },
    epsilon: eps(epsilon),
    note: "the age histogram",
    ...more,
  });

/** A service of someone's, in the team. */
async function serviceOf(person: PrincipalId): Promise<PrincipalId> {
  const { database, team } = fixture;
  const { id } = await database.people.createPrincipal({
    kind: "service",
    name: "nightly",
    onBehalfOf: person,
    by,
  });
  await database.people.addMember({ team: team.id, principal: id, by });
  return id;
}

/** For an account of one's own that is not there yet. */
const askForOwn = (who: PrincipalId, parent: Account["id"] | null) =>
  fixture.database.requests.make({
    by: who,
    dataset: fixture.dataset.id,
    target: { holder: { kind: "principal", id: who }, parent },
    epsilon: eps("0.1"),
    note: "",
  });

/** A request of Ada's in each state there is. */
const inState: Readonly<Record<RequestStatus, () => Promise<Request>>> = {
  submitted: () => ask(),
  counterOffered: async () => act("counter", await ask(), people.lead),
  approved: async () => act("approve", await ask(), people.lead),
  partlyApproved: async () =>
    fixture.database.requests.approve({ ...read(await ask()), by: people.lead, epsilon: eps("0.1") }),
  rejected: async () => act("reject", await ask(), people.lead),
  withdrawn: async () => act("withdraw", await ask(), fixture.ada.id),
  expired: async () => {
    const { id } = await ask("0.4", { days: 1 });
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 2 * 86_400_000 });
    return fixture.database.requests.request(id);
  },
  superseded: async () => {
    const { id } = await ask();
    await ask("0.5", { supersede: true });
    return fixture.database.requests.request(id);
  },
  infoRequested: async () => act("ask", await ask(), people.lead),
  escalated: async () => act("escalate", await ask(), people.lead),
};

type Verb = keyof typeof transitions;
const verbs = Object.keys(transitions) as Verb[];
const read = ({ id, version }: Request) => ({ request: id, version });

function act(verb: Verb, request: Request, who: PrincipalId): Promise<Request> {
  const { requests } = fixture.database;
  const answering = { ...read(request), by: who };
  switch (verb) {
    case "reject":
      return requests.reject({ ...answering, note: "not this month" });
    case "counter":
      return requests.counter({ ...answering, epsilon: eps("0.2"), note: "this much" });
    case "ask":
    case "answer":
      return requests[verb]({ ...answering, note: "which ages?" });
    default:
      return requests[verb](answering);
  }
}

const becomes: Readonly<Record<Verb, RequestStatus>> = {
  approve: "approved",
  reject: "rejected",
  counter: "counterOffered",
  accept: "approved",
  decline: "withdrawn",
  withdraw: "withdrawn",
  ask: "infoRequested",
  answer: "submitted",
  escalate: "escalated",
};
/** The whole table, written by hand: what is not here is a CONFLICT. */
const allowed: readonly `${RequestStatus} ${Verb}`[] = [
  "submitted approve",
  "submitted reject",
  "submitted counter",
  "submitted withdraw",
  "counterOffered accept",
  "counterOffered decline",
  "counterOffered withdraw",
  "submitted ask",
  "submitted escalate",
  "infoRequested answer",
  "infoRequested reject",
  "infoRequested withdraw",
  "escalated approve",
  "escalated reject",
  "escalated counter",
  "escalated withdraw",
];

describe("transitions", () => {
  const rows = (Object.keys(inState) as RequestStatus[]).flatMap((state) =>
    verbs.map((verb) => [state, verb] as const),
  );
  test.each(rows)("%s: %s", async (state, verb) => {
    const request = await inState[state]();
    expect(request.status).toBe(state);
    const before = await quotas();
    const who = transitions[verb].by === "decider" ? people.lead : fixture.ada.id;
    if (allowed.includes(`${state} ${verb}`)) {
      expect((await act(verb, request, who)).status).toBe(becomes[verb]);
    } else {
      expect(await codeOf(act(verb, request, who))).toBe("CONFLICT");
      expect(await quotas()).toEqual(before);
      expect((await fixture.database.requests.request(request.id)).status).toBe(state);
    }
  });
});

const quotas = async () =>
  Promise.all(
    [fixture.teamAccount, fixture.adas, fixture.bobs].map(async ({ id }) => {
      const { quota, allocated } = await fixture.database.ledgers.account(id);
      return [String(quota.epsilon), String(allocated.epsilon)];
    }),
  );

describe("authority", () => {
  const everyone = ["ada", "bob", "lead", "owner", "stranger", "platformAdmin"] as const;
  const idOf = (who: (typeof everyone)[number]) => (who === "ada" || who === "bob" ? fixture[who].id : people[who]);
  /** The admin of the team that pays, or the dataset's; never who asked, and never by rank. */
  const may = { decider: ["lead", "owner"], requester: ["ada"] } as const;
  test.each(verbs.flatMap((verb) => everyone.map((who) => [verb, who] as const)))("%s by %s", async (verb, who) => {
    const { from, by: actor } = transitions[verb];
    const request = await inState[from[0]]();
    // Only who may ask for the team escalates: the owner pays already.
    const holders: readonly string[] = verb === "escalate" ? ["lead"] : may[actor];
    expect(await codeOf(act(verb, request, idOf(who)))).toBe(holders.includes(who) ? "done" : "FORBIDDEN");
  });

  test("quota of a team is asked of the dataset's admin: the team's own admin does not decide", async () => {
    const request = await fixture.database.requests.make({
      by: people.lead,
      dataset: fixture.dataset.id,
      target: { account: fixture.teamAccount.id },
      epsilon: eps("1"),
      note: "",
    });
    expect(await codeOf(act("approve", request, people.lead))).toBe("FORBIDDEN");
    expect((await act("approve", request, people.owner)).status).toBe("approved");
    expect((await fixture.database.ledgers.account(fixture.teamAccount.id)).quota.epsilon).toBe(eps("5"));
  });

  test.each(["bob", "lead", "owner", "stranger"] as const)("no one asks for Ada's account but Ada: %s", async (who) => {
    const asking = fixture.database.requests.make({
      by: idOf(who),
      dataset: fixture.dataset.id,
      target: { account: fixture.adas.id },
      epsilon: eps("0.1"),
      note: "",
    });
    expect(await codeOf(asking)).toBe("FORBIDDEN");
  });

  test("an approver who lost the role between reading and deciding is refused", async () => {
    const request = await ask();
    await dismissLead();
    expect(await codeOf(act("approve", request, people.lead))).toBe("FORBIDDEN");
  });

  test("who left the team does not get its quota: their requests end", async () => {
    const request = await ask();
    await fixture.database.people.removeMember({ team: fixture.team.id, principal: fixture.ada.id, by });
    expect(await codeOf(act("approve", request, people.lead))).toBe("CONFLICT");
    expect((await fixture.database.requests.request(request.id)).status).toBe("withdrawn");
  });

  test("an offer of someone who no longer pays cannot be accepted", async () => {
    const request = await inState.counterOffered();
    await dismissLead();
    expect(await codeOf(act("accept", request, fixture.ada.id))).toBe("CONFLICT");
  });
});

describe("one's own request", () => {
  const askAsOwner = () =>
    fixture.database.requests.make({
      by: people.owner,
      dataset: fixture.dataset.id,
      target: { holder: { kind: "principal", id: people.owner }, parent: null },
      epsilon: eps("0.5"),
      note: "",
    });

  test("no one decides it", async () => {
    expect(await codeOf(act("approve", await askAsOwner(), people.owner))).toBe("FORBIDDEN");
  });

  test("where the policy only flags it, it is marked in the request and in the audit", async () => {
    await open({ selfApproval: "flag" });
    const after = await act("approve", await askAsOwner(), people.owner);
    expect(after).toMatchObject({ status: "approved", selfDecided: true });
    const { items } = await fixture.database.audit.lines({});
    expect(items[0]).toMatchObject({ action: "request.approve", detail: { selfDecided: true } });
  });
});

describe("decision and quota are one transaction", () => {
  test("approval moves exactly what was asked, and the transfer names the request", async () => {
    const request = await ask("0.3");
    await act("approve", request, people.lead);
    expect((await fixture.database.ledgers.account(fixture.adas.id)).quota.epsilon).toBe(eps("1.3"));
    const rows = await fixture.store.read
      .selectFrom("transfer")
      .selectAll()
      .where("request_id", "=", request.id)
      .execute();
    expect(rows.map(({ epsilon, to_account_id }) => [epsilon, to_account_id])).toEqual([[eps("0.3"), fixture.adas.id]]);
  });

  test("funds gone at approval: refused, the request stays submitted, nothing moved; a part still fits", async () => {
    await open({ quota: "2.1" });
    const request = await ask("0.4");
    const before = await quotas();
    expect(await codeOf(act("approve", request, people.lead))).toBe("QUOTA_UNAVAILABLE");
    expect(await fixture.database.requests.request(request.id)).toMatchObject({
      status: "submitted",
      version: 1,
    });
    expect(await quotas()).toEqual(before);
    const part = await fixture.database.requests.approve({
      ...read(request),
      by: people.lead,
      epsilon: eps("0.1"),
    });
    expect(part).toMatchObject({ status: "partlyApproved", granted: { epsilon: eps("0.1") } });
  });

  test("an offer accepted when the funds are gone stays an offer", async () => {
    await open({ quota: "2.1" });
    const offer = await act("counter", await ask("0.4"), people.lead);
    expect(await codeOf(act("accept", offer, fixture.ada.id))).toBe("QUOTA_UNAVAILABLE");
    expect((await fixture.database.requests.request(offer.id)).status).toBe("counterOffered");
  });

  test.each([
    ["more than was asked", { epsilon: "0.5" }],
    ["nothing", { epsilon: "0" }],
    ["more δ than was asked", { epsilon: "0.4", delta: "1e-7" }],
  ])("a decider grants no %s", async (_, { epsilon, delta }: { epsilon: string; delta?: string }) => {
    const request = await ask("0.4");
    const grant = { epsilon: eps(epsilon), delta: delta === undefined ? undefined : del(delta) };
    expect(await codeOf(fixture.database.requests.approve({ ...read(request), ...grant, by: people.lead }))).toBe(
      "INVALID_PARAMETER",
    );
  });

  test("two approvals at once grant once", async () => {
    const request = await ask("0.4");
    const codes = await Promise.all(
      [people.lead, people.owner, people.lead].map((who) => codeOf(act("approve", request, who))),
    );
    expect(codes.toSorted()).toEqual(["CONFLICT", "CONFLICT", "done"]);
    expect((await fixture.database.ledgers.account(fixture.adas.id)).quota.epsilon).toBe(eps("1.4"));
  });

  test("a stale version is refused", async () => {
    const request = await ask();
    expect(await codeOf(fixture.database.requests.approve({ request: request.id, version: 7, by: people.lead }))).toBe(
      "CONFLICT",
    );
    expect(await codeOf(act("approve", { ...request, version: 0 }, people.lead))).toBe("CONFLICT");
  });

  test("approval gives back nothing that was spent", async () => {
    await fixture.charge("k", pure("1"));
    await act("approve", await ask("0.4"), people.lead);
    const { state } = await fixture.database.ledgers.account(fixture.adas.id);
    expect(state.epsilon).toBe(eps("1"));
  });
});

describe("access", () => {
  test("for oneself below a team: the account is opened with the decision", async () => {
    const { database, team, teamAccount, dataset } = fixture;
    const cy = await database.people.createPrincipal({ kind: "user", name: "Cy", by });
    await database.people.addMember({ team: team.id, principal: cy.id, by });
    const target = { holder: { kind: "principal", id: cy.id }, parent: teamAccount.id } as const;
    const request = await database.requests.make({
      by: cy.id,
      dataset: dataset.id,
      target,
      epsilon: eps("0.5"),
      note: "",
    });
    const { account } = await act("approve", request, people.lead);
    expect(await database.ledgers.account(account ?? "")).toMatchObject({
      parent: teamAccount.id,
      quota: { epsilon: eps("0.5") },
    });
    const again = database.requests.make({
      by: cy.id,
      dataset: dataset.id,
      target,
      epsilon: eps("0.5"),
      note: "",
    });
    expect(await codeOf(again), "who has an account asks for more on it").toBe("CONFLICT");
  });

  test("below a team only its people ask; for a team only its admin", async () => {
    const { database, team, teamAccount, dataset } = fixture;
    const make = (who: PrincipalId, target: Parameters<typeof database.requests.make>[0]["target"]) =>
      codeOf(database.requests.make({ by: who, dataset: dataset.id, target, epsilon: eps("0.5"), note: "" }));
    const holder = { kind: "principal", id: people.stranger } as const;
    expect(await make(people.stranger, { holder, parent: teamAccount.id })).toBe("FORBIDDEN");
    expect(await make(people.stranger, { holder, parent: null })).toBe("done");
    await database.ledgers.closeAccount({ account: fixture.adas.id, by });
    await database.ledgers.closeAccount({ account: fixture.bobs.id, by });
    await database.ledgers.closeAccount({ account: teamAccount.id, by });
    const forTeam = { holder: { kind: "team", id: team.id }, parent: null } as const;
    expect(await make(fixture.ada.id, forTeam)).toBe("FORBIDDEN");
    expect(await make(people.lead, forTeam)).toBe("done");
  });
});

describe("escalation", () => {
  const onTop = async () => {
    const all = await fixture.database.requests.requests();
    const above = all.find(({ origin }) => origin !== null);
    if (above === undefined) throw new Error("nothing was escalated");
    return above;
  };

  test("too little quota: a linked request of the team's for more, with the same plan, and both end well", async () => {
    const first = await ask("3", { plan: { statistics: [] } });
    expect(await codeOf(act("approve", first, people.lead))).toBe("QUOTA_UNAVAILABLE");
    await act("escalate", first, people.lead);
    const above = await onTop();
    expect(above).toMatchObject({
      origin: first.id,
      requester: people.lead,
      account: fixture.teamAccount.id,
      plan: { statistics: [] },
      asked: { epsilon: eps("3") },
    });
    expect(await codeOf(act("approve", above, people.lead))).toBe("FORBIDDEN");
    await fixture.database.ledgers.withdraw({ account: fixture.bobs.id, epsilon: eps("0.5"), by });
    await fixture.database.requests.approve({ ...read(above), by: people.owner, epsilon: eps("1") });
    const waiting = await fixture.database.requests.request(first.id);
    expect(waiting).toMatchObject({ status: "submitted", version: 3 });
    await act("approve", waiting, people.lead);
    expect((await fixture.database.ledgers.account(fixture.adas.id)).quota.epsilon).toBe(eps("4"));
  });

  test.each(["reject", "withdraw"] as const)("when the one above ends by %s, the first waits again", async (verb) => {
    const first = await act("escalate", await ask(), people.lead);
    await act(verb, await onTop(), verb === "reject" ? people.owner : people.lead);
    expect((await fixture.database.requests.request(first.id)).status).toBe("submitted");
  });

  test("where the ledger itself pays there is no one above", async () => {
    const asked = await fixture.database.requests.make({
      by: people.lead,
      dataset: fixture.dataset.id,
      target: { account: fixture.teamAccount.id },
      epsilon: eps("1"),
      note: "",
    });
    expect(await codeOf(act("escalate", asked, people.owner))).toBe("CONFLICT");
  });
});

describe("approved in advance", () => {
  const rule = (most: string, room: string, who = people.lead) =>
    fixture.database.requests.createPreApproval({
      ledger: fixture.ledger.id,
      parent: fixture.teamAccount.id,
      most: eps(most),
      room: eps(room),
      by: who,
    });

  test("small requests are granted at once, by the same code, until the room is used up", async () => {
    const { id } = await rule("0.2", "0.3");
    expect(await ask("0.25")).toMatchObject({ status: "submitted" });
    expect(await ask("0.2", { supersede: true })).toMatchObject({ status: "approved", decider: people.lead });
    expect((await fixture.database.requests.preApproval(id)).room).toBe(eps("0.1"));
    expect(await ask("0.2")).toMatchObject({ status: "submitted" });
    expect((await fixture.database.ledgers.account(fixture.adas.id)).quota.epsilon).toBe(eps("1.2"));
  });

  test("δ above its part of the total waits for a person; the part itself, and less, do not", async () => {
    await rule("0.2", "1");
    const before = await fixture.database.ledgers.account(fixture.adas.id);
    // ε 0.2 of the ledger's 5 at δ 1e-6: the part is 4e-8.
    const above = await ask("0.2", { delta: del("4.0001e-8") });
    expect(above).toMatchObject({ status: "submitted", decider: null });
    expect((await fixture.database.ledgers.account(fixture.adas.id)).quota).toEqual(before.quota);
    expect((await act("approve", above, people.lead)).status).toBe("approved");
    expect(await ask("0.2", { delta: del("4e-8") })).toMatchObject({ status: "approved", decider: people.lead });
    expect(await ask("0.2", { delta: del("0") })).toMatchObject({ status: "approved", decider: people.lead });
  });

  test("never for oneself, never without authority, never with funds that are gone, and not after its end", async () => {
    expect(await codeOf(rule("0.1", "1", people.stranger))).toBe("FORBIDDEN");
    expect(await codeOf(rule("1", "0.5"))).toBe("INVALID_PARAMETER");
    await rule("9", "9");
    expect(await ask("3")).toMatchObject({ status: "submitted" });
    await act("withdraw", (await fixture.database.requests.requests())[0] as Request, fixture.ada.id);
    await dismissLead();
    expect(await ask("0.1")).toMatchObject({ status: "submitted" });
    const { id } = await rule("9", "9", people.owner);
    await fixture.database.requests.endPreApproval({ approval: id, by: people.owner });
    expect(await ask("0.1", { supersede: true })).toMatchObject({ status: "submitted" });
  });

  test("never for a service of one's own", async () => {
    await rule("1", "2");
    const service = await serviceOf(people.lead);
    expect(await askForOwn(service, fixture.teamAccount.id)).toMatchObject({ status: "submitted", decider: null });
    expect(await ask("0.1"), "another member's").toMatchObject({ status: "approved", decider: people.lead });
  });

  test("ends with who gave it: coming back with the role does not bring it back", async () => {
    const { id } = await rule("1", "2");
    const { id: other } = await rule("1", "2", people.owner);
    await fixture.database.people.disablePrincipal({ principal: people.lead, by: people.owner });
    expect((await fixture.database.requests.preApprovals(fixture.ledger.id)).map((each) => each.id)).toEqual([other]);
    const { items } = await fixture.database.audit.lines({});
    const ends = items.filter(({ action }) => action === "approval.end");
    expect(ends).toMatchObject([{ actor: people.owner, subject: id }]);
    await fixture.database.requests.endPreApproval({ approval: other, by: people.owner });
    await fixture.database.people.restorePrincipal({ principal: people.lead, by });
    await fixture.database.people.grantRole({
      principal: people.lead,
      role: "teamAdmin",
      object: fixture.team.id,
      by,
    });
    expect(await ask("0.1")).toMatchObject({ status: "submitted", decider: null });
  });

  test("ends with the role it was given by, and not with another: the role again does not bring it back", async () => {
    const { database, ledger, dataset, team } = fixture;
    const { id } = await rule("1", "2");
    const { id: owners } = await rule("1", "2", people.owner);
    const asAuditor = await database.people.grantRole({ principal: people.lead, role: "auditor", by });
    await database.people.revokeRole({ binding: asAuditor.id, by });
    const asAdmin = await database.people.grantRole({
      principal: people.lead,
      role: "datasetAdmin",
      object: dataset.id,
      by,
    });
    await dismissLead();
    expect((await database.requests.preApprovals(ledger.id)).map((each) => each.id)).toEqual([id, owners]);
    await database.people.revokeRole({ binding: asAdmin.id, by: people.owner });
    expect((await database.requests.preApprovals(ledger.id)).map((each) => each.id)).toEqual([owners]);
    const { items } = await database.audit.lines({});
    const ends = items.filter(({ action }) => action === "approval.end");
    expect(ends).toMatchObject([{ actor: people.owner, subject: id }]);
    await database.requests.endPreApproval({ approval: owners, by: people.owner });
    await database.people.grantRole({ principal: people.lead, role: "teamAdmin", object: team.id, by });
    expect(await ask("0.1")).toMatchObject({ status: "submitted", decider: null });
  });
});

describe("one open request", () => {
  test("a second one is refused unless it supersedes the first", async () => {
    const first = await ask();
    expect(await codeOf(ask("0.5"))).toBe("CONFLICT");
    const second = await ask("0.5", { supersede: true });
    expect(await fixture.database.requests.request(first.id)).toMatchObject({
      status: "superseded",
      supersededBy: second.id,
    });
    await act("withdraw", second, fixture.ada.id);
    expect((await ask()).status).toBe("submitted");
  });

  test("time ends a request without anybody touching it, once, and tells who asked", async () => {
    const { id, requester } = await inState.expired();
    expect(await fixture.database.requests.expireDue()).toContain(id);
    expect(await fixture.database.requests.expireDue()).toEqual([]);
    const { items } = await fixture.database.outbox.notifications({ principal: requester });
    expect(items).toContainEqual(
      expect.objectContaining({ subject: id, facts: expect.objectContaining({ outcome: "expired" }) }),
    );
  });

  test("one that time has ended is no hindrance, and is written down as expired", async () => {
    const first = await inState.expired();
    expect((await ask()).status).toBe("submitted");
    expect(await fixture.database.requests.request(first.id)).toMatchObject({ status: "expired", version: 2 });
  });
});

describe("a decider is not worn down", () => {
  const stay = (hours: number) => vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + hours * 3_600_000 });
  const shown = () => fixture.database.requests.requests();

  test("after a rejection the same account waits a day, superseding or not; another person's does not", async () => {
    await act("reject", await ask(), people.lead);
    const before = await shown();
    const again = ask("0.1", { supersede: true });
    await expect(again).rejects.toMatchObject({ code: "RATE_LIMITED", details: { seconds: 86_400 } });
    await expect(again).rejects.toThrow("this was rejected; it can be asked for again in 24 hours");
    expect(await shown()).toEqual(before);
    const { database, bob, bobs, dataset } = fixture;
    const asking = { by: bob.id, dataset: dataset.id, target: { account: bobs.id }, epsilon: eps("0.1"), note: "" };
    expect((await database.requests.make(asking)).status).toBe("submitted");
    stay(23.9);
    expect(await codeOf(ask())).toBe("RATE_LIMITED");
    stay(0.2);
    expect((await ask()).status).toBe("submitted");
  });

  test("after a rejection one's own service waits too, below the same account", async () => {
    const service = await serviceOf(fixture.ada.id);
    await act("reject", await ask(), people.lead);
    expect(await codeOf(askForOwn(service, fixture.teamAccount.id))).toBe("RATE_LIMITED");
    const bobs = await serviceOf(fixture.bob.id);
    expect((await askForOwn(bobs, fixture.teamAccount.id)).status, "another person's").toBe("submitted");
    expect((await askForOwn(service, null)).status, "another payer").toBe("submitted");
    stay(24.1);
    expect((await askForOwn(service, fixture.teamAccount.id)).status).toBe("submitted");
  });

  test("after a team's rejection its admin may ask for themselves, and for another team", async () => {
    const { database, dataset, teamAccount } = fixture;
    const asking = { by: people.lead, dataset: dataset.id, epsilon: eps("0.1"), note: "" };
    const askForTeam = () => database.requests.make({ ...asking, target: { account: teamAccount.id } });
    await act("reject", await askForTeam(), people.owner);
    expect(await codeOf(askForTeam())).toBe("RATE_LIMITED");
    const { id } = await database.people.createTeam({ name: "another", by });
    await database.people.grantRole({ principal: people.lead, role: "teamAdmin", object: id, by });
    const target = { holder: { kind: "team", id }, parent: null } as const;
    expect((await database.requests.make({ ...asking, target })).status).toBe("submitted");
    expect((await askForOwn(people.lead, null)).status).toBe("submitted");
  });

  test("twenty a day that no one granted, replaced or withdrawn; what was granted does not count", async () => {
    await act("approve", await ask("0.01"), people.lead);
    for (let n = 0; n < 10; n += 1) await ask("0.01", { supersede: true });
    for (let n = 0; n < 10; n += 1) await act("withdraw", await ask("0.01", { supersede: true }), fixture.ada.id);
    await expect(ask("0.01")).rejects.toThrow("20 requests in a day are the most; another can be made in 24 hours");
    stay(24.1);
    expect((await ask()).status).toBe("submitted");
  });

  test("ten open ones of a person and their services together, on this ledger", async () => {
    const { database, team, ada, dataset, ledger } = fixture;
    const service = await database.people.createPrincipal({
      kind: "service",
      name: "nightly",
      onBehalfOf: ada.id,
      by,
    });
    const teams: Account[] = [];
    for (let n = 0; n < 6; n += 1) {
      const { id } = await database.people.createTeam({ name: `team ${n}`, by });
      for (const one of [ada, service]) await database.people.addMember({ team: id, principal: one.id, by });
      const holder = { kind: "team", id } as const;
      teams.push(
        await database.ledgers.openAccount({ ledger: ledger.id, parent: null, holder, epsilon: eps("0"), by }),
      );
    }
    const askBelow = (who: PrincipalId, parent: Account["id"] | null) =>
      database.requests.make({
        by: who,
        dataset: dataset.id,
        target: { holder: { kind: "principal", id: who }, parent },
        epsilon: eps("0.1"),
        note: "",
      });
    for (const { id } of teams.slice(0, 5)) for (const who of [ada.id, service.id]) await askBelow(who, id);
    const last = teams[5]?.id ?? null;
    await expect(askBelow(service.id, last)).rejects.toThrow(
      "open requests is 10, must be fewer than 10: withdraw one, or wait for an answer",
    );
    expect(await codeOf(ask())).toBe("CONFLICT");
    const [mine] = await database.requests.requests({ requester: ada.id });
    await act("withdraw", mine as Request, ada.id);
    expect((await askBelow(service.id, last)).status).toBe("submitted");
    expect(team.closedAt).toBeNull();
  });
});

test("the database itself refuses to rewrite what was asked or to reopen what has ended", async () => {
  await open({ requestLimits: { pauseHours: 0 } });
  const { id } = await inState.rejected();
  const edit = (set: object) =>
    fixture.store.transact(({ db }) => db.updateTable("request").set(set).where("id", "=", id).execute());
  await expect(edit({ status: "submitted", version: 3n })).rejects.toThrow(/end_is_final/);
  const waiting = await ask("0.2");
  const other = (set: object) =>
    fixture.store.transact(({ db }) => db.updateTable("request").set(set).where("id", "=", waiting.id).execute());
  await expect(other({ epsilon: eps("9"), version: 2n })).rejects.toThrow(/what_was_asked_is_fixed/);
  await expect(other({ decision_note: "x" })).rejects.toThrow(/one_version_a_step/);
});

test.each([
  ["ε of 0", { epsilon: "0" }],
  ["a note that is a book", { note: "x".repeat(2001) }],
  ["control characters in the note", { note: "a\u0000b" }],
])("%s is refused", async (_, { epsilon = "0.1", note = "" }: { epsilon?: string; note?: string }) => {
  const asking = fixture.database.requests.make({
    by: fixture.ada.id,
    dataset: fixture.dataset.id,
    target: { account: fixture.adas.id },
    epsilon: eps(epsilon),
    note,
  });
  expect(await codeOf(asking)).toBe("INVALID_PARAMETER");
});
