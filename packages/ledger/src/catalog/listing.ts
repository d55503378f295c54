import { change } from "../audit/change.ts";
import { images } from "../audit/image.ts";
import type { Context } from "../context.ts";
import { putRow, record, rowWith } from "../stores/row.ts";
import type { Tables } from "../stores/tables.ts";
import { checkNote } from "../values/check.ts";
import type { By, DatasetId } from "../values/id.ts";
import { datasetRow, type NamedDataset } from "./dataset.ts";

/** A dataset as the catalogue shows it to people who may not see it. */
export interface Listing {
  readonly isListed: boolean;
  /** Whether it names the declared columns, with their types and descriptions. */
  readonly showsColumns: boolean;
  readonly description: string;
}

const HIDDEN: Listing = { isListed: false, showsColumns: false, description: "" };

const toListing = (row: Tables["listing"] | undefined): Listing =>
  row === undefined
    ? HIDDEN
    : { isListed: row.is_listed === 1n, showsColumns: row.shows_columns === 1n, description: row.description };

/** Hidden until an admin lists it, and for unknown ids. */
export async function listing({ store: { read } }: Context, dataset: DatasetId): Promise<Listing> {
  return toListing(await rowWith(read, "listing", { dataset_id: dataset }));
}

/** Absent fields stay. */
export function setListing(
  context: Context,
  {
    dataset: id,
    by,
    ...asked
  }: By & { readonly dataset: DatasetId } & { [K in keyof Listing]?: Listing[K] | undefined },
): Promise<Listing> {
  return change(context, async (tx, chain) => {
    await datasetRow(tx, id);
    const before = toListing(await rowWith(tx.db, "listing", { dataset_id: id }));
    const { isListed = before.isListed, showsColumns = before.showsColumns, description = before.description } = asked;
    const after: Listing = { isListed, showsColumns, description: checkNote(description) };
    if (
      after.isListed === before.isListed &&
      after.showsColumns === before.showsColumns &&
      after.description === before.description
    )
      return before;
    const row: Tables["listing"] = {
      dataset_id: id,
      is_listed: after.isListed ? 1n : 0n,
      shows_columns: after.showsColumns ? 1n : 0n,
      description: after.description,
      changed_at: context.store.now(),
      changed_by: by,
    };
    await putRow(tx.db, "listing", row, "dataset_id");
    const detail = { dataset: id, isListed, showsColumns };
    chain.append({ actor: by, action: "dataset.list", detail, ...images.listing(row) });
    return after;
  });
}

/** A dataset of the catalogue, without its declaration. */
export type ListedDataset = NamedDataset & Listing;

/** The listed datasets with a ledger, so that one can ask for a part of its budget; by name. */
export async function listed({ store: { read } }: Context): Promise<readonly ListedDataset[]> {
  const rows = await read
    .selectFrom("listing")
    .innerJoin("dataset", "dataset.id", "listing.dataset_id")
    .innerJoin("ledger", "ledger.population_id", "dataset.population_id")
    .selectAll("listing")
    .select(["dataset.id", "dataset.name", "dataset.population_id", "dataset.created_at"])
    .where("listing.is_listed", "=", 1n)
    .orderBy("dataset.name")
    .orderBy("dataset.id")
    .execute();
  return rows.map((row) => ({
    ...record(row, "id", "name", "population_id", "created_at"),
    ...toListing(row),
  }));
}
