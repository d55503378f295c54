import { change } from "../audit/change.ts";
import type { Context } from "../context.ts";
import type { Ledger } from "../ledger/ledger.ts";
import type { Reopening } from "../restore/restore-gap.ts";
import { reopenAndEndTotals } from "../schedules/reopen.ts";
import { provenBy, type Witnessed } from "./checkpoint.ts";

/** Opens a frozen ledger; `witness` is what it said when the server asked it for this. */
export function reopenLedger(
  context: Context,
  { witness = null, ...reopening }: Reopening & { readonly witness?: Witnessed | null },
): Promise<Ledger> {
  return change(context, async (tx, chain) => {
    const proof = witness === null ? null : await provenBy(tx, reopening.ledger, witness);
    return reopenAndEndTotals(context, { tx, chain }, reopening, proof);
  });
}
