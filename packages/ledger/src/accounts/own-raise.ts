import { PrivacyError } from "@dosimeter/core";
import type { Context } from "../context.ts";
import { isOneAnalyst } from "../people/analyst.ts";
import { paysFrom } from "../people/payer.ts";
import { systemPrincipal } from "../people/principal.ts";
import type { Tx } from "../stores/store.ts";
import type { Tables } from "../stores/tables.ts";
import type { PrincipalId } from "../values/id.ts";

/**
 * Who leads a team gives its quota to others and asks for their own, unless the instance lets people decide for themselves:
 * FORBIDDEN. Who administers the ledger answers for all of its quota.
 */
export async function refuseOwnRaise(
  { selfApproval }: Pick<Context, "selfApproval">,
  tx: Pick<Tx, "db">,
  { holder_kind, holder_id, ledger_id }: Tables["account"],
  by: PrincipalId,
): Promise<void> {
  if (selfApproval !== "refuse" || holder_kind !== "principal" || by === systemPrincipal) return;
  if (!(await isOneAnalyst(tx, holder_id as PrincipalId, by))) return;
  if (await paysFrom(tx, { ledger: ledger_id, parent: null }, by)) return;
  throw new PrivacyError("FORBIDDEN", {}, "you cannot give budget to yourself: ask for it, and another person decides");
}
