import type { Listing } from "@dosimeter/query/plan";

/** The most schemas, and the most tables, that are listed; one more is asked for. */
export const MAX_LISTED = 1000;
/** Longest statement of a listing, in milliseconds: a person waits for it. */
export const LISTING_MS = 10_000;
/** Of all statements of a listing: also one that answers in pieces, or not at all, ends soon. */
export const listingSignal = (signal: AbortSignal | undefined): AbortSignal =>
  AbortSignal.any([...(signal === undefined ? [] : [signal]), AbortSignal.timeout(3 * LISTING_MS)]);
/** No longer name can be asked for. */
const MAX_NAME = 200;

/** Rows of one name each. */
type Names = readonly (readonly unknown[])[];

export function listingOf(schemas: Names, tables: Names): Listing {
  const listed = (names: Names): readonly string[] =>
    names
      .slice(0, MAX_LISTED)
      .map(([name]) => String(name))
      .filter((name) => name.length <= MAX_NAME);
  const found = { schemas: listed(schemas), tables: listed(tables) };
  return {
    ...found,
    isWhole: found.schemas.length === schemas.length && found.tables.length === tables.length,
  };
}
