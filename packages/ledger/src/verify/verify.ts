import { GENESIS, imageText, lineHash } from "../audit/chain.ts";
import { type ImagedTable, images } from "../audit/image.ts";
import type { Context } from "../context.ts";
import { isDamaged } from "../stores/connection-error.ts";
import type { Store, Tx } from "../stores/store.ts";
import { verifyLedgers } from "./verify-ledger.ts";
import { type Report, readable, UNREADABLE, type Verifying, type Vouched } from "./verify-steps.ts";

/** One thing that does not add up. */
export interface Problem {
  readonly table: string;
  readonly id: string;
  readonly problem: string;
}

/** The result of recomputing everything from the entries. */
export interface Verification {
  readonly ok: boolean;
  readonly problems: readonly Problem[];
  readonly lines: number;
  readonly entries: number;
  readonly releases: number;
  /** Hash of the newest audit line: keep it outside to notice a lost tail or a restored backup. */
  readonly head: string;
}

/**
 * Recomputes both chains, replays every state through core and compares every row with its audit line,
 * all in one snapshot. Bits are compared, so the build that wrote them must be the one that verifies.
 */
export async function verify({ store }: Pick<Context, "store">): Promise<Verification> {
  const problems: Problem[] = [];
  const report: Report = (table, id, problem) => problems.push({ table, id, problem });
  for (const problem of await store.pageProblems()) report("database", "page", problem);
  try {
    return await verifyRows(store, { report, problems });
  } catch (error) {
    if (!isDamaged(error)) throw error;
    report("database", "rows", UNREADABLE);
    return { ok: false, problems, lines: 0, entries: 0, releases: 0, head: GENESIS };
  }
}

interface Reporting {
  readonly report: Report;
  readonly problems: readonly Problem[];
}

function verifyRows(store: Store, { report, problems }: Reporting): Promise<Verification> {
  return store.snapshot(async (db) => {
    const vouched: Vouched = { images: new Map(), entries: new Set(), windows: new Map() };
    const { lines, head } = await verifyChain(store, db, { report, vouched });
    const counts = await verifyLedgers(store, db, { report, vouched });
    for (const hash of vouched.entries) report("audit", hash, "vouches for an entry that is gone");
    await verifyImages(store, db, { report, vouched });
    return { ok: problems.length === 0, problems, lines, head, ...counts };
  });
}

/** Rows between two moments in which others run: about 10 ms. */
const ROWS_AT_ONCE = 100;

function pauses(): () => Promise<void> {
  let rows = 0;
  return async () => {
    rows += 1;
    if (rows % ROWS_AT_ONCE === 0) await new Promise((resume) => setTimeout(resume));
  };
}

async function verifyChain(
  store: Store,
  db: Tx["db"],
  { report, vouched }: Verifying,
): Promise<{ lines: number; head: string }> {
  let [lines, head] = [0, GENESIS];
  const pause = pauses();
  for await (const line of db.selectFrom("audit").selectAll().orderBy("seq").stream()) {
    await pause();
    lines += 1;
    const id = String(line.seq);
    if (line.seq !== BigInt(lines)) report("audit", id, `is line ${lines}: lines are missing before it`);
    if (line.prev_hash !== head) report("audit", id, "does not hang on the line before it");
    if (line.hash !== lineHash(store.sha256, line)) report("audit", id, "was changed: its hash is another");
    head = line.hash;
    lines = Number(line.seq);
    if (line.image !== null) vouched.images.set(line.subject, line.image);
    const detail = readable(() => JSON.parse(line.detail) as AboutEntry);
    if (detail === undefined) report("audit", id, UNREADABLE);
    if (typeof detail?.entryHash !== "string") continue;
    const { entryHash, from, to, window } = detail;
    vouched.entries.add(entryHash);
    if (window !== undefined) vouched.windows.set(entryHash, window);
    else if (from !== undefined && to !== undefined) vouched.windows.set(entryHash, [[from, to]]);
  }
  return { lines, head };
}

/** What lines say of an entry. */
interface AboutEntry {
  readonly entryHash?: unknown;
  readonly from?: number;
  readonly to?: number;
  readonly window?: readonly (readonly [number, number])[];
}

async function verifyImages(store: Store, db: Tx["db"], { report, vouched }: Verifying): Promise<void> {
  const missing = new Map(vouched.images);
  const pause = pauses();
  for (const [table, image] of Object.entries(images) as [
    ImagedTable,
    (row: never) => { subject: string; image: object },
  ][]) {
    for await (const row of db.selectFrom(table).selectAll().stream()) {
      await pause();
      const { subject, image: columns } = image(row as never);
      const expected = vouched.images.get(subject);
      missing.delete(subject);
      if (expected === undefined) report(table, subject, "has no audit line");
      else if (expected !== store.sha256(imageText(columns)))
        report(table, subject, "differs from its last audited change");
    }
  }
  for (const subject of missing.keys()) report("audit", subject, "vouches for a row that is gone");
}
