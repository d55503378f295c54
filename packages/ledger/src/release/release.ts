import { type DeltaAmount, type EpsilonAmount, formatDelta, formatEpsilon, PrivacyError } from "@dosimeter/core";
import { openChain } from "../audit/chain.ts";
import type { PageOptions } from "../books.ts";
import { checkCursor, checkLimit, found } from "../check.ts";
import type { Context } from "../context.ts";
import { grouped } from "../group.ts";
import {
  type AccountId,
  type ChargeId,
  type DatasetId,
  entryOf,
  type LedgerId,
  newId,
  type PrincipalId,
  type ReleaseId,
} from "../id.ts";
import type { Json } from "../json.ts";
import { chargeRow } from "../ledger/charge.ts";
import type { Page } from "../ledger/entry.ts";
import type { Tx } from "../store.ts";
import type { Tables } from "../tables.ts";
import { indexRelease, type NewReuse, type NewStatistic } from "./statistic.ts";

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

export interface Completion {
  readonly charge: ChargeId;
  readonly owner: string;
  readonly answers: Json;
  /** The rows that were drawn, for whoever asks the same later; and those that were not. */
  readonly statistics?: readonly NewStatistic[];
  readonly reuses?: readonly NewReuse[];
}

type ChargeRow = Tables["charge"];
type ReleaseRow = Tables["release"];

const LAST = "SELECT seq FROM release ORDER BY seq DESC LIMIT 1";
const CHARGE = "SELECT * FROM charge WHERE entry_seq = ? AND id = ?";
const RELEASE = "SELECT * FROM release WHERE entry_seq = ?";
const ENTRY = "SELECT number, hash, price_epsilon, price_delta FROM entry WHERE seq = ?";
const SENTENCE = `SELECT g.version, g.sentence FROM guarantee_version g JOIN ledger l ON l.id = g.ledger_id AND l.version = g.version
  WHERE l.id = ?`;
const APPEND = `INSERT INTO release (seq, id, charge_id, entry_seq, answers, sentence, receipt, at)
  VALUES (?, ?, ?, ?, ?, ?, ?, ?)`;
const FINISH = "UPDATE lease SET status = 'released' WHERE entry_seq = ?";

/** Stores answers durably, with the sentence in force and a receipt; releases finished together share one commit. */
export function completer(context: Context): (completion: Completion) => Promise<Release> {
  const { store, step } = context;
  return grouped({
    store,
    most: context.commitGroup,
    open: async (tx) => {
      const chain = await openChain(context, tx);
      const charged = context.desk.recall(tx);
      if (charged !== undefined) context.desk.keep(tx, charged);
      let seq = ((await tx.get(LAST, []))?.seq as bigint | undefined) ?? 0n;
      return {
        one: async ({ charge: id, owner, answers, statistics = [], reuses = [] }) => {
          step("release.begin");
          const charge = found((await tx.get(CHARGE, [entryOf(id) ?? 0n, id])) as ChargeRow | undefined, "charge", id);
          const before = (await tx.get(RELEASE, [charge.entry_seq])) as ReleaseRow | undefined;
          if (before !== undefined) return toRelease(before, charge);
          if (charge.lease_owner !== owner) {
            throw new PrivacyError("CONFLICT", {
              name: "lease",
              got: owner,
              want: "the owner who took the charge last",
            });
          }
          const row = await releaseRow(context, tx, { charge, answers, seq: seq + 1n });
          await tx.run(APPEND, [
            row.seq,
            row.id,
            row.charge_id,
            row.entry_seq,
            row.answers,
            row.sentence,
            row.receipt,
            row.at,
          ]);
          step("release.answers");
          await tx.run(FINISH, [charge.entry_seq]);
          step("release.status");
          await indexRelease(tx, charge, { statistics, reuses, at: row.at });
          chain.append({
            actor: charge.principal_id,
            action: "release.create",
            subject: row.id,
            ledger: charge.ledger_id,
            detail: { charge: id },
            image: row,
          });
          seq = row.seq;
          step("release.written");
          return toRelease(row, charge);
        },
        settle: () => chain.settle(),
      };
    },
    committed: () => step("release.committed"),
  });
}

async function releaseRow(
  { store }: Context,
  tx: Tx,
  { charge, answers, seq }: { charge: ChargeRow; answers: Json; seq: bigint },
): Promise<ReleaseRow> {
  const entry = found(await tx.get(ENTRY, [charge.entry_seq]), "entry", String(charge.entry_seq));
  const guarantee = found(await tx.get(SENTENCE, [charge.ledger_id]), "guarantee", charge.ledger_id);
  const text = JSON.stringify(answers);
  const epsilon = entry.price_epsilon as EpsilonAmount | null;
  const receipt: Receipt = {
    release: newId("release") as ReleaseId,
    charge: charge.id as ChargeId,
    ledger: charge.ledger_id as LedgerId,
    entry: Number(entry.number),
    entryHash: entry.hash as string,
    epsilon: epsilon === null ? null : formatEpsilon(epsilon),
    delta: formatDelta(entry.price_delta as DeltaAmount),
    guaranteeVersion: Number(guarantee.version),
    answersHash: store.sha256(text),
    at: store.now(),
  };
  return {
    seq,
    id: receipt.release,
    charge_id: charge.id,
    entry_seq: charge.entry_seq,
    answers: text,
    sentence: guarantee.sentence as string,
    receipt: JSON.stringify(receipt),
    at: receipt.at,
  };
}

const toRelease = (row: ReleaseRow, charge: ChargeRow): Release => ({
  id: row.id as ReleaseId,
  charge: row.charge_id as ChargeId,
  ledger: charge.ledger_id as LedgerId,
  account: charge.account_id as AccountId,
  principal: charge.principal_id as PrincipalId,
  dataset: charge.dataset_id as DatasetId,
  request: JSON.parse(charge.request) as Json,
  answers: JSON.parse(row.answers) as Json,
  sentence: row.sentence,
  receipt: JSON.parse(row.receipt) as Receipt,
  at: row.at,
});

export async function release({ store: { read } }: Context, id: string): Promise<Release> {
  const row = found(
    await read.selectFrom("release").selectAll().where("id", "=", id).executeTakeFirst(),
    "release",
    id,
  );
  return toRelease(row, await chargeRow(read, row.charge_id));
}

export async function releaseOf({ store: { read } }: Context, id: ChargeId): Promise<Release | null> {
  const charge = await chargeRow(read, id);
  const row = await read.selectFrom("release").selectAll().where("entry_seq", "=", charge.entry_seq).executeTakeFirst();
  return row === undefined ? null : toRelease(row, charge);
}

export interface ReleaseFilter extends PageOptions {
  readonly principal?: PrincipalId | undefined;
  readonly dataset?: DatasetId | undefined;
}

/** Newest first. */
export async function releases({ store: { read } }: Context, options: ReleaseFilter): Promise<Page<Release>> {
  const rows = checkLimit(options.limit);
  const cursor = checkCursor(options.after);
  let query = read
    .selectFrom("release")
    .innerJoin("charge", "charge.entry_seq", "release.entry_seq")
    .selectAll("release");
  if (options.principal !== undefined) query = query.where("charge.principal_id", "=", options.principal);
  if (options.dataset !== undefined) query = query.where("charge.dataset_id", "=", options.dataset);
  if (cursor !== undefined) query = query.where("release.seq", "<", cursor);
  const found = await query.orderBy("release.seq", "desc").limit(rows).execute();
  const last = found.at(-1);
  if (last === undefined) return { items: [], next: null };
  const seqs = found.map((row) => row.entry_seq);
  const charges = await read.selectFrom("charge").selectAll().where("entry_seq", "in", seqs).execute();
  const bySeq = new Map(charges.map((charge) => [charge.entry_seq, charge]));
  const items = found.flatMap((row) => {
    const charge = bySeq.get(row.entry_seq);
    return charge === undefined ? [] : [toRelease(row, charge)];
  });
  return { items, next: found.length < rows ? null : String(last.seq) };
}
