import { type DpEvent, invalid, PrivacyError, priceEvents } from "@dosimeter/core";
import { accountRow, accountsTo } from "../accounts/account.ts";
import { closeTree } from "../accounts/close.ts";
import { openAccountIn } from "../accounts/open-account.ts";
import { refuseUnbacked } from "../accounts/refuse-unbacked.ts";
import type { Writing } from "../audit/chain.ts";
import { change } from "../audit/change.ts";
import { horizonIn } from "../charges/continual.ts";
import type { Context } from "../context.ts";
import { ledgerRow } from "../ledger/ledger.ts";
import type { NodeRow } from "../ledger/node.ts";
import { record, rowWith } from "../stores/row.ts";
import type { Tx } from "../stores/store.ts";
import type { Tables } from "../stores/tables.ts";
import { checkName, found } from "../values/check.ts";
import { type AccountId, type By, type DatasetId, newId, type PrincipalId, type ScheduleId } from "../values/id.ts";
import { blocksOfTerms, parseTerms, type Quota } from "../values/terms.ts";
import { earmarkOf, MAX_LATEST, refuseFullBlocks } from "./earmark.ts";

/** A plan that is released when a block is over, over the latest blocks, from an account of its own. */
export interface Schedule {
  readonly id: ScheduleId;
  readonly dataset: DatasetId;
  /** Its own; its quota, in every block, is what is set aside. */
  readonly account: AccountId;
  readonly owner: PrincipalId;
  readonly name: string;
  /** JSON, without a window. */
  readonly plan: string;
  /** How many blocks a report covers and debits; 1 for one that goes on. */
  readonly latest: number;
  /** Of a running total that goes on: how many reports there will be, of which each covers all blocks so far and debits its newest one [M209]. */
  readonly horizon: number | null;
  /** The block whose end brings the first report. */
  readonly first: number;
  /** Of one report; ε is null where it is paid in μ². */
  readonly price: {
    readonly epsilon: Tables["schedule"]["price_epsilon"];
    readonly delta: Tables["schedule"]["price_delta"];
  };
  /** Paid by each block over its life, as set aside when the schedule was made. */
  readonly earmark: Quota;
  /** Who is notified of new answers next to its owner. */
  readonly recipients: readonly PrincipalId[];
  /** `ended` too where its account was closed by someone else. */
  readonly status: Tables["schedule"]["status"];
  readonly createdAt: string;
}

type Joined = Tables["schedule"] & { readonly account_status: Tables["account"]["status"] };

const toSchedule = (row: Joined): Schedule => ({
  ...record(row, "id", "dataset_id", "account_id", "owner_id", "name", "plan", "created_at"),
  latest: Number(row.latest),
  horizon: row.horizon === null ? null : Number(row.horizon),
  first: Number(row.block_first),
  price: { epsilon: row.price_epsilon, delta: row.price_delta },
  earmark: { epsilon: row.earmark_epsilon, delta: row.earmark_delta },
  recipients: JSON.parse(row.recipients) as readonly PrincipalId[],
  status: row.account_status === "closed" ? "ended" : row.status,
});

const joined = (db: Tx["db"]) =>
  db
    .selectFrom("schedule")
    .innerJoin("account", "account.id", "schedule.account_id")
    .selectAll("schedule")
    .select("account.status as account_status");

/** NOT_FOUND. */
export async function schedule({ store: { read } }: Context, id: string): Promise<Schedule> {
  const row = await joined(read)
    .where("schedule.id", "=", id as ScheduleId)
    .executeTakeFirst();
  return toSchedule(found(row, "schedule", id));
}

/** Those of a dataset, newest first. */
export async function schedules({ store: { read } }: Context, dataset: DatasetId): Promise<readonly Schedule[]> {
  const rows = await joined(read).where("schedule.dataset_id", "=", dataset).orderBy("schedule.id", "desc").execute();
  return rows.map(toSchedule);
}

/** Those that may have something to do. */
export async function activeSchedules({ store: { read } }: Context): Promise<readonly Schedule[]> {
  const rows = await joined(read).where("schedule.status", "=", "active").orderBy("schedule.id").execute();
  return rows.map(toSchedule).filter(({ status }) => status === "active");
}

export interface NewSchedule extends By {
  readonly dataset: DatasetId;
  /** The account of the person that what is set aside comes from. */
  readonly from: AccountId;
  readonly name: string;
  readonly plan: string;
  /** The price of one report. */
  readonly events: readonly DpEvent[];
  readonly latest: number;
  readonly first: number;
  readonly recipients: readonly PrincipalId[];
}

const MAX_PLAN = 65_536;
/** Of one dataset that have not ended. */
const MAX_SCHEDULES = 100;

/** The amount it sets aside, after every check that making it does. Writes nothing. */
async function checked(
  context: Context,
  tx: Pick<Tx, "db">,
  { from, latest, first, events, by }: Pick<NewSchedule, "from" | "latest" | "first" | "events" | "by">,
): Promise<{ readonly ledger: Tables["ledger"]; readonly earmark: Quota }> {
  if (!Number.isSafeInteger(latest) || latest < 1 || latest > MAX_LATEST)
    invalid("latest", latest, `a whole number from 1 to ${MAX_LATEST}`);
  if (!Number.isSafeInteger(first)) invalid("first", first, "a whole number");
  const path = await accountsTo(tx, from);
  const payer = found(path.at(-1), "account", from);
  if (payer.holder_kind !== "principal" || payer.holder_id !== by)
    throw new PrivacyError("FORBIDDEN", { name: "account", got: from, want: "one's own account" });
  const ledger = await ledgerRow(tx, payer.ledger_id);
  const blocks = blocksOfTerms(ledger.terms);
  if (blocks === null) return invalid("account", from, "on a ledger with blocks: a report comes when one is over");
  refuseOverbooked([ledger, ...path]);
  const { mostCharges } = context;
  await refuseFullBlocks(tx, { ledger, path, blocks, mostCharges }, { first, latest, events });
  return {
    ledger,
    earmark: earmarkOf({ activeRule: ledger.active_rule, terms: parseTerms(ledger.terms) }, events, latest),
  };
}

/** An earmark is backed only where nothing above promises more than it has. */
function refuseOverbooked(nodes: readonly NodeRow[]): void {
  const found = nodes.find(({ mode }) => mode === "overbooked");
  if (found === undefined) return;
  throw new PrivacyError(
    "QUOTA_UNAVAILABLE",
    { name: "account", got: `${found.id} overbooked`, want: "funded" },
    "the ledger or a budget above is overbooked: others could spend what is set aside for the reports. Ask who manages it to promise at most what it has",
  );
}

/** The amount that a schedule would set aside in every block. Refuses what making it would refuse but for the free quota of the account. */
export const earmark = (
  context: Context,
  asked: Pick<NewSchedule, "from" | "latest" | "first" | "events" | "by">,
): Promise<Quota> => context.store.snapshot(async (db) => (await checked(context, { db }, asked)).earmark);

/**
 * Opens the account of a schedule with its earmark, from the owner's own, and the schedule. The refusal of a block without room names it;
 * QUOTA_UNAVAILABLE where less quota is free; CONFLICT for a name that one of the account's purposes has.
 */
export function createSchedule(context: Context, options: NewSchedule): Promise<Schedule> {
  const { by, dataset, from, plan, events, latest, first, recipients } = options;
  return change(context, async (tx, chain) => {
    const { ledger, earmark } = await checked(context, tx, options);
    if (plan.length > MAX_PLAN) invalid("plan", plan.length, `at most ${MAX_PLAN} characters of JSON`);
    const horizon = horizonIn(JSON.parse(plan));
    if (horizon !== null && latest !== 1)
      invalid("latest", latest, "1 for a running total, of which each block pays once");
    if (horizon !== null && !(Number.isSafeInteger(horizon) && horizon >= 1))
      invalid("plan.horizon", horizon, "a number of blocks");
    await refuseMany(tx, dataset);
    const name = checkName(options.name, "name");
    const { adjacency } = parseTerms(ledger.terms);
    const holder = { kind: "purpose", id: name } as const;
    const opening = { by, ledger: ledger.id, parent: from, holder, ...earmark };
    const account = await openAccountIn(context, { tx, chain }, opening);
    const price = priceEvents(events, adjacency);
    const row: Tables["schedule"] = {
      id: newId("schedule"),
      dataset_id: dataset,
      account_id: account.id,
      owner_id: by,
      name,
      plan,
      latest: BigInt(latest),
      horizon: horizon === null ? null : BigInt(horizon),
      block_first: BigInt(first),
      price_epsilon: price.epsilon,
      price_delta: price.delta,
      earmark_epsilon: earmark.epsilon,
      earmark_delta: earmark.delta,
      recipients: JSON.stringify(recipients),
      status: "active",
      created_at: context.store.now(),
    };
    await tx.db.insertInto("schedule").values(row).execute();
    await refuseUnbacked(tx, ledger, await accountRow(tx, from));
    const detail = { dataset, account: account.id, name, plan, latest, first };
    chain.append({ actor: by, action: "schedule.create", ledger: ledger.id, subject: row.id, detail });
    return toSchedule({ ...row, account_status: "active" });
  });
}

async function refuseMany({ db }: Tx, dataset: DatasetId): Promise<void> {
  const { count } = await db
    .selectFrom("schedule")
    .select(({ fn }) => fn.countAll().as("count"))
    .where("dataset_id", "=", dataset)
    .where("status", "<>", "ended")
    .executeTakeFirstOrThrow();
  if (Number(count) < MAX_SCHEDULES) return;
  throw new PrivacyError("CONFLICT", { name: "schedules", got: Number(count), want: `less than ${MAX_SCHEDULES}` });
}

/** Pauses a schedule or takes it up again: then the reports that were missed are made, in order. CONFLICT for one that has ended. */
export function setSchedule(
  context: Context,
  { schedule: id, status, by }: By & { readonly schedule: string; readonly status: "active" | "paused" },
): Promise<void> {
  return change(context, async (tx, chain) => {
    const row = await scheduleRow(tx, id);
    if (row.status === "ended" || (await accountRow(tx, row.account_id)).status === "closed")
      throw new PrivacyError("CONFLICT", { name: "schedule", got: "ended", want: "active or paused" });
    if (row.status === status) return;
    await tx.db.updateTable("schedule").set({ status }).where("id", "=", row.id).execute();
    chain.append({ actor: by, action: "schedule.set", subject: row.id, detail: { status } });
  });
}

/** Makes no more reports, and gives back what was not spent: the account of the schedule is closed. What was spent stays spent. */
export function endSchedule(context: Context, { schedule: id, by }: By & { readonly schedule: string }): Promise<void> {
  return change(context, async (tx, chain) => {
    const row = await scheduleRow(tx, id);
    if (row.status !== "ended") await endScheduleIn(context, { tx, chain }, row, { by });
  });
}

/** The same inside a transaction that does more, of one that has not ended. */
export async function endScheduleIn(
  context: Context,
  { tx, chain }: Writing,
  { id, account_id }: Tables["schedule"],
  { by, reason }: By & { readonly reason?: string },
): Promise<void> {
  await tx.db.updateTable("schedule").set({ status: "ended" }).where("id", "=", id).execute();
  chain.append({
    actor: by,
    action: "schedule.end",
    subject: id,
    ...(reason === undefined ? {} : { detail: { reason } }),
  });
  await closeTree(context, { tx, chain }, { account: await accountRow(tx, account_id), by });
}

/** NOT_FOUND. */
export const scheduleRow = async ({ db }: Pick<Tx, "db">, id: string): Promise<Tables["schedule"]> =>
  found(await rowWith(db, "schedule", { id: id as ScheduleId }), "schedule", id);
