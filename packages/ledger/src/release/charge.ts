import {
  type ActiveRule,
  type Adjacency,
  type BlockRange,
  type DpEvent,
  formatDelta,
  formatEpsilon,
  invalid,
  type Mu2Quote,
  PrivacyError,
  parseEvent,
} from "@dosimeter/core";
import { canonicalJson, present } from "@dosimeter/core/internal";
import { sql } from "kysely";
import type { Context } from "../context.ts";
import { rowsOf, rowWith } from "../stores/row.ts";
import type { Tx } from "../stores/store.ts";
import type { Tables } from "../stores/tables.ts";
import { found } from "../values/check.ts";
import {
  type AccountId,
  type ChargeId,
  type DatasetId,
  entryOf,
  type LedgerId,
  type PrincipalId,
  type ScheduleId,
} from "../values/id.ts";
import { instants } from "../values/instant.ts";
import type { Json } from "../values/json.ts";
import { checkRanges } from "../values/window-ranges.ts";
import type { Claims } from "./claim.ts";
import { LOST } from "./lost.ts";
import type { NewAnswers } from "./statistic.ts";

/** The durable debit of a plan's events. */
export interface Charge {
  readonly id: ChargeId;
  readonly ledger: LedgerId;
  readonly account: AccountId;
  readonly principal: PrincipalId;
  readonly dataset: DatasetId;
  readonly key: string;
  /** `declared`: a program outside, whose answers are not here. */
  readonly status: Tables["charge"]["status"];
  /** Its answer may have been given before the database was restored, so it is never measured again and stays charged. */
  readonly isLost: boolean;
  /** The request as the server gave it; recovery runs it again. */
  readonly request: Json;
  readonly events: readonly DpEvent[];
  readonly activeRule: ActiveRule;
  /** Cost by addition; ε is null where Gaussian noise has no such price. */
  readonly price: { readonly epsilon: string | null; readonly delta: string };
  readonly entry: number;
  readonly entryHash: string;
  readonly leaseOwner: string;
  readonly leaseUntil: string;
  /** How often someone took its lease; 1 at first. */
  readonly tries: number;
  readonly at: string;
}

export interface ChargeRequest {
  readonly principal: PrincipalId;
  /** The paying account: the principal's own. */
  readonly account: AccountId;
  /** The schedule whose report this is: an account that was set aside for one pays for nothing else. */
  readonly schedule?: ScheduleId;
  readonly dataset: DatasetId;
  /** Idempotency key, 1 to 200 characters, unique per principal. */
  readonly key: string;
  /** The plan, opaque here. The same key with another account, dataset or request is IDEMPOTENCY_CONFLICT. */
  readonly request: Json;
  readonly events: readonly DpEvent[];
  /** The blocks that the events are about, where the ledger has blocks: each of them pays for all events, or none does. [M160] */
  readonly window?: readonly BlockRange[];
  /** Neighbour relation the events were priced for; must be the population's. */
  readonly adjacency: Adjacency;
  readonly lease: Lease;
  /** The uploads that will be read: DATA_UNREADABLE once one of them was erased. */
  readonly uploads?: readonly string[];
  /** Every row comes from earlier answers, so there may be no events and no cost. */
  readonly reusesOnly?: boolean;
  /** The answers of a charge without events, released in the same transaction. */
  readonly answers?: NewAnswers;
  /** Refused as CONFLICT, `name: "claim"`, while another charge answers one of these questions, or has answered it since. */
  readonly claims?: Claims;
  /** Earlier charges for whose answers the path pays as well, once and in this transaction. */
  readonly readings?: readonly ChargeId[];
  /** Of a program outside: nothing is measured, and its account needs the right to. */
  readonly isDeclared?: boolean;
  /** Stated by an AI agent; INVALID_PARAMETER of anyone else. */
  readonly purpose?: string | null;
  /** Shown to its person to confirm; the request when absent. */
  readonly asked?: Json;
}

/** The process that works on a charge, and the seconds after which another may. */
export interface Lease {
  readonly owner: string;
  readonly seconds: number;
}

export interface CheckedRequest extends ChargeRequest {
  readonly requestText: string;
  readonly requestHash: string;
  readonly eventsText: string;
  /** Plan prices that were made before the transaction. */
  readonly priced?: Priced;
}

/** Quotes for filters with these r. Where an r has changed since, they are computed again, except on the last try. */
export interface Priced {
  readonly remaining: readonly (bigint | null)[];
  readonly quotes: readonly Mu2Quote[];
  readonly isLast: boolean;
}

const MAX_KEY_LENGTH = 200;
const MAX_LEASE_SECONDS = 86_400;

/** Throws INVALID_PARAMETER or UNSUPPORTED_EVENT before anything is queued. */
export function checkRequest({ store }: Context, request: ChargeRequest): CheckedRequest {
  const { key, events, lease, account, dataset } = request;
  if (key.length < 1 || key.length > MAX_KEY_LENGTH) {
    invalid("key", key.length, "1 to 200 characters");
  }
  if (!(lease.seconds > 0 && lease.seconds <= MAX_LEASE_SECONDS)) {
    invalid("lease.seconds", lease.seconds, "above 0, at most a day");
  }
  if (events.length === 0 && request.reusesOnly !== true) throw new PrivacyError("EMPTY_PLAN");
  if (events.length > 0 && request.answers !== undefined) {
    invalid("answers", undefined, "absent: what is drawn is charged before it");
  }
  const parsed = events.map((event, index) => parseEvent(event, `events[${index}]`));
  const requestText = canonicalJson(request.request);
  const window = request.window === undefined ? undefined : checkRanges(request.window);
  return {
    ...request,
    events: parsed,
    ...present({ window }),
    requestText,
    requestHash: store.sha256(requestLine({ account, dataset, window }, requestText)),
    eventsText: JSON.stringify(parsed),
  };
}

/** The text whose SHA-256 identifies a request: canonical JSON of account, dataset and request, and of the blocks where it names any. */
export function requestLine(
  { account, dataset, window }: Pick<ChargeRequest, "account"> & { dataset: string; window?: ChargeRequest["window"] },
  requestText: string,
): string {
  const blocks = window === undefined ? "" : `,${JSON.stringify(window.map(({ from, to }) => [from, to]))}`;
  return `[${JSON.stringify(account)},${JSON.stringify(dataset)},${requestText}${blocks}]`;
}

const leaseEnd = instants();

/** `now` in milliseconds. */
export const leaseUntil = (now: number, { seconds }: Lease): string => leaseEnd(Math.trunc(now + seconds * 1000));

export type EntryFacts = Pick<
  Tables["entry"],
  "number" | "hash" | "active_rule" | "events" | "price_epsilon" | "price_delta"
>;
export type ChargeWithEntry = Tables["charge"] & EntryFacts;

/** Each charge with what its entry says of it. */
export const WITH_ENTRY = `SELECT charge.*, entry.number, entry.hash, entry.active_rule, entry.events,
    entry.price_epsilon, entry.price_delta
  FROM charge JOIN entry ON entry.seq = charge.entry_seq`;
const BY_ID = `${WITH_ENTRY} WHERE charge.entry_seq = ? AND charge.id = ?`;
const BY_KEY = `${WITH_ENTRY} WHERE charge.principal_id = ? AND charge.key = ?`;

/** `known`: the parsed texts, when the caller has just written them. */
export const toCharge = (
  row: Tables["charge"],
  entry: EntryFacts,
  known?: Pick<ChargeRequest, "request" | "events">,
): Charge => ({
  id: row.id,
  ledger: row.ledger_id,
  account: row.account_id,
  principal: row.principal_id,
  dataset: row.dataset_id,
  key: row.key,
  status: row.status,
  isLost: row.status === "charged" && row.lease_owner === LOST,
  request: known?.request ?? (JSON.parse(row.request) as Json),
  events: known?.events ?? (JSON.parse(entry.events) as DpEvent[]),
  activeRule: entry.active_rule,
  price: {
    epsilon: entry.price_epsilon === null ? null : formatEpsilon(entry.price_epsilon),
    delta: formatDelta(entry.price_delta),
  },
  entry: Number(entry.number),
  entryHash: entry.hash,
  leaseOwner: row.lease_owner,
  leaseUntil: row.lease_until,
  tries: Number(row.tries),
  at: row.at,
});

/** NOT_FOUND. */
export async function chargeRow(db: Tx["db"], id: string): Promise<Tables["charge"]> {
  return found(await rowWith(db, "charge", { entry_seq: entryOf(id) ?? 0n, id }), "charge", id);
}

export const chargeOf = ({ store }: Context, id: string): Promise<Charge> => chargeWithEntry(store.read, id);

export async function chargeWithEntry(db: Tx["db"], id: string): Promise<Charge> {
  const [first] = await rowsOf<ChargeWithEntry>(db, BY_ID, [entryOf(id) ?? 0n, id]);
  const row = found(first, "charge", id);
  return toCharge(row, row);
}

interface Keyed {
  readonly principal: PrincipalId;
  readonly key: string;
}

export async function chargeByKey(context: Context, keyed: Keyed): Promise<Charge | null> {
  const row = await rowByKey(context, keyed);
  return row === null ? null : toCharge(row, row);
}

export async function rowByKey(
  { store: { read } }: Context,
  { principal, key }: Keyed,
): Promise<ChargeWithEntry | null> {
  const [row] = await rowsOf<ChargeWithEntry>(read, BY_KEY, [principal, key]);
  return row ?? null;
}

/**
 * Charges whose answers are not stored yet, oldest first: all, or those of a person, a dataset or an account. Few wait: the
 * empty texts keep the query planner from reading everything that a person has ever charged.
 */
export async function pendingCharges(
  { store: { read } }: Context,
  { principal, dataset, account }: Partial<{ [K in "principal" | "dataset" | "account"]: Charge[K] | undefined }> = {},
): Promise<readonly Charge[]> {
  let pending = read.selectFrom("charge").select("id").where("status", "=", "charged");
  if (principal !== undefined) pending = pending.where(sql<boolean>`principal_id || '' = ${principal}`);
  if (dataset !== undefined) pending = pending.where(sql<boolean>`dataset_id || '' = ${dataset}`);
  if (account !== undefined) pending = pending.where(sql<boolean>`account_id || '' = ${account}`);
  const rows = await pending.orderBy("entry_seq").execute();
  return Promise.all(rows.map(({ id }) => chargeWithEntry(read, id)));
}
