import { PrivacyError } from "@dosimeter/core";
import type { Context } from "../context.ts";
import { rowWith } from "../stores/row.ts";
import type { Tx } from "../stores/store.ts";
import type { Tables } from "../stores/tables.ts";
import { found } from "../values/check.ts";
import type { DatasetId } from "../values/id.ts";

/** The upload that a version is read from; undefined where its table is elsewhere. */
export const uploadOf = ({ source }: Pick<Tables["dataset_version"], "source">): string | undefined =>
  (JSON.parse(source) as { readonly file?: string } | null)?.file;

/** Of a table whose upload was erased, in the same words for what is asked before a charge and in its transaction. */
export const uploadErased = (): PrivacyError =>
  new PrivacyError(
    "DATA_UNREADABLE",
    { name: "source" },
    "the upload of this table was erased; nothing was charged. Earlier answers stay",
  );

/** CONFLICT for a version that would read an upload which is erased, or being erased. */
export async function refuseErasedUpload({ db }: Tx, version: Tables["dataset_version"]): Promise<void> {
  const file = uploadOf(version);
  if (file === undefined) return;
  const erased = await rowWith(db, "erased_upload", { file });
  if (erased === undefined && (await rowWith(db, "discarded_upload", { file })) === undefined) return;
  throw new PrivacyError("CONFLICT", { name: "file" }, "this upload was erased meanwhile: upload the table again");
}

async function isRead({ db }: Tx, file: string): Promise<boolean> {
  const named = await db
    .selectFrom("dataset_version")
    .select("source")
    .where("source", "like", `%${file.replace(/[%_]/g, "_")}%`)
    .execute();
  return named.some((version) => uploadOf(version) === file);
}

/** Whether no version of any dataset reads an upload; then none can from now on, and the caller deletes it. */
export function discardUpload({ store }: Context, { file }: { readonly file: string }): Promise<boolean> {
  return store.transact(async (tx) => {
    if (await isRead(tx, file)) return false;
    await tx.db
      .insertInto("discarded_upload")
      .values({ file, discarded_at: store.now() })
      .onConflict((known) => known.column("file").doNothing())
      .execute();
    return true;
  });
}

/** Whether no version reads an upload that an append to this dataset was given or made; then none can from now on, and the caller deletes it. NOT_FOUND for a dataset that is not here. */
export function eraseUnread(
  { store }: Context,
  { file, dataset }: { readonly file: string; readonly dataset: DatasetId },
): Promise<boolean> {
  return store.transact(async (tx) => {
    found(await rowWith(tx.db, "dataset", { id: dataset }), "dataset", dataset);
    if (await isRead(tx, file)) return false;
    await tx.db
      .insertInto("erased_upload")
      .values({ file, dataset_id: dataset, erased_at: store.now() })
      .onConflict((known) => known.column("file").doNothing())
      .execute();
    return true;
  });
}

/** CONFLICT where the upload of the newest version was erased: a version that was made from it has its rows. */
export async function refuseErasedBase({ db }: Tx, { id, version }: Tables["dataset"]): Promise<void> {
  const base = await rowWith(db, "dataset_version", { dataset_id: id, version });
  const file = base && uploadOf(base);
  if (file === undefined || (await rowWith(db, "erased_upload", { file })) === undefined) return;
  throw new PrivacyError("CONFLICT", { name: "dataset.version" }, "the uploads of this dataset were erased meanwhile");
}
