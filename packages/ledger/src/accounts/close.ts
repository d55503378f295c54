import { PrivacyError } from "@dosimeter/core";
import type { Writing } from "../audit/chain.ts";
import { change } from "../audit/change.ts";
import { images } from "../audit/image.ts";
import type { Context } from "../context.ts";
import { systemPrincipal } from "../people/principal.ts";
import type { Tables } from "../stores/tables.ts";
import type { AccountId, By } from "../values/id.ts";
import { type Account, accountRow, toAccount } from "./account.ts";
import { openChildren } from "./open-children.ts";
import { freeQuotaOf, type Move, move } from "./quota.ts";

type AccountRow = Tables["account"];

/** Returns all free quota and ends the account; what it spent stays on it and on its path. */
export function closeAccount(context: Context, { account, by }: By & { account: AccountId }): Promise<Account> {
  return change(context, async (tx, chain) => {
    const row = await accountRow(tx, account);
    if (row.status !== "closed" && (await openChildren(tx, account)).length > 0) {
      throw new PrivacyError("CONFLICT", { name: "account", got: account, want: "one whose own accounts are closed" });
    }
    return toAccount(await closeIn(context, { tx, chain }, { account: row, by }));
  });
}

async function closeIn(
  context: Context,
  { tx, chain }: Writing,
  { account, by, cause }: Pick<Move, "account" | "by" | "cause">,
): Promise<AccountRow> {
  if (account.status === "closed") return account;
  const amount = await freeQuotaOf(tx, account);
  const closing: Move = { account: { ...account, status: "closed" }, direction: "close", amount, by, cause };
  const after = await move(context, { tx, chain }, closing);
  chain.append({ actor: by, action: "account.close", ledger: account.ledger_id, ...images.account(after) });
  return after;
}

/** Closes an account and all below it, from the bottom up; each returns its free quota to the one above. */
export async function closeTree(
  context: Context,
  writing: Writing,
  closing: Pick<Move, "account" | "by" | "cause">,
): Promise<void> {
  for (const child of await openChildren(writing.tx, closing.account.id))
    await closeTree(context, writing, { ...closing, account: child });
  await closeIn(context, writing, { ...closing, account: await accountRow(writing.tx, closing.account.id) });
}

/** Closes expired accounts, by the store's clock, with all below them. */
export async function expireDue(context: Context): Promise<readonly AccountId[]> {
  const due = await context.store.read
    .selectFrom("account")
    .select("id")
    .where("status", "<>", "closed")
    .where("expires_at", "<=", context.store.now())
    .orderBy("expires_at")
    .execute();
  const closed: AccountId[] = [];
  for (const { id } of due) {
    await change(context, async (tx, chain) => {
      const account = await accountRow(tx, id);
      if (account.status === "closed") return; // closed with an account above it
      await closeTree(context, { tx, chain }, { account, by: systemPrincipal, cause: "expire" });
      closed.push(id);
    });
  }
  return closed;
}
