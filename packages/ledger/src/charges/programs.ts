import { leftInBlocks } from "../ledger/entry.ts";
import { lostBy } from "../restore/restore-gap.ts";
import type { Tx, Value } from "../stores/store.ts";
import type { Tables } from "../stores/tables.ts";
import { programOf } from "../values/declared.ts";
import type { LedgerId, PrincipalId } from "../values/id.ts";

type Row = Tables["declared_charge"];
type EntryRow = Pick<Tables["entry"], "seq" | "price_epsilon" | "remaining_mu2_before" | "remaining_mu2_after">;

const KNOWN = "SELECT entry_seq FROM declared_charge WHERE ledger_id = ? AND principal_id = ? AND program = ? LIMIT 1";
const LAST = "SELECT programs FROM declared_charge WHERE ledger_id = ? ORDER BY entry_seq DESC LIMIT 1";
const APPEND = `INSERT INTO declared_charge (entry_seq, charge_id, ledger_id, principal_id, program, programs)
  VALUES (?, ?, ?, ?, ?, ?)`;

/** How many programs outside a ledger has counted with this charge; chunks of one are one. `before`: of the same transaction. */
export async function programsWith(
  tx: Tx,
  { ledger, principal, key }: { readonly ledger: LedgerId; readonly principal: PrincipalId; readonly key: string },
  before: readonly Row[],
): Promise<bigint> {
  const program = programOf(key);
  const earlier = before.filter(({ ledger_id }) => ledger_id === ledger);
  const last = earlier.at(-1)?.programs ?? ((await tx.get(LAST, [ledger]))?.programs as bigint | undefined) ?? 0n;
  const isKnown =
    earlier.some((row) => row.principal_id === principal && row.program === program) ||
    (await tx.get(KNOWN, [ledger, principal, program])) !== undefined;
  return isKnown ? last : last + 1n;
}

/** What earlier charges of a program took of a ledger: as Σε, where each had one, and of remaining μ². */
export interface Taken {
  readonly epsilon: bigint | null;
  readonly mu2: bigint | null;
}

export const NOTHING_TAKEN: Taken = { epsilon: 0n, mu2: 0n };

/** `before`: charges of the same transaction. */
export async function takenBefore(
  tx: Pick<Tx, "db">,
  { ledger, principal, key }: { readonly ledger: LedgerId; readonly principal: PrincipalId; readonly key: string },
  before: readonly { readonly entry: EntryRow; readonly declared: Row | null; readonly mu2: bigint | null }[],
): Promise<Taken> {
  const program = programOf(key);
  const rows: readonly EntryRow[] = await tx.db
    .selectFrom("declared_charge")
    .innerJoin("entry", "entry.seq", "declared_charge.entry_seq")
    .select(["entry.seq", "entry.price_epsilon", "entry.remaining_mu2_before", "entry.remaining_mu2_after"])
    .where("declared_charge.ledger_id", "=", ledger)
    .where("declared_charge.principal_id", "=", principal)
    .where("declared_charge.program", "=", program)
    .execute();
  const blocks = await leftInBlocks(
    tx,
    rows.flatMap(({ seq, remaining_mu2_before }) => (remaining_mu2_before === null ? [seq] : [])),
  );
  const taken = rows.map((row): Taken => {
    const left = blocks.get(row.seq) ?? row;
    return { epsilon: row.price_epsilon, mu2: lostBy(left.remaining_mu2_before, left.remaining_mu2_after) };
  });
  for (const { entry, declared, mu2 } of before)
    if (declared?.ledger_id === ledger && declared.principal_id === principal && declared.program === program)
      taken.push({ epsilon: entry.price_epsilon, mu2 });
  const sum = (amounts: readonly (bigint | null)[]) =>
    amounts.reduce((all, one) => (all === null || one === null ? null : all + one), 0n);
  return { epsilon: sum(taken.map(({ epsilon }) => epsilon)), mu2: sum(taken.map(({ mu2 }) => mu2)) };
}

export const newDeclared = (charge: Tables["charge"], programs: bigint): Row => ({
  entry_seq: charge.entry_seq,
  charge_id: charge.id,
  ledger_id: charge.ledger_id,
  principal_id: charge.principal_id,
  program: programOf(charge.key),
  programs,
  evidence: null,
  report: null,
  attached_at: null,
  published_at: null,
  published_by: null,
  redeemed_at: null,
  redeemed_by: null,
});

export async function putDeclared(tx: Tx, rows: readonly Row[]): Promise<void> {
  const values = rows.map(({ entry_seq, charge_id, ledger_id, principal_id, program, programs }): readonly Value[] => [
    ...[entry_seq, charge_id, ledger_id, principal_id, program, programs],
  ]);
  if (values.length > 0) await tx.many(APPEND, values);
}
