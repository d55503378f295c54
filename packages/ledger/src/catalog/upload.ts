import { PrivacyError } from "@dosimeter/core";
import { rowWith } from "../stores/row.ts";
import type { Tx } from "../stores/store.ts";
import type { Tables } from "../stores/tables.ts";

/** The upload that a version is read from; undefined where its table is elsewhere. */
export const uploadOf = ({ source }: Pick<Tables["dataset_version"], "source">): string | undefined =>
  (JSON.parse(source) as { readonly file?: string } | null)?.file;

/** CONFLICT where the upload of the newest version was erased: a version that was made from it has its rows. */
export async function refuseErasedBase({ db }: Tx, { id, version }: Tables["dataset"]): Promise<void> {
  const base = await rowWith(db, "dataset_version", { dataset_id: id, version });
  const file = base && uploadOf(base);
  if (file === undefined || (await rowWith(db, "erased_upload", { file })) === undefined) return;
  throw new PrivacyError("CONFLICT", { name: "dataset.version" }, "the uploads of this dataset were erased meanwhile");
}
