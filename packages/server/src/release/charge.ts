import { VERSION } from "@dosimeter/core";
import { present } from "@dosimeter/core/internal";
import {
  type AccountId,
  type Charge,
  type ChargeId,
  type LedgerDatabase,
  mayRead,
  type PrincipalId,
  QuestionClaimed,
  type Readers,
  type Release,
  type ReusePolicy,
  type ScheduleId,
} from "@dosimeter/ledger";
import { checkReason } from "@dosimeter/query/plan";
import { eventsOf } from "@dosimeter/query/quote";
import { isLive, limitsStatements } from "@dosimeter/query/source";
import { mayWait } from "../reuse/choice.ts";
import type { Found } from "../reuse/find.ts";
import { refuseEarlierJoin, refuseEarlierRows } from "../reuse/live.ts";
import { answeredByPending } from "../reuse/pending.ts";
import { tellRefuted } from "../reuse/refuted.ts";
import { type Drawn, type Resolution, waitingFor } from "../reuse/resolve.ts";
import type { VersionedTable } from "../reuse/versioned-table.ts";
import { refuseUnreachable } from "../sources/reach.ts";
import { asJson, refuseErased, uploadsOf } from "../sources/tables.ts";
import { traced } from "../telemetry/current.ts";
import { refuseOtherStep } from "./continued.ts";
import { LEASE_SECONDS, type ReleaseDeps } from "./deps.ts";
import { answersFrom } from "./earlier.ts";
import { type PlanRequest, type PreparedRelease, prepareRelease, type Quoted } from "./prepare.ts";
import { type AskedRequest, refuseOtherRequest, requestOf, type StoredRequest, sourcesOf } from "./request.ts";

export interface ReleaseRequest
  extends Pick<PlanRequest, "dataset" | "asOf" | "plan" | "other" | "choice" | "readers" | "continues" | "admit"> {
  readonly principal: PrincipalId;
  readonly account: AccountId;
  /** Idempotency key: the same key is charged once. */
  readonly key: string;
  readonly schedule?: ScheduleId;
  /** Whether the paying account also pays the original price of earlier answers. */
  readonly price: ReusePolicy["price"];
  /** What an AI agent says that it asks for. */
  readonly purpose: string | null;
}

/** A durable charge, and its release where nothing is drawn: both are written in one commit. */
export interface Charged {
  readonly charge: Charge;
  readonly release: Release | null;
  /** What it paid for; null where it was charged before. */
  readonly prepared: PreparedRelease | null;
}

/** What other unfinished charges mean for this one. */
interface Others {
  readonly waits: Resolution[];
  /** Charges of the same question whose answers cannot be used. */
  readonly except: ChargeId[];
}

/** A quoted plan at one moment: the rows to draw, and their questions, which no other charge may draw at the same time. */
interface Attempt extends Quoted {
  readonly horizon: bigint;
  readonly claimable: readonly Found[];
}

/**
 * Step 2. Reads no private byte. When it returns, the events of what is drawn are durably debited from the ledger and every
 * account on the path, once for this key, and so is what its account pays for earlier answers; when it throws, nothing was. Only
 * the caps of who asks have then counted the earlier answers.
 */
export const chargeRequest = (deps: ReleaseDeps, request: ReleaseRequest): Promise<Charged> =>
  traced("charge", { dataset: request.dataset.id }, () => decide(deps, request));

async function decide(deps: ReleaseDeps, request: ReleaseRequest): Promise<Charged> {
  checkReason(request.plan);
  const others: Others = { waits: [], except: [] };
  for (;;) {
    const before = await chargedBefore(deps.database, request);
    if (before !== null) return before;
    const attempt = await quoteNow(deps, request, others);
    try {
      return await recordCharge(deps, request, attempt, others);
    } catch (error) {
      // Another charge is drawing the same question: this one waits where that answer can be used.
      if (error instanceof QuestionClaimed) {
        await considerClaim(deps.database, request, attempt, { claimed: error.charge, others });
        continue;
      }
      // The same key was charged in the meantime: that decision stays.
      const meanwhile = await chargedBefore(deps.database, request);
      if (meanwhile !== null) return meanwhile;
      throw error;
    }
  }
}

export const storedOf = ({ dataset, account, plan, choice, asOf }: ReleaseRequest): AskedRequest => ({
  dataset: dataset.id,
  account,
  plan,
  ...(choice === "never" ? {} : { reuse: choice }),
  asOf,
});

async function chargedBefore({ releases }: LedgerDatabase, request: ReleaseRequest): Promise<Charged | null> {
  const charge = await releases.chargeByKey({ principal: request.principal, key: request.key });
  if (charge === null) return null;
  refuseOtherRequest(charge, storedOf(request));
  return { charge, release: null, prepared: null };
}

async function quoteNow(deps: ReleaseDeps, request: ReleaseRequest, { waits }: Others): Promise<Attempt> {
  const { choice } = request;
  const horizon = choice === "never" ? 0n : await deps.database.reuse.horizon();
  const quoted = await prepareRelease(deps, { ...request, people: null, isSameEnough: choice === "asAccurate" });
  const decided = await waitingFor(quoted, waits);
  const { about, found, continues, drawn } = decided;
  await refuseOtherStep(deps, continues, decided.bounded);
  if (drawn !== null) await refuseUndrawable(deps, request, about, drawn);
  deps.step("release.bounded");
  const rows = new Set(drawn?.bounded.statistics.map(({ id }) => id));
  // Every sample is a question of its own and waits for no other charge.
  const claimable = found.filter(
    ({ asked: { statistic } }) =>
      rows.has(statistic.id) && statistic.sampling === undefined && mayWait(choice, statistic.id),
  );
  return { ...decided, horizon, claimable };
}

/** Refuses rows that cannot be read: gone, out of reach, or by a statement that is too long for their database. */
async function refuseUndrawable(
  deps: ReleaseDeps,
  { dataset, asOf, other }: ReleaseRequest,
  { version, declaration }: VersionedTable,
  { plan, bounded }: Drawn,
): Promise<void> {
  const { source } = declaration;
  if (asOf !== null && isLive(source)) refuseEarlierRows(version, dataset.version);
  if (other !== null) refuseEarlierJoin(bounded, source, other.version);
  await refuseUnreachable(deps.reach, source);
  refuseErased(declaration);
  if (limitsStatements(source)) await deps.measurer.run("checkSize", { plan, declaration });
}

/** Refuses a plan that the budget cannot pay. */
async function recordCharge(
  deps: ReleaseDeps,
  request: ReleaseRequest,
  attempt: Attempt,
  { waits, except }: Others,
): Promise<Charged> {
  const { about, bounded, horizon, claimable, drawn, resolutions } = attempt;
  const { database, owner, step } = deps;
  const { principal, account, dataset, key, readers, price } = request;
  const events = drawn === null ? [] : eventsOf(drawn.bounded);
  const sources = sourcesOf(resolutions);
  // Caps pay before anything is decided, because their holder learns from the decision. [M151, M184]
  for (const charge of sources) await database.ledgers.readUnderCaps({ charge, reader: principal });
  await database.ledgers.refuseUnreadable({ reader: principal, account, events });
  const ready = drawn === null && !resolutions.some((one) => waits.includes(one)) ? await answersFrom(attempt) : null;
  const keys = claimable.map(({ key: hash }) => hash);
  const paying: Parameters<typeof database.ledgers.charge>[0] = {
    ...{ principal, account, dataset: dataset.id, key },
    ...present({ schedule: request.schedule }),
    request: asJson(decidedRequest(request, attempt)),
    events,
    uploads: drawn === null ? [] : uploadsOf(about.declaration),
    ...present({ window: bounded.window }),
    ...(price === "ownLevel" && sources.length > 0 ? { readings: sources } : {}),
    purpose: request.purpose,
    asked: asJson(storedOf(request)),
    adjacency: bounded.adjacency,
    lease: { owner, seconds: LEASE_SECONDS },
    reusesOnly: drawn === null,
    ...(ready === null ? {} : { answers: ready.stored }),
    ...(keys.length === 0 ? {} : { claims: { keys, readers, horizon, except } }),
  };
  const charged = await traced("ledger.charge", {}, () => database.ledgers.charge(paying));
  step("release.charged");
  const { charge, release, repeated } = charged;
  if (!repeated) await tellRefuted(database, about, ready?.refuted ?? []);
  return { charge, release, prepared: repeated ? null : withoutOffers(attempt) };
}

/** What is needed until the answers are stored: the offers, which may be large, are not. */
const withoutOffers = ({ about, plan, bounded, found, resolutions, drawn, continues }: Attempt): PreparedRelease => ({
  ...{ about, plan, bounded, resolutions, drawn, continues },
  found: found.map((one) => ({ ...one, ways: [], earlier: [] })),
});

/** The request, with what was decided about it: from this it is measured, also by another server. */
const decidedRequest = (request: ReleaseRequest, { about, plan, bounded, resolutions }: Attempt): StoredRequest => ({
  ...storedOf(request),
  version: about.version,
  ...joinedAt(about, request),
  software: VERSION,
  ...(bounded.window === undefined ? {} : { window: plan.window as NonNullable<StoredRequest["window"]> }),
  ...(resolutions.length === 0 ? {} : { resolutions }),
  ...present({ continues: request.continues }),
});

/** The version of the joined dataset, so that what is measured later is what was priced. */
const joinedAt = ({ declaration }: VersionedTable, { other }: ReleaseRequest): Pick<StoredRequest, "joined"> => {
  const joinable = other === null ? undefined : declaration.joinable?.[other.id];
  return joinable === undefined ? {} : { joined: joinable.version };
};

/** Another charge is drawing this question: waits for its rows where their answers can be used, else ignores them. */
async function considerClaim(
  database: LedgerDatabase,
  { choice, readers }: ReleaseRequest,
  { about, claimable }: Attempt,
  { claimed, others }: { readonly claimed: ChargeId; readonly others: Others },
): Promise<void> {
  const other = await database.releases.chargeOf(claimed);
  if (other.status === "released") return;
  const rows = await answeredByPending(
    await pendingOf(other, readers, database),
    claimable.map(({ asked }) => asked),
    { choice, about },
  );
  others.waits.push(...rows);
  if (rows.length === 0) others.except.push(claimed);
}

/** The request of another charge; of its top-ups only those of answers that these readers may see. */
async function pendingOf(charge: Charge, readers: Readers, { reuse }: LedgerDatabase) {
  const { plan, version = null, joined = null, resolutions = [] } = requestOf(charge);
  const closed = new Set<string>();
  for (const { row, kind, from } of resolutions) {
    if (kind !== "refined") continue;
    const sources = await reuse.rows(from);
    if (sources.length < from.length || !sources.every((one) => mayRead(readers, one))) closed.add(row);
  }
  return { charge: charge.id, plan, version, joined, resolutions, closed };
}
