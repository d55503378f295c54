import { invalid } from "@dosimeter/core";

interface PageInput {
  readonly limit?: number | undefined;
  readonly cursor?: string | undefined;
}

interface PageOf<T> {
  readonly items: readonly T[];
  readonly next: string | null;
}

export const PAGE_SIZE = 50;

/** One page of a list in memory. The cursor is the id of the last item given, so that new items shift nothing. */
export function pageOf<T extends { readonly id: string }>(
  all: readonly T[],
  { limit = PAGE_SIZE, cursor }: PageInput,
): PageOf<T> {
  const start = cursor === undefined ? 0 : all.findIndex(({ id }) => id === cursor) + 1;
  if (cursor !== undefined && start === 0) invalid("query.cursor", undefined, "the `next` of the page before");
  const items = all.slice(start, start + limit);
  const last = items.at(-1);
  return { items, next: last !== undefined && start + limit < all.length ? last.id : null };
}
