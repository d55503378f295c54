import type { Context } from "../context.ts";
import { type Memory, memory } from "../stores/memory.ts";
import type { Row, Tx, Value } from "../stores/store.ts";
import type { Note, Said } from "../values/note.ts";

interface Head {
  readonly seq: bigint;
  readonly hash: string;
}

export interface Chain {
  append(note: Note): void;
  /** Appended since the transaction began. */
  readonly said: readonly Said[];
  /** Writes the lines appended so far. */
  settle(): Promise<void>;
}

/** A write transaction with the audit lines that it adds. */
export interface Writing {
  readonly tx: Tx;
  readonly chain: Chain;
}

/** The hash before the first line. */
export const GENESIS = "0".repeat(64);

const HEAD = "SELECT seq, hash FROM audit ORDER BY seq DESC LIMIT 1";
const APPEND = `INSERT INTO audit (seq, at, actor, action, subject, ledger_id, detail, image, prev_hash, hash)
  VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`;

/** The end of the chain as the last transaction of this process left it. */
const keptHead = (): Memory<Head> => memory();

/** Continues the chain inside one transaction; the transaction is the only writer while it runs. */
export async function openChain({ store, kept }: Context, tx: Tx): Promise<Chain> {
  const head = kept(keptHead);
  const last = head.recall(tx) ?? ((await tx.get(HEAD, [])) as Head | undefined);
  let { seq, hash } = last ?? { seq: 0n, hash: GENESIS };
  const lines: Value[][] = [];
  const said: Said[] = [];
  return {
    said,
    append: (note) => {
      const { actor, action, subject, ledger = null, detail = {}, image } = note;
      const line = {
        seq: seq + 1n,
        at: store.now(),
        actor,
        action,
        subject,
        ledger_id: ledger,
        detail: JSON.stringify(detail),
        image: image === undefined ? null : store.sha256(imageText(image)),
        prev_hash: hash,
      };
      seq = line.seq;
      said.push({ ...note, seq });
      hash = lineHash(store.sha256, line);
      lines.push([seq, line.at, actor, action, subject, ledger, line.detail, line.image, line.prev_hash, hash]);
    },
    settle: async () => {
      await tx.many(APPEND, lines.splice(0));
      head.keep(tx, { seq, hash });
    },
  };
}

type Sha256 = (text: string) => string;

/** Hash of what a line says, a JSON array of these columns; the line's own hash covers it with its place and its ledger. */
export function bodyHash(sha256: Sha256, line: Row | object): string {
  const { at, actor, action, subject, detail, image } = line as Row;
  return sha256(JSON.stringify([at, actor, action, subject, detail, image]));
}

/**
 * A line's hash: of the hash before it, its number, its ledger and its body's hash. So an export can leave out what other
 * ledgers' lines say, and still no line of its own ledger can be hidden among them.
 */
export function lineHash(sha256: Sha256, line: Row | object): string {
  const { prev_hash, seq, ledger_id } = line as Row;
  return sha256(JSON.stringify([prev_hash, String(seq), ledger_id, bodyHash(sha256, line)]));
}

/** The text whose SHA-256 is a row's image: its columns by name. */
export function imageText(row: object): string {
  const columns = Object.entries(row).sort(([a], [b]) => (a < b ? -1 : 1));
  return JSON.stringify(columns.map(([name, value]) => [name, typeof value === "bigint" ? String(value) : value]));
}
