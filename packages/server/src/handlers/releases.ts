import { reportMedia } from "@dosimeter/client/routes";
import { invalid, PrivacyError } from "@dosimeter/core";
import type { Account, Charge, Dataset, Ledger, ListedRelease } from "@dosimeter/ledger";
import { answersToShow } from "@dosimeter/query/answer";
import { eventsOf, lostText } from "@dosimeter/query/quote";
import { checkRowsQuestion, type Plan } from "@dosimeter/query/statistics";
import { unpriced, withTotal } from "@dosimeter/sql-text";
import { authorise, readableDataset } from "../access/authority.ts";
import type { Caller } from "../access/credentials.ts";
import { lookedThrough, releaseReaderOf } from "../access/readable-releases.ts";
import type { Call, HandlersOf } from "../http/call.ts";
import type { Deps } from "../http/deps.ts";
import { PAGE_SIZE } from "../http/page.ts";
import { chargeRequest } from "../release/charge.ts";
import { waitsForClick } from "../release/confirmation.ts";
import { prepareRelease, type Quoted } from "../release/prepare.ts";
import { quoteRows } from "../release/quote-rows.ts";
import { originsOf } from "../release/request.ts";
import { finished, type Waiting } from "../release/waiting.ts";
import { ROW_MEDIA, tableOf } from "../report/rows.ts";
import { rightsOf } from "../reuse/readers.ts";
import { joinedId } from "../sources/tables.ts";
import { aboutReleases, listedAnswers } from "../view/about-releases.ts";
import { type Directory, directory } from "../view/directory.ts";
import { planAsked, planView } from "../view/plan.ts";
import { agentQuoteView, costView, namedRefusal, pathView, refusalView } from "../view/quote.ts";
import { releaseSummary, releaseView } from "../view/release.ts";
import { reuseViews } from "../view/reuse.ts";
import { switchHint } from "../view/switch-hint.ts";
import { countRefusal } from "./refusals.ts";

const windowView = ({ plan, bounded }: Quoted) =>
  bounded.window === undefined ? {} : { window: plan.window as { blocks: string[] } };

export const releases = {
  async quotePlan({ deps, caller, input }) {
    const { database } = deps;
    deps.rates.check("quote", caller.principal.id); // before any work
    const { dataset, account, ledger, other } = await payable(input, caller, deps);
    // A quote shows the accounts above: a person who left their team sees only what `showAccount` shows them. What no charge of
    // theirs can pay, as a purpose that is set aside for a report, is not quoted to them either.
    if (await isTheirs(account, caller, deps)) await authorise("accountSpender", caller, { account: account.id }, deps);
    const { readers } = await rightsOf(caller, { datasets: idsOf(dataset, other), ledger: ledger.id }, deps);
    const plan = withPrices(planAsked(input.plan), input);
    // As its release is refused: a step of a running total is charged, and goes on, within a schedule alone. [M209]
    if (plan.horizon !== undefined) invalid("plan.horizon", plan.horizon, "absent: only a scheduled report goes on");
    const decided = await prepareRelease(deps.release, {
      dataset,
      asOf: input.asOf ?? null,
      plan,
      other,
      choice: input.reuse ?? {},
      readers,
      people: input.people ?? null,
      admit: (cells) => deps.rates.take("quote", caller.principal.id, 1 + cells / CELLS_OF_A_TOKEN),
    });
    const { bounded, drawn } = decided;
    const events = drawn === null ? [] : eventsOf(drawn.bounded);
    const charged = await database.ledgers.quote({
      account: account.id,
      events,
      window: bounded.window,
      reusesOnly: drawn === null,
      reader: caller.principal.id,
    });
    const { adjacency } = decided.about.declaration;
    const hint = switchHint(charged, ledger, { events, adjacency });
    const names = await directory(database);
    const known = new Map(decided.found.map(({ asked, known }) => [asked.statistic.id, known]));
    const quoted = await quoteRows(bounded, { people: input.people, known });
    const reuse = await reuseViews(decided, names, database);
    return {
      admitted: charged.admitted,
      version: decided.about.version,
      confidence: bounded.confidence,
      ...windowView(decided),
      ...(input.epsilon === undefined && input.rho === undefined ? {} : { plan: planView(plan) }),
      statistics: quoted.map((row, index) => ({
        ...row,
        known: known.get(row.id) ?? {},
        reuse: reuse[index] ?? { key: "", offers: [], chosen: null, note: null },
      })),
      warnings: quoted.flatMap((row) => lostText(row) ?? []).map((lost) => `${lost}: it costs as much as what can.`),
      cost: costView(charged),
      path: await pathView(charged, names, database),
      activeRule: charged.activeRule,
      refusal: await refusalView(charged, names, database, hint),
      switches: charged.activeRule !== ledger.activeRule,
      agent: await agentQuoteView(charged, caller.principal, database),
    };
  },

  async createRelease({ deps, caller, input, exchange }) {
    const { key, wait } = input;
    const plan = planAsked(input.plan);
    const { dataset, account, ledger, other } = await payable(input, caller, deps);
    deps.queue.admit({ principal: caller.principal.id, ledger: ledger.id });
    deps.rates.check("refusal", caller.principal.id);
    const principal = caller.principal.id;
    const choice = input.reuse ?? "never";
    const request = {
      principal,
      account: account.id,
      dataset,
      plan,
      other,
      key,
      choice,
      asOf: input.asOf ?? null,
      purpose: input.purpose ?? null,
      // To decide what is drawn takes as long as a quote.
      admit: (cells: number) => deps.rates.take("quote", principal, cells / CELLS_OF_A_TOKEN),
      ...(choice === "never"
        ? { readers: { principal, accounts: [] }, price: "free" as const }
        : await rightsOf(caller, { datasets: idsOf(dataset, other), ledger: ledger.id }, deps)),
    };
    const { charge, release, prepared } = await chargeRequest(deps.release, request).catch(async (error) => {
      await countRefusal(error, principal, deps);
      throw await namedRefusal(await waitsForClick(error, request, caller, deps), account.ledger, deps.database);
    });
    exchange.setLocation(`/v1/releases/${charge.id}`);
    deps.sender?.wake();
    // A release that is finished at once was free and uses answers that every cap has paid for.
    if (release !== null) {
      const about = (await aboutReleases([charge], deps))(charge);
      const shown = { charge, release, progress: deps.queue.progress(charge), about };
      return releaseView(shown, await askerOf(charge, caller, deps));
    }
    await deps.queue.submit(charge, prepared);
    return show(charge, { seconds: wait ?? 0, signal: exchange.signal }, caller, deps);
  },

  async listReleases({ deps, caller, input }) {
    const { database, queue } = deps;
    const names = await directory(database);
    const limit = input.limit ?? PAGE_SIZE;
    const dataset =
      input.dataset === undefined ? undefined : (await readableDataset(caller, input.dataset, deps)).dataset.id;
    const filter = { dataset, account: input.account, ...(await lookedThrough(caller, deps)) };
    const reads = releaseReaderOf(caller, deps);
    const wanted = async (item: Charge | ListedRelease) =>
      (dataset === undefined || item.dataset === dataset) &&
      (input.account === undefined || item.account === input.account) &&
      (await reads(item));
    const listed: { charge: Charge; release: ListedRelease | null }[] = [];
    if (input.cursor === undefined)
      for (const charge of (await database.releases.pending(filter)).toReversed())
        if (await wanted(charge)) listed.push({ charge, release: null });
    let after = input.cursor;
    do {
      const page = await database.releases.releases({ ...filter, after, limit });
      for (const release of page.items)
        if (await wanted(release)) listed.push({ charge: await database.releases.chargeOf(release.charge), release });
      after = page.next ?? undefined;
    } while (after !== undefined && listed.length < limit);
    const charges = listed.map(({ charge }) => charge);
    const aboutOf = await aboutReleases(charges, deps);
    const released = listed.flatMap(({ charge, release }) => (release === null ? [] : [charge]));
    const answersOf = await listedAnswers(released, caller, deps);
    const items = listed.map(({ charge, release }) =>
      releaseSummary(
        { charge, release, progress: queue.progress(charge), about: aboutOf(charge), answers: answersOf(charge) },
        names,
      ),
    );
    return { items, next: after ?? null };
  },

  async showRelease({ deps, caller, input, exchange }) {
    const charge = await deps.database.releases.chargeOf(input.release);
    return show(charge, { seconds: input.wait ?? 0, signal: exchange.signal }, caller, deps);
  },

  async labelRelease({ deps, caller, input }) {
    const charge = await deps.database.releases.chargeOf(input.release);
    await deps.rates.take("refusal", caller.principal.id); // a line in the audit
    const { title, note } = input;
    await deps.database.releases.labelRelease({ charge: charge.id, title, note, by: caller.principal.id });
    const release = { charge, release: null, progress: deps.queue.progress(charge), answers: null };
    const about = (await aboutReleases([charge], deps))(charge);
    return releaseSummary({ ...release, about }, await askerOf(charge, caller, deps));
  },

  async retryRelease({ deps, caller, input, exchange }) {
    const charge = await deps.database.releases.chargeOf(input.release);
    if (charge.isLost) throw new PrivacyError("ANSWER_LOST");
    deps.queue.admit(charge);
    await deps.rates.take("refusal", caller.principal.id);
    await deps.queue.submit(charge);
    return show(charge, { seconds: 0, signal: exchange.signal }, caller, deps);
  },

  async releaseReport({ deps, caller, input, exchange }) {
    const charge = await deps.database.releases.chargeOf(input.release);
    const release = await show(charge, { seconds: REPORT_WAIT_SECONDS, signal: exchange.signal }, caller, deps);
    const reported = { ...release, answers: answersToShow(release) };
    const at = new Date(release.releasedAt ?? release.chargedAt);
    const { format = "pdf", digits } = input;
    const bytes = await deps.printer.ask({ release: reported, at, format, isExact: digits === "all" }, exchange.signal);
    return {
      name: `release-${charge.id}.${format === "sdmx" ? "sdmx.csv" : format}`,
      bytes: new Blob([bytes]).stream(),
      media: reportMedia[format],
    };
  },

  async syntheticRows({ deps, caller, input, exchange }) {
    const charge = await deps.database.releases.chargeOf(input.release);
    const table = tableOf(await show(charge, { seconds: 0, signal: exchange.signal }, caller, deps), input.row);
    const format = input.format ?? "csv";
    const asked = { table, rows: input.rows, seed: input.seed, format };
    const bytes = await deps.rowMaker.make({ ...asked, reader: caller.principal.id, signal: exchange.signal });
    return { name: `synthetic-${charge.id}.${format}`, bytes, media: ROW_MEDIA[format] };
  },

  async askSyntheticRows({ deps, caller, input, exchange }) {
    const charge = await deps.database.releases.chargeOf(input.release);
    const table = tableOf(await show(charge, { seconds: 0, signal: exchange.signal }, caller, deps), input.row);
    const asked = checkRowsQuestion(table, input);
    return deps.rowMaker.ask({ table, asked, reader: caller.principal.id, signal: exchange.signal });
  },

  async *watchRelease({ deps, input, exchange }) {
    let sent = "";
    for (;;) {
      const charge = await deps.database.releases.chargeOf(input.release);
      const { stage, failed } = deps.queue.progress(charge);
      if (`${stage} ${failed}` !== sent) yield { release: charge.id, stage, failed };
      sent = `${stage} ${failed}`;
      if (stage === "done" || failed || exchange.signal.aborted || deps.queue.closing()) return;
      await deps.queue.changed(charge.id, { seconds: WATCH_SECONDS, signal: exchange.signal });
    }
  },
} satisfies HandlersOf<"releases">;

/** A quote costs as much time as it has cells. */
const CELLS_OF_A_TOKEN = 1000;

const REPORT_WAIT_SECONDS = 20;

/** A watcher looks again after this time even without a notice of a change. */
const WATCH_SECONDS = 1;

async function show(charge: Charge, waiting: Waiting, caller: Caller, deps: Deps) {
  const now = await finished(charge, waiting, deps);
  const about = (await aboutReleases([now], deps))(now);
  // What the holder of a cap is about to see is first charged to the cap, even if another account paid for it; without room it is not shown.
  if (now.status === "released")
    for (const id of [now.id, ...originsOf(about.request)])
      await deps.database.ledgers.readUnderCaps({ charge: id, reader: caller.principal.id });
  const release = now.status === "released" ? await deps.database.releases.releaseOf(now.id) : null;
  const shown = { charge: now, release, progress: deps.queue.progress(now), about };
  return releaseView(shown, await askerOf(now, caller, deps));
}

/** Who asked, read alone. */
async function askerOf(
  { principal }: Charge,
  caller: Caller,
  { database }: Deps,
): Promise<Pick<Directory, "nameOf" | "kindOf">> {
  const person = principal === caller.principal.id ? caller.principal : await database.people.principal(principal);
  return { nameOf: () => person.name, kindOf: () => person.kind };
}

/** With the split of a stated total between the rows that state no price. There is no default. */
function withPrices(plan: Plan, totals: Pick<Call<"quotePlan">["input"], "epsilon" | "rho">): Plan {
  let { statistics } = plan;
  for (const currency of ["epsilon", "rho"] as const) {
    const total = totals[currency];
    if (total !== undefined)
      statistics = withTotal(statistics, currency, total, (want) => invalid(`body.${currency}`, total, want));
  }
  const count = unpriced(statistics);
  if (count > 0)
    invalid(
      "body.epsilon",
      undefined,
      `stated as a total that ${count === 1 ? "one row takes" : `${count} rows share evenly`}, or as the price of each row of the plan`,
    );
  return statistics === plan.statistics ? plan : { ...plan, statistics };
}

/** The dataset, the one that the plan joins, and the account that will pay. The caller must see all, and all must be on one ledger. */
async function payable(
  input: { readonly dataset: string; readonly account: string; readonly plan: unknown },
  caller: Caller,
  deps: Deps,
): Promise<{ dataset: Dataset; account: Account; ledger: Ledger; other: Dataset | null }> {
  const { dataset, ledger } = await readableDataset(caller, input.dataset, deps);
  const account = await deps.database.ledgers.account(input.account);
  if (ledger?.id !== account.ledger) invalid("body.account", input.account, "an account on the ledger of the dataset");
  return { dataset, account, ledger, other: await joinedBy(input.plan as Plan, dataset, { caller, deps }) };
}

async function isTheirs({ holder, parent }: Account, { principal }: Caller, { database }: Deps): Promise<boolean> {
  if (holder.kind !== "purpose" || parent === null) return holder.id === principal.id;
  return (await database.ledgers.account(parent)).holder.id === principal.id;
}

/** A dataset that the caller may not see is answered like one that does not exist. */
async function joinedBy(
  plan: Plan,
  { id, population }: Dataset,
  { caller, deps }: { readonly caller: Caller; readonly deps: Deps },
): Promise<Dataset | null> {
  const joined = joinedId(plan);
  if (joined === null) return null;
  if (joined === id)
    invalid("join.dataset", joined, "another dataset: a person's rows of one table are read together as they are");
  const { dataset } = await readableDataset(caller, joined, deps);
  if (dataset.population !== population) invalid("join.dataset", joined, "a dataset about the same people");
  return dataset;
}

const idsOf = (dataset: Dataset, other: Dataset | null): readonly Dataset["id"][] =>
  other === null ? [dataset.id] : [dataset.id, other.id];
