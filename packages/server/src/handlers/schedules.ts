import { formatDate, invalid, PrivacyError, priceEvents } from "@dosimeter/core";
import type { PrincipalId, Schedule } from "@dosimeter/ledger";
import { blockFrom, boundSteps, planOverAll } from "@dosimeter/query/bind";
import { type Declaration, reachingTo } from "@dosimeter/query/declaration";
import { type BoundedPlan, plainPlan } from "@dosimeter/query/plan";
import { eventsOf, quotePlan } from "@dosimeter/query/quote";
import type { Plan } from "@dosimeter/query/statistics";
import { holds, readableDataset } from "../access/authority.ts";
import type { Caller } from "../access/credentials.ts";
import type { Call, HandlersOf } from "../http/call.ts";
import type { Deps } from "../http/deps.ts";
import { pageOf } from "../http/page.ts";
import { inSlices } from "../measuring/slices.ts";
import { dueOf, everyOf, firstOf, planOfReport, publishedAt } from "../sources/calendar.ts";
import { tableOf } from "../sources/tables.ts";
import { directory } from "../view/directory.ts";
import { namedRefusal } from "../view/quote.ts";
import { nextView, scheduleSummary, scheduleView, termsView } from "../view/schedule.ts";

export const schedules = {
  async listSchedules({ deps, caller, input }) {
    const { database } = deps;
    const names = await directory(database);
    const visible: Schedule[] = [];
    for (const schedule of await database.schedules.schedules((await database.catalog.dataset(input.dataset)).id))
      if (await holds("accountReader", caller, { account: schedule.account }, deps)) visible.push(schedule);
    const { items, next } = pageOf(visible, input);
    return { items: await Promise.all(items.map((one) => scheduleSummary(one, caller, { deps, names }))), next };
  },

  async quoteSchedule({ deps, caller, input }) {
    await deps.rates.take("quote", caller.principal.id);
    const { asked, dataset, declaration, every, errors, horizon } = await readAsked(input, caller, deps);
    const earmark = await named(
      deps.database.schedules.earmark({ ...asked, by: caller.principal.id }),
      asked.from,
      deps,
    );
    const price = priceEvents(asked.events, "addRemove");
    const published = await publishedAt(deps.database, dataset, declaration);
    const due = dueOf(declaration, asked.first, published, Date.now() / 1000);
    return {
      ...termsView({ ...asked, horizon, price, earmark }, declaration),
      next: nextView(asked.first, due, every),
      errors,
    };
  },

  async createSchedule({ deps, caller, input, exchange }) {
    await deps.rates.take("quote", caller.principal.id);
    await deps.rates.take("refusal", caller.principal.id); // a line in the audit
    const { asked, dataset, plan } = await readAsked(input, caller, deps);
    const recipients = await recipientsOf(input, deps);
    const making = deps.database.schedules.createSchedule({
      ...{ ...asked, by: caller.principal.id, dataset: dataset.id, name: input.name, recipients },
      plan: JSON.stringify(plan),
    });
    const schedule = await named(making, asked.from, deps);
    exchange.setLocation(`/v1/schedules/${schedule.id}`);
    deps.afterwards(() => deps.schedules.run()); // blocks that are over already
    return scheduleView(schedule, caller, deps);
  },

  async showSchedule({ deps, caller, input }) {
    return scheduleView(await deps.database.schedules.schedule(input.schedule), caller, deps);
  },

  async setSchedule({ deps, caller, input }) {
    await deps.rates.take("refusal", caller.principal.id);
    const { schedule, status } = input;
    await deps.database.schedules.setSchedule({ schedule, status, by: caller.principal.id });
    deps.afterwards(() => deps.schedules.run());
    return scheduleView(await deps.database.schedules.schedule(schedule), caller, deps);
  },

  async endSchedule({ deps, caller, input }) {
    await deps.rates.take("refusal", caller.principal.id);
    await deps.database.schedules.endSchedule({ schedule: input.schedule, by: caller.principal.id });
    return scheduleView(await deps.database.schedules.schedule(input.schedule), caller, deps);
  },

  async retryReport({ deps, caller, input }) {
    await deps.rates.take("refusal", caller.principal.id);
    const schedule = await deps.database.schedules.schedule(input.schedule);
    const { declaration } = tableOf(await deps.database.catalog.dataset(schedule.dataset), deps.files);
    const block = blockFrom(declaration, input.block, "block");
    const last = await deps.database.schedules.lastPoint(schedule.id);
    if (last === null || block < schedule.first || block > last)
      throw new PrivacyError("NOT_FOUND", { name: "block", got: formatDate(block, everyOf(declaration)) });
    if (schedule.status === "ended")
      throw new PrivacyError("CONFLICT", { name: "schedule", got: "ended", want: "active or paused" });
    await deps.schedules.make(schedule, block);
    deps.afterwards(() => deps.schedules.run());
    return scheduleView(await deps.database.schedules.schedule(schedule.id), caller, deps);
  },
} satisfies HandlersOf<"schedules">;

type QuoteInput = Call<"quoteSchedule">["input"];

/** The most statistics of a report times the blocks that it covers: all its charges on a block are computed at once. */
const MAX_EVENTS = 600;

/** What is asked for, checked and priced as its releases will be. Reads no data. */
async function readAsked({ dataset: id, account, plan: given, from, ...over }: QuoteInput, caller: Caller, deps: Deps) {
  if (caller.principal.kind === "agent")
    throw new PrivacyError("FORBIDDEN", { name: "principal", got: "an AI agent", want: "a person or a service" });
  const { dataset, ledger } = await readableDataset(caller, id, deps);
  const payer = await deps.database.ledgers.account(account);
  if (ledger?.id !== payer.ledger) invalid("body.account", account, "an account on the ledger of the dataset");
  const { declaration } = tableOf(dataset, deps.files);
  const every = everyOf(declaration);
  const { window, horizon: wrong } = given as Plan;
  if (window !== undefined || wrong !== undefined)
    invalid(
      window === undefined ? "plan.horizon" : "plan.window",
      undefined,
      "absent: the report says which blocks it covers",
    );
  const { latest, horizon } = coveredBy(over);
  const plan = { ...(plainPlan(given) as Plan), ...(horizon === null ? {} : { horizon }) };
  const first = firstOf(declaration, { latest, from, now: Date.now() / 1000 });
  const { events, errors } = await priced(plan, { latest, horizon, first, declaration });
  if (events.length * latest > MAX_EVENTS)
    invalid(
      "plan.statistics",
      events.length,
      `at most ${Math.floor(MAX_EVENTS / latest)} in a report over ${latest} ${every}s`,
    );
  return { asked: { from: payer.id, events, latest, first }, dataset, declaration, every, plan, horizon, errors };
}

/** How many of the latest blocks a report covers, or of how many a running total will be in all. */
function coveredBy({ latest, horizon }: Pick<QuoteInput, "latest" | "horizon">) {
  if (latest !== undefined && horizon !== undefined) invalid("horizon", horizon, "absent where `latest` is given");
  if (horizon !== undefined) return { latest: 1, horizon };
  return { latest: latest ?? invalid("latest", latest, "given, or `horizon` for a running total"), horizon: null };
}

/** What each report costs, bound over as many blocks as it will cover; the first block of a running total pays most. */
async function priced(
  plan: Plan,
  {
    latest,
    horizon,
    first,
    declaration,
  }: Pick<Schedule, "latest" | "horizon" | "first"> & { declaration: Declaration },
) {
  if (horizon === null) {
    const over = planOverAll({ ...plan, window: { latest } }, declaration);
    return { events: eventsOf(await inSlices(boundSteps(over, declaration))), errors: [] };
  }
  const report = { plan: JSON.stringify(plan), latest, horizon, first };
  // The first one refuses a horizon that cannot be, before the calendar is made to reach so far.
  const step = (block: number) =>
    inSlices(boundSteps(planOfReport(report, block, everyOf(declaration)), reachingTo(declaration, block)));
  const [one, all] = [await step(first), await step(first + horizon - 1)];
  const widths = (bounded: BoundedPlan) => quotePlan(bounded).map(({ accuracy }) => accuracy.halfWidth ?? 0);
  const [before, after] = [widths(one), widths(all)];
  const errors = one.statistics.map(({ id, label }, index) => ({
    ...{ row: id, label, first: before[index] ?? 0, last: after[index] ?? 0 },
  }));
  return { events: eventsOf(one), errors };
}

/** People who read the account that it comes from, so that they will read its own. */
async function recipientsOf(
  { account, recipients = [] }: Call<"createSchedule">["input"],
  deps: Deps,
): Promise<readonly PrincipalId[]> {
  const told: PrincipalId[] = [];
  for (const [at, id] of recipients.entries()) {
    const principal = await deps.database.people.principal(id);
    const actor = { principal, roles: await deps.database.people.rolesOf(principal.id) };
    if (!(await holds("accountReader", actor, { account }, deps)))
      invalid(`recipients[${at}]`, id, "someone who may read the account");
    told.push(principal.id);
  }
  return told;
}

/** A refusal says the names of the accounts that have no room. */
async function named<T>(asking: Promise<T>, account: string, { database }: Deps): Promise<T> {
  try {
    return await asking;
  } catch (error) {
    const refusal = await namedRefusal(error, (await database.ledgers.account(account)).ledger, database);
    if (!(refusal instanceof PrivacyError) || refusal.details.report === undefined) throw refusal;
    const { code, details, message } = refusal;
    throw new PrivacyError(
      code,
      details,
      `The report of ${details.report} would not fit next to the others. ${message}`,
    );
  }
}
