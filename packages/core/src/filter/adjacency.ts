/** Which change of one privacy unit makes two datasets neighbours. A ledger has one relation and never mixes them. */
export type Adjacency = "addRemove" | "replace" | "replaceSpecial";
