import { infiniteQueryOptions, queryOptions } from "@tanstack/react-query";
import { isServed } from "./connection.ts";

/** The most items of one page. */
export const MAX_PAGE = 200;

/** A whole list, however many pages it has. */
export const whole = <T>(queryKey: readonly unknown[], list: () => AsyncIterable<T>, enabled = isServed) =>
  queryOptions({ queryKey, queryFn: () => collect(list()), enabled });

/** A list that is shown page by page. */
export const paged = <Page extends { readonly next: string | null }>(
  queryKey: readonly unknown[],
  pageAt: (cursor: { readonly cursor?: string }) => Promise<Page>,
) =>
  infiniteQueryOptions({
    queryKey,
    queryFn: ({ pageParam }) => pageAt(pageParam === null ? {} : { cursor: pageParam }),
    initialPageParam: null as string | null,
    getNextPageParam: (last: Page) => last.next,
  });

/** The text to search for, where there is one. */
export const searched = (text: string): { text?: string } => (text.trim() === "" ? {} : { text: text.trim() });

async function collect<T>(items: AsyncIterable<T>): Promise<readonly T[]> {
  const all: T[] = [];
  for await (const item of items) all.push(item);
  return all;
}
