import { checkAudit, checkImages, type ImageOptions } from "./chain.ts";
import type { PlanAccountant } from "./derive.ts";
import { type Row, readExport, type Signature } from "./export.ts";
import { checkLedger, type Ledger } from "./ledger.ts";
import { checkPopulation, isFitted } from "./population.ts";
import type { Program } from "./programs.ts";
import { attempt, type Report } from "./report.ts";
import { checkTree } from "./tree.ts";

export interface Problem {
  readonly where: string;
  readonly problem: string;
}

/** What an independent reader found in an exported ledger. */
export interface Check {
  readonly ok: boolean;
  readonly problems: readonly Problem[];
  readonly ledger: string;
  readonly exportedAt: string;
  readonly entries: number;
  /** Charges with a price for their whole plan that the accountant derived again. */
  readonly derived: number;
  /** Those that were not: without an accountant, or for too much work. */
  readonly takenOver: number;
  /** Programs outside that the promise relies on: it holds provided that they did what they declared. */
  readonly programs: readonly Program[];
  readonly lines: number;
  /** Whether a declaration of these people's tables was fitted to the data by its owner: then the promise does not cover what it says itself. */
  readonly isFitted: boolean;
  /** Hash of the newest audit line: compare it with one that was kept elsewhere. */
  readonly head: string;
  /** Who signed, as the SHA-256 of the key; null for an unsigned export. */
  readonly signedBy: string | null;
}

interface Imaged extends Pick<ImageOptions, "name" | "subject" | "pattern" | "columns"> {
  readonly table: string;
}

/** Rows of which an audit line has the hash. `columns`: those that the line vouches for; the rest is recomputed. */
const imaged: readonly Imaged[] = [
  {
    table: "ledger",
    name: "ledger",
    pattern: /^led_[^.]*$/,
    subject: ({ id }) => id ?? "",
    columns: ["id", "population_id", "rule", "policy", "mode", "status", "terms", "version", "opened_at", "opened_by"],
  },
  {
    table: "account",
    name: "account",
    pattern: /^acc_/,
    subject: ({ id }) => id ?? "",
    columns: [
      "id",
      "ledger_id",
      "parent_id",
      "holder_kind",
      "holder_id",
      "kind",
      "mode",
      "status",
      "opened_at",
      "expires_at",
      "query_epsilon",
    ],
  },
  { table: "transfer", name: "transfer", pattern: /^trf_/, subject: ({ seq }) => `trf_${seq}` },
  {
    table: "guarantee_version",
    name: "version",
    pattern: /^led_.*\.v\d+$/,
    subject: ({ ledger_id, version }) => `${ledger_id}.v${version}`,
  },
  {
    table: "plan_quote",
    name: "plan price",
    pattern: /^quo_/,
    subject: ({ entry_seq, remaining_mu2_before }) => `quo_${entry_seq}_${remaining_mu2_before}`,
  },
  { table: "amendment", name: "amendment", pattern: /^amd_/, subject: ({ id }) => id ?? "" },
  {
    table: "cap_reading",
    name: "reading",
    pattern: /^rdg_/,
    subject: ({ account_id, entry_seq }) => `rdg_${account_id}_${entry_seq}`,
  },
  { table: "report_threshold", name: "threshold", pattern: /^rpt_/, subject: ({ ledger_id }) => `rpt_${ledger_id}` },
];

export interface CheckOptions {
  /** Who must have signed it. Then nothing is priced of an export that is signed by another, or whose chain does not hold. */
  readonly signedBy?: string;
  /** Derives the prices of whole plans again: `planAccountant()` of `@dosimeter/core/derive`. Without one they are taken over. */
  readonly accountant?: PlanAccountant | null;
}

/**
 * Recomputes an export from its text alone: the signature, both chains, whom it protects, every price, every remaining μ² by
 * exact arithmetic, every block, cap and quota. Numbers that claim more loss than ours pass; less never does.
 */
export async function checkExport(
  text: string,
  { signedBy: wanted, accountant = null }: CheckOptions = {},
): Promise<Check> {
  const exported = await readExport(text);
  const problems: Problem[] = [];
  const report: Report = (where, problem) => problems.push({ where, problem });
  const table = (name: string): readonly Row[] => exported.tables.get(name) ?? [];
  const [ledger, ...others] = table("ledger");
  const signedBy = await attempt("signature", report, () => signerOf(exported.signature, exported.signed, report));
  let plans: Ledger["plans"] = { derived: 0, takenOver: 0 };
  let programs: readonly Program[] = [];
  if (wanted !== undefined && signedBy !== wanted)
    report(
      "signature",
      signedBy === null ? "is missing: it is not signed" : `is another's: it is signed by ${signedBy}`,
    );
  const mayStop = (): boolean => wanted !== undefined && problems.length > 0;
  const vouched = mayStop() ? null : await checkAudit(exported, report);
  if (vouched === null) {
    // what another signed is not read any further
  } else if (ledger === undefined || others.length > 0 || ledger.id !== exported.ledger)
    report("ledger", "is missing, or is not alone");
  else {
    for (const { table: name, ...options } of imaged) await checkImages(table(name), vouched, { ...options, report });
    const versions = table("guarantee_version");
    const populations = table("population");
    await checkPopulation({ ledger, populations, versions }, vouched, report);
    if (!mayStop()) {
      const runs = table("block_run");
      const [entries, quotes, pieces] = [table("entry"), table("plan_quote"), table("charge_block")];
      const rows = { ledger, versions, entries, quotes, pieces, runs };
      const replayed = await attempt("ledger", report, () => checkLedger(rows, vouched, { report, accountant }));
      plans = replayed?.plans ?? plans;
      programs = replayed?.programs ?? [];
      const tree = { accounts: table("account"), transfers: table("transfer"), ledger, runs };
      if (replayed !== null) await checkTree(tree, replayed, report);
    }
  }
  return {
    ok: problems.length === 0,
    problems,
    ledger: exported.ledger,
    exportedAt: exported.at,
    entries: table("entry").length,
    ...plans,
    programs,
    lines: exported.audit.length,
    isFitted: isFitted(table("population")),
    head: exported.head,
    signedBy,
  };
}

/** Who signed these bytes, as the SHA-256 of the key; a signature that does not fit is reported. */
export async function signerOf(
  signature: Signature | null,
  signed: Uint8Array<ArrayBuffer>,
  report: Report,
): Promise<string | null> {
  if (signature === null) return null;
  const bytes = (base64: string) => Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0));
  const key = bytes(signature.publicKey);
  const imported = await crypto.subtle.importKey("spki", key, signature.algorithm, true, ["verify"]);
  if (!(await crypto.subtle.verify(signature.algorithm, imported, bytes(signature.value), signed)))
    report("signature", "does not fit the text: something was changed after signing");
  const print = new Uint8Array(await crypto.subtle.digest("SHA-256", key));
  return Array.from(print, (byte) => byte.toString(16).padStart(2, "0")).join("");
}
