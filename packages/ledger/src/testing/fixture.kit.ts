import {
  type DeltaAmount,
  type DpEvent,
  deltaAmount,
  type EpsilonAmount,
  epsilonAmount,
  PrivacyError,
  type Rule,
} from "@dosimeter/core";
import {
  type Account,
  type AccountId,
  type Balance,
  type ChargeOutcome,
  type Dataset,
  type Ledger,
  type LedgerDatabase,
  openLedgerDatabase,
  type Principal,
  systemPrincipal,
  type Team,
} from "../index.ts";
import type { OpenOptions } from "../ledger-database.ts";
import type { Store } from "../stores/store.ts";

export const by = systemPrincipal;
export const eps = (decimal: string): EpsilonAmount => epsilonAmount(decimal, "down");
export const del = (decimal: string): DeltaAmount => deltaAmount(decimal, "down");
export const pure = (epsilon: string): readonly DpEvent[] => [{ kind: "pure", epsilon }];
export const gaussian = (noiseMultiplier: string): readonly DpEvent[] => [{ kind: "gaussian", noiseMultiplier }];

/** The balances on the path of an account: of the ledger first, then from the root to the account. */
export async function balancesOf(database: LedgerDatabase, account: AccountId): Promise<readonly Balance[]> {
  const { ledgers } = database;
  const of = await ledgers.account(account);
  const above = of.parent === null ? [await ledgers.balance(of.ledger)] : await balancesOf(database, of.parent);
  return [...above, await ledgers.balance(account)];
}

type Reopening = Omit<Parameters<LedgerDatabase["ledgers"]["reopenLedger"]>[0], "by" | "witness">;

/** Asks to reopen a ledger, as a platform admin who is the other one of two. */
export async function askToReopen({ ledgers, people }: LedgerDatabase, reopening: Reopening): Promise<Ledger> {
  const { id } = await people.createPrincipal({ kind: "user", name: "Other", by });
  await people.grantRole({ principal: id, role: "platformAdmin", by });
  return ledgers.reopenLedger({ ...reopening, by: id });
}

/** Reopens a ledger where charges may be missing: two people give the same amounts. */
export async function reopenByTwo(database: LedgerDatabase, reopening: Reopening): Promise<Ledger> {
  const { status } = await askToReopen(database, reopening);
  if (status === "open") throw new RangeError("one person opened it");
  return database.ledgers.reopenLedger({ ...reopening, by });
}

/** The prefix of the keys of free lines in the tests that kill processes. */
export const FREE = "free-";

/** A small scenario for tests: one population and dataset, a ledger, a team with a quota, two members with accounts. */
export interface Fixture {
  readonly store: Store;
  readonly database: LedgerDatabase;
  readonly dataset: Dataset;
  readonly ledger: Ledger;
  readonly team: Team;
  readonly teamAccount: Account;
  readonly ada: Principal;
  readonly bob: Principal;
  readonly adas: Account;
  readonly bobs: Account;
  charge(key: string, events: readonly DpEvent[], account?: Account): Promise<ChargeOutcome>;
}

export interface FixtureOptions extends OpenOptions {
  readonly rule?: Rule;
  readonly policy?: "ask" | "auto";
  readonly epsilon?: string;
  readonly delta?: string;
  readonly quota?: string;
  readonly share?: string;
  readonly blocks?: Pick<NonNullable<Ledger["blocks"]>, "every" | "zone" | "protects"> | null;
}

export async function buildFixture(store: Store, options: FixtureOptions = {}): Promise<Fixture> {
  const {
    rule = "additionThenTight",
    policy = "ask",
    epsilon = "5",
    delta = "1e-6",
    quota = "2",
    share = "1",
    blocks = null,
  } = options;
  const database = await openLedgerDatabase(store, options);
  const { people, catalog, ledgers } = database;
  const population = await catalog.createPopulation({
    name: "census",
    privacyUnit: "person",
    adjacency: "addRemove",
    by,
  });
  const dataset = await catalog.createDataset({
    population: population.id,
    name: "census",
    declaration: { columns: {}, ...(blocks === null ? {} : { blocks: { column: "seen", ...blocks } }) },
    source: { file: "f" },
    by,
  });
  const ledger = await ledgers.open({
    population: population.id,
    epsilon: eps(epsilon),
    delta: del(delta),
    rule,
    policy,
    by,
  });
  const team = await people.createTeam({ name: "health", by });
  const ada = await people.createPrincipal({ kind: "user", name: "Ada", email: "ada@example.org", by });
  const bob = await people.createPrincipal({ kind: "user", name: "Bob", email: "bob@example.org", by });
  for (const { id } of [ada, bob]) await people.addMember({ team: team.id, principal: id, by });
  const teamAccount = await ledgers.openAccount({
    ledger: ledger.id,
    parent: null,
    holder: { kind: "team", id: team.id },
    epsilon: eps(quota),
    by,
  });
  const member = (principal: Principal) =>
    ledgers.openAccount({
      ledger: ledger.id,
      parent: teamAccount.id,
      holder: { kind: "principal", id: principal.id },
      epsilon: eps(share),
      by,
    });
  const adas = await member(ada);
  const bobs = await member(bob);
  return inhabited(store, database, { dataset, ledger, team, teamAccount, ada, bob, adas, bobs });
}

/** Reopens a built fixture in a copy of its store: a copy is much faster than a new fixture. */
export async function reopenFixture(store: Store, built: Fixture): Promise<Fixture> {
  return inhabited(store, await openLedgerDatabase(store), built);
}

function inhabited(
  store: Store,
  database: LedgerDatabase,
  built: Omit<Fixture, "store" | "database" | "charge">,
): Fixture {
  const { dataset, adas, bobs, ada, bob } = built;
  return {
    ...built,
    store,
    database,
    charge: (key, events, account = adas) =>
      database.ledgers.charge({
        principal: account.id === bobs.id ? bob.id : ada.id,
        account: account.id,
        dataset: dataset.id,
        key,
        request: { plan: key },
        events,
        adjacency: "addRemove",
        lease: { owner: "test", seconds: 60 },
      }),
  };
}

/** Makes a fixture in a new, empty store. */
export type Build = (options?: FixtureOptions) => Promise<Fixture>;

/** The code of the error that a promise rejects with. */
export async function codeOf(promise: Promise<unknown>): Promise<string> {
  try {
    await promise;
    return "done";
  } catch (error) {
    return error instanceof PrivacyError ? error.code : String(error);
  }
}

/** Sets a date a little ahead (further on a slow machine) and waits until it is past. */
export async function lapsed<T>(set: (expiresAt: string) => Promise<T>, ahead = 25): Promise<T> {
  const at = Date.now() + ahead;
  try {
    const done = await set(new Date(at).toISOString());
    while (Date.now() <= at) await new Promise((resume) => setTimeout(resume, at + 1 - Date.now()));
    return done;
  } catch (error) {
    const isPast = error instanceof PrivacyError && error.code === "INVALID_PARAMETER";
    if (isPast && ahead < 60_000) return lapsed(set, 4 * ahead);
    throw error;
  }
}

/** A minute from now. */
export const soon = () => new Date(Date.now() + 60_000).toISOString();

/** A year that no run has reached. */
export const AHEAD = new Date().getUTCFullYear() + 4;

/** Another server of the same store, by whose clock it is past the year ahead, and the one after. */
export const pastAhead = ({ store }: Pick<Fixture, "store">): Promise<Fixture["database"]> =>
  openLedgerDatabase({ ...store, now: () => `${AHEAD + 2}-01-15T00:00:00.000Z` });
