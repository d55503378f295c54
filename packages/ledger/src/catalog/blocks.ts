import { invalid } from "@dosimeter/core";
import { isRecord } from "@dosimeter/core/internal";
import { sql } from "kysely";
import { rowWith } from "../stores/row.ts";
import type { Tx } from "../stores/store.ts";
import type { PopulationId } from "../values/id.ts";
import type { Json } from "../values/json.ts";

/** What a declaration says of blocks; undefined where it says nothing. */
const blocksIn = (declaration: Json): unknown =>
  isRecord(declaration) && Object.hasOwn(declaration, "blocks") ? declaration.blocks : undefined;

/** The guarantee of a population with blocks needs a debit of each block of a window, which a ledger does not make yet. */
const refused = (blocks: unknown): never =>
  invalid(
    "declaration.blocks",
    blocks,
    "absent: a ledger of this version debits no blocks, so none is opened for a population that has them",
  );

/** Refuses a declaration with blocks where the population has a ledger, which would charge it as a whole. */
export async function refuseBlocksOfLedger(
  { db }: Pick<Tx, "db">,
  population: PopulationId,
  declaration: Json,
): Promise<void> {
  const blocks = blocksIn(declaration);
  if (blocks === undefined) return;
  if ((await rowWith(db, "ledger", { population_id: population })) !== undefined) refused(blocks);
}

/** Refuses to open a ledger where any version of a dataset of the population has blocks: earlier versions can be asked about too. */
export async function refuseLedgerOfBlocks({ db }: Pick<Tx, "db">, population: PopulationId): Promise<void> {
  const rows = await db
    .selectFrom("dataset_version")
    .innerJoin("dataset", "dataset.id", "dataset_version.dataset_id")
    .select("dataset_version.declaration")
    .where("dataset.population_id", "=", population)
    .where(sql<boolean>`dataset_version.declaration LIKE '%"blocks":%'`)
    .execute();
  for (const { declaration } of rows) {
    const blocks = blocksIn(JSON.parse(declaration) as Json);
    if (blocks !== undefined) refused(blocks);
  }
}
