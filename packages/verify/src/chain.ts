import { type AuditLine, type Exported, type Row, sha256 } from "./export.ts";
import { attempt, type Report } from "./report.ts";
import { units } from "./terms.ts";

/** What the audit chain says of this ledger: the newest hash of each row, and which entries it knows. */
export interface Vouched {
  readonly images: ReadonlyMap<string, string>;
  readonly entries: ReadonlySet<string>;
  /** Whom the ledger protects: rows, or people of a column; null when its first line says nothing of it. */
  readonly unit: string | null;
  /** Blocks that lines of the chain say an entry is about, by its hash: of write-offs and of copied charges. */
  readonly windows: ReadonlyMap<string, readonly (readonly [number, number])[]>;
}

const GENESIS = "0".repeat(64);

/** Every line hangs on the one before it and has the hash it claims; lines about other ledgers show only their links. */
export async function checkAudit({ audit, head, ledger }: Exported, report: Report): Promise<Vouched> {
  const images = new Map<string, string>();
  const entries = new Set<string>();
  const windows = new Map<string, readonly (readonly [number, number])[]>();
  let [number, last] = [0n, GENESIS];
  let unit: string | null = null;
  const read = async (line: AuditLine, where: string): Promise<void> => {
    number += 1n;
    if (line.seq !== String(number)) report(where, `should be line ${number}: lines are missing`);
    if (line.prev_hash !== last) report(where, "does not hang on the line before it");
    last = line.hash;
    number = units(line.seq) ?? 0n;
    const isShown = line.action !== undefined;
    if (line.hash !== (await hashOf(line, isShown ? await bodyOf(line) : (line.body ?? ""))))
      report(where, "has another hash than its text");
    if (isShown !== (line.ledger_id === ledger))
      report(where, isShown ? "is about another ledger" : "hides what was done to this ledger");
    if (!isShown) return;
    if (typeof line.image === "string" && line.subject !== undefined) images.set(line.subject, line.image);
    const said = JSON.parse(line.detail ?? "{}") as Said;
    if (typeof said.entryHash === "string") {
      entries.add(said.entryHash);
      if (said.window !== undefined) windows.set(said.entryHash, said.window);
      else if (said.from !== undefined && said.to !== undefined) windows.set(said.entryHash, [[said.from, said.to]]);
    }
    const opens = line.action === "ledger.open" || line.action === "ledger.import";
    if (opens && typeof said.unit === "string") unit = said.unit;
  };
  for (const line of audit) {
    const where = `audit line ${line.seq}`;
    await attempt(where, report, () => read(line, where));
  }
  if (last !== head) report("audit", "ends at another hash than the export's head");
  return { images, entries, unit, windows };
}

/** What a line says of an entry and its blocks, and the first one of the people. */
interface Said {
  readonly entryHash?: unknown;
  readonly unit?: unknown;
  readonly from?: number;
  readonly to?: number;
  readonly window?: readonly (readonly [number, number])[];
}

const bodyOf = ({ at, actor, action, subject, detail, image }: AuditLine): Promise<string> =>
  sha256(JSON.stringify([at, actor, action, subject, detail, image]));

const hashOf = ({ prev_hash, seq, ledger_id }: AuditLine, body: string): Promise<string> =>
  sha256(JSON.stringify([prev_hash, seq, ledger_id, body]));

/** Whether rows are as their last audited change left them. `columns`: what the line vouches for; all when absent. */
export async function checkImages(
  rows: readonly Row[],
  { images }: Vouched,
  { name, subject, columns, pattern, report }: ImageOptions,
): Promise<void> {
  const known = new Set<string>();
  for (const row of rows) {
    const id = subject(row);
    if (known.has(id)) report(`${name} ${id}`, "is there twice");
    known.add(id);
    const part = Object.entries(row).filter(([column]) => columns === undefined || columns.includes(column));
    const text = JSON.stringify(part.sort(([a], [b]) => (a < b ? -1 : 1)));
    const expected = images.get(id);
    if (expected === undefined) report(`${name} ${id}`, "has no audit line");
    else if (expected !== (await sha256(text))) report(`${name} ${id}`, "differs from its last audited change");
  }
  for (const id of images.keys()) if (pattern.test(id) && !known.has(id)) report(`${name} ${id}`, "is missing");
}

export interface ImageOptions {
  readonly name: string;
  readonly subject: (row: Row) => string;
  /** What the subjects of such rows look like: those that the audit knows and the export lacks are reported. */
  readonly pattern: RegExp;
  readonly columns?: readonly string[];
  readonly report: Report;
}
