import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { temporaryFolder } from "../../../../test/folder.kit.ts";
import type { Account } from "../accounts/account.ts";
import { sqliteStore } from "../stores/sqlite/sqlite.ts";
import { buildFixture, by, codeOf, del, eps, type Fixture, lapsed, pure } from "../testing/fixture.kit.ts";

const folder = temporaryFolder();
let fixture: Fixture;
beforeAll(async () => {
  fixture = await buildFixture(await sqliteStore(join(folder, "states.sqlite")), {
    requestLimits: { pauseHours: 0, aDay: 1000 },
    epsilon: "50",
    quota: "40",
    share: "0.1",
  });
  await fixture.database.ledgers.setLedger({ ledger: fixture.ledger.id, policy: "ask", by });
});
afterAll(async () => {
  expect((await fixture.database.audit.verify()).problems).toEqual([]);
  await fixture.database.close();
});

const ok = "ok";
const CLOSED = "ACCOUNT_CLOSED";

/** Every state of an account × every operation: what happens. The row is the state, the column the operation. */
const active = {
  charge: ok,
  allocate: ok,
  withdraw: ok,
  transferOut: ok,
  transferIn: ok,
  recall: ok,
  set: ok,
  freeze: ok,
  unfreeze: ok,
  close: ok,
  openBelow: ok,
} as const;
const table = {
  active,
  frozen: { ...active, charge: CLOSED, allocate: CLOSED, transferIn: CLOSED, openBelow: CLOSED },
  expired: { ...active, charge: CLOSED }, // until it is closed it is like any other, but for charges
  closed: {
    charge: CLOSED,
    allocate: CLOSED,
    withdraw: CLOSED,
    transferOut: CLOSED,
    transferIn: CLOSED,
    recall: CLOSED,
    set: CLOSED,
    freeze: CLOSED,
    unfreeze: CLOSED,
    close: ok, // once more changes nothing
    openBelow: CLOSED,
  },
} as const;
type State = keyof typeof table;
type Operation = keyof (typeof table)[State];

let people = 0;

async function accountIn(state: State): Promise<{ account: Account; principal: never }> {
  const { database, team, ledger, teamAccount } = fixture;
  people += 1;
  const { id } = await database.people.createPrincipal({
    kind: "user",
    name: `p${people}`,
    email: `p${people}@e.org`,
    by,
  });
  await database.people.addMember({ team: team.id, principal: id, by });
  const open = (ending: { readonly expiresAt?: string }) =>
    database.ledgers.openAccount({
      ledger: ledger.id,
      parent: teamAccount.id,
      holder: { kind: "principal", id },
      epsilon: eps("0.3"),
      by,
      ...ending,
    });
  const account = state === "expired" ? await lapsed((expiresAt) => open({ expiresAt })) : await open({});
  if (state === "frozen") await database.ledgers.freeze({ account: account.id, by });
  if (state === "closed") await database.ledgers.closeAccount({ account: account.id, by });
  return { account, principal: id as never };
}

const operations: Readonly<Record<Operation, (on: Account, principal: never) => Promise<unknown>>> = {
  charge: (on, principal) =>
    fixture.database.ledgers.charge({
      principal,
      account: on.id,
      dataset: fixture.dataset.id,
      key: `key ${on.id}`,
      request: {},
      events: pure("0.1"),
      adjacency: "addRemove",
      lease: { owner: "t", seconds: 60 },
    }),
  allocate: ({ id: account }) => fixture.database.ledgers.allocate({ account, epsilon: eps("0.1"), by }),
  withdraw: ({ id: account }) => fixture.database.ledgers.withdraw({ account, epsilon: eps("0.1"), by }),
  transferOut: ({ id: from }) =>
    fixture.database.ledgers.transfer({ from, to: fixture.adas.id, epsilon: eps("0.1"), by }),
  transferIn: ({ id: to }) =>
    fixture.database.ledgers.transfer({ from: fixture.bobs.id, to, epsilon: eps("0.001"), by }),
  recall: ({ id: account }) => fixture.database.ledgers.recall({ account, epsilon: eps("0.1"), cascade: true, by }),
  set: ({ id: account }) => fixture.database.ledgers.setAccount({ account, queryEpsilon: eps("0.2"), by }),
  freeze: ({ id: account }) => fixture.database.ledgers.freeze({ account, by }),
  unfreeze: ({ id: account }) => fixture.database.ledgers.unfreeze({ account, by }),
  close: ({ id: account }) => fixture.database.ledgers.closeAccount({ account, by }),
  openBelow: ({ id: parent, ledger }) =>
    fixture.database.ledgers.openAccount({
      ledger,
      parent,
      holder: { kind: "purpose", id: "paper" },
      epsilon: eps("0.1"),
      by,
    }),
};

describe.each(Object.keys(table) as State[])("an account that is %s", (state) => {
  test.each(Object.entries(table[state]) as [Operation, string][])("%s: %s", async (operation, expected) => {
    const { account, principal } = await accountIn(state);
    const before = await fixture.database.ledgers.balance(fixture.ledger.id);
    const done = operations[operation](account, principal);
    expect(await codeOf(done.then(() => Promise.reject(ok)))).toBe(expected);
    const after = await fixture.database.ledgers.balance(fixture.ledger.id);
    expect(after.state.epsilon ?? 0n).toBeGreaterThanOrEqual(before.state.epsilon ?? 0n);
    if (operation !== "charge") expect(after.state).toEqual(before.state);
  });
});

test("an account frozen or past its date stops everything below it", async () => {
  const { database, ledger, team } = fixture;
  const inner = await database.people.createTeam({ name: "inner", by });
  await database.people.addMember({ team: inner.id, principal: fixture.ada.id, by });
  const above = await database.ledgers.openAccount({
    ledger: ledger.id,
    parent: null,
    holder: { kind: "team", id: inner.id },
    epsilon: eps("1"),
    by,
  });
  const below = await database.ledgers.openAccount({
    ledger: ledger.id,
    parent: above.id,
    holder: { kind: "principal", id: fixture.ada.id },
    epsilon: eps("1"),
    by,
  });
  expect(team.id).not.toBe(inner.id);
  const charge = () => operations.charge(below, fixture.ada.id as never);
  await database.ledgers.freeze({ account: above.id, by });
  expect(await codeOf(charge())).toBe(CLOSED);
  await database.ledgers.unfreeze({ account: above.id, by });
  await lapsed((expiresAt) => database.ledgers.setAccount({ account: above.id, expiresAt, by }));
  expect(await codeOf(charge())).toBe(CLOSED);
  await database.ledgers.setAccount({ account: above.id, expiresAt: null, by });
  await charge();
});

/** Every state of a raise × who tries what. */
const raises = {
  proposed: {
    second: [ok, "FORBIDDEN", "FORBIDDEN"],
    reject: [ok, "FORBIDDEN", "FORBIDDEN"],
    withdraw: ["FORBIDDEN", ok, "FORBIDDEN"],
  },
  effective: {
    second: ["CONFLICT", "CONFLICT", "CONFLICT"],
    reject: ["CONFLICT", "CONFLICT", "CONFLICT"],
    withdraw: ["CONFLICT", "CONFLICT", "CONFLICT"],
  },
  rejected: {
    second: ["CONFLICT", "CONFLICT", "CONFLICT"],
    reject: ["CONFLICT", "CONFLICT", "CONFLICT"],
    withdraw: ["CONFLICT", "CONFLICT", "CONFLICT"],
  },
  withdrawn: {
    second: ["CONFLICT", "CONFLICT", "CONFLICT"],
    reject: ["CONFLICT", "CONFLICT", "CONFLICT"],
    withdraw: ["CONFLICT", "CONFLICT", "CONFLICT"],
  },
} as const;

describe.each(Object.keys(raises) as (keyof typeof raises)[])("a raise that is %s", (state) => {
  test.each(["second", "reject", "withdraw"] as const)(
    "%s, by another admin, by who asked, by a stranger",
    async (act) => {
      const { ledgers, people: folk } = fixture.database;
      const [ada, bob] = [fixture.ada.id, fixture.bob.id];
      for (const principal of [ada, bob])
        await folk.grantRole({ by, principal, role: "datasetAdmin", object: fixture.dataset.id });
      const stranger = await folk.createPrincipal({ kind: "user", name: "s", email: `s${people++}@e.org`, by });
      const made = async () => {
        const { quota } = await ledgers.ledger(fixture.ledger.id);
        const { id } = await ledgers.proposeAmendment({
          ledger: fixture.ledger.id,
          epsilon: (quota.epsilon + eps("0.01")) as never,
          delta: del("1e-6"),
          reason: "r",
          by: ada,
        });
        if (state === "effective") await ledgers.secondAmendment({ amendment: id, by: bob });
        if (state === "rejected") await ledgers.rejectAmendment({ amendment: id, by: bob });
        if (state === "withdrawn") await ledgers.withdrawAmendment({ amendment: id, by: ada });
        return id;
      };
      const route = {
        second: ledgers.secondAmendment,
        reject: ledgers.rejectAmendment,
        withdraw: ledgers.withdrawAmendment,
      };
      for (const [index, who] of [bob, ada, stranger.id].entries()) {
        const amendment = await made();
        expect(await codeOf(route[act]({ amendment, by: who }).then(() => Promise.reject(ok)))).toBe(
          raises[state][act][index],
        );
        await ledgers.withdrawAmendment({ amendment, by: ada }).catch(() => undefined);
      }
    },
  );
});
