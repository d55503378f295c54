import type { Writing } from "../audit/chain.ts";
import { images } from "../audit/image.ts";
import type { Context } from "../context.ts";
import type { Tx } from "../stores/store.ts";
import type { Tables } from "../stores/tables.ts";
import type { By, PrincipalId } from "../values/id.ts";
import { holds, paysFrom } from "./payer.ts";

type Row = Tables["invitation"];
type Approval = Tables["standing_approval"];

/** An invitation is valid while its maker could add members: an admin of the team or of the platform. */
export const mayInvite = async (tx: Pick<Tx, "db">, { created_by, team_id }: Row): Promise<boolean> =>
  (await holds(tx, created_by, "teamAdmin", team_id)) || (await holds(tx, created_by, "platformAdmin", null));

export async function writeInvitationEnd(
  { store }: Context,
  { tx, chain }: Writing,
  { row, by, verb, acceptedBy }: { row: Row; by: PrincipalId; verb: "accept" | "end"; acceptedBy: PrincipalId | null },
): Promise<Row> {
  const after = { ...row, ended_at: store.now(), accepted_by: acceptedBy };
  const { ended_at, accepted_by } = after;
  await tx.db.updateTable("invitation").set({ ended_at, accepted_by }).where("id", "=", row.id).execute();
  chain.append({ actor: by, action: `invitation.${verb}`, ...images.invitation(after) });
  return after;
}

export async function writeApprovalEnd(
  { store }: Context,
  { tx, chain }: Writing,
  { row, by }: By & { readonly row: Approval },
): Promise<Approval> {
  const after = { ...row, ended_at: store.now() };
  await tx.db.updateTable("standing_approval").set({ ended_at: after.ended_at }).where("id", "=", row.id).execute();
  chain.append({ actor: by, action: "approval.end", ledger: row.ledger_id, ...images.standing_approval(after) });
  return after;
}

/**
 * Ends the invitations and approvals in advance of a person that their roles, as they stand in this transaction, no longer
 * justify. A role that is given again does not bring them back.
 */
export async function expireDelegations(
  context: Context,
  writing: Writing,
  { principal, by }: By & { readonly principal: PrincipalId },
): Promise<void> {
  const { tx } = writing;
  const invitations = tx.db.selectFrom("invitation").selectAll().where("created_by", "=", principal);
  for (const row of await invitations.where("ended_at", "is", null).orderBy("id").execute())
    if (!(await mayInvite(tx, row)))
      await writeInvitationEnd(context, writing, { row, by, verb: "end", acceptedBy: null });
  const approvals = tx.db.selectFrom("standing_approval").selectAll().where("created_by", "=", principal);
  for (const row of await approvals.where("ended_at", "is", null).orderBy("id").execute())
    if (!(await paysFrom(tx, { ledger: row.ledger_id, parent: row.parent_id }, principal)))
      await writeApprovalEnd(context, writing, { row, by });
}
