import type { Declaration } from "./declaration.ts";

/** Where the owner says no number of rows at all. */
const UNSAID = 100_000;
/** A table that is said to be small may hold this number all the same: it takes no time that counts. */
const ALWAYS = 1000;

/** Most rows of a table, a public number: as declared, or twice the declared size [M210]. */
export function mostRowsOf({ mostRows, size }: Pick<Declaration, "mostRows" | "size">): number {
  if (mostRows !== undefined) return mostRows;
  if (size === undefined) return UNSAID;
  return Math.max(ALWAYS, 2 * ("public" in size ? size.public : size.assumed));
}

/** Most different values of a column: a derived one has none of its own, and no table more than it has rows. */
export function mostValuesOf(column: string, declaration: Declaration): number {
  const rows = mostRowsOf(declaration);
  return Math.min(rows, declaration.columns[column]?.mostValues ?? rows);
}

/** Characters of a text that can be a key: what it takes in memory is known before they are found [M210]. */
export const MAX_KEY_LENGTH = 128;
