/** A part of a list, in the order in which its items came: `count` of them at most, after `from` others. */
export interface Part {
  readonly from: number;
  readonly count: number;
}

export interface Listed<Item> {
  /** How many there are in all. */
  readonly total: number;
  readonly items: readonly Item[];
}
