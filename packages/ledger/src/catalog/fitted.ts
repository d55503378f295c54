import type { Context } from "../context.ts";
import type { Tx } from "../stores/store.ts";
import type { PopulationId } from "../values/id.ts";

/** Whether a declaration of any table of these people was fitted to its data, here or where their ledger was copied from. [M341] */
export const isFitted = ({ store: { read } }: Context, population: PopulationId): Promise<boolean> =>
  fittedIn(read, population);

export async function fittedIn(db: Tx["db"], population: PopulationId): Promise<boolean> {
  const declared = await db
    .selectFrom("dataset_version")
    .innerJoin("dataset", "dataset.id", "dataset_version.dataset_id")
    .select("dataset.id")
    .where("population_id", "=", population)
    .where("is_fitted", "=", 1n)
    .executeTakeFirst();
  if (declared !== undefined) return true;
  const copied = await db
    .selectFrom("audit")
    .innerJoin("ledger", "ledger.id", "audit.ledger_id")
    .select("detail")
    .where("ledger.population_id", "=", population)
    .where("action", "=", "ledger.import")
    .executeTakeFirst();
  return (JSON.parse(copied?.detail ?? "{}") as { readonly isFitted?: boolean }).isFitted === true;
}
