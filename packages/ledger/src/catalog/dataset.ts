import type { DatasetId, PopulationId, PrincipalId } from "../id.ts";

/** Plain JSON: stored and given back, never interpreted here. */
export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json };

/** A declared table, at its newest version. The declaration and the source are the owner's words; nothing here was read from rows. */
export interface Dataset {
  readonly id: DatasetId;
  readonly population: PopulationId;
  readonly name: string;
  readonly version: number;
  readonly declaration: Json;
  /** Where the rows are, for the engine: a file of the data folder, an allowed path. */
  readonly source: Json;
  /** 160 random bits, drawn once, independent of the rows: keys the choice of rows when contributions are bounded. Not for the wire. */
  readonly salt: string;
  readonly createdAt: string;
  readonly createdBy: PrincipalId;
}
