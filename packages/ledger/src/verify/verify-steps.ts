import type { BlockRange, DpEvent } from "@dosimeter/core";
import type { Pieces } from "../blocks/runs.ts";
import { readsWhatItPays, type StepFacts, stepsBefore, whyNoStep } from "../charges/continual.ts";
import type { Tx } from "../stores/store.ts";
import type { Tables } from "../stores/tables.ts";
import { entryOf, type LedgerId } from "../values/id.ts";
import type { Json } from "../values/json.ts";
import { blocksOfTerms, type LedgerBlocks } from "../values/terms.ts";

export type Report = (table: string, id: string, problem: string) => void;

/** What the audit chain covers: the newest image of each row, and the hashes of the ledger entries still to come. */
export interface Vouched {
  readonly images: Map<string, string>;
  readonly entries: Set<string>;
  /** Blocks that lines say an entry is about, by its hash: of write-offs and of charges that were copied. */
  readonly windows: Map<string, readonly (readonly [from: number, to: number])[]>;
}

export interface Verifying {
  readonly report: Report;
  readonly vouched: Vouched;
}

export const UNREADABLE = "cannot be read";

/** The result of `read`, or undefined when a stored text was damaged. */
export function readable<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}

export interface VerifyingLedger extends Verifying {
  readonly ledger: Tables["ledger"];
  /** Nodes with states in blocks that are still to be checked. */
  readonly nodes: Set<string>;
  /** Of every ledger. */
  readonly pieces: Pieces;
}

interface Step extends StepFacts {
  readonly id: string;
  readonly ledger: LedgerId;
  readonly before: readonly string[];
}

type ChargeRow = Pick<Tables["charge"], "id" | "ledger_id" | "account_id" | "dataset_id"> &
  Pick<Tables["entry"], "events">;

interface LedgerFacts {
  readonly blocks: ReadonlyMap<LedgerId, LedgerBlocks>;
  readonly writeOffs: readonly { readonly ledger: LedgerId; readonly seq: bigint }[];
}

export async function factsOfLedgers(db: Tx["db"]): Promise<LedgerFacts> {
  const ledgers = await db.selectFrom("ledger").select(["id", "terms"]).execute();
  const blocks = new Map(
    ledgers.flatMap(({ id, terms }) => {
      const own = readable(() => blocksOfTerms(terms)) ?? null;
      return own === null ? [] : [[id, own] as const];
    }),
  );
  const entries = db.selectFrom("entry").select(["ledger_id as ledger", "seq"]).where("kind", "=", "writeOff");
  return { blocks, writeOffs: await entries.execute() };
}

/**
 * Checks that charges read the blocks that they debit [M160], but for the steps of running totals that go on: each reads blocks that it does not
 * debit, for which the steps before it must have paid, once each [M209]. Their answers are those of charges of the same ledger.
 */
export function stepVerifier(report: Report, { blocks: blocksOf, writeOffs }: LedgerFacts) {
  const steps = new Map<string, Step>();
  const isAfterWriteOff = ({ id, ledger, before: [first] }: Step): boolean => {
    if (first === undefined) return false;
    const [from, to] = [entryOf(first) ?? 0n, entryOf(id) ?? 0n];
    return writeOffs.some((off) => off.ledger === ledger && from < off.seq && off.seq < to);
  };
  return {
    charge(row: ChargeRow, request: Json, blocks: readonly BlockRange[]): void {
      const { id, ledger_id: ledger, account_id: account, dataset_id: dataset } = row;
      const before = stepsBefore(request);
      if (before === null) {
        const own = blocksOf.get(ledger);
        if (own !== undefined && readable(() => readsWhatItPays(request, blocks, own.every)) !== true)
          report("charge", id, "reads other blocks than it pays for");
        return;
      }
      const events = readable(() => JSON.parse(row.events) as readonly DpEvent[]) ?? [];
      steps.set(id, { id, ledger, account, dataset, request, events, blocks, before });
    },
    close(): void {
      const seen = new Set<string>();
      for (const step of steps.values()) {
        const own = blocksOf.get(step.ledger);
        const before = step.before.map((id) => steps.get(id) ?? null);
        const problem =
          own === undefined || own.protects !== undefined
            ? "is on a ledger whose blocks are no periods"
            : readable(() => whyNoStep(step, before, own.every));
        if (problem !== null) report("charge", step.id, problem ?? UNREADABLE);
        if (isAfterWriteOff(step)) report("charge", step.id, "goes on after a write-off");
        const place = `${step.account} ${step.blocks[0]?.from}`;
        if (seen.has(place)) report("charge", step.id, "is a second step of the same block");
        seen.add(place);
      }
    },
  };
}
