import { invalid } from "@dosimeter/core";

/** Where to go on in a list, and how many items to give: 1 to 500, 50 when absent. */
export interface PageOptions {
  readonly after?: string | undefined;
  readonly limit?: number | undefined;
}

/** A page of a list; `next` continues it, null at the end. */
export interface Page<T> {
  readonly items: readonly T[];
  readonly next: string | null;
}

const PAGE = { smallest: 1, usual: 50, largest: 500 } as const;

export function checkLimit(limit: number | undefined): number {
  const rows = limit ?? PAGE.usual;
  if (!Number.isInteger(rows) || rows < PAGE.smallest || rows > PAGE.largest) {
    invalid("limit", limit, "an integer from 1 to 500");
  }
  return rows;
}

/** A cursor is the number of the last row seen. */
export function checkCursor(after: string | undefined): bigint | undefined {
  if (after === undefined) return undefined;
  if (!/^\d{1,18}$/.test(after)) {
    invalid("after", after, "the `next` of a page");
  }
  return BigInt(after);
}
