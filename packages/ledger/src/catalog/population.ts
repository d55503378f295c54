import type { PopulationId } from "../id.ts";

export type Adjacency = "addRemove" | "replace" | "replaceSpecial";

/** The people protected. Datasets about the same people share one population, hence one ledger. */
export interface Population {
  readonly id: PopulationId;
  readonly name: string;
  /** What one unit is, in words for the sentence: "person", "household", "row of census". */
  readonly privacyUnit: string;
  readonly adjacency: Adjacency;
  readonly createdAt: string;
}
