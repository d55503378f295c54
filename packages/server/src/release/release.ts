import { type DpEvent, PrivacyError, type SecureRandom, VERSION } from "@dosimeter/core";
import {
  type AccountId,
  type Books,
  type Charge,
  type ChargeId,
  claimedBy,
  type Dataset,
  type Json,
  mayRead,
  type NewAnswers,
  type PrincipalId,
  type Readers,
  type Release,
  type ReusePolicy,
} from "@dosimeter/ledger";
import {
  type Answer,
  type Asked,
  boundPlan,
  checkReason,
  diagramsOf,
  type Earlier,
  type Engine,
  eventsOf,
  noiseSteps,
  type Plan,
  type TableVersion,
  type Way,
} from "@dosimeter/query";
import { agreeing } from "../reuse/agree.ts";
import { mayWait, type ReuseChoice } from "../reuse/choice.ts";
import type { Found, ReleasedAnswers, Version } from "../reuse/find.ts";
import { inClass } from "../reuse/latency.ts";
import { isLive, refuseEarlierRows, withTimes } from "../reuse/live.ts";
import { answeredByPending } from "../reuse/pending.ts";
import {
  assembled,
  freshOf,
  indexOf,
  type Resolution,
  type Resolved,
  resolve,
  savedBy,
  waitingFor,
  wayAgain,
} from "../reuse/resolve.ts";
import type { Files } from "../sources/files.ts";
import { asJson, tableOf } from "../sources/tables.ts";
import { inSlices } from "./slices.ts";

/** What a release is made with; `random` is the operating system's generator, by type. */
export interface ReleaseDeps {
  readonly books: Books;
  readonly engine: Engine;
  readonly files: Files;
  readonly random: SecureRandom;
  /** What was released before. */
  readonly releasedAnswers: ReleasedAnswers;
  /** Who holds the leases of this server's charges. */
  readonly owner: string;
  /** Labelled steps for tests that kill the process there. */
  readonly step: (label: ReleaseStep) => void;
}

export const releaseSteps = [
  "release.bounded",
  "release.charged",
  "release.measured",
  "release.noised",
  "release.stored",
] as const;
export type ReleaseStep = (typeof releaseSteps)[number];

export interface ReleaseRequest {
  readonly principal: PrincipalId;
  readonly account: AccountId;
  /** As it is now. */
  readonly dataset: Dataset;
  readonly plan: Plan;
  /** Idempotency key: the same key is charged once. */
  readonly key: string;
  /** What of earlier answers may be used, and whose. */
  readonly reuse: ReuseChoice;
  readonly readers: Readers;
  /** Whether the paying share pays for earlier answers too, what they cost then. */
  readonly price: ReusePolicy["price"];
  /** The version asked about; the newest when null. */
  readonly asOf: number | null;
}

/** A charge nobody works on belongs to whoever comes after so many seconds. */
export const LEASE_SECONDS = 30;

/** A durable charge, and its release where nothing is drawn: both stand in one commit. */
export interface Charged {
  readonly charge: Charge;
  readonly release: Release | null;
}

/**
 * plan → bound → reuse → charge. Reads no private byte. When it returns, the events of what is drawn are durably debited from the
 * ledger and every account on the path, once for this key; when it throws, nothing was.
 */
export async function chargePlan(deps: ReleaseDeps, request: ReleaseRequest): Promise<Charged> {
  const { books, owner, step } = deps;
  const { principal, account, key, dataset, plan, reuse, readers, asOf } = request;
  const asked = { dataset: dataset.id, account, plan, ...(reuse === "never" ? {} : { reuse }), asOf };
  checkReason(plan);
  const pending: Resolution[] = [];
  const except: ChargeId[] = [];
  for (;;) {
    const earlier = await books.releases.chargeByKey({ principal, key });
    if (earlier !== null) return { charge: sameRequest(earlier, asked), release: null };
    const horizon = reuse === "never" ? 0n : await books.reuse.horizon();
    const decided = await decide(deps, {
      dataset,
      asOf,
      plan,
      choice: reuse,
      readers,
      people: null,
      isSameEnough: reuse === "asAccurate",
    });
    const { about, bounded, found } = decided;
    const { fresh, resolutions } = waitingFor({ plan, ...decided }, pending);
    if (asOf !== null && fresh !== null && isLive(about.declaration)) refuseEarlierRows(about.version, dataset.version);
    step("release.bounded");
    const drawn = new Set(fresh?.statistics.map(({ id }) => id));
    // Every sample is another question: it waits for nobody's.
    const claimable = found.filter(
      ({ asked: { statistic } }) =>
        drawn.has(statistic.id) && statistic.sampling === undefined && mayWait(reuse, statistic.id),
    );
    const keys = claimable.map(({ key: hash }) => hash);
    try {
      // Whoever holds a cap learns what those answers tell: it pays for them in full, once, before anything is decided.
      const share = request.price === "ownLevel" ? account : undefined;
      for (const charge of chargesOf(resolutions))
        await books.ledgers.readUnderCaps({ charge, reader: principal, share });
      const events = fresh === null ? [] : eventsOf(fresh);
      await books.ledgers.refuseUnreadable({ reader: principal, account, events });
      const isThere = fresh === null && !resolutions.some((one) => pending.includes(one));
      const { charge, release } = await books.ledgers.charge({
        principal,
        account,
        dataset: dataset.id,
        key,
        request: asJson({
          ...asked,
          version: about.version,
          software: VERSION,
          ...(resolutions.length === 0 ? {} : { resolutions }),
        }),
        events,
        adjacency: bounded.adjacency,
        lease: { owner, seconds: LEASE_SECONDS },
        reusesOnly: fresh === null,
        ...(isThere ? { answers: answersFrom(found, resolutions, about) } : {}),
        ...(keys.length === 0 ? {} : { claims: { keys, readers, horizon, except } }),
      }); // refuses what the budget cannot pay; durable
      step("release.charged");
      return { charge, release };
    } catch (error) {
      // The same question is being paid for, here or in another process: where its answer will do, this charge waits for it.
      const claimed = claimedBy(error);
      if (claimed !== null) {
        const other = await books.releases.charge(claimed);
        if (other.status === "released") continue;
        const rows = answeredByPending(
          await pendingOf(other, readers, books),
          claimable.map(({ asked: one }) => one),
          { choice: reuse, about },
        );
        pending.push(...rows);
        if (rows.length === 0) except.push(claimed);
        continue;
      }
      // The same key was charged between the look and the charge: what was decided then stands.
      const charged = await books.releases.chargeByKey({ principal, key });
      if (charged !== null) return { charge: sameRequest(charged, asked), release: null };
      throw error;
    }
  }
}

/**
 * measure → noise → release. From here the cost is spent whatever happens. The answers are durable before anyone can see
 * them; a charge that was finished before gives its stored release and draws nothing.
 */
export async function finishCharge(deps: ReleaseDeps, charge: Charge, until: Settled): Promise<Release> {
  const { books, engine, random, owner, step } = deps;
  const request = requestOf(charge);
  const { plan, resolutions = [] } = request;
  const dataset = await books.catalog.dataset(request.dataset);
  const about = await versionOf(deps, dataset, request.version ?? null);
  const bounded = boundPlan(plan, about.declaration);
  const nobody = { principal: charge.principal, accounts: [] };
  const found = await deps.releasedAnswers.find(bounded, about, { readers: nobody, people: null, search: false });
  const asked = found.map((one) => one.asked);
  const ways = new Map<string, Way>();
  for (const resolution of resolutions) {
    const earlier = await opened(deps, resolution, about);
    ways.set(resolution.row, again(asked, resolution, earlier, about));
  }
  const freshPlan = freshOf(
    plan,
    asked.map(({ statistic }) => statistic.id),
    ways,
  );
  const fresh = freshPlan === null ? null : boundPlan(freshPlan, about.declaration);
  refuseOtherEvents(charge, fresh === null ? [] : eventsOf(fresh));

  let drawn: readonly Answer[] = [];
  if (fresh !== null) {
    const exact = await engine.run(fresh, about.table);
    step("release.measured");
    drawn = await inSlices(noiseSteps(fresh, exact, random));
    step("release.noised");
    await until.settled(); // whoever waits learns a class of durations, not how long the rows took
  }
  const answers = agreeing(assembled(asked, ways, drawn), asked, { ways, drawn, fresh, about, charge: charge.id });
  const names = new Map(found.map(({ asked: { statistic }, key, scope }) => [statistic.id, { key, scope }]));
  const release = await books.releases.complete({
    charge: charge.id,
    owner,
    answers: asJson(answers),
    statistics: freshPlan === null || fresh === null ? [] : indexOf(freshPlan, fresh, names, about.version),
    reuses: savedBy(asked, ways),
  });
  step("release.stored");
  return release;
}

/** What another charge is asked; of its top-ups only those of answers that the asker may be given too. */
async function pendingOf(charge: Charge, readers: Readers, { reuse }: Books) {
  const { plan, version = null, resolutions = [] } = requestOf(charge);
  const closed = new Set<string>();
  for (const { row, kind, from } of resolutions) {
    if (kind !== "refined") continue;
    const sources = await reuse.rows(from);
    if (sources.length < from.length || !sources.every((one) => mayRead(readers, one))) closed.add(row);
  }
  return { charge: charge.id, plan, version, resolutions, closed };
}

/** The answers of a plan of which nothing is drawn. */
function answersFrom(found: readonly Found[], resolutions: readonly Resolution[], about: Version): NewAnswers {
  const asked = found.map((one) => one.asked);
  const ways = new Map<string, Way>();
  for (const resolution of resolutions) {
    const { earlier = [] } = found.find((one) => one.asked.statistic.id === resolution.row) ?? {};
    ways.set(resolution.row, again(asked, resolution, earlier, about));
  }
  const answers = agreeing(assembled(asked, ways, []), asked, { ways, drawn: [], fresh: null, about, charge: null });
  return { answers: asJson(answers), reuses: savedBy(asked, ways) };
}

export interface Deciding {
  /** As it is now. */
  readonly dataset: Dataset;
  readonly asOf: number | null;
  readonly plan: Plan;
  readonly choice: ReuseChoice;
  readonly readers: Readers;
  readonly people: number | null;
  readonly isSameEnough?: boolean;
}

/** A bound plan with what earlier answers offer to each row, and what is taken of it. Reads nothing private. */
export async function decide(
  deps: ReleaseDeps,
  { dataset, asOf, plan, choice, readers, people, isSameEnough = false }: Deciding,
) {
  const about = await versionOf(deps, dataset, asOf);
  const bounded = boundPlan(plan, about.declaration); // refuses what it cannot bound
  if (choice === "never") {
    const resolved: Resolved = { resolutions: [], ways: new Map(), fresh: bounded, freshPlan: plan };
    return { about, bounded, found: [], resolved };
  }
  const found = await inClass(
    deps.releasedAnswers.find(bounded, about, { readers, people, search: true, isSameEnough }),
  );
  return { about, bounded, found, resolved: resolve(plan, found, { choice, about }) };
}

/** The table of a dataset at a version, the newest when null. */
async function versionOf(
  { books, files }: ReleaseDeps,
  dataset: Dataset,
  version: number | null,
): Promise<Version & { readonly table: TableVersion }> {
  const isNewest = version === null || version === dataset.version;
  const found = isNewest ? dataset : await books.catalog.datasetAt(dataset.id, version);
  const table = tableOf(found, files);
  return { dataset: found.id, version: found.version, declaration: table.declaration, table: table.version };
}

/** The answers that a row draws on: they are stored for ever, so a crash changes nothing. */
async function opened(
  { books, releasedAnswers }: ReleaseDeps,
  { from }: Resolution,
  about: Version,
): Promise<readonly Earlier[]> {
  const earlier = [];
  for (const statistic of await books.reuse.rows(from)) {
    const one = await releasedAnswers.open(statistic, about);
    if (one !== null) earlier.push(one);
  }
  return earlier;
}

/** The way that a row was resolved to, from the answers that it names. */
function again(
  asked: readonly Asked[],
  resolution: Resolution,
  earlier: readonly Earlier[],
  { declaration }: Version,
): Way {
  const one = asked.find(({ statistic }) => statistic.id === resolution.row);
  const diagrams = diagramsOf(declaration, { closed: true });
  const way = one === undefined ? undefined : wayAgain(one, resolution, earlier, diagrams);
  if (way === undefined)
    throw new PrivacyError("ENGINE_FAILED", {}, "the earlier answers no longer give what was charged");
  return withTimes(way, declaration);
}

/** What runs is exactly what was charged: a planner or declaration that has changed since may not draw other noise. */
function refuseOtherEvents(charge: Charge, events: readonly DpEvent[]): void {
  if (canonical(asJson(events)) !== canonical(asJson(charge.events)))
    throw new PrivacyError("ENGINE_FAILED", {}, "the plan no longer means the events that were charged");
}

/** Holds an outcome back until its class of durations has passed. */
export interface Settled {
  readonly settled: () => Promise<void>;
}

/** What was asked, as the charge keeps it, and how its rows were decided. */
export function requestOf(charge: Pick<Charge, "request">): {
  readonly dataset: Dataset["id"];
  readonly account: AccountId;
  readonly plan: Plan;
  readonly reuse?: ReuseChoice;
  readonly asOf?: number | null;
  readonly version?: number;
  /** The version of the program that measured and drew. */
  readonly software?: string;
  readonly resolutions?: readonly Resolution[];
} {
  return charge.request as unknown as ReturnType<typeof requestOf>;
}

/** The charges that paid for the earlier answers in a release. */
export const originsOf = (charge: Charge): readonly ChargeId[] => chargesOf(requestOf(charge).resolutions ?? []);

const chargesOf = (resolutions: readonly Resolution[]): readonly ChargeId[] => [
  ...new Set(resolutions.flatMap(({ from }) => from.map(({ release }) => release as ChargeId))),
];

/** The same key must ask the same; how it was decided then stands. */
function sameRequest(charge: Charge, asked: object): Charge {
  const { version: _, resolutions: __, software: ___, ...before } = requestOf(charge);
  if (canonical(asJson(before)) === canonical(asJson(asked))) return charge;
  throw new PrivacyError("IDEMPOTENCY_CONFLICT", { name: "idempotency-key" });
}

/** Text that is equal for equal JSON, whatever the order of its fields. */
function canonical(json: Json): string {
  return JSON.stringify(json, (_, value: unknown) =>
    typeof value === "object" && value !== null && !Array.isArray(value)
      ? Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)))
      : value,
  );
}
