import { PrivacyError } from "@dosimeter/core";
import { change } from "../audit/change.ts";
import { datasetRow } from "../catalog/dataset.ts";
import { uploadOf } from "../catalog/upload.ts";
import type { Context } from "../context.ts";
import type { Tx } from "../stores/store.ts";
import type { By, DatasetId } from "../values/id.ts";
import { type Charge, chargeWithEntry } from "./charge.ts";

/**
 * The uploads of all versions of a dataset that no version of another one reads, for the caller to delete: the audit has it first, and from then on
 * nothing is charged for what would read them. The ledger, its charges and every answer stay. CONFLICT while a charge about the same people waits
 * for its answer, unless `isGivenUp` says that it gets none.
 */
export function eraseUploads(
  context: Context,
  { dataset, isGivenUp, by }: By & { readonly dataset: DatasetId; readonly isGivenUp: (charge: Charge) => boolean },
): Promise<readonly string[]> {
  return change(context, async (tx, chain) => {
    const { population_id } = await datasetRow(tx, dataset);
    const waiting = await tx.db
      .selectFrom("charge")
      .innerJoin("dataset", "dataset.id", "charge.dataset_id")
      .select("charge.id")
      .where("status", "=", "charged")
      .where("population_id", "=", population_id)
      .execute();
    const charges = await Promise.all(waiting.map(({ id }) => chargeWithEntry(tx.db, id)));
    if (!charges.every(isGivenUp))
      throw new PrivacyError(
        "CONFLICT",
        {},
        "a release about these people waits for its answer: try again when it has it",
      );
    const files = await ownFiles(tx, dataset);
    const erased_at = context.store.now();
    for (const file of files)
      await tx.db
        .insertInto("erased_upload")
        .values({ file, dataset_id: dataset, erased_at })
        .onConflict((known) => known.column("file").doNothing())
        .execute();
    const detail = { files: files.length };
    chain.append({ actor: by, action: "dataset.erase", subject: dataset, detail });
    return files;
  });
}

async function ownFiles({ db }: Tx, dataset: DatasetId): Promise<readonly string[]> {
  const rows = await db.selectFrom("dataset_version").select(["dataset_id", "source"]).execute();
  const files = (isOwn: boolean) =>
    new Set(rows.flatMap((row) => ((row.dataset_id === dataset) === isOwn ? (uploadOf(row) ?? []) : [])));
  const others = files(false);
  return [...files(true)].filter((file) => !others.has(file));
}
