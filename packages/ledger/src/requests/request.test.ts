import { copyFileSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type DeltaAmount, PrivacyError } from "@dosimeter/core";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
import { type Account, type PrincipalId, type Request, type RequestStatus, transitions } from "../index.ts";
import { sqliteStore } from "../stores/sqlite/sqlite.ts";
import { buildTown, by, del, eps, pure, reopenTown, type Town, type TownOptions } from "../testing/fixture.kit.ts";

const folder = mkdtempSync(join(tmpdir(), "ledger-request-"));
afterAll(() => rmSync(folder, { recursive: true }));

let serial = 0;
let town: Town;
let people: Record<"lead" | "owner" | "stranger" | "platformAdmin", PrincipalId>;

async function build(path: string, options?: TownOptions): Promise<void> {
  town = await buildTown(await sqliteStore(path), { quota: "4", ...options });
  const { books, team, dataset } = town;
  const person = async (name: string) => (await books.people.createPrincipal({ kind: "user", name, by })).id;
  people = {
    lead: await person("Lead"),
    owner: await person("Owner"),
    stranger: await person("Stranger"),
    platformAdmin: await person("Admin"),
  };
  await books.people.grantRole({ principal: people.lead, role: "teamAdmin", object: team.id, by });
  await books.people.grantRole({ principal: people.owner, role: "datasetAdmin", object: dataset.id, by });
  await books.people.grantRole({ principal: people.platformAdmin, role: "platformAdmin", by });
}

/** The town as it is before each test. */
const first = join(folder, "first.sqlite");
let asBuilt: { readonly town: Town; readonly people: typeof people };
beforeAll(async () => {
  await build(first);
  await town.books.close();
  asBuilt = { town, people };
});

async function open(options?: TownOptions): Promise<void> {
  await town.books.close();
  serial += 1;
  const path = join(folder, `${serial}.sqlite`);
  if (options !== undefined) return build(path, options);
  copyFileSync(first, path);
  town = await reopenTown(await sqliteStore(path), asBuilt.town);
  people = asBuilt.people;
}

beforeEach(() => open());
afterEach(async () => {
  vi.useRealTimers();
  const { problems } = await town.books.audit.verify();
  await town.books.close();
  expect(problems).toEqual([]);
});

/** Somebody else is the team's admin from now on. */
async function dismissLead(): Promise<void> {
  const [binding] = await town.books.people.roleBindings(town.team.id);
  await town.books.people.grantRole({ principal: people.stranger, role: "teamAdmin", object: town.team.id, by });
  await town.books.people.revokeRole({ binding: binding?.id ?? "", by });
}

const ask = (
  epsilon = "0.4",
  more: { delta?: DeltaAmount; supersede?: boolean; days?: number; plan?: { statistics: [] } } = {},
) =>
  town.books.requests.make({
    by: town.ada.id,
    dataset: town.dataset.id,
    target: { account: town.adas.id },
    epsilon: eps(epsilon),
    note: "the age histogram",
    ...more,
  });

/** A service of somebody's, in the team. */
async function serviceOf(person: PrincipalId): Promise<PrincipalId> {
  const { books, team } = town;
  const { id } = await books.people.createPrincipal({ kind: "service", name: "nightly", onBehalfOf: person, by });
  await books.people.addMember({ team: team.id, principal: id, by });
  return id;
}

/** For an account of one's own that is not there yet. */
const askForOwn = (who: PrincipalId, parent: Account["id"] | null) =>
  town.books.requests.make({
    by: who,
    dataset: town.dataset.id,
    target: { holder: { kind: "principal", id: who }, parent },
    epsilon: eps("0.1"),
    note: "",
  });

async function codeOf(promise: Promise<unknown>): Promise<string> {
  try {
    await promise;
    return "done";
  } catch (error) {
    return error instanceof PrivacyError ? error.code : String(error);
  }
}

/** A request of Ada's in each state there is. */
const inState: Readonly<Record<RequestStatus, () => Promise<Request>>> = {
  submitted: () => ask(),
  counterOffered: async () => act("counter", await ask(), people.lead),
  approved: async () => act("approve", await ask(), people.lead),
  partlyApproved: async () =>
    town.books.requests.approve({ ...read(await ask()), by: people.lead, epsilon: eps("0.1") }),
  rejected: async () => act("reject", await ask(), people.lead),
  withdrawn: async () => act("withdraw", await ask(), town.ada.id),
  expired: async () => {
    const { id } = await ask("0.4", { days: 1 });
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 2 * 86_400_000 });
    return town.books.requests.request(id);
  },
  superseded: async () => {
    const { id } = await ask();
    await ask("0.5", { supersede: true });
    return town.books.requests.request(id);
  },
  infoRequested: async () => act("ask", await ask(), people.lead),
  escalated: async () => act("escalate", await ask(), people.lead),
};

type Verb = keyof typeof transitions;
const verbs = Object.keys(transitions) as Verb[];
const read = ({ id, version }: Request) => ({ request: id, version });

function act(verb: Verb, request: Request, who: PrincipalId): Promise<Request> {
  const { requests } = town.books;
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
    const who = transitions[verb].by === "decider" ? people.lead : town.ada.id;
    if (allowed.includes(`${state} ${verb}`)) {
      expect((await act(verb, request, who)).status).toBe(becomes[verb]);
    } else {
      expect(await codeOf(act(verb, request, who))).toBe("CONFLICT");
      expect(await quotas()).toEqual(before);
      expect((await town.books.requests.request(request.id)).status).toBe(state);
    }
  });
});

const quotas = async () =>
  Promise.all(
    [town.teamAccount, town.adas, town.bobs].map(async ({ id }) => {
      const { quota, allocated } = await town.books.ledgers.account(id);
      return [String(quota.epsilon), String(allocated.epsilon)];
    }),
  );

describe("authority", () => {
  const everyone = ["ada", "bob", "lead", "owner", "stranger", "platformAdmin"] as const;
  const idOf = (who: (typeof everyone)[number]) => (who === "ada" || who === "bob" ? town[who].id : people[who]);
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
    const request = await town.books.requests.make({
      by: people.lead,
      dataset: town.dataset.id,
      target: { account: town.teamAccount.id },
      epsilon: eps("1"),
      note: "",
    });
    expect(await codeOf(act("approve", request, people.lead))).toBe("FORBIDDEN");
    expect((await act("approve", request, people.owner)).status).toBe("approved");
    expect((await town.books.ledgers.account(town.teamAccount.id)).quota.epsilon).toBe(eps("5"));
  });

  test.each(["bob", "lead", "owner", "stranger"] as const)("nobody asks for Ada's account but Ada: %s", async (who) => {
    const asking = town.books.requests.make({
      by: idOf(who),
      dataset: town.dataset.id,
      target: { account: town.adas.id },
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

  test("who left the team is not given its quota: what they asked of it waits for nobody", async () => {
    const request = await ask();
    await town.books.people.removeMember({ team: town.team.id, principal: town.ada.id, by });
    expect(await codeOf(act("approve", request, people.lead))).toBe("CONFLICT");
    expect((await town.books.requests.request(request.id)).status).toBe("withdrawn");
  });

  test("an offer of someone who no longer pays cannot be accepted", async () => {
    const request = await inState.counterOffered();
    await dismissLead();
    expect(await codeOf(act("accept", request, town.ada.id))).toBe("CONFLICT");
  });
});

describe("one's own request", () => {
  const askAsOwner = () =>
    town.books.requests.make({
      by: people.owner,
      dataset: town.dataset.id,
      target: { holder: { kind: "principal", id: people.owner }, parent: null },
      epsilon: eps("0.5"),
      note: "",
    });

  test("nobody decides it", async () => {
    expect(await codeOf(act("approve", await askAsOwner(), people.owner))).toBe("FORBIDDEN");
  });

  test("where the policy only flags it, it is marked in the request and in the audit", async () => {
    await open({ selfApproval: "flag" });
    const after = await act("approve", await askAsOwner(), people.owner);
    expect(after).toMatchObject({ status: "approved", selfDecided: true });
    const { items } = await town.books.audit.lines({});
    expect(items[0]).toMatchObject({ action: "request.approve", detail: { selfDecided: true } });
  });
});

describe("decision and quota are one transaction", () => {
  test("approval moves exactly what was asked, and the transfer names the request", async () => {
    const request = await ask("0.3");
    await act("approve", request, people.lead);
    expect((await town.books.ledgers.account(town.adas.id)).quota.epsilon).toBe(eps("1.3"));
    const rows = await town.store.read
      .selectFrom("transfer")
      .selectAll()
      .where("request_id", "=", request.id)
      .execute();
    expect(rows.map(({ epsilon, to_account_id }) => [epsilon, to_account_id])).toEqual([[eps("0.3"), town.adas.id]]);
  });

  test("funds gone at approval: refused, the request stays submitted, nothing moved; a part still fits", async () => {
    await open({ quota: "2.1" });
    const request = await ask("0.4");
    const before = await quotas();
    expect(await codeOf(act("approve", request, people.lead))).toBe("QUOTA_UNAVAILABLE");
    expect(await town.books.requests.request(request.id)).toMatchObject({ status: "submitted", version: 1 });
    expect(await quotas()).toEqual(before);
    const part = await town.books.requests.approve({ ...read(request), by: people.lead, epsilon: eps("0.1") });
    expect(part).toMatchObject({ status: "partlyApproved", granted: { epsilon: eps("0.1") } });
  });

  test("an offer accepted when the funds are gone stays an offer", async () => {
    await open({ quota: "2.1" });
    const offer = await act("counter", await ask("0.4"), people.lead);
    expect(await codeOf(act("accept", offer, town.ada.id))).toBe("QUOTA_UNAVAILABLE");
    expect((await town.books.requests.request(offer.id)).status).toBe("counterOffered");
  });

  test.each([
    ["more than was asked", { epsilon: "0.5" }],
    ["nothing", { epsilon: "0" }],
    ["more δ than was asked", { epsilon: "0.4", delta: "1e-7" }],
  ])("a decider grants no %s", async (_, { epsilon, delta }: { epsilon: string; delta?: string }) => {
    const request = await ask("0.4");
    const grant = { epsilon: eps(epsilon), delta: delta === undefined ? undefined : del(delta) };
    expect(await codeOf(town.books.requests.approve({ ...read(request), ...grant, by: people.lead }))).toBe(
      "INVALID_PARAMETER",
    );
  });

  test("two approvals at once grant once", async () => {
    const request = await ask("0.4");
    const codes = await Promise.all(
      [people.lead, people.owner, people.lead].map((who) => codeOf(act("approve", request, who))),
    );
    expect(codes.toSorted()).toEqual(["CONFLICT", "CONFLICT", "done"]);
    expect((await town.books.ledgers.account(town.adas.id)).quota.epsilon).toBe(eps("1.4"));
  });

  test("a stale version is refused", async () => {
    const request = await ask();
    expect(await codeOf(town.books.requests.approve({ request: request.id, version: 7, by: people.lead }))).toBe(
      "CONFLICT",
    );
    expect(await codeOf(act("approve", { ...request, version: 0 }, people.lead))).toBe("CONFLICT");
  });

  test("approval gives back nothing that was spent", async () => {
    await town.charge("k", pure("1"));
    await act("approve", await ask("0.4"), people.lead);
    const { state } = await town.books.ledgers.account(town.adas.id);
    expect(state.epsilon).toBe(eps("1"));
  });
});

describe("access", () => {
  test("for oneself below a team: the account is opened with the decision", async () => {
    const { books, team, teamAccount, dataset } = town;
    const cy = await books.people.createPrincipal({ kind: "user", name: "Cy", by });
    await books.people.addMember({ team: team.id, principal: cy.id, by });
    const target = { holder: { kind: "principal", id: cy.id }, parent: teamAccount.id } as const;
    const request = await books.requests.make({
      by: cy.id,
      dataset: dataset.id,
      target,
      epsilon: eps("0.5"),
      note: "",
    });
    const { account } = await act("approve", request, people.lead);
    expect(await books.ledgers.account(account ?? "")).toMatchObject({
      parent: teamAccount.id,
      quota: { epsilon: eps("0.5") },
    });
    const again = books.requests.make({ by: cy.id, dataset: dataset.id, target, epsilon: eps("0.5"), note: "" });
    expect(await codeOf(again), "who has an account asks for more on it").toBe("CONFLICT");
  });

  test("below a team only its people ask; for a team only its admin", async () => {
    const { books, team, teamAccount, dataset } = town;
    const make = (who: PrincipalId, target: Parameters<typeof books.requests.make>[0]["target"]) =>
      codeOf(books.requests.make({ by: who, dataset: dataset.id, target, epsilon: eps("0.5"), note: "" }));
    const holder = { kind: "principal", id: people.stranger } as const;
    expect(await make(people.stranger, { holder, parent: teamAccount.id })).toBe("FORBIDDEN");
    expect(await make(people.stranger, { holder, parent: null })).toBe("done");
    await books.ledgers.close({ account: town.adas.id, by });
    await books.ledgers.close({ account: town.bobs.id, by });
    await books.ledgers.close({ account: teamAccount.id, by });
    const forTeam = { holder: { kind: "team", id: team.id }, parent: null } as const;
    expect(await make(town.ada.id, forTeam)).toBe("FORBIDDEN");
    expect(await make(people.lead, forTeam)).toBe("done");
  });
});

describe("escalation", () => {
  const onTop = async () => {
    const all = await town.books.requests.requests();
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
      account: town.teamAccount.id,
      plan: { statistics: [] },
      asked: { epsilon: eps("3") },
    });
    expect(await codeOf(act("approve", above, people.lead))).toBe("FORBIDDEN");
    await town.books.ledgers.withdraw({ account: town.bobs.id, epsilon: eps("0.5"), by });
    await town.books.requests.approve({ ...read(above), by: people.owner, epsilon: eps("1") });
    const waiting = await town.books.requests.request(first.id);
    expect(waiting).toMatchObject({ status: "submitted", version: 3 });
    await act("approve", waiting, people.lead);
    expect((await town.books.ledgers.account(town.adas.id)).quota.epsilon).toBe(eps("4"));
  });

  test.each(["reject", "withdraw"] as const)("when the one above ends by %s, the first waits again", async (verb) => {
    const first = await act("escalate", await ask(), people.lead);
    await act(verb, await onTop(), verb === "reject" ? people.owner : people.lead);
    expect((await town.books.requests.request(first.id)).status).toBe("submitted");
  });

  test("where the ledger itself pays there is nobody above", async () => {
    const asked = await town.books.requests.make({
      by: people.lead,
      dataset: town.dataset.id,
      target: { account: town.teamAccount.id },
      epsilon: eps("1"),
      note: "",
    });
    expect(await codeOf(act("escalate", asked, people.owner))).toBe("CONFLICT");
  });
});

describe("approved in advance", () => {
  const rule = (most: string, room: string, who = people.lead) =>
    town.books.requests.createPreApproval({
      ledger: town.ledger.id,
      parent: town.teamAccount.id,
      most: eps(most),
      room: eps(room),
      by: who,
    });

  test("small requests are granted at once, by the same code, until the room is used up", async () => {
    const { id } = await rule("0.2", "0.3");
    expect(await ask("0.25")).toMatchObject({ status: "submitted" });
    expect(await ask("0.2", { supersede: true })).toMatchObject({ status: "approved", decider: people.lead });
    expect((await town.books.requests.preApproval(id)).room).toBe(eps("0.1"));
    expect(await ask("0.2")).toMatchObject({ status: "submitted" });
    expect((await town.books.ledgers.account(town.adas.id)).quota.epsilon).toBe(eps("1.2"));
  });

  test("δ above its part of the total waits for a person; the part itself, and less, do not", async () => {
    await rule("0.2", "1");
    const before = await town.books.ledgers.account(town.adas.id);
    // ε 0.2 of the ledger's 5 at δ 1e-6: the part is 4e-8.
    const above = await ask("0.2", { delta: del("4.0001e-8") });
    expect(above).toMatchObject({ status: "submitted", decider: null });
    expect((await town.books.ledgers.account(town.adas.id)).quota).toEqual(before.quota);
    expect((await act("approve", above, people.lead)).status).toBe("approved");
    expect(await ask("0.2", { delta: del("4e-8") })).toMatchObject({ status: "approved", decider: people.lead });
    expect(await ask("0.2", { delta: del("0") })).toMatchObject({ status: "approved", decider: people.lead });
  });

  test("never for oneself, never without authority, never with funds that are gone, and not after its end", async () => {
    expect(await codeOf(rule("0.1", "1", people.stranger))).toBe("FORBIDDEN");
    expect(await codeOf(rule("1", "0.5"))).toBe("INVALID_PARAMETER");
    await rule("9", "9");
    expect(await ask("3")).toMatchObject({ status: "submitted" });
    await act("withdraw", (await town.books.requests.requests())[0] as Request, town.ada.id);
    await dismissLead();
    expect(await ask("0.1")).toMatchObject({ status: "submitted" });
    const { id } = await rule("9", "9", people.owner);
    await town.books.requests.endPreApproval({ approval: id, by: people.owner });
    expect(await ask("0.1", { supersede: true })).toMatchObject({ status: "submitted" });
  });

  test("never for a service of one's own", async () => {
    await rule("1", "2");
    const service = await serviceOf(people.lead);
    expect(await askForOwn(service, town.teamAccount.id)).toMatchObject({ status: "submitted", decider: null });
    expect(await ask("0.1"), "another member's").toMatchObject({ status: "approved", decider: people.lead });
  });

  test("ends with who gave it: coming back with the role does not bring it back", async () => {
    const { id } = await rule("1", "2");
    const { id: other } = await rule("1", "2", people.owner);
    await town.books.people.disablePrincipal({ principal: people.lead, by: people.owner });
    expect((await town.books.requests.preApprovals(town.ledger.id)).map((each) => each.id)).toEqual([other]);
    const { items } = await town.books.audit.lines({});
    const ends = items.filter(({ action }) => action === "approval.end");
    expect(ends).toMatchObject([{ actor: people.owner, subject: id }]);
    await town.books.requests.endPreApproval({ approval: other, by: people.owner });
    await town.books.people.restorePrincipal({ principal: people.lead, by });
    await town.books.people.grantRole({ principal: people.lead, role: "teamAdmin", object: town.team.id, by });
    expect(await ask("0.1")).toMatchObject({ status: "submitted", decider: null });
  });

  test("ends with the role it was given by, and not with another: the role anew does not bring it back", async () => {
    const { books, ledger, dataset, team } = town;
    const { id } = await rule("1", "2");
    const { id: owners } = await rule("1", "2", people.owner);
    const asAuditor = await books.people.grantRole({ principal: people.lead, role: "auditor", by });
    await books.people.revokeRole({ binding: asAuditor.id, by });
    const asAdmin = await books.people.grantRole({
      principal: people.lead,
      role: "datasetAdmin",
      object: dataset.id,
      by,
    });
    await dismissLead();
    expect((await books.requests.preApprovals(ledger.id)).map((each) => each.id)).toEqual([id, owners]);
    await books.people.revokeRole({ binding: asAdmin.id, by: people.owner });
    expect((await books.requests.preApprovals(ledger.id)).map((each) => each.id)).toEqual([owners]);
    const { items } = await books.audit.lines({});
    const ends = items.filter(({ action }) => action === "approval.end");
    expect(ends).toMatchObject([{ actor: people.owner, subject: id }]);
    await books.requests.endPreApproval({ approval: owners, by: people.owner });
    await books.people.grantRole({ principal: people.lead, role: "teamAdmin", object: team.id, by });
    expect(await ask("0.1")).toMatchObject({ status: "submitted", decider: null });
  });
});

describe("one open request", () => {
  test("a second one is refused unless it supersedes the first", async () => {
    const first = await ask();
    expect(await codeOf(ask("0.5"))).toBe("CONFLICT");
    const second = await ask("0.5", { supersede: true });
    expect(await town.books.requests.request(first.id)).toMatchObject({
      status: "superseded",
      supersededBy: second.id,
    });
    await act("withdraw", second, town.ada.id);
    expect((await ask()).status).toBe("submitted");
  });

  test("time ends a request without anybody touching it, once, and tells who asked", async () => {
    const { id, requester } = await inState.expired();
    expect(await town.books.requests.expireDue()).toContain(id);
    expect(await town.books.requests.expireDue()).toEqual([]);
    const { items } = await town.books.outbox.notifications({ principal: requester });
    expect(items).toContainEqual(
      expect.objectContaining({ subject: id, facts: expect.objectContaining({ outcome: "expired" }) }),
    );
  });

  test("one that time has ended is no hindrance, and is written down as expired", async () => {
    const first = await inState.expired();
    expect((await ask()).status).toBe("submitted");
    expect(await town.books.requests.request(first.id)).toMatchObject({ status: "expired", version: 2 });
  });
});

describe("a decider is not worn down", () => {
  const stay = (hours: number) => vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + hours * 3_600_000 });
  const shown = () => town.books.requests.requests();

  test("after a rejection the same account waits a day, superseding or not; another person's does not", async () => {
    await act("reject", await ask(), people.lead);
    const before = await shown();
    const again = ask("0.1", { supersede: true });
    await expect(again).rejects.toMatchObject({ code: "RATE_LIMITED", details: { seconds: 86_400 } });
    await expect(again).rejects.toThrow("this was rejected; it can be asked for again in 24 hours");
    expect(await shown()).toEqual(before);
    const { books, bob, bobs, dataset } = town;
    const asking = { by: bob.id, dataset: dataset.id, target: { account: bobs.id }, epsilon: eps("0.1"), note: "" };
    expect((await books.requests.make(asking)).status).toBe("submitted");
    stay(23.9);
    expect(await codeOf(ask())).toBe("RATE_LIMITED");
    stay(0.2);
    expect((await ask()).status).toBe("submitted");
  });

  test("after a rejection one's own service waits too, below the same account", async () => {
    const service = await serviceOf(town.ada.id);
    await act("reject", await ask(), people.lead);
    expect(await codeOf(askForOwn(service, town.teamAccount.id))).toBe("RATE_LIMITED");
    const bobs = await serviceOf(town.bob.id);
    expect((await askForOwn(bobs, town.teamAccount.id)).status, "another person's").toBe("submitted");
    expect((await askForOwn(service, null)).status, "another payer").toBe("submitted");
    stay(24.1);
    expect((await askForOwn(service, town.teamAccount.id)).status).toBe("submitted");
  });

  test("after a team's rejection its admin may ask for themselves, and for another team", async () => {
    const { books, dataset, teamAccount } = town;
    const asking = { by: people.lead, dataset: dataset.id, epsilon: eps("0.1"), note: "" };
    const askForTeam = () => books.requests.make({ ...asking, target: { account: teamAccount.id } });
    await act("reject", await askForTeam(), people.owner);
    expect(await codeOf(askForTeam())).toBe("RATE_LIMITED");
    const { id } = await books.people.createTeam({ name: "another", by });
    await books.people.grantRole({ principal: people.lead, role: "teamAdmin", object: id, by });
    const target = { holder: { kind: "team", id }, parent: null } as const;
    expect((await books.requests.make({ ...asking, target })).status).toBe("submitted");
    expect((await askForOwn(people.lead, null)).status).toBe("submitted");
  });

  test("twenty a day that nobody granted, replaced or withdrawn; what was granted does not count", async () => {
    await act("approve", await ask("0.01"), people.lead);
    for (let n = 0; n < 10; n += 1) await ask("0.01", { supersede: true });
    for (let n = 0; n < 10; n += 1) await act("withdraw", await ask("0.01", { supersede: true }), town.ada.id);
    await expect(ask("0.01")).rejects.toThrow("20 requests in a day are the most; another can be made in 24 hours");
    stay(24.1);
    expect((await ask()).status).toBe("submitted");
  });

  test("ten open ones of a person and their services together, on this ledger", async () => {
    const { books, team, ada, dataset, ledger } = town;
    const service = await books.people.createPrincipal({ kind: "service", name: "nightly", onBehalfOf: ada.id, by });
    const teams: Account[] = [];
    for (let n = 0; n < 6; n += 1) {
      const { id } = await books.people.createTeam({ name: `team ${n}`, by });
      for (const one of [ada, service]) await books.people.addMember({ team: id, principal: one.id, by });
      const holder = { kind: "team", id } as const;
      teams.push(await books.ledgers.openAccount({ ledger: ledger.id, parent: null, holder, epsilon: eps("0"), by }));
    }
    const askBelow = (who: PrincipalId, parent: Account["id"] | null) =>
      books.requests.make({
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
    const [mine] = await books.requests.requests({ requester: ada.id });
    await act("withdraw", mine as Request, ada.id);
    expect((await askBelow(service.id, last)).status).toBe("submitted");
    expect(team.closedAt).toBeNull();
  });
});

test("the database itself refuses to rewrite what was asked or to reopen what has ended", async () => {
  await open({ requestLimits: { pauseHours: 0 } });
  const { id } = await inState.rejected();
  const edit = (set: object) =>
    town.store.transact(({ db }) => db.updateTable("request").set(set).where("id", "=", id).execute());
  await expect(edit({ status: "submitted", version: 3n })).rejects.toThrow(/end_is_final/);
  const waiting = await ask("0.2");
  const other = (set: object) =>
    town.store.transact(({ db }) => db.updateTable("request").set(set).where("id", "=", waiting.id).execute());
  await expect(other({ epsilon: eps("9"), version: 2n })).rejects.toThrow(/what_was_asked_is_fixed/);
  await expect(other({ decision_note: "x" })).rejects.toThrow(/one_version_a_step/);
});

test.each([
  ["ε of 0", { epsilon: "0" }],
  ["a note that is a book", { note: "x".repeat(2001) }],
  ["control characters in the note", { note: "a\u0000b" }],
])("%s is refused", async (_, { epsilon = "0.1", note = "" }: { epsilon?: string; note?: string }) => {
  const asking = town.books.requests.make({
    by: town.ada.id,
    dataset: town.dataset.id,
    target: { account: town.adas.id },
    epsilon: eps(epsilon),
    note,
  });
  expect(await codeOf(asking)).toBe("INVALID_PARAMETER");
});
