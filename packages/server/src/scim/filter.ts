import scimmy from "scimmy";

const { Types } = scimmy;

/** The most characters of a filter, and of a path that may hold one. */
const MAX_FILTER = 500;
const DATE = /^\d{4}-\d\d-\d\d/;

export function checked(filter: string): string {
  if (filter.length <= MAX_FILTER) return filter;
  throw new Types.Error(400, "invalidFilter", `a filter or path must have at most ${MAX_FILTER} characters`);
}

/** Those that a filter means, by their place. Texts are compared without regard to case unless `isExact`. */
export function matching(all: readonly object[], text: string, isExact: boolean): ReadonlySet<number> {
  const lower = (value: string): string => (isExact || DATE.test(value) ? value : value.toLowerCase());
  const fold = (_: string, value: unknown) => (typeof value === "string" ? lower(value) : value);
  const folded = JSON.parse(JSON.stringify(all), fold) as readonly object[];
  const given = checked(text).replace(/"((?:[^"\\]|\\.)*)"/g, (_, inside: string) => `"${lower(inside)}"`);
  const kept = new Set(matchedBy(given, folded));
  return new Set(folded.flatMap((one, index) => (kept.has(one) ? [index] : [])));
}

function matchedBy(filter: string, all: readonly object[]): readonly object[] {
  try {
    return new Types.Filter(filter).match([...all]) as object[];
  } catch (error) {
    if (error instanceof Types.Error) throw error;
    throw new Types.Error(400, "invalidFilter", "this filter is not one of RFC 7644, or not offered");
  }
}
