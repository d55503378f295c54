import { formatEpsilon, PrivacyError } from "@dosimeter/core";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { grouped } from "./group.ts";
import type { Store } from "./store.ts";
import { buildTown, by, del, eps, gaussian, pure, type Town, type TownOptions } from "./town.kit.ts";

/** The specification of a store: everything here holds on each one. `open` gives a new, empty one. */
export function storeKit(name: string, open: () => Promise<Store>): void {
  describe(name, () => {
    const towns: Town[] = [];
    const town = async (options?: TownOptions): Promise<Town> => {
      const built = await buildTown(await open(), options);
      towns.push(built);
      return built;
    };
    afterEach(async () => {
      for (const { books } of towns.splice(0)) {
        const { problems } = await books.audit.verify();
        await books.close();
        expect(problems).toEqual([]);
      }
    });

    people(town);
    catalog(town);
    quotas(town);
    charges(town);
    switches(town);
    releases(town);
    transactions(open);
  });
}

type Build = (options?: TownOptions) => Promise<Town>;

/** The code of the error that a promise rejects with. */
export async function codeOf(promise: Promise<unknown>): Promise<string> {
  try {
    await promise;
    return "nothing was thrown";
  } catch (error) {
    return error instanceof PrivacyError ? error.code : String(error);
  }
}

const soon = () => new Date(Date.now() + 60_000).toISOString();

function people(town: Build): void {
  describe("people", () => {
    test("a secret opens its account until it is ended, and only in its own way", async () => {
      const { books, ada } = await town();
      const { credential, secret } = await books.people.createCredential({
        kind: "token",
        principal: ada.id,
        name: "cli",
        scopes: ["release"],
        expiresAt: soon(),
        by,
      });
      const seen = await books.people.authenticate("token", secret);
      expect(seen.principal.id).toBe(ada.id);
      expect(seen.credential.scopes).toEqual(["release"]);
      expect(await codeOf(books.people.authenticate("session", secret))).toBe("UNAUTHENTICATED");
      expect(await codeOf(books.people.authenticate("token", `${secret}x`))).toBe("UNAUTHENTICATED");
      await books.people.endCredential({ credential: credential.id, by: ada.id });
      expect(await codeOf(books.people.authenticate("token", secret))).toBe("UNAUTHENTICATED");
    });

    test("no secret is stored, only its SHA-256", async () => {
      const { books, ada, store } = await town();
      const { secret } = await books.people.createCredential({
        kind: "session",
        principal: ada.id,
        expiresAt: soon(),
        by,
      });
      const rows = await store.read.selectFrom("credential").selectAll().execute();
      const lines = await store.read.selectFrom("audit").selectAll().execute();
      const text = JSON.stringify([rows, lines], (_, value) => (typeof value === "bigint" ? String(value) : value));
      expect(text).not.toContain(secret);
      expect(rows[0]?.secret_hash).toBe(store.sha256(secret));
    });

    test("a secret expires", async () => {
      const { books, ada } = await town();
      const expiresAt = new Date(Date.now() + 40).toISOString();
      const { secret } = await books.people.createCredential({ kind: "token", principal: ada.id, expiresAt, by });
      await new Promise((resolve) => setTimeout(resolve, 60));
      expect(await codeOf(books.people.authenticate("token", secret))).toBe("UNAUTHENTICATED");
      expect(await codeOf(books.people.createCredential({ kind: "token", principal: ada.id, expiresAt, by }))).toBe(
        "INVALID_PARAMETER",
      );
    });

    test("a sign-in link works once, however many click it at once", async () => {
      const { books, ada } = await town();
      const { secret } = await books.people.createCredential({
        kind: "link",
        principal: ada.id,
        expiresAt: soon(),
        by,
      });
      const clicks = await Promise.allSettled(Array.from({ length: 20 }, () => books.people.redeemLink(secret)));
      expect(clicks.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
    });

    test("disabling someone ends every way in, and what was spent stays", async () => {
      const { books, ada, charge, adas } = await town();
      const { secret } = await books.people.createCredential({
        kind: "token",
        principal: ada.id,
        expiresAt: soon(),
        by,
      });
      await charge("k", pure("0.25"));
      expect((await books.people.disablePrincipal({ principal: ada.id, by })).disabledAt).not.toBeNull();
      expect(await codeOf(books.people.authenticate("token", secret))).toBe("UNAUTHENTICATED");
      expect(await codeOf(charge("k2", pure("0.25")))).toBe("FORBIDDEN");
      expect((await books.ledgers.balance(adas.id)).state.epsilon).toBe(eps("0.25"));
    });

    test("leaving a team and coming back changes nothing that was spent", async () => {
      const { books, ada, team, charge, adas } = await town();
      await charge("k", pure("0.75"));
      await books.people.removeMember({ team: team.id, principal: ada.id, by });
      expect(await codeOf(charge("k2", pure("0.1")))).toBe("FORBIDDEN");
      await books.people.addMember({ team: team.id, principal: ada.id, by });
      expect(await books.people.members(team.id)).toHaveLength(3);
      expect(await codeOf(charge("k3", pure("0.3")))).toBe("QUOTA_EXHAUSTED");
      await charge("k4", pure("0.25"));
      expect((await books.ledgers.balance(adas.id)).state.epsilon).toBe(eps("1"));
    });

    test("roles are relations, with a beginning and an end", async () => {
      const { books, ada, team, dataset } = await town();
      await books.people.grantRole({ principal: ada.id, role: "teamAdmin", object: team.id, by });
      await books.people.grantRole({ principal: ada.id, role: "auditor", by });
      const binding = await books.people.grantRole({ principal: ada.id, role: "datasetAdmin", object: dataset.id, by });
      expect(
        (await books.people.grantRole({ principal: ada.id, role: "datasetAdmin", object: dataset.id, by })).id,
      ).toBe(binding.id);
      expect(await books.people.rolesOf(ada.id)).toEqual({
        platformAdmin: false,
        auditor: true,
        auditorOf: [],
        datasetAdminOf: [dataset.id],
        teamAdminOf: [team.id],
        memberOf: [team.id],
      });
      await books.people.revokeRole({ binding: binding.id, by });
      expect((await books.people.rolesOf(ada.id)).datasetAdminOf).toEqual([]);
      expect(
        await codeOf(books.people.grantRole({ principal: ada.id, role: "teamAdmin", object: dataset.id, by })),
      ).toBe("INVALID_PARAMETER");
      expect(
        await codeOf(books.people.grantRole({ principal: ada.id, role: "platformAdmin", object: team.id, by })),
      ).toBe("INVALID_PARAMETER");
    });

    test("the demo ends when a real user exists", async () => {
      const { books, ada, bob } = await town();
      expect(await books.people.hasRealUsers()).toBe(true);
      for (const { id } of [ada, bob]) await books.people.disablePrincipal({ principal: id, by });
      await books.people.createPrincipal({ kind: "user", name: "Demo", demo: true, by });
      expect(await books.people.hasRealUsers()).toBe(false);
    });

    test.each([
      ["", "INVALID_PARAMETER"],
      ["   ", "INVALID_PARAMETER"],
      ["a\u0000b", "INVALID_PARAMETER"],
      ["x".repeat(201), "INVALID_PARAMETER"],
      ["health", "CONFLICT"],
      [" health ", "CONFLICT"],
    ])("a team named %j is refused", async (teamName, code) => {
      const { books } = await town();
      expect(await codeOf(books.people.createTeam({ name: teamName, by }))).toBe(code);
    });

    test("an e-mail address belongs to one principal", async () => {
      const { books, ada } = await town();
      expect(
        await codeOf(books.people.createPrincipal({ kind: "user", name: "Eve", email: "ADA@example.org", by })),
      ).toBe("CONFLICT");
      expect((await books.people.principalByEmail("Ada@Example.org"))?.id).toBe(ada.id);
      expect(await books.people.principalByEmail("nobody@example.org")).toBeNull();
    });
  });
}

function catalog(town: Build): void {
  describe("catalog", () => {
    test("a dataset keeps its ledger and its salt through every version [I14]", async () => {
      const { books, dataset, ledger } = await town();
      const next = await books.catalog.addVersion({
        dataset: dataset.id,
        declaration: { columns: { age: {} } },
        source: { file: "g" },
        by,
      });
      expect(next).toMatchObject({
        id: dataset.id,
        version: 2,
        salt: dataset.salt,
        declaration: { columns: { age: {} } },
        source: { file: "g" },
      });
      const twin = await books.catalog.createDataset({
        population: dataset.population,
        name: "visits",
        declaration: {},
        source: {},
        by,
      });
      expect((await books.ledgers.ledgerOf(twin.population))?.id).toBe(ledger.id);
      expect(await books.catalog.datasetsOf(dataset.population)).toHaveLength(2);
      expect((await books.catalog.dataset("visits")).id).toBe(twin.id);
    });

    test("a population has one ledger, for ever", async () => {
      const { books, dataset } = await town();
      const second = books.ledgers.open({
        population: dataset.population,
        epsilon: eps("1"),
        delta: del("0"),
        rule: "addition",
        by,
      });
      expect(await codeOf(second)).toBe("CONFLICT");
    });

    test("a ceiling is declared at opening, at least the lifetime, and the sentence says so", async () => {
      const { books, ledger } = await town();
      expect(ledger.ceiling).toEqual(ledger.quota);
      expect(ledger.sentence).not.toContain("ceiling");
      const other = await books.catalog.createPopulation({ name: "q", privacyUnit: "row", adjacency: "replace", by });
      const open = (epsilon: string) =>
        books.ledgers.open({
          population: other.id,
          epsilon: eps("1"),
          delta: del("1e-6"),
          ceiling: { epsilon: eps(epsilon), delta: del("1e-6") },
          by,
        });
      expect(await codeOf(open("0.9"))).toBe("INVALID_PARAMETER");
      const raised = await open("2.5");
      expect(raised.ceiling).toEqual({ epsilon: eps("2.5"), delta: del("1e-6") });
      expect(raised.sentence).toContain("(2.5, 0.000001)-DP; only that is unconditional");
    });

    test("unknown ids are NOT_FOUND everywhere", async () => {
      const { books } = await town();
      const nobody = "usr_0000000000000000" as never;
      const asks = [
        books.people.principal("x"),
        books.people.team("x"),
        books.people.members(nobody),
        books.people.addMember({ team: nobody, principal: nobody, by }),
        books.people.createCredential({ kind: "token", principal: nobody, expiresAt: soon(), by }),
        books.people.revokeRole({ binding: "x", by }),
        books.catalog.dataset("x"),
        books.catalog.population("x"),
        books.catalog.createDataset({ population: nobody, name: "n", declaration: {}, source: {}, by }),
        books.ledgers.ledger("x"),
        books.ledgers.account("x"),
        books.ledgers.free(nobody),
        books.ledgers.balances(nobody),
        books.ledgers.quote({ account: nobody, events: pure("1") }),
        books.ledgers.switchRule({ ledger: nobody, by }),
        books.releases.charge("x"),
        books.releases.release("x"),
        books.releases.complete({ charge: nobody, owner: "o", answers: 1 }),
        books.releases.claim({ charge: nobody, lease: { owner: "o", seconds: 1 } }),
      ];
      expect(await Promise.all(asks.map(codeOf))).toEqual(asks.map(() => "NOT_FOUND"));
    });
  });
}

function quotas(town: Build): void {
  describe("quotas", () => {
    test("what is given out sums exactly, and never to more than there is [I2, I3]", async () => {
      const { books, ledger, teamAccount, adas } = await town();
      expect((await books.ledgers.ledger(ledger.id)).allocated.epsilon).toBe(eps("2"));
      expect((await books.ledgers.free(teamAccount.id)).epsilon).toBe(0n);
      expect(await codeOf(books.ledgers.allocate({ account: adas.id, epsilon: eps("1e-12"), by }))).toBe(
        "QUOTA_UNAVAILABLE",
      );
      expect(
        await codeOf(books.ledgers.allocate({ account: teamAccount.id, epsilon: eps("3.000000000001"), by })),
      ).toBe("QUOTA_UNAVAILABLE");
      await books.ledgers.allocate({ account: teamAccount.id, epsilon: eps("3"), by });
      expect((await books.ledgers.free(ledger.id)).epsilon).toBe(0n);
    });

    test("a third, a third and a third are a whole", async () => {
      const { books, ledger, charge, adas, teamAccount } = await town({ quota: "1", share: "0.333333333333" });
      for (const key of ["a", "b", "c"]) await charge(key, pure("0.111111111111"));
      expect(await codeOf(charge("d", pure("0.000000000001")))).toBe("QUOTA_EXHAUSTED");
      await books.ledgers.allocate({ account: adas.id, epsilon: eps("0.333333333334"), by });
      await charge("e", pure("0.333333333334"));
      expect((await books.ledgers.balance(teamAccount.id)).state.epsilon).toBe(eps("0.666666666667"));
      expect((await books.ledgers.balance(ledger.id)).state.epsilon).toBe(eps("0.666666666667"));
    });

    test("only what is free can be withdrawn, to the last unit", async () => {
      const { books, charge, adas, teamAccount } = await town();
      await charge("k", pure("0.4"));
      expect((await books.ledgers.free(adas.id)).epsilon).toBe(eps("0.6"));
      const more = books.ledgers.withdraw({ account: adas.id, epsilon: eps("0.600000000001"), by });
      await expect(more).rejects.toMatchObject({ code: "QUOTA_UNAVAILABLE", details: { available: "0.6" } });
      await books.ledgers.withdraw({ account: adas.id, epsilon: eps("0.6"), by });
      expect((await books.ledgers.free(teamAccount.id)).epsilon).toBe(eps("0.6"));
      expect((await books.ledgers.balance(adas.id)).used).toBe(1);
      expect(await codeOf(books.ledgers.withdraw({ account: teamAccount.id, epsilon: eps("0.7"), by }))).toBe(
        "QUOTA_UNAVAILABLE",
      );
    });

    test("closing returns what is free and forgets nothing [I13]", async () => {
      const { books, charge, ada, adas, teamAccount, ledger } = await town();
      await charge("k", pure("0.4"));
      expect(await codeOf(books.ledgers.close({ account: teamAccount.id, by }))).toBe("CONFLICT");
      const closed = await books.ledgers.close({ account: adas.id, by });
      expect(closed).toMatchObject({ status: "closed", quota: { epsilon: eps("0.4") } });
      expect(await codeOf(charge("k2", pure("0.1")))).toBe("ACCOUNT_CLOSED");
      expect(await codeOf(books.ledgers.unfreeze({ account: adas.id, by }))).toBe("ACCOUNT_CLOSED");
      const again = await books.ledgers.openAccount({
        ledger: ledger.id,
        parent: teamAccount.id,
        holder: { kind: "principal", id: ada.id },
        epsilon: eps("0.6"),
        by,
      });
      expect((await books.ledgers.balance(ledger.id)).state.epsilon).toBe(eps("0.4"));
      expect((await books.ledgers.balance(teamAccount.id)).state.epsilon).toBe(eps("0.4"));
      expect(again.state.epsilon).toBe(0n);
      expect(await books.ledgers.accountsOf(ada.id)).toHaveLength(2);
    });

    test("a frozen account, or one above it, refuses charges until it thaws", async () => {
      const { books, charge, teamAccount } = await town();
      await books.ledgers.freeze({ account: teamAccount.id, by });
      expect(await codeOf(charge("k", pure("0.1")))).toBe("ACCOUNT_CLOSED");
      await books.ledgers.unfreeze({ account: teamAccount.id, by });
      await charge("k", pure("0.1"));
    });

    test("one open account per holder and place; a person's account has none below it", async () => {
      const { books, ledger, teamAccount, ada, adas } = await town();
      const holder = { kind: "principal", id: ada.id } as const;
      const open = (parent: typeof adas.id | null) =>
        books.ledgers.openAccount({ ledger: ledger.id, parent, holder, epsilon: eps("0"), by });
      expect(await codeOf(open(teamAccount.id))).toBe("CONFLICT");
      expect(await codeOf(open(adas.id))).toBe("INVALID_PARAMETER");
      expect((await open(null)).parent).toBeNull();
    });

    test("under the tight rule a quota is a share of the residue, and what is free replays", async () => {
      const { books, ledger, adas, charge } = await town({ rule: "tight" });
      expect(adas.caps.residue).toBe((ledger.terms.residue * eps("1")) / eps("5"));
      for (let i = 0; i < 20; i++) await charge(`k${i}`, pure("0.02"));
      await charge("g", gaussian("12"));
      const free = await books.ledgers.free(adas.id);
      expect(free.epsilon).toBeGreaterThan(0n);
      expect(
        await codeOf(
          books.ledgers.withdraw({
            account: adas.id,
            epsilon: (free.epsilon + eps("0.001")) as typeof free.epsilon,
            by,
          }),
        ),
      ).toBe("QUOTA_UNAVAILABLE");
      const left = await books.ledgers.withdraw({ account: adas.id, epsilon: free.epsilon, by });
      expect(left.state.residue).not.toBeNull();
      expect(left.quota.epsilon).toBe(eps("1") - free.epsilon);
    });
  });
}

function charges(town: Build): void {
  describe("charges", () => {
    test("tenths add up exactly, on the account and on everything above it", async () => {
      const { books, charge, adas } = await town();
      await charge("a", pure("0.1"));
      await charge("b", pure("0.2"));
      const balances = await books.ledgers.balances(adas.id);
      expect(balances.map(({ state }) => formatEpsilon(state.epsilon ?? eps("0")))).toEqual(["0.3", "0.3", "0.3"]);
      expect(balances.map(({ used }) => used)).toEqual([0.06, 0.15, 0.3]);
    });

    test("spending stops at the last unit; asking for one more changes nothing [I8]", async () => {
      const { books, charge, adas, ledger } = await town();
      await charge("a", pure("0.9"));
      const before = await books.ledgers.balances(adas.id);
      const refused = charge("b", pure("0.100000000001"));
      await expect(refused).rejects.toMatchObject({
        code: "QUOTA_EXHAUSTED",
        details: {
          account: adas.id,
          dimension: "epsilon",
          available: "0.1",
          requested: "0.100000000001",
          largestEpsilon: "0.1",
        },
      });
      expect(await books.ledgers.balances(adas.id)).toEqual(before);
      expect(
        await books.releases.chargeByKey({
          principal: (await books.ledgers.account(adas.id)).holder.id as never,
          key: "b",
        }),
      ).toBeNull();
      expect((await books.audit.lines({ limit: 1 })).items[0]).toMatchObject({
        action: "charge.refuse",
        detail: { code: "QUOTA_EXHAUSTED" },
      });
      await charge("b", pure("0.1"));
      expect((await books.ledgers.entries({ ledger: ledger.id })).items).toHaveLength(3);
    });

    test("the ledger refuses what every quota allows, and says so by another code", async () => {
      const { books, ada, charge, ledger } = await town({ epsilon: "1", quota: "0.5", share: "0.25" });
      await books.ledgers.withdraw({
        account: (await books.ledgers.accounts(ledger.id))[0]?.id as never,
        epsilon: eps("0"),
        by,
      });
      const second = await books.catalog.createPopulation({
        name: "other",
        privacyUnit: "person",
        adjacency: "addRemove",
        by,
      });
      const small = await books.ledgers.open({
        population: second.id,
        epsilon: eps("0.1"),
        delta: del("0"),
        rule: "addition",
        mode: "overbooked",
        by,
      });
      const data = await books.catalog.createDataset({
        population: second.id,
        name: "other",
        declaration: {},
        source: {},
        by,
      });
      const own = await books.ledgers.openAccount({
        ledger: small.id,
        parent: null,
        holder: { kind: "principal", id: ada.id },
        epsilon: eps("1"),
        by,
      });
      const ask = {
        principal: ada.id,
        account: own.id,
        dataset: data.id,
        request: {},
        adjacency: "addRemove",
        lease: { owner: "t", seconds: 9 },
      } as const;
      await books.ledgers.charge({ ...ask, key: "1", events: pure("0.1") });
      expect(await codeOf(books.ledgers.charge({ ...ask, key: "2", events: pure("0.1") }))).toBe("BUDGET_EXHAUSTED");
      expect(await codeOf(books.ledgers.charge({ ...ask, key: "3", events: gaussian("1") }))).toBe("UNSUPPORTED_EVENT");
      await charge("elsewhere", pure("0.25"));
    });

    test("a key is charged once and always answers the same [I11]", async () => {
      const { books, charge, adas } = await town();
      const first = await charge("k", pure("0.1"));
      const again = await charge("k", pure("0.1"));
      expect(again).toEqual({ charge: first.charge, repeated: true });
      expect(first.repeated).toBe(false);
      const clicks = await Promise.all(Array.from({ length: 50 }, () => charge("double click", pure("0.1"))));
      expect(new Set(clicks.map(({ charge: { id } }) => id)).size).toBe(1);
      expect(clicks.filter(({ repeated }) => !repeated)).toHaveLength(1);
      expect((await books.ledgers.balance(adas.id)).state.epsilon).toBe(eps("0.2"));
    });

    test("a key used for another request is refused; another person may use the same key", async () => {
      const { books, charge, ada, adas, bobs, dataset } = await town();
      await charge("k", pure("0.1"));
      const other = { principal: ada.id, account: adas.id, dataset: dataset.id, key: "k", request: { plan: "other" } };
      const ask = { events: pure("0.1"), adjacency: "addRemove", lease: { owner: "t", seconds: 9 } } as const;
      expect(await codeOf(books.ledgers.charge({ ...other, ...ask }))).toBe("IDEMPOTENCY_CONFLICT");
      expect((await charge("k", pure("0.1"), bobs)).repeated).toBe(false);
      expect((await books.ledgers.balance(adas.id)).state.epsilon).toBe(eps("0.1"));
    });

    test("policy: one's own account, the ledger's people, the ledger's neighbours", async () => {
      const { books, ada, bob, adas, teamAccount, dataset } = await town();
      const elsewhere = await books.catalog.createPopulation({
        name: "other",
        privacyUnit: "person",
        adjacency: "addRemove",
        by,
      });
      const foreign = await books.catalog.createDataset({
        population: elsewhere.id,
        name: "other",
        declaration: {},
        source: {},
        by,
      });
      const ask = {
        principal: ada.id,
        account: adas.id,
        dataset: dataset.id,
        key: "k",
        request: {},
        events: pure("0.1"),
        adjacency: "addRemove",
        lease: { owner: "t", seconds: 9 },
      } as const;
      const codes = [
        { ...ask, principal: bob.id },
        { ...ask, account: teamAccount.id },
        { ...ask, dataset: foreign.id },
        { ...ask, adjacency: "replace" as const },
        { ...ask, dataset: "dat_x" as never },
        { ...ask, account: "acc_x" as never },
        { ...ask, events: [] },
        { ...ask, key: "" },
        { ...ask, lease: { owner: "t", seconds: 0 } },
        { ...ask, events: [{ kind: "nonsense" } as never] },
        { ...ask, events: pure("-1") },
        { ...ask, events: pure("NaN") },
      ].map((request) => codeOf(books.ledgers.charge(request)));
      expect(await Promise.all(codes)).toEqual([
        "FORBIDDEN",
        "FORBIDDEN",
        "FORBIDDEN",
        "ADJACENCY_MISMATCH",
        "NOT_FOUND",
        "NOT_FOUND",
        "EMPTY_PLAN",
        "INVALID_PARAMETER",
        "INVALID_PARAMETER",
        "UNSUPPORTED_EVENT",
        "INVALID_PARAMETER",
        "INVALID_PARAMETER",
      ]);
      expect((await books.ledgers.balance(adas.id)).state.epsilon).toBe(0n);
    });

    test("the order of charges does not change the sums [I20]", async () => {
      const prices = ["0.07", "0.2", "0.011", "0.3"];
      const sums = [];
      for (const order of [prices, prices.toReversed()]) {
        const { books, charge, ledger } = await town();
        for (const price of order) await charge(price, [{ kind: "approximate", epsilon: price, delta: "1e-9" }]);
        const { epsilon, delta } = (await books.ledgers.balance(ledger.id)).state;
        sums.push({ epsilon, delta });
      }
      expect(sums[0]).toEqual({ epsilon: eps("0.581"), delta: del("4e-9") });
      expect(sums[1]).toEqual(sums[0]);
    });

    test("withdrawing while others spend never takes what was spent", async () => {
      const { books, charge, adas, teamAccount } = await town();
      const spends = Array.from({ length: 60 }, (_, i) => charge(`k${i}`, pure("0.02")));
      const withdrawals = Array.from({ length: 20 }, () =>
        books.ledgers.withdraw({ account: adas.id, epsilon: eps("0.1"), by }),
      );
      const [spent, taken] = await Promise.all([Promise.allSettled(spends), Promise.allSettled(withdrawals)]);
      const count = (all: readonly PromiseSettledResult<unknown>[]) =>
        BigInt(all.filter(({ status }) => status === "fulfilled").length);
      const { quota, state } = await books.ledgers.account(adas.id);
      expect(state.epsilon).toBe(count(spent) * eps("0.02"));
      expect(quota.epsilon).toBe(eps("1") - count(taken) * eps("0.1"));
      expect(quota.epsilon).toBeGreaterThanOrEqual(state.epsilon ?? 0n);
      expect((await books.ledgers.free(teamAccount.id)).epsilon).toBe(count(taken) * eps("0.1"));
    });

    test("the smallest ε costs one unit [I18]", async () => {
      const { books, charge, adas } = await town();
      await charge("k", pure("2e-300"));
      expect((await books.ledgers.balance(adas.id)).state.epsilon).toBe(1n);
    });

    test("200 callers on room for 37 are 37 charges, in one process", async () => {
      const { books, charge, adas, ledger } = await town({ share: "0.37" });
      const asked = await Promise.allSettled(Array.from({ length: 200 }, (_, i) => charge(`k${i}`, pure("0.01"))));
      expect(asked.filter(({ status }) => status === "fulfilled")).toHaveLength(37);
      expect((await books.ledgers.balance(adas.id)).state.epsilon).toBe(eps("0.37"));
      expect((await books.ledgers.ledger(ledger.id)).entries).toBe(38);
    });

    test("a quote says what the charge then does, and writes nothing", async () => {
      const { books, charge, adas, ledger } = await town();
      const lines = (await books.audit.lines({ limit: 1 })).items[0]?.seq;
      const quote = await books.ledgers.quote({ account: adas.id, events: pure("0.3") });
      expect((await books.audit.lines({ limit: 1 })).items[0]?.seq).toBe(lines);
      if (!quote.admitted) throw new Error("the quote was refused");
      await charge("k", pure("0.3"));
      expect(await books.ledgers.balances(adas.id)).toEqual(quote.after);
      expect(await books.ledgers.quote({ account: adas.id, events: pure("0.8") })).toMatchObject({
        admitted: false,
        largestEpsilon: eps("0.7"),
        refusals: [{ node: adas.id, dimension: "epsilon", available: "0.7", requested: "0.8" }],
      });
      expect((await books.ledgers.ledger(ledger.id)).entries).toBe(2);
    });

    test("entries come in pages, newest first, without gaps", async () => {
      const { books, charge, ledger, bobs } = await town();
      for (let i = 0; i < 7; i++) await charge(`k${i}`, pure("0.01"), i % 2 === 0 ? undefined : bobs);
      const numbers: number[] = [];
      let after: string | undefined;
      do {
        const page = await books.ledgers.entries({ ledger: ledger.id, limit: 3, after });
        numbers.push(...page.items.map(({ number }) => number));
        after = page.next ?? undefined;
      } while (after !== undefined);
      expect(numbers).toEqual([8, 7, 6, 5, 4, 3, 2, 1]);
      expect((await books.ledgers.entries({ ledger: ledger.id, account: bobs.id })).items).toHaveLength(3);
      expect(await codeOf(books.ledgers.entries({ ledger: ledger.id, limit: 0 }))).toBe("INVALID_PARAMETER");
      expect(await codeOf(books.ledgers.entries({ ledger: ledger.id, after: "x" }))).toBe("INVALID_PARAMETER");
    });
  });
}

function switches(town: Build): void {
  describe("the switch from addition to tight", () => {
    test("is made once, keeps the sentence, and admits what addition could not", async () => {
      const { books, charge, ledger, adas } = await town();
      for (let i = 0; i < 20; i++) await charge(`k${i}`, pure("0.05"));
      expect(await codeOf(charge("more", pure("0.01")))).toBe("QUOTA_EXHAUSTED");
      expect(await codeOf(charge("noise", gaussian("50")))).toBe("UNSUPPORTED_EVENT");
      const preview = await books.ledgers.previewSwitch(ledger.id);
      expect(preview.possible).toBe(true);
      const after = await books.ledgers.switchRule({ ledger: ledger.id, by });
      expect(after).toMatchObject({ lane: "tight", sentence: ledger.sentence });
      expect((await books.ledgers.balance(adas.id)).used).toBe(
        preview.nodes.find(({ before }) => before.node === adas.id)?.after?.used,
      );
      await charge("more", pure("0.01"));
      await charge("noise", gaussian("50"));
      expect(await codeOf(books.ledgers.switchRule({ ledger: ledger.id, by }))).toBe("CONFLICT");
      const { items } = await books.ledgers.entries({ ledger: ledger.id });
      expect(items.map(({ kind }) => kind).slice(0, 3)).toEqual(["charge", "charge", "switch"]);
      expect(items[0]?.epsilon).toBeNull();
    });

    test("is refused when the residue could not have paid", async () => {
      const { books, charge, ledger } = await town({ epsilon: "5", quota: "5", share: "2" });
      await charge("big", pure("2"));
      expect((await books.ledgers.previewSwitch(ledger.id)).possible).toBe(false);
      expect(await codeOf(books.ledgers.switchRule({ ledger: ledger.id, by }))).toBe("CONFLICT");
    });

    test("happens by itself under the policy auto, at the first charge that fits only tight", async () => {
      const { books, charge, ledger } = await town({ policy: "auto" });
      await charge("a", pure("0.2"));
      expect((await books.ledgers.ledger(ledger.id)).lane).toBe("addition");
      await charge("b", gaussian("60"));
      expect((await books.ledgers.ledger(ledger.id)).lane).toBe("tight");
    });
  });
}

function releases(town: Build): void {
  describe("releases", () => {
    const answers = { rows: [{ value: 41, interval: [39, 43] }] };

    test("answers are stored once with sentence and receipt, and read again for nothing [I10, I25]", async () => {
      const { books, charge, ledger, adas, ada } = await town();
      const { charge: charged } = await charge("k", pure("0.1"));
      expect(await books.releases.releaseOf(charged.id)).toBeNull();
      const first = await books.releases.complete({ charge: charged.id, owner: "test", answers });
      const again = await books.releases.complete({ charge: charged.id, owner: "another", answers: "other" });
      expect(again).toEqual(first);
      expect(first).toMatchObject({
        answers,
        sentence: ledger.sentence,
        principal: ada.id,
        receipt: { entry: 2, entryHash: charged.entryHash, epsilon: "0.1", delta: "0" },
      });
      expect(await books.releases.release(first.id)).toEqual(first);
      expect((await charge("k", pure("0.1"))).charge.status).toBe("released");
      expect((await books.ledgers.balance(adas.id)).state.epsilon).toBe(eps("0.1"));
      expect((await books.releases.releases({ principal: ada.id })).items).toEqual([first]);
    });

    test("only whoever holds the lease can complete", async () => {
      const { books, charge } = await town();
      const { charge: charged } = await charge("k", pure("0.1"));
      expect(await codeOf(books.releases.complete({ charge: charged.id, owner: "thief", answers }))).toBe("CONFLICT");
      expect(await books.releases.pending()).toHaveLength(1);
    });

    test("recovery takes only leases that ran out, once", async () => {
      const { books, ada, adas, dataset, charge } = await town();
      await charge("kept", pure("0.1"));
      const short = await books.ledgers.charge({
        principal: ada.id,
        account: adas.id,
        dataset: dataset.id,
        key: "lost",
        request: { plan: 1 },
        events: pure("0.1"),
        adjacency: "addRemove",
        lease: { owner: "dead", seconds: 0.02 },
      });
      await new Promise((resolve) => setTimeout(resolve, 40));
      const lease = { owner: "next", seconds: 60 };
      const taken = await books.releases.recover({ lease });
      expect(taken).toMatchObject([
        { id: short.charge.id, tries: 2, leaseOwner: "next", request: { plan: 1 }, events: pure("0.1") },
      ]);
      expect(await books.releases.recover({ lease })).toEqual([]);
      expect(await codeOf(books.releases.complete({ charge: short.charge.id, owner: "dead", answers }))).toBe(
        "CONFLICT",
      );
      expect(
        await codeOf(books.releases.renew({ charge: short.charge.id, lease: { owner: "dead", seconds: 9 } })),
      ).toBe("CONFLICT");
      expect(
        (await books.releases.renew({ charge: short.charge.id, lease: { owner: "next", seconds: 600 } })).tries,
      ).toBe(2);
      expect(await books.releases.claim({ charge: short.charge.id, lease: { owner: "third", seconds: 9 } })).toBeNull();
      await books.releases.complete({ charge: short.charge.id, owner: "next", answers });
      expect((await books.ledgers.balance(adas.id)).state.epsilon).toBe(eps("0.2"));
    });
  });
}

function transactions(open: () => Promise<Store>): void {
  describe("transactions", () => {
    let store: Store;
    beforeEach(async () => {
      store = await open();
    });
    afterEach(() => store.close());

    const line = (n: bigint) => ({
      seq: n,
      at: "t",
      actor: "a",
      action: "x",
      subject: "s",
      ledger_id: null,
      detail: "{}",
      image: null,
      prev_hash: "p",
      hash: "h",
    });

    test("a transaction that throws leaves nothing", async () => {
      const broken = store.transact(async ({ db }) => {
        await db.insertInto("audit").values(line(1n)).execute();
        throw new Error("stop");
      });
      await expect(broken).rejects.toThrow("stop");
      expect(await store.read.selectFrom("audit").selectAll().execute()).toEqual([]);
    });

    test("an item that breaks undoes its own writes and no others", async () => {
      const put = grouped<bigint, bigint>({
        store,
        most: 10,
        open: async (tx) => ({
          one: async (seq) => {
            await tx.db.insertInto("audit").values(line(seq)).execute();
            return seq;
          },
          settle: async () => undefined,
        }),
      });
      const settled = await Promise.allSettled([1n, 2n, 2n, 3n].map(put));
      expect(settled.map(({ status }) => status)).toEqual(["fulfilled", "fulfilled", "rejected", "fulfilled"]);
      expect((await store.read.selectFrom("audit").select("seq").execute()).map(({ seq }) => seq)).toEqual([
        1n,
        2n,
        3n,
      ]);
    });

    test("transactions are numbered, without a gap only behind one that committed", async () => {
      const number = () => store.transact(async ({ serial }) => serial);
      const first = await number();
      expect(await number()).toBe(first + 1n);
      await expect(store.transact(() => Promise.reject(new Error("stop")))).rejects.toThrow("stop");
      expect(await number()).toBeGreaterThan(first + 3n);
    });

    test("transactions run one after another", async () => {
      const log: string[] = [];
      await Promise.all(
        ["a", "b"].map((name) =>
          store.transact(async () => {
            log.push(`${name} begins`);
            await new Promise((resolve) => setTimeout(resolve, 5));
            log.push(`${name} ends`);
          }),
        ),
      );
      expect(log).toEqual(["a begins", "a ends", "b begins", "b ends"]);
    });

    test("a snapshot does not see what is written meanwhile", async () => {
      await store.snapshot(async (db) => {
        expect(await db.selectFrom("audit").selectAll().execute()).toEqual([]);
        await store.transact(({ db: writing }) => writing.insertInto("audit").values(line(1n)).execute());
        expect(await db.selectFrom("audit").selectAll().execute()).toEqual([]);
      });
      expect(await store.read.selectFrom("audit").selectAll().execute()).toHaveLength(1);
    });

    test("history cannot be edited through SQL [I6]", async () => {
      await store.transact(({ db }) => db.insertInto("audit").values(line(1n)).execute());
      const edit = store.transact(({ db }) => db.updateTable("audit").set({ actor: "b" }).execute());
      await expect(edit).rejects.toThrow("append-only");
      const cut = store.transact(({ db }) => db.deleteFrom("audit").execute());
      await expect(cut).rejects.toThrow("append-only");
    });
  });
}
