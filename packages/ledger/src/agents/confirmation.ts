import { type EpsilonAmount, formatEpsilon, invalid, PrivacyError } from "@dosimeter/core";
import { canonicalJson, visible } from "@dosimeter/core/internal";
import { change } from "../audit/change.ts";
import { images } from "../audit/image.ts";
import type { Context } from "../context.ts";
import { presentRow } from "../people/principal.ts";
import { putRow, record, rowWith, setRow } from "../stores/row.ts";
import type { Tx } from "../stores/store.ts";
import type { Tables } from "../stores/tables.ts";
import { checkNote, found, usedKey } from "../values/check.ts";
import { type AccountId, type By, type DatasetId, newId, type PrincipalId } from "../values/id.ts";
import type { Json } from "../values/json.ts";
import { type AgentLimits, needsClick } from "./limits.ts";

/** A release of an AI agent that costs more than it may spend by itself. */
export interface Confirmation {
  readonly id: string;
  readonly agent: PrincipalId;
  /** The token that asked. */
  readonly credential: string;
  readonly account: AccountId;
  readonly dataset: DatasetId;
  /** The idempotency key of the release. */
  readonly key: string;
  /** The request, as the server gave it. */
  readonly asked: Json;
  /** The most that the release may cost, by addition; null where it has no price in ε. */
  readonly epsilon: EpsilonAmount | null;
  readonly purpose: string | null;
  readonly status: Tables["confirmation"]["status"];
  readonly askedAt: string;
  /** Asked again unless charged by then. */
  readonly expiresAt: string;
}

const toConfirmation = (row: Tables["confirmation"]): Confirmation => ({
  ...record(row, "id", "credential_id", "account_id", "dataset_id", "key", "epsilon", "purpose", "status", "asked_at"),
  ...record(row, "expires_at"),
  agent: row.principal_id,
  asked: JSON.parse(row.asked) as Json,
});

/** How long a release waits for a click, and a click for the release. */
const WAIT_MS = 24 * 3_600_000;
/** Of one agent, not decided yet. */
const MAX_PENDING = 20;
const MAX_PURPOSE_LENGTH = 500;

/** Trimmed, one line of at most 500 characters that are seen; null when nothing is left. */
export function checkPurpose(purpose: string | null | undefined): string | null {
  const text = checkNote(purpose ?? "").replace(/\s+/g, " ");
  if (text.length > MAX_PURPOSE_LENGTH) invalid("purpose", text.length, `at most ${MAX_PURPOSE_LENGTH} characters`);
  if (visible(text) !== text) invalid("purpose", visible(text), "characters that are seen");
  return text === "" ? null : text;
}

/** A charge and the click for it agree on these. */
type ReleaseRequest = Pick<Confirmation, "account" | "dataset" | "key" | "epsilon"> & {
  readonly principal: PrincipalId;
  readonly asked: Json;
};

const isSame = (row: Tables["confirmation"], { account, dataset, asked }: ReleaseRequest): boolean =>
  row.account_id === account && row.dataset_id === dataset && row.asked === canonicalJson(asked);

const covers = (row: Tables["confirmation"], { epsilon }: ReleaseRequest): boolean =>
  row.epsilon === null || (epsilon !== null && epsilon <= row.epsilon);

/** The request under a key, and whether its token is still good. */
export interface Click {
  readonly row: Tables["confirmation"];
  readonly isLive: boolean;
}

export async function clickOf(
  { db }: Pick<Tx, "db">,
  { principal, key, at }: { readonly principal: PrincipalId; readonly key: string; readonly at: string },
): Promise<Click | undefined> {
  const row = await rowWith(db, "confirmation", { principal_id: principal, key });
  if (row === undefined) return undefined;
  return { row, isLive: !hasEnded(await rowWith(db, "credential", { id: row.credential_id }), at) };
}

const hasEnded = (credential: Tables["credential"] | undefined, at: string): boolean =>
  credential === undefined || credential.ended_at !== null || credential.expires_at <= at;

/**
 * CONFIRMATION_NEEDED unless the person has confirmed this very release, at this price or more, not too long ago, and for a token
 * that is still good. Gives what they confirmed; null where no click is needed.
 */
export function refuseUnconfirmed(
  limits: AgentLimits,
  click: Click | undefined,
  asked: ReleaseRequest & { readonly at: string },
): Tables["confirmation"] | null {
  const { epsilon, at } = asked;
  const most = needsClick(limits, epsilon);
  if (most === null) return null;
  if (click?.isLive === true) {
    const { row } = click;
    if (row.status === "confirmed" && row.expires_at > at && isSame(row, asked) && covers(row, asked)) return row;
  }
  const [requested, available] = [epsilon === null ? null : formatEpsilon(epsilon), formatEpsilon(most)];
  throw new PrivacyError("CONFIRMATION_NEEDED", {
    dimension: "confirm",
    requested,
    available,
    largestEpsilon: available,
  });
}

/**
 * Lets a release wait for a click; asked again under the same key it is the same one. What was refused stays refused. What has
 * expired, costs more than was confirmed, or was asked by a token that has ended waits again. CONFLICT with too many that wait.
 */
export function askConfirmation(
  context: Context,
  { credential, purpose, ...asked }: ReleaseRequest & { readonly credential: string; readonly purpose: string | null },
): Promise<Confirmation> {
  const { principal, account, dataset, key, epsilon } = asked;
  const { store } = context;
  return change(context, async (tx, chain) => {
    const now = store.now();
    const known = await clickOf(tx, { principal, key, at: now });
    const before = known?.row;
    if (before !== undefined) {
      if (!isSame(before, asked)) throw usedKey(key);
      const isOver = known?.isLive === false || before.expires_at <= now || !covers(before, asked);
      if (before.status === "refused" || !isOver) return toConfirmation(before);
    }
    await refuseMany(tx, { principal, now });
    const row: Tables["confirmation"] = {
      id: before?.id ?? newId("confirmation"),
      principal_id: principal,
      credential_id: credential,
      account_id: account,
      dataset_id: dataset,
      key,
      asked: canonicalJson(asked.asked),
      epsilon,
      purpose: checkPurpose(purpose),
      status: "pending",
      asked_at: now,
      expires_at: new Date(Date.parse(now) + WAIT_MS).toISOString(),
      decided_at: null,
    };
    await putRow(tx.db, "confirmation", row, "id");
    chain.append({ actor: principal, action: "confirmation.ask", ...images.confirmation(row) });
    return toConfirmation(row);
  });
}

async function refuseMany(
  { db }: Tx,
  { principal, now }: { readonly principal: PrincipalId; readonly now: string },
): Promise<void> {
  const pending = await live(db, { agents: [principal], now })
    .where("status", "=", "pending")
    .execute();
  if (pending.length >= MAX_PENDING)
    throw new PrivacyError("CONFLICT", {
      name: "confirmations",
      got: pending.length,
      want: `less than ${MAX_PENDING}`,
    });
}

/** Requests of these agents that can still be charged: neither they nor their tokens have ended. */
const live = (db: Tx["db"], { agents, now }: { readonly agents: readonly PrincipalId[]; readonly now: string }) =>
  db
    .selectFrom("confirmation")
    .innerJoin("credential", "credential.id", "confirmation.credential_id")
    .selectAll("confirmation")
    .where("confirmation.principal_id", "in", [...agents])
    .where("confirmation.expires_at", ">", now)
    .where("credential.ended_at", "is", null)
    .where("credential.expires_at", ">", now);

/**
 * The person's decision. NOT_FOUND for anyone but the person for whom the agent acts. What was confirmed can be refused until it is
 * charged. CONFLICT once it was charged or refused, and to confirm what has expired, or whose agent or token has ended.
 */
export function decideConfirmation(
  context: Context,
  { confirmation, verdict, by }: By & { readonly confirmation: string; readonly verdict: "confirmed" | "refused" },
): Promise<Confirmation> {
  const { store } = context;
  return change(context, async (tx, chain) => {
    const before = found(await rowWith(tx.db, "confirmation", { id: confirmation }), "confirmation", confirmation);
    const behind = await rowWith(tx.db, "service", { principal_id: before.principal_id });
    if (behind?.on_behalf_of !== by) throw new PrivacyError("NOT_FOUND", { name: "confirmation", got: confirmation });
    if (verdict === "confirmed") await refuseEnded(tx, before, store.now());
    if (before.status === verdict) return toConfirmation(before);
    if (before.status === "refused")
      throw new PrivacyError("CONFLICT", { name: "confirmation", got: "refused", want: "one that was not refused" });
    if ((await rowWith(tx.db, "charge", { principal_id: before.principal_id, key: before.key })) !== undefined)
      throw new PrivacyError("CONFLICT", { name: "confirmation", got: "charged", want: "one that was not charged" });
    const row = { ...before, status: verdict, decided_at: store.now() };
    await setRow(tx.db, "confirmation", { id: row.id }, { status: verdict, decided_at: row.decided_at });
    chain.append({ actor: by, action: "confirmation.decide", detail: { verdict }, ...images.confirmation(row) });
    return toConfirmation(row);
  });
}

async function refuseEnded(tx: Tx, row: Tables["confirmation"], now: string): Promise<void> {
  const credential = await rowWith(tx.db, "credential", { id: row.credential_id });
  await presentRow(tx, row.principal_id);
  const what = row.expires_at <= now ? "the question" : hasEnded(credential, now) ? "the token that asked" : null;
  if (what !== null)
    throw new PrivacyError("CONFLICT", { name: "confirmation" }, `${what} has ended: the agent has to ask again`);
}

/** NOT_FOUND. */
export async function confirmation({ store: { read } }: Context, id: string): Promise<Confirmation> {
  return toConfirmation(found(await rowWith(read, "confirmation", { id }), "confirmation", id));
}

/** Of these agents, what waits for a click now, and what was confirmed and is not charged yet, oldest first. Nothing of a token that has ended. */
export async function openConfirmations(
  { store }: Context,
  { agents }: { readonly agents: readonly PrincipalId[] },
): Promise<readonly Confirmation[]> {
  if (agents.length === 0) return [];
  const rows = await live(store.read, { agents, now: store.now() })
    .where("status", "in", ["pending", "confirmed"])
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom("charge")
            .select("charge.id")
            .whereRef("charge.principal_id", "=", "confirmation.principal_id")
            .whereRef("charge.key", "=", "confirmation.key"),
        ),
      ),
    )
    .orderBy("asked_at")
    .orderBy("confirmation.id")
    .execute();
  return rows.map(toConfirmation);
}
