import { formatDelta, formatEpsilon } from "@dosimeter/core";
import type { Writing } from "../audit/chain.ts";
import type { Context } from "../context.ts";
import { record, rowWith } from "../stores/row.ts";
import type { Tx } from "../stores/store.ts";
import type { Tables } from "../stores/tables.ts";
import { found } from "../values/check.ts";
import { type Unpaid, unpaidIn, withPrograms } from "../values/declared.ts";
import {
  type AccountId,
  type ChargeId,
  type DatasetId,
  type LedgerId,
  newId,
  type PrincipalId,
  type ReleaseId,
} from "../values/id.ts";
import type { Json } from "../values/json.ts";
import { chargeRow } from "./charge.ts";
import { indexRelease, type NewAnswers } from "./statistic.ts";

/** Proof of what was paid for these answers; every fact in it is public. */
export interface Receipt {
  readonly release: ReleaseId;
  readonly charge: ChargeId;
  readonly ledger: LedgerId;
  readonly entry: number;
  readonly entryHash: string;
  readonly epsilon: string | null;
  readonly delta: string;
  readonly guaranteeVersion: number;
  /** SHA-256 of the answers' text as stored. */
  readonly answersHash: string;
  readonly at: string;
}

/** The noisy answers of one charge, stored for ever. */
export interface Release {
  readonly id: ReleaseId;
  readonly charge: ChargeId;
  readonly ledger: LedgerId;
  readonly account: AccountId;
  readonly principal: PrincipalId;
  readonly dataset: DatasetId;
  readonly request: Json;
  readonly answers: Json;
  /** The guarantee sentence in force when it was released. */
  readonly sentence: string;
  readonly receipt: Receipt;
  readonly at: string;
}

type ChargeRow = Tables["charge"];
type ReleaseRow = Tables["release"];

const LAST = "SELECT seq FROM release ORDER BY seq DESC LIMIT 1";
/** Of a frozen ledger also the line that says why. */
export const SENTENCE = `SELECT g.version, g.sentence, coalesce((SELECT programs FROM declared_charge d WHERE d.ledger_id = l.id
    ORDER BY d.entry_seq DESC LIMIT 1), 0) + (SELECT count(*) FROM entry e WHERE e.ledger_id = l.id AND e.kind <> 'charge'
    AND e.key IS NOT NULL) AS programs, CASE WHEN l.status = 'frozen' THEN (SELECT a.detail FROM audit a WHERE a.ledger_id = l.id
    AND a.action IN ('ledger.freeze', 'ledger.reopen') ORDER BY a.seq DESC LIMIT 1) END AS freeze
  FROM guarantee_version g JOIN ledger l ON l.id = g.ledger_id AND l.version = g.version WHERE l.id = ?`;
const APPEND = `INSERT INTO release (seq, id, charge_id, entry_seq, answers, sentence, receipt, at)
  VALUES (?, ?, ?, ?, ?, ?, ?, ?)`;

export type EntryFacts = Pick<Tables["entry"], "number" | "hash" | "price_epsilon" | "price_delta">;

/** Answers with their receipt, to be written after their charge. */
export interface Answered {
  readonly charge: ChargeRow;
  readonly given: NewAnswers;
  readonly row: Omit<ReleaseRow, "seq">;
  readonly release: Release;
}

export type Guarantee = Pick<Tables["guarantee_version"], "version" | "sentence">;

export async function guaranteeOf(tx: Tx, ledger: LedgerId): Promise<Guarantee> {
  return promised(found((await tx.get(SENTENCE, [ledger])) as PromisedRow | undefined, "guarantee", ledger));
}

/** A row of `SENTENCE`. */
export type PromisedRow = Guarantee & { readonly programs: bigint; readonly freeze: string | null };

/** `unpaid`: what was published and is not counted, where the row is from before that was known. */
export const promised = (
  { version, sentence, programs, freeze }: PromisedRow,
  unpaid: Unpaid | null = unpaidIn(freeze),
): Guarantee => ({ version, sentence: withPrograms(sentence, Number(programs), unpaid) });

interface Answering {
  readonly charge: ChargeRow;
  readonly entry: EntryFacts;
  readonly given: NewAnswers;
  readonly guarantee: Guarantee;
}

export function answeredBy({ store }: Context, { charge, entry, given, guarantee }: Answering): Answered {
  const text = given.text ?? JSON.stringify(given.answers);
  const epsilon = entry.price_epsilon;
  const receipt: Receipt = {
    release: newId("release"),
    charge: charge.id,
    ledger: charge.ledger_id,
    entry: Number(entry.number),
    entryHash: entry.hash,
    epsilon: epsilon === null ? null : formatEpsilon(epsilon),
    delta: formatDelta(entry.price_delta),
    guaranteeVersion: Number(guarantee.version),
    answersHash: store.sha256(text),
    at: store.now(),
  };
  const row = {
    id: receipt.release,
    charge_id: charge.id,
    entry_seq: charge.entry_seq,
    answers: text,
    sentence: guarantee.sentence,
    receipt: JSON.stringify(receipt),
    at: receipt.at,
  };
  return { charge, given, row, release: toRelease(row, charge, given.answers) };
}

/** `seq` of the newest release; 0 before the first. */
export async function lastRelease(tx: Tx): Promise<bigint> {
  return ((await tx.get(LAST, []))?.seq as bigint | undefined) ?? 0n;
}

/** Writes a release, its index and its audit line. */
export async function putRelease(
  { step }: Context,
  { tx, chain }: Writing,
  { seq, charge, given, row: unnumbered }: Answered & { readonly seq: bigint },
): Promise<void> {
  const { statistics = [], reuses = [] } = given;
  const row: ReleaseRow = { seq, ...unnumbered };
  const { id, charge_id, entry_seq, answers, sentence, receipt, at } = row;
  await tx.run(APPEND, [seq, id, charge_id, entry_seq, answers, sentence, receipt, at]);
  step("release.answers");
  await indexRelease(tx, charge, { statistics, reuses, at });
  chain.append({
    actor: charge.principal_id,
    action: "release.create",
    subject: id,
    ledger: charge.ledger_id,
    detail: { charge: charge.id },
    image: row,
  });
  step("release.written");
}

/** A release as it is stored; its answers where they are at hand already, as many take long to read again. */
export const toRelease = (
  row: Omit<ReleaseRow, "seq">,
  charge: ChargeRow,
  answers: Json = JSON.parse(row.answers) as Json,
): Release => ({
  ...record(row, "id", "charge_id", "sentence", "at"),
  ledger: charge.ledger_id,
  account: charge.account_id,
  principal: charge.principal_id,
  dataset: charge.dataset_id,
  request: JSON.parse(charge.request) as Json,
  answers,
  receipt: JSON.parse(row.receipt) as Receipt,
});

export async function releaseOf({ store: { read } }: Context, id: ChargeId): Promise<Release | null> {
  const charge = await chargeRow(read, id);
  const row = await rowWith(read, "release", { entry_seq: charge.entry_seq });
  return row === undefined ? null : toRelease(row, charge);
}
