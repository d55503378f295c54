import type { ScheduleSummary, Schedule as ScheduleView } from "@dosimeter/client";
import { type CalendarUnit, formatDate, formatDelta } from "@dosimeter/core";
import { present } from "@dosimeter/core/internal";
import type { Charge, Schedule, SchedulePoint } from "@dosimeter/ledger";
import { type Answer, planTable, planWords } from "@dosimeter/query/answer";
import type { Declaration } from "@dosimeter/query/declaration";
import type { Plan } from "@dosimeter/query/statistics";
import type { Caller } from "../access/credentials.ts";
import type { ReleaseQueue } from "../release/queue.ts";
import type { Tables } from "../reuse/versioned-table.ts";
import { type Due, everyOf, nextDue } from "../sources/calendar.ts";
import { tableOf } from "../sources/tables.ts";
import { listedAnswers } from "./about-releases.ts";
import { epsilonOrNull, quotaView } from "./balance.ts";
import { type Directory, directory } from "./directory.ts";
import { planView } from "./plan.ts";

/** What a schedule or one that is only quoted says of its reports. */
export const termsView = (
  { latest, horizon, first, price, earmark }: Pick<Schedule, "latest" | "horizon" | "first" | "price" | "earmark">,
  declaration: Pick<Declaration, "blocks" | "columns">,
) => {
  const every = everyOf(declaration);
  return {
    ...{ latest, horizon, every, zone: zoneOf(declaration) },
    ...present({ protects: declaration.blocks?.protects }),
    first: formatDate(first, every),
    price: { epsilon: epsilonOrNull(price.epsilon), delta: formatDelta(price.delta) },
    earmark: quotaView(earmark),
  };
};

export const nextView = (block: number, { at, waitsFor }: Due, every: CalendarUnit) => ({
  block: formatDate(block, every),
  at: new Date(at * 1000).toISOString(),
  waitsFor,
});

/** By whose clocks a block ends. */
const zoneOf = ({ blocks, columns }: Pick<Declaration, "blocks" | "columns">): string =>
  blocks?.zone ?? columns[blocks?.column ?? ""]?.zone ?? "UTC";

export async function scheduleSummary(
  schedule: Schedule,
  caller: Caller,
  { deps, names }: { readonly deps: Tables; readonly names: Directory },
): Promise<ScheduleSummary> {
  const { database, files } = deps;
  const dataset = await database.catalog.dataset(schedule.dataset);
  const { declaration } = tableOf(dataset, files);
  const every = everyOf(declaration);
  const due = await nextDue({ database, dataset, declaration }, schedule, Date.now() / 1000);
  const { id, account, name, owner, status, createdAt } = schedule;
  return {
    ...{ id, account, name, owner, status, createdAt, dataset: dataset.id, datasetName: dataset.name },
    ledger: (await database.ledgers.account(account)).ledger,
    ownerName: names.nameOf(owner),
    isMine: owner === caller.principal.id,
    ...termsView(schedule, declaration),
    next: status === "ended" || due === null ? null : nextView(due.block, due, every),
  };
}

/** The most characters of the answers of a running total: those of 120 periods in a hundred groups. */
const LONG = 2_000_000;

/** Of a running total the newest answers have all periods: of each report the total up to and with its block, as it is known now. */
async function totalsToDate(
  { first }: Schedule,
  released: readonly Charge[],
  caller: Caller,
  deps: Tables,
): Promise<(charge: Charge, block: number) => readonly Answer[] | null> {
  const [newest] = released.slice(-1);
  if (newest === undefined) return () => null;
  const answers = (await listedAnswers([newest], caller, deps, LONG))(newest);
  return (_, block) =>
    answers?.map((answer) => ({
      ...answer,
      cells: answer.cells
        .filter((__, place) => place % released.length === block - first)
        .map(({ bin: ___, ...cell }) => cell),
    })) ?? null;
}

/** The most points on a page: ten years of months. */
const MAX_POINTS = 120;

export async function scheduleView(
  schedule: Schedule,
  caller: Caller,
  deps: Tables & { readonly queue: ReleaseQueue },
): Promise<ScheduleView> {
  const { database } = deps;
  const names = await directory(database);
  const summary = await scheduleSummary(schedule, caller, { deps, names });
  const dataset = await database.catalog.dataset(schedule.dataset);
  const plan = JSON.parse(schedule.plan) as Plan;
  const points = await database.schedules.points({ schedule: schedule.id, limit: MAX_POINTS });
  const charges = new Map<string, Charge>();
  for (const { charge } of points) if (charge !== null) charges.set(charge, await database.releases.chargeOf(charge));
  const released = [...charges.values()].filter(({ status }) => status === "released");
  const answersOf =
    schedule.horizon === null
      ? await listedAnswers(released, caller, deps)
      : await totalsToDate(schedule, released, caller, deps);
  return {
    ...summary,
    plan: planView(plan),
    words: planWords(plan, planTable(plan, tableOf(dataset, deps.files).declaration)),
    recipients: schedule.recipients.map((id) => ({ id, name: names.nameOf(id) })),
    points: points.map((point) => {
      const charge = charges.get(point.charge ?? "");
      const isFailed = charge !== undefined && deps.queue.progress(charge).failed;
      return pointView(point, charge, { every: summary.every, answersOf, isFailed });
    }),
  };
}

function pointView(
  { block, charge: id, refusal, at }: SchedulePoint,
  charge: Charge | undefined,
  {
    every,
    answersOf,
    isFailed,
  }: {
    readonly every: CalendarUnit;
    readonly answersOf: (charge: Charge, block: number) => readonly Answer[] | null;
    readonly isFailed: boolean;
  },
): ScheduleView["points"][number] {
  const isReleased = charge?.status === "released";
  return {
    block: formatDate(block, every),
    state: refusal !== null ? "refused" : isReleased ? "released" : isFailed ? "failed" : "pending",
    release: id,
    at,
    refusal: refusal === null ? null : { code: refusal.code, detail: refusal.message },
    answers: isReleased ? ((answersOf(charge, block) as ScheduleView["points"][number]["answers"]) ?? null) : null,
  };
}
