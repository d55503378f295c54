import { invalid, PrivacyError } from "@dosimeter/core";
import { change } from "../audit/change.ts";
import { images } from "../audit/image.ts";
import type { Context } from "../context.ts";
import { chargeRow } from "../release/charge.ts";
import { rowWith } from "../stores/row.ts";
import type { Tables } from "../stores/tables.ts";
import { checkInstant, checkName } from "../values/check.ts";
import { type By, type ChargeId, entryOf, newSecret } from "../values/id.ts";
import { countForAll } from "./cap-reading.ts";

/** How a release is read by everyone who has its link. */
export interface PublicLink {
  readonly charge: ChargeId;
  /** null: what it asks. */
  readonly title: string | null;
  readonly isIndexed: boolean;
  readonly at: string;
  /** null: no link leads to it, and it stays counted. */
  readonly expiresAt: string | null;
}

interface Publishing extends By {
  readonly charge: ChargeId;
  /** The charges of the earlier answers in it. */
  readonly origins: readonly ChargeId[];
  readonly title: string | null;
  readonly isIndexed: boolean;
  readonly expiresAt: string;
}

/**
 * Makes a release public: every cap of its ledger counts what it shows, in the transaction that makes its link, whose secret is returned this once.
 * Again: a new link and other words, at no cost; the link before it ends. QUOTA_EXHAUSTED when a cap has no room, and then nothing is public. [M400]
 */
export function publishAnswer(
  context: Context,
  { charge: id, origins, title, isIndexed, expiresAt, by }: Publishing,
): Promise<PublicLink & { readonly secret: string }> {
  const { store, step } = context;
  return change(context, async (tx, chain) => {
    const [at, expires] = [store.now(), checkInstant(expiresAt, "expiresAt")];
    if (expires <= at) invalid("expiresAt", expiresAt, "in the future");
    const { status } = await chargeRow(tx.db, id);
    if (status !== "released")
      throw new PrivacyError("CONFLICT", { name: "release", got: status, want: "released: there are no answers yet" });
    const secret = newSecret("pub");
    const link = { link_hash: store.sha256(secret), title: title === null ? null : checkName(title, "title") };
    const shown = { ...link, is_indexed: isIndexed ? 1n : 0n, expires_at: expires };
    for (const one of new Set([id, ...origins])) {
      const charge = await chargeRow(tx.db, one);
      await countForAll(context, { tx, chain }, { charge, by });
      const { entry_seq, ledger_id } = charge;
      const before = await rowWith(tx.db, "public_answer", { entry_seq });
      if (one !== id && before !== undefined) continue;
      const row: Tables["public_answer"] = {
        ...{ entry_seq, ledger_id, changed_at: at, changed_by: by },
        ...(one === id ? shown : { link_hash: null, title: null, is_indexed: 0n, expires_at: null }),
      };
      await tx.db
        .insertInto("public_answer")
        .values(row)
        .onConflict((conflict) => conflict.column("entry_seq").doUpdateSet(row))
        .execute();
      const [action, detail] =
        one === id
          ? ["release.publish", { charge: one, isIndexed, expiresAt: expires }]
          : ["release.shownIn", { of: id }];
      chain.append({ actor: by, action, ledger: ledger_id, detail, ...images.public_answer(row) });
    }
    step("release.public");
    return { charge: id, title: link.title, isIndexed, at, expiresAt: expires, secret };
  });
}

/** Ends the link of a release. What was seen stays seen, and counted. */
export function endPublicAnswer(
  context: Context,
  { charge: id, by }: By & { readonly charge: ChargeId },
): Promise<void> {
  return change(context, async (tx, chain) => {
    const { entry_seq } = await chargeRow(tx.db, id);
    const before = await rowWith(tx.db, "public_answer", { entry_seq });
    if (before === undefined || before.link_hash === null) return;
    const none = { link_hash: null, expires_at: null, changed_at: context.store.now(), changed_by: by };
    const row = { ...before, ...none };
    await tx.db.updateTable("public_answer").set(none).where("entry_seq", "=", entry_seq).execute();
    const about = { ledger: row.ledger_id, detail: { charge: id } };
    chain.append({ actor: by, action: "release.unpublish", ...about, ...images.public_answer(row) });
  });
}

/** What is, or was, public of a release; null: nothing ever was. */
export async function linkOf({ store: { read } }: Context, id: ChargeId): Promise<PublicLink | null> {
  const row = await rowWith(read, "public_answer", { entry_seq: entryOf(id) ?? 0n });
  return row === undefined ? null : toLink(row, id);
}

/** The release that a secret leads to now. NOT_FOUND, in the same words, for one that is wrong, ended or over. */
export async function publicAnswer({ store }: Context, secret: string): Promise<PublicLink> {
  const row = await rowWith(store.read, "public_answer", { link_hash: store.sha256(secret) });
  const isOver = row === undefined || row.expires_at === null || row.expires_at <= store.now();
  const charge = isOver ? undefined : await rowWith(store.read, "charge", { entry_seq: row.entry_seq });
  if (row === undefined || charge === undefined)
    throw new PrivacyError("NOT_FOUND", {}, "nothing is public here: the link is wrong, was ended, or is over");
  return toLink(row, charge.id);
}

const toLink = (row: Tables["public_answer"], charge: ChargeId): PublicLink => ({
  charge,
  title: row.title,
  isIndexed: row.is_indexed === 1n,
  at: row.changed_at,
  expiresAt: row.expires_at,
});
