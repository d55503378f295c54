import { type BlockRange, invalid, type Mu2Amount, PrivacyError } from "@dosimeter/core";
import { canonicalJson, present } from "@dosimeter/core/internal";
import { change } from "../audit/change.ts";
import { images } from "../audit/image.ts";
import { blocksOfEntry } from "../blocks/runs.ts";
import type { Context } from "../context.ts";
import { leftInBlocks } from "../ledger/entry.ts";
import { lostBy } from "../restore/restore-gap.ts";
import { rowWith } from "../stores/row.ts";
import type { Tx } from "../stores/store.ts";
import type { Tables } from "../stores/tables.ts";
import { checkName, found } from "../values/check.ts";
import { type AccountId, type By, type ChargeId, entryOf, type LedgerId, type PrincipalId } from "../values/id.ts";
import { checkCursor, checkLimit, type Page, type PageOptions } from "../values/page.ts";

type Row = Tables["declared_charge"];

/** What shows that a program ran as declared. */
export interface Evidence {
  readonly commit?: string | undefined;
  readonly container?: string | undefined;
  /** Of the result. */
  readonly sha256?: string | undefined;
  /** Where the report is, instead of it. */
  readonly address?: string | undefined;
  /** SHA-256 of the report that was given. */
  readonly reportSha256?: string | undefined;
}

/** What is known of a program outside, and is not in its charge. */
export interface DeclaredFacts {
  /** How many programs its ledger had counted by then. */
  readonly programs: number;
  readonly evidence: Evidence | null;
  /** May hold rows: for admins of the ledger until it is published. */
  readonly report: string | null;
  readonly attachedAt: string | null;
  readonly publishedAt: string | null;
  readonly redeemed: { readonly at: string; readonly by: PrincipalId } | null;
}

/** With what its entry says. */
export interface DeclaredEntry extends DeclaredFacts {
  /** What the ledger's remaining μ² fell by, with blocks that of the fullest one; null where it has no such price. */
  readonly mu2: Mu2Amount | null;
  readonly blocks: readonly BlockRange[];
  /** The version of the dataset when it was charged. */
  readonly version: number;
}

const toFacts = (row: Row): DeclaredFacts => ({
  programs: Number(row.programs),
  evidence: row.evidence === null ? null : (JSON.parse(row.evidence) as Evidence),
  report: row.report,
  attachedAt: row.attached_at,
  publishedAt: row.published_at,
  redeemed: row.redeemed_at === null || row.redeemed_by === null ? null : { at: row.redeemed_at, by: row.redeemed_by },
});

async function rowOf({ db }: Pick<Tx, "db">, charge: string): Promise<Row> {
  return found(
    await rowWith(db, "declared_charge", { entry_seq: entryOf(charge) ?? 0n, charge_id: charge as ChargeId }),
    "charge",
    charge,
  );
}

/** NOT_FOUND for a charge of no program outside. */
export function declaredFacts({ store }: Context, charge: ChargeId): Promise<DeclaredEntry> {
  return store.snapshot(async (db) => {
    const row = await rowOf({ db }, charge);
    const entry = found(await rowWith(db, "entry", { seq: row.entry_seq }), "entry", charge);
    const blocks = await blocksOfEntry({ db }, row.entry_seq);
    const left = blocks.length === 0 ? entry : (await leftInBlocks({ db }, [row.entry_seq])).get(row.entry_seq);
    const { version } = await db
      .selectFrom("dataset_version")
      .select(({ fn }) => fn.max("version").as("version"))
      .where("dataset_id", "=", entry.dataset_id)
      .where("created_at", "<=", entry.at)
      .executeTakeFirstOrThrow();
    const [before, after] = [left?.remaining_mu2_before ?? null, left?.remaining_mu2_after ?? null];
    return { ...toFacts(row), mu2: lostBy(before, after) as Mu2Amount | null, blocks, version: Number(version ?? 1n) };
  });
}

interface DeclaredFilter extends PageOptions {
  readonly ledger?: LedgerId | undefined;
  readonly principal?: PrincipalId | undefined;
  readonly account?: AccountId | undefined;
  readonly hasEvidence?: boolean;
}

/** Of programs outside, the newest first. */
export async function declaredCharges(
  { store: { read } }: Context,
  { ledger, principal, account, hasEvidence = false, after, limit }: DeclaredFilter,
): Promise<Page<ChargeId>> {
  const [rows, before] = [checkLimit(limit), checkCursor(after)];
  let query = read.selectFrom("declared_charge as d").select(["d.charge_id", "d.entry_seq"]);
  if (ledger !== undefined) query = query.where("d.ledger_id", "=", ledger);
  if (principal !== undefined) query = query.where("d.principal_id", "=", principal);
  if (account !== undefined)
    query = query.innerJoin("entry", "entry.seq", "d.entry_seq").where("entry.account_id", "=", account);
  if (hasEvidence) query = query.where("d.evidence", "is not", null);
  if (before !== undefined) query = query.where("d.entry_seq", "<", before);
  const found = await query.orderBy("d.entry_seq", "desc").limit(rows).execute();
  const last = found.at(-1);
  return {
    items: found.map(({ charge_id }) => charge_id),
    next: last === undefined || found.length < rows ? null : String(last.entry_seq),
  };
}

const MAX_REPORT = 1_000_000;
const HASH = /^[0-9a-f]{64}$/;

/** Once, by the person who charged. CONFLICT the second time. */
export function attachEvidence(
  context: Context,
  {
    charge,
    by,
    report,
    ...given
  }: By & { readonly charge: ChargeId; readonly report?: string | undefined } & Omit<Evidence, "reportSha256">,
): Promise<DeclaredFacts> {
  const { store } = context;
  const evidence = checkEvidence(given, report, store.sha256);
  return update(context, { charge, by, action: "charge.evidence" }, (before) => {
    if (before.principal_id !== by)
      throw new PrivacyError("FORBIDDEN", {
        name: "charge",
        got: charge,
        want: "one of your own: who charged gives the evidence",
      });
    if (before.attached_at !== null)
      throw new PrivacyError("CONFLICT", { name: "evidence", got: "given", want: "given once" });
    return { evidence: canonicalJson({ ...evidence }), report: report ?? null, attached_at: store.now() };
  });
}

function checkEvidence(
  { commit, container, sha256, address }: Omit<Evidence, "reportSha256">,
  report: string | undefined,
  hash: (text: string) => string,
): Evidence {
  if (report !== undefined && new TextEncoder().encode(report).length > MAX_REPORT)
    throw new PrivacyError("PAYLOAD_TOO_LARGE", {
      name: "report",
      got: `${report.length} characters`,
      want: "at most 1 MB: give its address",
    });
  if (sha256 !== undefined && !HASH.test(sha256)) invalid("sha256", sha256, "64 hexadecimal digits, lower case");
  const text = (name: "commit" | "container" | "address", value: string | undefined) =>
    value === undefined ? undefined : checkName(value, name);
  const evidence = present({
    commit: text("commit", commit),
    container: text("container", container),
    address: text("address", address),
    sha256,
    reportSha256: report === undefined ? undefined : hash(report),
  });
  if (Object.keys(evidence).length === 0)
    invalid("evidence", undefined, "a commit, a container, a SHA-256, a report or an address");
  return evidence;
}

/** From now on everyone who sees the charge reads its evidence. */
export const publishEvidence = (
  context: Context,
  { charge, by }: By & { readonly charge: ChargeId },
): Promise<DeclaredFacts> =>
  update(context, { charge, by, action: "charge.publish" }, (before) => {
    if (before.attached_at === null)
      throw new PrivacyError("CONFLICT", { name: "evidence", got: "none", want: "given first" });
    return before.published_at === null ? { published_at: context.store.now(), published_by: by } : {};
  });

/** A permit is used once. CONFLICT the second time: it may be replayed for another job. */
export const redeemPermit = (
  context: Context,
  { charge, by }: By & { readonly charge: ChargeId },
): Promise<DeclaredFacts> =>
  update(context, { charge, by, action: "charge.redeem" }, (before) => {
    if (before.redeemed_at !== null)
      throw new PrivacyError("CONFLICT", {
        name: "permit",
        got: `used at ${before.redeemed_at}`,
        want: "one that was not used: each job is charged under its own key",
      });
    return { redeemed_at: context.store.now(), redeemed_by: by };
  });

function update(
  context: Context,
  { charge, by, action }: By & { readonly charge: ChargeId; readonly action: string },
  changed: (before: Row) => Partial<Row>,
): Promise<DeclaredFacts> {
  return change(context, async (tx, chain) => {
    const before = await rowOf(tx, charge);
    const set = changed(before);
    if (Object.keys(set).length === 0) return toFacts(before);
    const row = { ...before, ...set };
    await tx.db.updateTable("declared_charge").set(set).where("entry_seq", "=", row.entry_seq).execute();
    chain.append({ actor: by, action, ledger: row.ledger_id, ...images.declared_charge(row) });
    return toFacts(row);
  });
}
