import type { Chain } from "../audit/chain.ts";
import { images } from "../audit/image.ts";
import type { Context } from "../context.ts";
import type { PrincipalId } from "../id.ts";
import type { Tx } from "../store.ts";
import type { Tables } from "../tables.ts";
import { holds } from "./payer.ts";

type Row = Tables["invitation"];

/** An invitation lets in what its maker could let in themselves, now: an admin of the team or of the platform. */
export const mayInvite = async (tx: Pick<Tx, "db">, { created_by, team_id }: Row): Promise<boolean> =>
  (await holds(tx, created_by, "teamAdmin", team_id)) || (await holds(tx, created_by, "platformAdmin", null));

export async function writeEnd(
  { store }: Context,
  { tx, chain }: { readonly tx: Tx; readonly chain: Chain },
  { row, by, verb, acceptedBy }: { row: Row; by: PrincipalId; verb: "accept" | "end"; acceptedBy: PrincipalId | null },
): Promise<Row> {
  const after = { ...row, ended_at: store.now(), accepted_by: acceptedBy };
  const { ended_at, accepted_by } = after;
  await tx.db.updateTable("invitation").set({ ended_at, accepted_by }).where("id", "=", row.id).execute();
  chain.append({ actor: by, action: `invitation.${verb}`, ...images.invitation(after) });
  return after;
}

/** Ends what somebody's roles, as they stand in this transaction, carry no longer. */
export async function endUncarried(
  context: Context,
  writing: { readonly tx: Tx; readonly chain: Chain },
  { inviter, by }: { readonly inviter: string; readonly by: PrincipalId },
): Promise<void> {
  const rows = await writing.tx.db
    .selectFrom("invitation")
    .selectAll()
    .where("created_by", "=", inviter)
    .where("ended_at", "is", null)
    .orderBy("id")
    .execute();
  for (const row of rows)
    if (!(await mayInvite(writing.tx, row)))
      await writeEnd(context, writing, { row, by, verb: "end", acceptedBy: null });
}
