import { invalid } from "@dosimeter/core";

/** What one answer of a list may hold: some 1,000 tokens. */
const MAX_BYTES = 3600;

export interface Paged<T> {
  readonly items: readonly T[];
  /** The page after this one; absent at the end. */
  readonly nextPage?: number;
}

/** The items of one page, as many as fit. INVALID_PARAMETER beyond the last page. */
export function paged<T>(all: readonly T[], page = 1): Paged<T> {
  let at = 1;
  let bytes = 0;
  const items: T[] = [];
  for (const item of all) {
    const size = Buffer.byteLength(JSON.stringify(item)) + 1;
    if (bytes > 0 && bytes + size > MAX_BYTES) {
      if (at === page) return { items, nextPage: page + 1 };
      at += 1;
      bytes = 0;
    }
    bytes += size;
    if (at === page) items.push(item);
  }
  return at < page ? invalid("page", page, `at most ${at}`) : { items };
}
