import type { ErrorCode } from "@dosimeter/core";
import type { Writing } from "../audit/chain.ts";
import { change } from "../audit/change.ts";
import type { Context } from "../context.ts";
import { notify } from "../outbox/notify.ts";
import { nameOf } from "../outbox/recipients.ts";
import { putRow, rowWith, setRow } from "../stores/row.ts";
import type { Tx } from "../stores/store.ts";
import type { Tables } from "../stores/tables.ts";
import type { By, ChargeId, PrincipalId, ScheduleId } from "../values/id.ts";
import { scheduleRow } from "./schedule.ts";

/** The outcome of a report: a charge, whose release has the answers, or why it was refused. */
export interface SchedulePoint {
  readonly schedule: ScheduleId;
  readonly block: number;
  readonly charge: ChargeId | null;
  readonly refusal: { readonly code: ErrorCode; readonly message: string } | null;
  readonly at: string;
}

type Row = Tables["schedule_point"];

const toPoint = (row: Row): SchedulePoint => ({
  schedule: row.schedule_id,
  block: Number(row.block),
  charge: row.charge_id,
  refusal: row.code === null ? null : { code: row.code as ErrorCode, message: row.message ?? "" },
  at: row.at,
});

const pointRow = ({ db }: Pick<Tx, "db">, { schedule, block }: Pick<SchedulePoint, "schedule" | "block">) =>
  rowWith(db, "schedule_point", { schedule_id: schedule, block: BigInt(block) });

/** The newest points of a schedule, at most `limit`, in rising order. */
export async function points(
  { store: { read } }: Context,
  { schedule, limit }: { readonly schedule: ScheduleId; readonly limit: number },
): Promise<readonly SchedulePoint[]> {
  const rows = await read
    .selectFrom("schedule_point")
    .selectAll()
    .where("schedule_id", "=", schedule)
    .orderBy("block", "desc")
    .limit(limit)
    .execute();
  return rows.map(toPoint).reverse();
}

/** The newest block that a report was made or refused for; null: none yet. A clock that is set back brings none of them again. */
export async function lastPoint({ store: { read } }: Context, schedule: ScheduleId): Promise<number | null> {
  const { last } = await read
    .selectFrom("schedule_point")
    .select(({ fn }) => fn.max("block").as("last"))
    .where("schedule_id", "=", schedule)
    .executeTakeFirstOrThrow();
  return last === null ? null : Number(last);
}

const MAX_MESSAGE = 1000;

/** How messages name a report: its schedule, its dataset, its block. */
interface Notifying {
  /** Who is notified. */
  readonly to: readonly PrincipalId[];
  /** The name of the block. */
  readonly period: string;
}

/**
 * Keeps what came of a report. A charge stays whatever comes later; a refusal gives way to a charge, is notified of once for each reason, and is no
 * outcome of a schedule that has ended meanwhile. Two servers may do the same.
 */
export async function putPoint(
  context: Context,
  { to, ...point }: Omit<SchedulePoint, "at"> & Notifying,
): Promise<void> {
  await change(context, async (tx, chain) => {
    const schedule = await scheduleRow(tx, point.schedule);
    if (point.refusal !== null) {
      if (schedule.status === "ended") return;
      if ((await pointRow(tx, point))?.code === point.refusal.code) return;
    }
    const row = await putPointIn(context, { tx, chain }, { ...point, by: schedule.owner_id });
    if (row !== null && row.code !== null) await announce(context, tx, { schedule, row, to, period: point.period });
  });
}

/** The same inside a transaction that does more, `by` the owner or who caused it, and notifies no one: a refusal gives way to any other. Null where a charge stays. */
export async function putPointIn(
  { store }: Context,
  { tx, chain }: Writing,
  { schedule, block, charge, refusal, period, by }: Omit<SchedulePoint, "at"> & Pick<Notifying, "period"> & By,
): Promise<Row | null> {
  const before = await pointRow(tx, { schedule, block });
  if (before !== undefined && before.charge_id !== null) return null;
  const row: Row = {
    schedule_id: schedule,
    block: BigInt(block),
    charge_id: charge,
    code: refusal?.code ?? null,
    message: refusal?.message.slice(0, MAX_MESSAGE) ?? null,
    at: store.now(),
    announced_at: charge === null ? store.now() : null,
  };
  await putRow(tx.db, "schedule_point", row, "schedule_id", "block");
  const detail = { block: period, charge, code: row.code };
  chain.append({ actor: by, action: "schedule.report", subject: schedule, detail });
  return row;
}

/** Reports of whose answers no one was notified yet. */
export async function unannouncedPoints({
  store: { read },
}: Context): Promise<readonly (SchedulePoint & { charge: ChargeId })[]> {
  const rows = await read
    .selectFrom("schedule_point")
    .selectAll()
    .where("announced_at", "is", null)
    .orderBy("schedule_id")
    .orderBy("block")
    .execute();
  return rows.map(toPoint).filter((point): point is SchedulePoint & { charge: ChargeId } => point.charge !== null);
}

/** Notifies, once, that the answers of a report are there. */
export async function announcePoint(
  context: Context,
  { to, period, ...point }: Pick<SchedulePoint, "schedule" | "block"> & Notifying,
): Promise<void> {
  await context.store.transact(async (tx) => {
    const row = await pointRow(tx, point);
    if (row === undefined || row.announced_at !== null) return;
    await setRow(
      tx.db,
      "schedule_point",
      { schedule_id: row.schedule_id, block: row.block },
      { announced_at: context.store.now() },
    );
    await announce(context, tx, { schedule: await scheduleRow(tx, row.schedule_id), row, to, period });
  });
}

async function announce(
  context: Context,
  tx: Tx,
  { schedule, row, to, period }: Notifying & { readonly schedule: Tables["schedule"]; readonly row: Row },
): Promise<void> {
  const outcome = row.code ?? "released";
  await notify(context, tx, {
    to,
    kind: "report",
    subject: row.schedule_id,
    facts: {
      schedule: row.schedule_id,
      name: schedule.name,
      dataset: await nameOf(tx, schedule.dataset_id),
      period,
      outcome,
      ...(row.charge_id === null ? {} : { release: row.charge_id }),
    },
    once: `report ${row.schedule_id} ${row.block} ${outcome}`,
  });
}
