import { change } from "../audit/change.ts";
import { images } from "../audit/image.ts";
import type { Context } from "../context.ts";
import { putRow, rowWith } from "../stores/row.ts";
import type { By, PopulationId } from "../values/id.ts";
import { populationRow } from "./population.ts";

/** Whether anyone may read what is promised about these people; false until an admin publishes it, and for unknown ids. */
export async function isPublic({ store }: Context, population: PopulationId): Promise<boolean> {
  const row = await rowWith(store.read, "publication", { population_id: population });
  return row?.is_public === 1n;
}

export function setPublic(
  context: Context,
  { population, isPublic, by }: By & { readonly population: PopulationId; readonly isPublic: boolean },
): Promise<void> {
  return change(context, async (tx, chain) => {
    const { id } = await populationRow(tx, population);
    const before = await rowWith(tx.db, "publication", { population_id: id });
    if ((before?.is_public === 1n) === isPublic) return;
    const row = {
      population_id: id,
      is_public: isPublic ? 1n : 0n,
      changed_at: context.store.now(),
      changed_by: by,
    };
    await putRow(tx.db, "publication", row, "population_id");
    const action = isPublic ? "population.publish" : "population.unpublish";
    chain.append({ actor: by, action, ...images.publication(row) });
  });
}
