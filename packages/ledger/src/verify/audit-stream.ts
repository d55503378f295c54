import {
  blockAt,
  type DeltaAmount,
  deltaAmount,
  type EpsilonAmount,
  epsilonAmount,
  type Mu2Amount,
  mu2Amount,
  nextRule,
  PrivacyError,
} from "@dosimeter/core";
import { change } from "../audit/change.ts";
import type { AuditLine } from "../audit/line.ts";
import type { Context } from "../context.ts";
import { systemPrincipal } from "../people/principal.ts";
import { freezeRow, type Missing } from "../restore/restore-gap.ts";
import type { Tx } from "../stores/store.ts";
import type { Tables } from "../stores/tables.ts";
import type { LedgerId } from "../values/id.ts";
import { blocksOfTerms } from "../values/terms.ts";

/** Of a line that was sent elsewhere, what is needed here. */
export type StreamedLine = Pick<AuditLine, "sequence" | "at" | "action" | "ledger" | "detail" | "hash">;

/** What an audit stream knows of one ledger and the database does not. */
export interface KnownCharges {
  readonly ledger: LedgerId;
  readonly charges: number;
  /** Those of which the stream does not say what they took of μ², where that counts: what is known to be missing is without them. */
  readonly unpriced: number;
}

/**
 * Takes what an audit stream has after the newest line that this database shares with it as missing: every ledger stays frozen until that, or more, is
 * written off. The stream does not hold the questions, so the charges themselves cannot be made again; what it may have twice counts twice. It says
 * what is missing at least, and nothing of what came after it. CONFLICT for the stream of another database.
 */
export function addStreamed(context: Context, lines: readonly StreamedLine[]): Promise<readonly KnownCharges[]> {
  return change(context, async (tx, chain) => {
    const known: KnownCharges[] = [];
    for (const { row, missing, charges, unpriced } of await lostOf(tx.db, lines)) {
      await freezeRow({ tx, chain }, row, { by: systemPrincipal, reason: REASON, missing });
      known.push({ ledger: row.id, charges, unpriced });
    }
    return known;
  });
}

/** Throws what `addStreamed` would, and writes nothing: a restore asks before it puts anything in place. */
export const checkStreamed = async ({ store }: Context, lines: readonly StreamedLine[]): Promise<void> => {
  await lostOf(store.read, lines);
};

interface Lost extends Omit<KnownCharges, "ledger"> {
  readonly row: Tables["ledger"];
  readonly missing: Missing;
}

/** What the stream has after the newest line that both have, by ledger. */
async function lostOf(db: Tx["db"], lines: readonly StreamedLine[]): Promise<readonly Lost[]> {
  const shared = await newestShared(db, lines);
  const after = new Map(lines.flatMap((line) => (line.sequence > shared ? [[line.hash, line] as const] : [])));
  const lost: Lost[] = [];
  for (const [ledger, said] of Map.groupBy(after.values(), ({ ledger }) => ledger)) {
    const row = ledger === null ? undefined : await rowOf(db, ledger);
    if (row !== undefined) lost.push({ row, ...missingIn(row, said) });
  }
  return lost;
}

const REASON = "the ledger database was restored from a backup: the audit stream has charges that are missing";

const rowOf = (db: Tx["db"], ledger: LedgerId) =>
  db.selectFrom("ledger").selectAll().where("id", "=", ledger).executeTakeFirst();

async function newestShared(db: Tx["db"], lines: readonly StreamedLine[]): Promise<number> {
  for (const { sequence, hash } of lines.toSorted((a, b) => b.sequence - a.sequence)) {
    const line = await db.selectFrom("audit").select("hash").where("seq", "=", BigInt(sequence)).executeTakeFirst();
    if (line?.hash === hash) return sequence;
  }
  throw new PrivacyError(
    "CONFLICT",
    { name: "audit stream", got: lines.length },
    "the audit stream is of another ledger database, or begins after the archive: it shares no line with it",
  );
}

/** What a charge or a write-off took, as its line says it; null for any other line. */
interface Took {
  readonly epsilon: EpsilonAmount;
  readonly delta: DeltaAmount;
  readonly mu2: Mu2Amount | null;
  readonly hasPrice: boolean;
}

function tookBy({ action, detail }: StreamedLine): Took | null {
  if (action !== "charge.create" && action !== "ledger.reopen") return null;
  const { epsilon = null, delta, mu2 = null } = detail as Readonly<Record<"epsilon" | "delta" | "mu2", string | null>>;
  return {
    epsilon: epsilonAmount(epsilon ?? "0", "up"),
    delta: deltaAmount(delta ?? "0", "up"),
    mu2: mu2 === null ? null : mu2Amount(mu2, "up"),
    hasPrice: epsilon !== null,
  };
}

function missingIn(
  row: Tables["ledger"],
  lines: readonly StreamedLine[],
): Omit<KnownCharges, "ledger"> & { readonly missing: Missing } {
  const took = lines.flatMap((line) => tookBy(line) ?? []);
  const isSwitched = lines.some(({ action, detail }) => action === "ledger.switch" || hasSwitched(detail));
  const countsEpsilon = row.state_epsilon !== null && !isSwitched;
  // A write-off in blocks does not say it.
  const saysMu2 = took.every(({ mu2 }) => mu2 !== null);
  const has = (action: string) => lines.some((line) => line.action === action);
  const blocks = blocksOfTerms(row.terms);
  const newest = lines.reduce((last, { at }) => Math.max(last, Date.parse(at)), 0);
  const sum = (of: (one: Took) => bigint) => took.reduce((all, one) => all + of(one), 0n);
  return {
    charges: lines.filter(({ action }) => action === "charge.create").length,
    unpriced: countsEpsilon || saysMu2 ? 0 : took.filter(({ hasPrice }) => !hasPrice).length,
    missing: {
      epsilon: (countsEpsilon || !saysMu2 ? sum(({ epsilon }) => epsilon) : 0n) as EpsilonAmount,
      delta: sum(({ delta }) => delta) as DeltaAmount,
      mu2: (row.state_remaining_mu2 !== null && saysMu2 ? sum(({ mu2 }) => mu2 ?? 0n) : 0n) as Mu2Amount,
      activeRule: isSwitched ? (nextRule(row.rule, row.active_rule) ?? null) : null,
      later: has("ledger.migrate")
        ? "blocks"
        : has("ledger.amend") && row.state_remaining_mu2 !== null
          ? "raise"
          : null,
      through: blocks === null ? null : blockAt(blocks, newest / 1000),
    },
  };
}

const hasSwitched = (detail: StreamedLine["detail"]): boolean =>
  typeof detail === "object" && detail !== null && "switched" in detail;
