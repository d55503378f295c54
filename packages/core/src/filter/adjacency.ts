/** What one privacy unit's change means; it belongs to the ledger and is never mixed. */
export type Adjacency = "addRemove" | "replace" | "replaceSpecial";
