import {
  activeRuleRow,
  blockHistories,
  freeQuota as coreFreeQuota,
  type DeltaAmount,
  type EpsilonAmount,
  formatDelta,
  formatEpsilon,
  hasRoom,
  PrivacyError,
  quotaCaps,
  quotaDelta,
} from "@dosimeter/core";
import { least, minus, plus, present } from "@dosimeter/core/internal";
import type { Writing } from "../audit/chain.ts";
import { change } from "../audit/change.ts";
import { images } from "../audit/image.ts";
import { refolded } from "../blocks/refolded.ts";
import { blockStates, namedOn, windowed, writeBlockStates } from "../blocks/runs.ts";
import type { Context } from "../context.ts";
import { excess } from "../ledger/amounts.ts";
import { ledgerRow } from "../ledger/ledger.ts";
import { allocatedOf, capsColumns, capsOf, type NodeRow, quotaOf, stateColumns, stateOf } from "../ledger/node.ts";
import { putQuotes } from "../ledger/plan-quote.ts";
import { historyOf, requoted, stepsOf } from "../ledger/replay.ts";
import { rowWith } from "../stores/row.ts";
import type { Tx } from "../stores/store.ts";
import type { Tables } from "../stores/tables.ts";
import type { FreeQuota } from "../values/calculations.ts";
import type { AccountId, By, LedgerId, PrincipalId, RequestId } from "../values/id.ts";
import { blocksOfTerms, parseTerms, type Quota } from "../values/terms.ts";
import { type Account, accountRow, checkActive, toAccount } from "./account.ts";
import { refuseOwnRaise } from "./own-raise.ts";
import { refuseUnbacked } from "./refuse-unbacked.ts";

type AccountRow = Tables["account"];

export interface Move {
  readonly account: AccountRow;
  readonly direction: "allocate" | "withdraw" | "close";
  readonly amount: Quota;
  readonly by: PrincipalId;
  /** The request that this move answers. */
  readonly request?: RequestId | undefined;
  /** The larger operation that it is part of. */
  readonly cause?: Tables["transfer"]["cause"] | undefined;
  /** Between a person and their agent, who are one analyst: no quota is raised. */
  readonly isShare?: boolean | undefined;
}

/**
 * Moves quota between an account and what funds it: two balances, one journal line, one audit line. The account's
 * events are replayed under its new caps; what was spent never changes. QUOTA_UNAVAILABLE when it would not fit.
 */
export async function move(
  context: Context,
  { tx, chain }: Writing,
  { account, direction, amount, by, request, cause, isShare = false }: Move,
): Promise<AccountRow> {
  const ledger = await ledgerRow(tx, account.ledger_id);
  const parent = account.parent_id === null ? ledger : await accountRow(tx, account.parent_id);
  const up = direction === "allocate";
  if (up && request === undefined && !isShare) await refuseOwnRaise(context, tx, account, by);
  const parentAfter = resized(parent, amount, up);
  if (up) checkRoom(parent, amount);
  const { after, fresh, runs } = await requota(context, tx, ledger, { account, quota: shifted(account, amount, up) });
  const { allocated_epsilon, allocated_delta } = parentAfter;
  const table = account.parent_id === null ? "ledger" : "account";
  await tx.db.updateTable(table).set({ allocated_epsilon, allocated_delta }).where("id", "=", parent.id).execute();
  const { id, ...columns } = after;
  await tx.db.updateTable("account").set(columns).where("id", "=", id).execute();
  if (runs !== null) await writeBlockStates(tx, id, { before: await blockStates(tx, id), after: runs });
  for (const { entry, quotes } of fresh)
    await putQuotes({ tx, chain }, { entry, quotes, actor: by, ledger: ledger.id });
  const changed = up && account.parent_id !== null ? await accountRow(tx, account.parent_id) : up ? null : after;
  if (changed !== null && direction !== "close") await refuseUnbacked(tx, ledger, changed);
  const line = await journal(context, tx, { account: after, direction, amount, by, request, cause });
  chain.append({
    actor: by,
    action: `quota.${direction}`,
    ledger: ledger.id,
    detail: {
      account: id,
      parent: account.parent_id,
      epsilon: formatEpsilon(amount.epsilon),
      delta: formatDelta(amount.delta),
      ...present({ request }),
      ...(cause === undefined || cause === null ? {} : { cause }),
    },
    ...images.transfer(line),
  });
  return after;
}

const shifted = (row: NodeRow, { epsilon, delta }: Quota, up: boolean): Quota => ({
  epsilon: up ? plus(row.quota_epsilon, epsilon) : minus(row.quota_epsilon, epsilon),
  delta: up ? plus(row.quota_delta, delta) : minus(row.quota_delta, delta),
});

const resized = (row: NodeRow, { epsilon, delta }: Quota, up: boolean) => ({
  allocated_epsilon: up ? plus(row.allocated_epsilon, epsilon) : minus(row.allocated_epsilon, epsilon),
  allocated_delta: up ? plus(row.allocated_delta, delta) : minus(row.allocated_delta, delta),
});

/** Funded: the children's quotas never sum to more than the parent's. */
function checkRoom(parent: NodeRow, { epsilon, delta }: Quota): void {
  if (parent.mode === "overbooked") return;
  const free = unallocated(parent);
  if (epsilon > free.epsilon)
    throw unavailable("epsilon", { got: formatEpsilon(epsilon), available: formatEpsilon(free.epsilon) });
  if (delta > free.delta) throw unavailable("delta", { got: formatDelta(delta), available: formatDelta(free.delta) });
}

/** The quota that a node has not given to accounts below. */
export const unallocated = (row: NodeRow): Quota => excess(quotaOf(row), allocatedOf(row));

/** More than there is; `which` says of what. */
export const unavailable = (
  dimension: "epsilon" | "delta",
  { got, available, which = "is free" }: { got: string; available: string; which?: string },
): PrivacyError =>
  new PrivacyError("QUOTA_UNAVAILABLE", {
    name: dimension,
    got,
    want: `at most ${available}, which ${which}`,
    dimension,
    available,
  });

/** The account with another quota and its events replayed; refuses a quota that could not have paid for them. */
async function requota(
  context: Context,
  tx: Tx,
  ledger: Tables["ledger"],
  { account, quota }: { account: AccountRow; quota: Quota },
) {
  const activeRule = ledger.active_rule;
  const terms = parseTerms(ledger.terms);
  const caps = quota.epsilon < 0n || quota.delta < 0n ? capsOf(account) : quotaCaps(terms, quota, account.kind);
  const { adjacency } = terms;
  const change = { from: capsOf(account), to: caps };
  const past = { history: await historyOf(tx, account.id), adjacency };
  const { history, fresh } = await requoted(context.quotes, change, past);
  const { state, runs } = refolded(caps, history, { adjacency, named: await namedOn(tx, ledger) });
  if (!keepsPromises(account, quota) || (history.length > 0 && !hasRoom(caps, state, activeRule))) {
    const free = await freeQuotaOf(tx, account);
    const [got, available] = [minus(account.quota_epsilon, quota.epsilon), free.epsilon];
    throw got > available
      ? unavailable("epsilon", { got: formatEpsilon(got), available: formatEpsilon(available) })
      : unavailable("delta", {
          got: formatDelta(minus(account.quota_delta, quota.delta)),
          available: formatDelta(free.delta),
        });
  }
  const after: AccountRow = {
    ...account,
    quota_epsilon: quota.epsilon,
    quota_delta: quota.delta,
    ...capsColumns(caps),
    ...stateColumns(state),
  };
  return { after, fresh, runs };
}

function keepsPromises({ mode, allocated_epsilon, allocated_delta }: AccountRow, { epsilon, delta }: Quota): boolean {
  if (epsilon < 0n || delta < 0n) return false;
  return mode === "overbooked" || (epsilon >= allocated_epsilon && delta >= allocated_delta);
}

async function journal(
  { store }: Context,
  { db }: Tx,
  { account, direction, amount, by, request, cause }: Move,
): Promise<Tables["transfer"]> {
  const last = await db.selectFrom("transfer").select("seq").orderBy("seq", "desc").limit(1).executeTakeFirst();
  const up = direction === "allocate";
  const row: Tables["transfer"] = {
    seq: (last?.seq ?? 0n) + 1n,
    ledger_id: account.ledger_id,
    from_account_id: up ? account.parent_id : account.id,
    to_account_id: up ? account.id : account.parent_id,
    kind: direction,
    cause: cause ?? null,
    epsilon: amount.epsilon,
    delta: amount.delta,
    request_id: request ?? null,
    actor: by,
    at: store.now(),
  };
  await db.insertInto("transfer").values(row).execute();
  return row;
}

export interface MoveOptions extends By {
  readonly account: AccountId;
  readonly epsilon: EpsilonAmount;
  readonly delta?: DeltaAmount | undefined;
}

/** From the parent's free quota; QUOTA_UNAVAILABLE when that is less. Without δ: the pro-rata part. */
export function allocate(context: Context, options: MoveOptions): Promise<Account> {
  return change(context, async (tx, chain) => allocateIn(context, { tx, chain }, options));
}

/** The same inside a transaction that does more. */
export async function allocateIn(
  context: Context,
  writing: Writing,
  { account, epsilon, delta, by, request }: MoveOptions & Pick<Move, "request">,
): Promise<Account> {
  const { tx } = writing;
  const row = await accountRow(tx, account);
  checkActive(row);
  if (row.parent_id !== null) checkActive(await accountRow(tx, row.parent_id));
  const terms = parseTerms((await ledgerRow(tx, row.ledger_id)).terms);
  const amount = { epsilon, delta: delta ?? quotaDelta(terms, { epsilon }) };
  return toAccount(await move(context, writing, { account: row, direction: "allocate", amount, by, request }));
}

/** Back to the parent; QUOTA_UNAVAILABLE when less is free. Without δ: the pro-rata part, or what is free of it. */
export function withdraw(context: Context, { account, epsilon, delta, by }: MoveOptions): Promise<Account> {
  return change(context, async (tx, chain) => {
    const row = await accountRow(tx, account);
    if (row.status === "closed") checkActive(row);
    const terms = parseTerms((await ledgerRow(tx, row.ledger_id)).terms);
    const wanted = delta ?? least(quotaDelta(terms, { epsilon }), (await freeQuotaOf(tx, row)).delta);
    const amount = { epsilon, delta: wanted };
    return toAccount(await move(context, { tx, chain }, { account: row, direction: "withdraw", amount, by }));
  });
}

/** What the account could give back now and still replay, keeping its promises to the accounts below. */
export async function freeQuotaOf(
  tx: Pick<Tx, "db">,
  account: AccountRow,
  find: FreeQuota = coreFreeQuota,
): Promise<Quota> {
  const ledger = await ledgerRow(tx, account.ledger_id);
  const activeRule = ledger.active_rule;
  const terms = parseTerms(ledger.terms);
  const steps = activeRuleRow(activeRule).isFold ? await stepsOf(tx, account.id, terms.adjacency) : [];
  const free = (history: typeof steps): Promise<Quota> | Quota =>
    find(terms, activeRule, {
      quota: quotaOf(account),
      kind: account.kind,
      state: stateOf(account),
      history,
      children: [allocatedOf(account)],
    });
  const named = await namedOn(tx, ledger);
  if (named === null) return free(steps);
  // What every block can give: each has a history of its own.
  const past = windowed(named, await historyOf(tx, account.id));
  const windows = past.map(({ window }) => window);
  let all = await free([]);
  for (const history of steps.length === 0 ? [] : blockHistories(windows)) {
    const one = await free(history.flatMap((place) => [steps[place] ?? []]));
    all = { epsilon: least(all.epsilon, one.epsilon), delta: least(all.delta, one.delta) };
  }
  return all;
}

/** Results of `freeQuota`, by all its inputs. */
const knownFreeQuotas = (): Map<string, Promise<Quota>> => new Map();
const MAX_KNOWN = 2_000;

/**
 * The quota that could be withdrawn from an account, or given out by the ledger, now. The cache key holds all inputs: every charge
 * lowers r, so the row of an account determines its charges.
 */
export async function freeQuota({ store, freeQuota: find, kept }: Context, node: LedgerId | AccountId): Promise<Quota> {
  const tx = { db: store.read };
  const account = await rowWith(tx.db, "account", { id: node });
  if (account === undefined) return unallocated(await ledgerRow(tx, node));
  const { active_rule: activeRule, terms } = await ledgerRow(tx, account.ledger_id);
  // A charge on other blocks than the fullest leaves the row as it is.
  if (blocksOfTerms(terms) !== null) return freeQuotaOf(tx, account, find);
  const key = JSON.stringify([account, activeRule, terms], (_, value) =>
    typeof value === "bigint" ? String(value) : value,
  );
  const known = kept(knownFreeQuotas);
  const free = known.get(key) ?? freeQuotaOf(tx, account, find);
  known.delete(key);
  known.set(key, free);
  free.catch(() => known.delete(key));
  const [oldest = key] = known.size > MAX_KNOWN ? known.keys() : [];
  if (oldest !== key) known.delete(oldest);
  return free;
}
