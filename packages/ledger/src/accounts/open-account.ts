import {
  type DeltaAmount,
  type EpsilonAmount,
  invalid,
  openState,
  PrivacyError,
  quotaCaps,
  quotaDelta,
} from "@dosimeter/core";
import type { Writing } from "../audit/chain.ts";
import { change } from "../audit/change.ts";
import { images } from "../audit/image.ts";
import { datasetRow } from "../catalog/dataset.ts";
import type { Context } from "../context.ts";
import { NOTHING } from "../ledger/amounts.ts";
import { ledgerRow } from "../ledger/ledger.ts";
import { capsColumns, stateColumns } from "../ledger/node.ts";
import { principalsOf } from "../people/analyst.ts";
import { principalRow, systemPrincipal } from "../people/principal.ts";
import { teamRow } from "../people/team.ts";
import type { Tx } from "../stores/store.ts";
import type { Tables } from "../stores/tables.ts";
import { checkInstant, checkName, vacant } from "../values/check.ts";
import { type AccountId, type By, type LedgerId, newId, type PrincipalId } from "../values/id.ts";
import { parseTerms, refuseBlocks } from "../values/terms.ts";
import { type Account, accountRow, checkActive, type Holder, promisesLearning, toAccount } from "./account.ts";
import { countEarlier } from "./cap-reading.ts";
import { type Move, move } from "./quota.ts";

type AccountRow = Tables["account"];

export interface NewAccount extends By {
  readonly ledger: LedgerId;
  readonly parent: AccountId | null;
  readonly holder: Holder;
  readonly epsilon: EpsilonAmount;
  readonly delta?: DeltaAmount | undefined;
  readonly kind?: Account["kind"] | undefined;
  readonly mode?: Account["mode"] | undefined;
  /** When it closes by itself; in the future. */
  readonly expiresAt?: string | null | undefined;
  /** The most one charge may take, as a pure ε above 0. */
  readonly queryEpsilon?: EpsilonAmount | null | undefined;
}

/** Opens an account and moves its quota from the parent in the same transaction. */
export function openAccount(context: Context, options: NewAccount): Promise<Account> {
  return change(context, async (tx, chain) => openAccountIn(context, { tx, chain }, options));
}

/** The same inside a transaction that does more. */
export async function openAccountIn(
  context: Context,
  { tx, chain }: Writing,
  { request, ...options }: NewAccount & Pick<Move, "request">,
): Promise<Account> {
  const { ledger: ledgerId, parent: parentId, holder, epsilon, kind = "share", mode = "funded", by } = options;
  const ledger = await ledgerRow(tx, ledgerId);
  const terms = parseTerms(ledger.terms);
  if (kind === "cap")
    refuseBlocks(ledger.terms, "a cap has one sum for all blocks; give a share, which counts each block by itself");
  await checkHolder(tx, holder);
  if (kind === "cap" && !promisesLearning({ kind, holder }))
    invalid("kind", kind, "share: a purpose or a dataset reads no answers");
  if (parentId !== null) await checkParent(tx, await accountRow(tx, parentId), { ledger: ledgerId, holder });
  if (holder.kind === "principal") await refuseEvadedCap(tx, { ledger: ledgerId, holder: holder.id, kind });
  vacant(await openAccountOf(tx, options), "account of the holder", holder.id);
  const caps = quotaCaps(terms, NOTHING, kind);
  const row: AccountRow = {
    id: newId("account"),
    ledger_id: ledgerId,
    parent_id: parentId,
    holder_kind: holder.kind,
    holder_id: holder.id,
    kind,
    mode,
    status: "active",
    opened_at: context.store.now(),
    expires_at: checkExpiry(context, options.expiresAt),
    query_epsilon: options.queryEpsilon ?? null,
    quota_epsilon: NOTHING.epsilon,
    quota_delta: NOTHING.delta,
    allocated_epsilon: NOTHING.epsilon,
    allocated_delta: NOTHING.delta,
    ...capsColumns(caps),
    ...stateColumns(openState(caps)),
  };
  await tx.db.insertInto("account").values(row).execute();
  chain.append({
    actor: by,
    action: "account.open",
    ledger: ledgerId,
    detail: { parent: parentId, holder: holder.id, kind, mode },
    ...images.account(row),
  });
  const delta = options.delta ?? quotaDelta(terms, { epsilon });
  const amount = { epsilon, delta };
  const opened = await move(context, { tx, chain }, { account: row, direction: "allocate", amount, by, request });
  if (kind === "share") return toAccount(opened);
  await countEarlier(context, { tx, chain }, { account: row.id, by });
  return toAccount(await accountRow(tx, row.id));
}

export async function checkHolder(tx: Tx, { kind, id }: Holder): Promise<void> {
  if (kind === "team") await teamRow(tx, id);
  else if (kind === "dataset") await datasetRow(tx, id);
  else if (kind === "purpose") checkName(id, "holder");
  else if (kind === "principal") {
    const { disabled_at } = await principalRow(tx, id);
    if (disabled_at !== null || id === systemPrincipal) {
      invalid("holder", id, "someone who can sign in");
    }
  } else invalid("holder.kind", kind, "dataset, team, principal or purpose");
}

/** Below a person's account only purposes of that person; a purpose below a person has nothing below it. */
export async function checkParent(
  tx: Pick<Tx, "db">,
  parent: AccountRow,
  { ledger, holder }: { readonly ledger: LedgerId; readonly holder: Pick<Holder, "kind"> },
): Promise<void> {
  if (parent.ledger_id !== ledger) {
    invalid("parent", parent.id, "an account of the same ledger");
  }
  const isOwned =
    parent.holder_kind === "purpose" &&
    parent.parent_id !== null &&
    (await accountRow(tx, parent.parent_id)).holder_kind === "principal";
  if (isOwned || (parent.holder_kind === "principal" && holder.kind !== "purpose")) {
    invalid(
      "parent",
      parent.id,
      isOwned ? "an account that may have others below it" : "an account that is not a person's",
    );
  }
  checkActive(parent);
}

/** A future time in the store's format; null for none. */
export function checkExpiry({ store }: Context, expiresAt: string | null | undefined): string | null {
  if (expiresAt === undefined || expiresAt === null) return null;
  const at = checkInstant(expiresAt, "expiresAt");
  if (at <= store.now()) {
    invalid("expiresAt", expiresAt, "in the future");
  }
  return at;
}

/** A cap bounds what one analyst learns, through their services too. */
async function refuseEvadedCap(
  tx: Tx,
  { ledger, holder, kind }: { readonly ledger: LedgerId; readonly holder: PrincipalId; readonly kind: Account["kind"] },
): Promise<void> {
  const others = (await principalsOf(tx, holder)).filter((id) => id !== holder);
  if (others.length === 0) return;
  let evading = tx.db
    .selectFrom("account")
    .select("id")
    .where("ledger_id", "=", ledger)
    .where("holder_kind", "=", "principal")
    .where("holder_id", "in", others)
    .where("status", "<>", "closed");
  if (kind === "share") evading = evading.where("kind", "=", "cap");
  const found = await evading.executeTakeFirst();
  if (found === undefined) return;
  const want = "one account for a person and their services, as it is a cap on what they learn";
  throw new PrivacyError("CONFLICT", { name: "holder", got: found.id, want });
}

export const openAccountOf = (
  { db }: Tx,
  { ledger, parent, holder }: Pick<NewAccount, "ledger" | "parent" | "holder">,
) =>
  db
    .selectFrom("account")
    .select("id")
    .where("ledger_id", "=", ledger)
    .where("parent_id", parent === null ? "is" : "=", parent)
    .where("holder_kind", "=", holder.kind)
    .where("holder_id", "=", holder.id)
    .where("status", "<>", "closed")
    .executeTakeFirst();
