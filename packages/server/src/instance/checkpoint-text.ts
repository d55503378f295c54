import { invalid } from "@dosimeter/core";
import { isRecord } from "@dosimeter/core/internal";
import type { Checkpoint } from "@dosimeter/ledger";

/** What is kept of a ledger database outside it. */
export interface Kept extends Checkpoint {
  /** The copy of the database; null where the store cannot tell. */
  readonly copy: string | null;
  /** Whether the server ended in order: nothing was written afterwards. */
  readonly closed: boolean;
  /** Whether a witness keeps it too. */
  readonly witnessed?: boolean;
}

/** INVALID_PARAMETER for anything else: as another database's it would be overwritten, and missing charges would stay unnoticed. */
export function parseKept(text: string, from: string): Kept {
  const kept: unknown = JSON.parse(text);
  if (
    isRecord(kept) &&
    [kept.database, kept.hash].every((field) => typeof field === "string") &&
    isRecord(kept.ledgers) &&
    Object.values(kept.ledgers).every(isSums) &&
    [kept.seq, kept.entry].every(isSeq) &&
    Array.isArray(kept.pending) &&
    typeof kept.closed === "boolean"
  )
    return kept as unknown as Kept;
  return invalid(
    from,
    Object.keys(isRecord(kept) ? kept : {}),
    "a checkpoint with database, seq, hash, entry, pending, closed, ledgers and their sums",
  );
}

/** Whether both are of one ledger database, which its first audit line identifies. */
export const areOfOne = (one: Pick<Kept, "database">, other: Pick<Kept, "database">): boolean =>
  one.database === other.database;

const isSums = (sums: unknown): boolean =>
  isRecord(sums) &&
  (sums.activeRule === "addition" || sums.activeRule === "tight") &&
  [sums.epsilon ?? "0", sums.delta, sums.mu2 ?? "0", sums.version].every(isUnits);

const isUnits = (units: unknown): boolean => typeof units === "string" && /^-?\d{1,30}$/.test(units);

const isSeq = (seq: unknown): boolean => typeof seq === "string" && /^\d{1,19}$/.test(seq) && BigInt(seq) < 2n ** 63n;
