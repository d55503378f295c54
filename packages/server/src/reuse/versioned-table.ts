import type { Dataset, LedgerDatabase } from "@dosimeter/ledger";
import type { JoinedVersion } from "@dosimeter/query/plan";
import type { Files } from "../sources/files.ts";
import { appendsAmong, tableOf } from "../sources/tables.ts";
import type { Version } from "./find.ts";

/** A dataset at a version, and where the engine finds its rows. */
export type VersionedTable = Version & { readonly table: JoinedVersion };

/** A dataset that a plan joins, at a version, the newest when null. */
export interface JoinedDataset {
  readonly dataset: Dataset;
  readonly version: number | null;
}

/** Where datasets are described, and where their rows are. */
export interface Tables {
  readonly database: LedgerDatabase;
  readonly files: Files;
}

/** The table of a dataset at a version, the newest when null, with the one that the plan joins. */
export async function versionOf(
  deps: Tables,
  dataset: Dataset,
  version: number | null,
  join: JoinedDataset | null = null,
): Promise<VersionedTable> {
  const about = await tableAt(deps, dataset, version);
  if (join === null) return about;
  const other = await tableAt(deps, join.dataset, join.version);
  const joinable = { [other.dataset]: { version: other.version, declaration: other.declaration } };
  return {
    ...about,
    declaration: { ...about.declaration, joinable },
    table: { ...about.table, joined: other.table },
  };
}

async function tableAt({ database, files }: Tables, dataset: Dataset, version: number | null): Promise<VersionedTable> {
  const isNewest = version === null || version === dataset.version;
  const found = isNewest ? dataset : await database.catalog.datasetAt(dataset.id, version);
  const table = tableOf(found, files);
  const { declaration } = table;
  const about = { dataset: found.id, version: found.version, declaration, table: table.version };
  return declaration.blocks === undefined
    ? about
    : { ...about, appends: appendsAmong(await database.catalog.sources(found.id)) };
}
