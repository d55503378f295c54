import { bodyHash, GENESIS } from "../audit/chain.ts";
import { chargeBlocks } from "../blocks/runs.ts";
import { fittedIn } from "../catalog/fitted.ts";
import { populationRow } from "../catalog/population.ts";
import { unitWhenOpened } from "../catalog/unit.ts";
import type { Context } from "../context.ts";
import type { Tx } from "../stores/store.ts";
import { found } from "../values/check.ts";
import type { LedgerId } from "../values/id.ts";

/** Signs the SHA-256 of an export; algorithm as Web Crypto names it, key as SPKI in base64. */
export interface Signer {
  readonly algorithm: string;
  readonly publicKey: string;
  sign(digest: Uint8Array): string;
}

/** An incremental hash. */
export interface Digest {
  update(text: string): void;
  digest(): Uint8Array;
}

const FORMAT = { format: "dosimeter-ledger", version: 1 } as const;

/** The tables of an export, in order. */
const tables = [
  "guarantee_version",
  "amendment",
  "account",
  "transfer",
  "entry",
  "plan_quote",
  "charge_block",
  "block_run",
  "cap_reading",
  "report_threshold",
] as const;

/**
 * One ledger as JSON Lines: whom it protects, its promise, tree, journal, entries and threshold, and the audit chain, in which lines about anything else
 * keep only their links. No names, no rows of data, no answers; requests are in `entry.request`. NOT_FOUND.
 */
export function exportLedger({ store }: Context, { ledger, signer, digest, write }: ExportOptions): Promise<void> {
  return store.snapshot(async (db) => {
    const put = async (line: object): Promise<void> => {
      const text = `${JSON.stringify(line, plain)}\n`;
      digest.update(text);
      await write(text);
    };
    const row = await db.selectFrom("ledger").selectAll().where("id", "=", ledger).executeTakeFirst();
    found(row, "ledger", ledger);
    const head = await db.selectFrom("audit").select("hash").orderBy("seq", "desc").limit(1).executeTakeFirst();
    await put({ ...FORMAT, ledger, at: store.now(), head: head?.hash ?? GENESIS });
    await put({ table: "ledger", row });
    const people = await populationRow({ db }, row?.population_id ?? "");
    const unit = await unitWhenOpened({ db }, ledger);
    await put({ table: "population", row: { ...people, unit, fitted: (await fittedIn(db, people.id)) ? "1" : "0" } });
    for (const table of tables) {
      for await (const each of rowsOf(db, table, ledger)) await put({ table, row: each });
    }
    for await (const line of db.selectFrom("audit").selectAll().orderBy("seq").stream()) {
      const { seq, prev_hash, ledger_id, hash } = line;
      const body = bodyHash(store.sha256, line);
      await put({ audit: ledger_id === ledger ? line : { seq, prev_hash, ledger_id, body, hash } });
    }
    if (signer === null) return;
    const { algorithm, publicKey } = signer;
    await write(`${JSON.stringify({ signature: { algorithm, publicKey, value: signer.sign(digest.digest()) } })}\n`);
  });
}

export interface ExportOptions {
  readonly ledger: LedgerId;
  /** Null: the export is not signed. */
  readonly signer: Signer | null;
  readonly digest: Digest;
  readonly write: (text: string) => Promise<void>;
}

const rowsOf = (db: Tx["db"], table: (typeof tables)[number], ledger: LedgerId): AsyncIterable<object> => {
  switch (table) {
    case "entry":
      return db.selectFrom("entry").selectAll().where("ledger_id", "=", ledger).orderBy("number").stream();
    case "guarantee_version":
      return db.selectFrom("guarantee_version").selectAll().where("ledger_id", "=", ledger).orderBy("version").stream();
    case "account":
      return db.selectFrom("account").selectAll().where("ledger_id", "=", ledger).orderBy("id").stream();
    case "amendment":
      return db.selectFrom("amendment").selectAll().where("ledger_id", "=", ledger).orderBy("id").stream();
    case "plan_quote":
      return db
        .selectFrom("plan_quote")
        .innerJoin("entry", "entry.seq", "plan_quote.entry_seq")
        .selectAll("plan_quote")
        .where("entry.ledger_id", "=", ledger)
        .orderBy("plan_quote.entry_seq")
        .orderBy("plan_quote.remaining_mu2_before")
        .stream();
    case "charge_block":
      return chargeBlocks(db, ledger).stream();
    case "block_run": {
      const accounts = db.selectFrom("account").select("id").where("ledger_id", "=", ledger);
      return db
        .selectFrom("block_run")
        .selectAll()
        .where((is) => is.or([is("node_id", "=", ledger), is("node_id", "in", accounts)]))
        .orderBy("node_id")
        .orderBy("block_from")
        .stream();
    }
    case "cap_reading":
      return db
        .selectFrom("cap_reading")
        .innerJoin("entry", "entry.seq", "cap_reading.entry_seq")
        .selectAll("cap_reading")
        .where("entry.ledger_id", "=", ledger)
        .orderBy("cap_reading.seq")
        .stream();
    case "transfer":
      return db.selectFrom("transfer").selectAll().where("ledger_id", "=", ledger).orderBy("seq").stream();
    case "report_threshold":
      return db.selectFrom("report_threshold").selectAll().where("ledger_id", "=", ledger).stream();
    default:
      return table satisfies never;
  }
};

const plain = (_: string, value: unknown): unknown => (typeof value === "bigint" ? String(value) : value);
