export const adjacencies = ["addRemove", "replace", "replaceSpecial"] as const;
/** Which change of one privacy unit makes two datasets neighbours. A ledger has one relation and never mixes them. */
export type Adjacency = (typeof adjacencies)[number];
/** The relations that queries, and so their events, are made for. */
export type EventAdjacency = Exclude<Adjacency, "replaceSpecial">;
