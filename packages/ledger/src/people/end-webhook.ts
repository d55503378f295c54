import type { Writing } from "../audit/chain.ts";
import type { By } from "../values/by.ts";
import type { PrincipalId } from "../values/id.ts";

/** Sends nothing more to the webhook of a person, if there is one. */
export async function endWebhook(
  { tx, chain }: Writing,
  { principal, by }: By & { readonly principal: PrincipalId },
): Promise<void> {
  const row = await tx.db.selectFrom("webhook").select("url").where("principal_id", "=", principal).executeTakeFirst();
  if (row === undefined) return;
  await tx.db.deleteFrom("webhook").where("principal_id", "=", principal).execute();
  chain.append({ actor: by, action: "webhook.end", subject: principal, detail: { principal } });
}
