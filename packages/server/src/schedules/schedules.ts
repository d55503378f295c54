import { statusOf } from "@dosimeter/client";
import { formatDate, PrivacyError } from "@dosimeter/core";
import type { PrincipalId, Schedule } from "@dosimeter/ledger";
import type { Plan } from "@dosimeter/query";
import { type Actor, type Facts, holds, readableDataset } from "../access/authority.ts";
import { chargeRequest } from "../release/charge.ts";
import type { ReleaseDeps } from "../release/deps.ts";
import type { ReleaseQueue } from "../release/queue.ts";
import { dueOf, everyOf, keyOfReport, planOfReport, publishedAt } from "../sources/calendar.ts";
import { tableOf } from "../sources/tables.ts";
import { errorFields, type Log } from "../telemetry/log.ts";
import { regularly } from "../telemetry/regularly.ts";
import { namedRefusal } from "../view/quote.ts";

/** The scheduled reports of this server. */
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
  readonly queue: Pick<ReleaseQueue, "admit" | "submit" | "closing">;
  readonly log: Log;
  /** Called when someone was notified. */
  readonly wake: () => void;
}

const EVERY_MS = 30_000;

export function openSchedules(needs: Needs): Schedules {
  let running = Promise.resolve();
  const run = (now = Date.now() / 1000): Promise<void> => {
    running = running.then(() => sweep(needs, now));
    return running;
  };
  const stop = regularly(EVERY_MS, run);
  return {
    run,
    make: (schedule, block) => make(needs, schedule, block),
    async close() {
      stop();
      await running;
    },
  };
}

/** One schedule that cannot be served now keeps no other one. */
async function sweep(needs: Needs, now: number): Promise<void> {
  const failed = (error: unknown) => needs.log.error("a scheduled report was not made", errorFields(error));
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
  const published = await publishedAt(database, dataset, declaration);
  const last = await database.schedules.lastPoint(schedule.id);
  const block = last === null ? schedule.first : last + 1;
  if (queue.closing() || dueOf(declaration, block, published, now).waitsFor !== "nothing") return false;
  await make(needs, schedule, block);
  return true;
}

/** As the owner, with the rights that they have now: what they could not ask for is refused, and kept as the refusal of this block. */
async function make(needs: Needs, schedule: Schedule, block: number): Promise<void> {
  const { database, release, queue, wake } = needs;
  const every = everyOf(tableOf(await database.catalog.dataset(schedule.dataset), release.files).declaration);
  const period = formatDate(block, every);
  const point = { schedule: schedule.id, block, period, to: await recipientsOf(needs, schedule) };
  try {
    const plan = planOfReport(schedule, block, every);
    const { charge } = await charged(needs, schedule, { plan, key: keyOfReport(schedule.id, period) });
    await database.schedules.putPoint({ ...point, charge: charge.id, refusal: null });
    await queue.submit(charge);
  } catch (error) {
    if (!(error instanceof PrivacyError) || !isRefusal(error)) throw error;
    const { ledger } = await database.ledgers.account(schedule.account);
    const { message } = (await namedRefusal(error, ledger, database)) as PrivacyError;
    const { code } = error;
    await database.schedules.putPoint({ ...point, charge: null, refusal: { code, message } });
    wake();
  }
}

/** Not what another try may mend by itself: too much at once, or a server that cannot work just now. */
const isRefusal = ({ code }: PrivacyError): boolean => statusOf[code] < 500 && statusOf[code] !== 429;

async function charged(
  { database, release, queue }: Needs,
  schedule: Schedule,
  { plan, key }: { readonly plan: Plan; readonly key: string },
) {
  const actor = await actorOf(database, schedule.owner);
  const { dataset } = await readableDataset(actor, schedule.dataset, { database });
  const { ledger } = await database.ledgers.account(schedule.account);
  queue.admit({ principal: schedule.owner, ledger });
  return chargeRequest(release, {
    principal: schedule.owner,
    account: schedule.account,
    schedule: schedule.id,
    dataset,
    plan,
    other: null,
    key,
    choice: "never",
    asOf: null,
    readers: { principal: schedule.owner, accounts: [] },
    price: "free",
    purpose: null,
  });
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
