import type { Tx } from "../stores/store.ts";
import type { LedgerId, PopulationId } from "../values/id.ts";

/** Whom the tables of a population protect: their rows, or the people whom a column names. */
export type Unit = "row" | "column";

/** From the newest declarations of the population's datasets, which agree; null where none states it. */
export async function unitOf({ db }: Pick<Tx, "db">, population: PopulationId): Promise<Unit | null> {
  const rows = await db
    .selectFrom("dataset")
    .innerJoin("dataset_version", (join) =>
      join
        .onRef("dataset_version.dataset_id", "=", "dataset.id")
        .onRef("dataset_version.version", "=", "dataset.version"),
    )
    .select("dataset_version.declaration")
    .where("dataset.population_id", "=", population)
    .orderBy("dataset.id")
    .execute();
  for (const { declaration } of rows) {
    const { privacyUnit } = JSON.parse(declaration) as { readonly privacyUnit?: unknown };
    if (privacyUnit !== undefined && privacyUnit !== null) return privacyUnit === "row" ? "row" : "column";
  }
  return null;
}

/** From the ledger's first audit line. */
export async function unitWhenOpened({ db }: Pick<Tx, "db">, ledger: LedgerId): Promise<Unit | null> {
  const line = await db
    .selectFrom("audit")
    .select("detail")
    .where("ledger_id", "=", ledger)
    .where("action", "in", ["ledger.open", "ledger.import"])
    .executeTakeFirst();
  return (JSON.parse(line?.detail ?? "{}") as { readonly unit?: Unit | null }).unit ?? null;
}
