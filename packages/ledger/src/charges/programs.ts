import type { Tx, Value } from "../stores/store.ts";
import type { Tables } from "../stores/tables.ts";
import { programOf } from "../values/declared.ts";
import type { LedgerId, PrincipalId } from "../values/id.ts";

type Row = Tables["declared_charge"];

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
