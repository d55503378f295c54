import { statusOf } from "@dosimeter/client";
import { type CalendarUnit, formatDate, PrivacyError } from "@dosimeter/core";
import type { Charge, PrincipalId, Schedule } from "@dosimeter/ledger";
import { type Actor, type Facts, holds, readableDataset } from "../access/authority.ts";
import { type Charged, chargeRequest, type ReleaseRequest } from "../release/charge.ts";
import type { ReleaseDeps } from "../release/deps.ts";
import type { ReleaseQueue } from "../release/queue.ts";
import { everyOf, keyOfReport, nextDue, planOfReport } from "../sources/calendar.ts";
import { tableOf } from "../sources/tables.ts";
import { errorFields, type Log } from "../telemetry/log.ts";
import { regularly } from "../telemetry/regularly.ts";
import { namedRefusal } from "../view/quote.ts";

export interface Schedules {
  /** Makes, in order, every report that is due, and notifies of the answers that are there. `now` in seconds of UTC; the clock's when absent. */
  run(now?: number): Promise<void>;
  /** Makes the report of a block, also where it was refused before: then its refusal is kept again. A problem of the server is thrown. */
  make(schedule: Schedule, block: number): Promise<void>;
  /** Waits for what is being made. */
  close(): Promise<void>;
}

interface Needs extends Facts {
  readonly release: ReleaseDeps;
  readonly queue: Pick<ReleaseQueue, "admit" | "submit" | "closing" | "progress" | "changed">;
  readonly log: Log;
  /** Called when someone was notified. */
  readonly wake: () => void;
  /** Makes the next report of a running total as soon as the answers are there on which it builds; other schedules do not wait for it. */
  readonly follow: (schedule: Schedule, now: number) => void;
}

const EVERY_MS = 30_000;
export function openSchedules(given: Omit<Needs, "follow">): Schedules {
  let running = Promise.resolve();
  const stopping = new AbortController();
  const following = new Set<Promise<void>>();
  const inTurn = (work: () => Promise<unknown>): Promise<void> => {
    running = running.then(work).then(
      () => undefined,
      (error) => given.log.error("REPORT_NOT_MADE", errorFields(error)),
    );
    return running;
  };
  const needs: Needs = {
    ...given,
    follow(schedule, now) {
      if (stopping.signal.aborted) return;
      const one: Promise<void> = answered(needs, schedule, stopping.signal)
        .then((isThere) => (isThere ? inTurn(() => makeFollowing(needs, schedule, now)) : undefined))
        .catch((error) => given.log.error("REPORT_NOT_MADE", errorFields(error)))
        .finally(() => following.delete(one));
      following.add(one);
    },
  };
  const run = (now = Date.now() / 1000): Promise<void> => inTurn(() => sweep(needs, now));
  const stop = regularly(EVERY_MS, run);
  return {
    run,
    async make(schedule, block) {
      await make(needs, schedule, block);
      if (schedule.horizon !== null) needs.follow(schedule, Date.now() / 1000);
    },
    async close() {
      stop();
      stopping.abort();
      await Promise.all(following);
      await running;
    },
  };
}

/** One schedule that cannot be served now keeps no other one. */
async function sweep(needs: Needs, now: number): Promise<void> {
  const failed = (error: unknown) => needs.log.error("REPORT_NOT_MADE", errorFields(error));
  try {
    // One report of each in turn, so that none waits for all of another, and as each is now: one that was paused or ended makes no more.
    for (let due = true; due; ) {
      due = false;
      for (const schedule of await needs.database.schedules.activeSchedules())
        due =
          (await makeNext(needs, schedule, now).catch((error) => {
            failed(error);
            return false;
          })) || due;
    }
    await announceReleased(needs);
  } catch (error) {
    failed(error);
  }
}

/** Makes the oldest report that is due; false where none is. */
async function makeNext(needs: Needs, schedule: Schedule, now: number): Promise<boolean> {
  const { database, release, queue } = needs;
  const dataset = await database.catalog.dataset(schedule.dataset);
  const { declaration } = tableOf(dataset, release.files);
  const due = await nextDue({ database, dataset, declaration }, schedule, now);
  if (due === null) await database.schedules.endSchedule({ schedule: schedule.id, by: schedule.owner });
  if (due?.waitsFor !== "nothing" || queue.closing()) return false;
  await make(needs, schedule, due.block);
  if (schedule.horizon !== null) needs.follow(schedule, now);
  return true;
}

/** The report after one that has its answers now, of a schedule as it is now. */
async function makeFollowing(needs: Needs, { id }: Schedule, now: number): Promise<void> {
  const schedule = await needs.database.schedules.schedule(id);
  if (schedule.status === "active") await makeNext(needs, schedule, now);
}

/** Whether the newest report has its answers before the next sweep, which looks anyway. */
async function answered({ database, queue }: Needs, schedule: Schedule, signal: AbortSignal): Promise<boolean> {
  const [point] = await database.schedules.points({ schedule: schedule.id, limit: 1 });
  if (point?.charge == null) return false;
  const ends = AbortSignal.any([signal, AbortSignal.timeout(EVERY_MS)]);
  while (!ends.aborted) {
    const charge = await database.releases.chargeOf(point.charge);
    if (charge.status === "released") return true;
    if (charge.isLost || queue.progress(charge).failed || queue.closing()) return false;
    await queue.changed(charge.id, { seconds: 1, signal: ends });
  }
  return false;
}

/** As the owner, with the rights that they have now: what they could not ask for is refused, and kept as the refusal of this block. */
async function make(needs: Needs, schedule: Schedule, block: number): Promise<void> {
  const { database, release, queue, wake } = needs;
  const every = everyOf(tableOf(await database.catalog.dataset(schedule.dataset), release.files).declaration);
  const period = formatDate(block, every);
  const point = { schedule: schedule.id, block, period, to: await recipientsOf(needs, schedule) };
  try {
    const key = keyOfReport(schedule.id, period);
    const before = await chargedBefore(needs, schedule, key);
    const { charge, prepared } =
      before === null ? await charged(needs, schedule, { block, every, key }) : { charge: before, prepared: null };
    await database.schedules.putPoint({ ...point, charge: charge.id, refusal: null });
    await queue.submit(charge, prepared);
  } catch (error) {
    if (!(error instanceof PrivacyError) || !isRefusal(error)) throw error;
    const { ledger } = await database.ledgers.account(schedule.account);
    const { message } = (await namedRefusal(error, ledger, database)) as PrivacyError;
    const { code } = error;
    await database.schedules.putPoint({ ...point, charge: null, refusal: { code, message } });
    wake();
  }
}

/** What was charged before the server stopped is the report, whatever rights its owner has since: it was paid for with those of then. */
async function chargedBefore({ database }: Needs, { owner, account }: Schedule, key: string): Promise<Charge | null> {
  const charge = await database.releases.chargeByKey({ principal: owner, key });
  return charge?.account === account ? charge : null;
}

/** Not what another try may mend by itself: too much at once, or a server that cannot work just now. */
const isRefusal = ({ code }: PrivacyError): boolean => statusOf[code] < 500 && statusOf[code] !== 429;

async function charged(
  needs: Needs,
  schedule: Schedule,
  { block, every, key }: { readonly block: number; readonly every: CalendarUnit; readonly key: string },
): Promise<Charged> {
  const { database, release, queue } = needs;
  const actor = await actorOf(database, schedule.owner);
  const { dataset } = await readableDataset(actor, schedule.dataset, { database });
  const { ledger } = await database.ledgers.account(schedule.account);
  queue.admit({ principal: schedule.owner, ledger });
  return chargeRequest(release, {
    principal: schedule.owner,
    account: schedule.account,
    schedule: schedule.id,
    dataset,
    plan: planOfReport(schedule, block, every),
    key,
    ...(await stepsBefore(needs, schedule, block)),
    other: null,
    choice: "never",
    asOf: null,
    readers: { principal: schedule.owner, accounts: [] },
    price: "free",
    purpose: null,
  });
}

/** The charges of the reports before, on which a running total that goes on builds; nothing for other reports. */
async function stepsBefore(
  { database }: Needs,
  { id, horizon, first }: Schedule,
  block: number,
): Promise<Pick<ReleaseRequest, "continues">> {
  if (horizon === null || block === first) return {};
  const points = await database.schedules.points({ schedule: id, limit: horizon });
  return {
    continues: points.flatMap((point) => (point.charge === null || point.block >= block ? [] : [point.charge])),
  };
}

const actorOf = async ({ people }: Facts["database"], id: PrincipalId): Promise<Actor> => ({
  principal: await people.principal(id),
  roles: await people.rolesOf(id),
});

/** The owner, and of the recipients those who may read the reports now. */
async function recipientsOf(facts: Facts, { owner, recipients, account }: Schedule): Promise<readonly PrincipalId[]> {
  const people = [owner];
  for (const person of recipients)
    if (await holds("accountReader", await actorOf(facts.database, person), { account }, facts)) people.push(person);
  return people;
}

/** Notifies of the reports whose answers have come meanwhile, from any server. */
async function announceReleased(needs: Needs): Promise<void> {
  const { database, release, wake } = needs;
  for (const { schedule: id, block, charge } of await database.schedules.unannouncedPoints()) {
    if ((await database.releases.chargeOf(charge)).status !== "released") continue;
    const schedule = await database.schedules.schedule(id);
    const { declaration } = tableOf(await database.catalog.dataset(schedule.dataset), release.files);
    const period = formatDate(block, everyOf(declaration));
    await database.schedules.announcePoint({ schedule: id, block, period, to: await recipientsOf(needs, schedule) });
    wake();
  }
}
