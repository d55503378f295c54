import { type DpEvent, deltaAmount, epsilonAmount, type Rule } from "@dosimeter/core";
import { type Books, systemPrincipal as by, type ChargeRequest, openBooks, type Store } from "@dosimeter/ledger";

export interface Bench {
  readonly books: Books;
  /** All of a charge but its key and plan. */
  readonly request: Omit<ChargeRequest, "key" | "request">;
  charge(key: string): Promise<unknown>;
}

export interface BenchOptions {
  readonly rule: Rule;
  readonly event: DpEvent;
  readonly commitGroup?: number;
}

const plan = { statistics: [{ statistic: "count", epsilon: 0.00001 }] };

/** Charges of one request, each under its own key. */
export const chargesOf = (books: Books, request: Bench["request"]): Bench => ({
  books,
  request,
  charge: (key) => books.ledgers.charge({ ...request, key, request: plan }),
});

/** A ledger, a team and a member: three filters on the path of every charge. */
export async function openBench(store: Store, { rule, event, ...options }: BenchOptions): Promise<Bench> {
  const books = await openBooks(store, options);
  const quota = (epsilon: string) => ({ epsilon: epsilonAmount(epsilon, "down"), by });
  const population = await books.catalog.createPopulation({
    name: "p",
    privacyUnit: "person",
    adjacency: "addRemove",
    by,
  });
  const dataset = await books.catalog.createDataset({
    population: population.id,
    name: "d",
    declaration: {},
    source: {},
    by,
  });
  const ledger = await books.ledgers.open({
    population: population.id,
    rule,
    delta: deltaAmount("1e-6", "down"),
    ...quota("5"),
  });
  const team = await books.people.createTeam({ name: "t", by });
  const person = await books.people.createPrincipal({ kind: "user", name: "a", by });
  await books.people.addMember({ team: team.id, principal: person.id, by });
  const above = await books.ledgers.openAccount({
    ledger: ledger.id,
    parent: null,
    holder: { kind: "team", id: team.id },
    ...quota("4"),
  });
  const account = await books.ledgers.openAccount({
    ledger: ledger.id,
    parent: above.id,
    holder: { kind: "principal", id: person.id },
    ...quota("3"),
  });
  return chargesOf(books, {
    principal: person.id,
    account: account.id,
    dataset: dataset.id,
    events: [event],
    adjacency: "addRemove",
    lease: { owner: "b", seconds: 60 },
  });
}
