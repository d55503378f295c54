import {
  type ActiveRule,
  type DpEvent,
  deltaAmount,
  epsilonAmount,
  type FilterNode,
  nextState,
  type Price,
  priceEvents,
  type Rule,
} from "@dosimeter/core";
import {
  type AccountId,
  systemPrincipal as by,
  type ChargeId,
  type ChargeRequest,
  type Ledger,
  type LedgerDatabase,
  openLedgerDatabase,
  type PrincipalId,
  type Store,
} from "@dosimeter/ledger";
import type { Context } from "../packages/ledger/src/context.ts";
import { putEntries, sealed } from "../packages/ledger/src/ledger/entry.ts";
import { admissionTermsOf, nodeOf } from "../packages/ledger/src/ledger/node.ts";
import type { Row } from "../packages/ledger/src/stores/store.ts";
import type { Tables } from "../packages/ledger/src/stores/tables.ts";
import { newChargeId, newId } from "../packages/ledger/src/values/id.ts";

export interface Bench {
  readonly database: LedgerDatabase;
  /** All fields of a charge except its key and plan. */
  readonly request: Omit<ChargeRequest, "key" | "request">;
  charge(key: string): Promise<unknown>;
}

export interface BenchOptions {
  readonly rule: Rule;
  readonly event: DpEvent;
  readonly commitGroup?: number;
  /** A budget for each of these periods. */
  readonly blocks?: NonNullable<Ledger["blocks"]>;
}

/** No charge of a bench is below the least price. */
export const MAX_CHARGES = 10n ** 15n;

const plan = { statistics: [{ statistic: "count", epsilon: 0.00001 }] };

/** Charges of one request, each under its own key. */
export const chargesOf = (database: LedgerDatabase, request: Bench["request"]): Bench => ({
  database,
  request,
  charge: (key) => database.ledgers.charge({ ...request, key, request: plan }),
});

/** A ledger, a team and a member: three filters on the path of every charge. */
export async function openBench(store: Store, { rule, event, blocks, ...options }: BenchOptions): Promise<Bench> {
  const database = await openLedgerDatabase(store, { mostCharges: MAX_CHARGES, ...options });
  const quota = (epsilon: string) => ({ epsilon: epsilonAmount(epsilon, "down"), by });
  const population = await database.catalog.createPopulation({
    name: "p",
    privacyUnit: "person",
    adjacency: "addRemove",
    by,
  });
  const dataset = await database.catalog.createDataset({
    population: population.id,
    name: "d",
    declaration:
      blocks === undefined ? {} : { columns: {}, blocks: { column: "seen", every: blocks.every, zone: blocks.zone } },
    source: {},
    by,
  });
  const ledger = await database.ledgers.open({
    population: population.id,
    rule,
    delta: deltaAmount("1e-6", "down"),
    ...quota("5"),
  });
  const team = await database.people.createTeam({ name: "t", by });
  const person = await database.people.createPrincipal({ kind: "user", name: "a", by });
  await database.people.addMember({ team: team.id, principal: person.id, by });
  const above = await database.ledgers.openAccount({
    ledger: ledger.id,
    parent: null,
    holder: { kind: "team", id: team.id },
    ...quota("4"),
  });
  const account = await database.ledgers.openAccount({
    ledger: ledger.id,
    parent: above.id,
    holder: { kind: "principal", id: person.id },
    ...quota("3"),
  });
  return chargesOf(database, {
    principal: person.id,
    account: account.id,
    dataset: dataset.id,
    events: [event],
    adjacency: "addRemove",
    lease: { owner: "b", seconds: 60 },
  });
}

/** Where a history is added: the ledger of this charge, one such charge in it, and its accounts, in turn. */
export interface Grown {
  readonly charge: ChargeId;
  readonly accounts: readonly AccountId[];
  /** How many charges more. */
  readonly size: number;
  /** The event of the charge with this number; events may differ. */
  readonly eventOf: (index: number) => DpEvent;
}

/** Charges and their releases written in bulk, with the amounts and hashes that charging one by one would give; no audit lines. */
export async function putHistory(store: Store, { charge, accounts, size, eventOf }: Grown): Promise<void> {
  await store.transact(async (tx) => {
    const found = async (sql: string, value: string | bigint) => {
      const row = await tx.get(sql, [value]);
      if (row === undefined) throw new Error(`nothing found: ${sql}`);
      return row;
    };
    const first = (await found("SELECT * FROM entry WHERE charge_id = ?", charge)) as Tables["entry"];
    const released = await found("SELECT * FROM release WHERE charge_id = ?", charge);
    const lease = await found("SELECT * FROM lease WHERE entry_seq = ?", first.seq);
    const ledger = (await found("SELECT * FROM ledger WHERE id = ?", first.ledger_id)) as Tables["ledger"];
    const { adjacency } = admissionTermsOf(ledger);
    const activeRule = ledger.active_rule as ActiveRule;
    const prices = new Map<string, Price>();
    let whole = nodeOf(ledger);
    const nodes: { readonly row: Tables["account"]; node: FilterNode }[] = [];
    for (const id of accounts) {
      const row = (await found("SELECT * FROM account WHERE id = ?", id)) as Tables["account"];
      nodes.push({ row, node: nodeOf(row) });
    }
    let seq = (await tx.get("SELECT max(seq) AS last FROM entry", []))?.last as bigint;
    let releaseSeq = (await tx.get("SELECT max(seq) AS last FROM release", []))?.last as bigint;
    let number = ledger.entries;
    let head = ledger.head_hash;
    const began = Date.parse(first.at);
    const lines: Tables["entry"][] = [];
    const leases: (typeof lease)[] = [];
    const releases: (typeof released)[] = [];
    for (let i = 0; i < size; i++) {
      const events = [eventOf(i)];
      const text = JSON.stringify(events);
      const price = prices.get(text) ?? priceEvents(events, adjacency);
      prices.set(text, price);
      const payer = nodes[i % nodes.length];
      if (payer === undefined) throw new Error("no account");
      const before = whole.state.mu2;
      whole = { ...whole, state: nextState(whole, price, { activeRule }) };
      payer.node = { ...payer.node, state: nextState(payer.node, price, { activeRule }) };
      seq += 1n;
      number += 1n;
      releaseSeq += 1n;
      const id = newChargeId(seq);
      const at = new Date(began + i * 60_000).toISOString();
      const line = sealed({ store } as Context, {
        ...first,
        seq,
        number,
        charge_id: id,
        account_id: payer.row.id,
        principal_id: payer.row.holder_id as PrincipalId,
        events: text,
        price_epsilon: price.epsilon,
        price_delta: price.delta,
        remaining_mu2_before: before,
        remaining_mu2_after: whole.state.mu2,
        key: `early-${seq}`,
        at,
        prev_hash: head,
      });
      head = line.hash;
      lines.push(line);
      leases.push({ ...lease, entry_seq: seq });
      releases.push({ ...released, seq: releaseSeq, id: newId("release"), charge_id: id, entry_seq: seq, at });
    }
    await putEntries(tx, lines);
    const put = (table: string, rows: readonly Row[]) => {
      const columns = Object.keys(rows[0] ?? {});
      return tx.many(
        `INSERT INTO ${table} (${columns.join(", ")}) VALUES (${columns.map(() => "?").join(", ")})`,
        rows.map((row) => columns.map((column) => row[column] ?? null)),
      );
    };
    await put("lease", leases);
    await put("release", releases);
    const state = "state_epsilon = ?, state_delta = ?, state_remaining_mu2 = ?";
    const of = ({ state: { epsilon, delta, mu2 } }: FilterNode) => [epsilon, delta, mu2];
    await tx.run(`UPDATE ledger SET entries = ?, head_hash = ?, ${state} WHERE id = ?`, [
      number,
      head,
      ...of(whole),
      ledger.id,
    ]);
    for (const { row, node } of nodes) await tx.run(`UPDATE account SET ${state} WHERE id = ?`, [...of(node), row.id]);
  });
}
