import { type Adjacency, adjacencies, invalid } from "@dosimeter/core";
import { change } from "../audit/change.ts";
import type { Context } from "../context.ts";
import { record, rowWith } from "../stores/row.ts";
import type { Tx } from "../stores/store.ts";
import type { Tables } from "../stores/tables.ts";
import { checkName, found } from "../values/check.ts";
import { type By, newId, type PopulationId } from "../values/id.ts";

/** The people protected. Datasets about the same people share one population, hence one ledger. */
export interface Population {
  readonly id: PopulationId;
  readonly name: string;
  /** One unit, in words for the sentence: "person", "household", "row of census". */
  readonly privacyUnit: string;
  readonly adjacency: Adjacency;
  readonly createdAt: string;
}

export const toPopulation = (row: Tables["population"]): Population => ({
  ...record(row, "id", "name", "privacy_unit", "adjacency", "created_at"),
});

interface NewPopulation extends By {
  readonly name: string;
  readonly privacyUnit: string;
  readonly adjacency: Adjacency;
}

export function createPopulation(
  context: Context,
  { name, privacyUnit, adjacency, by }: NewPopulation,
): Promise<Population> {
  if (!adjacencies.includes(adjacency)) {
    invalid("adjacency", adjacency, adjacencies.join(", "));
  }
  const row: Tables["population"] = {
    id: newId("population"),
    name: checkName(name, "name"),
    privacy_unit: checkName(privacyUnit, "privacyUnit"),
    adjacency,
    created_at: context.store.now(),
  };
  return change(context, async ({ db }, chain) => {
    await db.insertInto("population").values(row).execute();
    chain.append({ actor: by, action: "population.create", subject: row.id, detail: { adjacency }, image: row });
    return toPopulation(row);
  });
}

export async function populationRow({ db }: Pick<Tx, "db">, id: string): Promise<Tables["population"]> {
  return found(await rowWith(db, "population", { id }), "population", id);
}

export const population = async ({ store }: Context, id: string): Promise<Population> =>
  toPopulation(await populationRow({ db: store.read }, id));
