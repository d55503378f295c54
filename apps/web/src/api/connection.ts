import { type Client, createClient } from "@dosimeter/client";
import { PrivacyError } from "@dosimeter/core";
import {
  infiniteQueryOptions,
  QueryCache,
  QueryClient,
  queryOptions,
  useMutation,
  useQueryClient,
} from "@tanstack/react-query";
import { useSyncExternalStore } from "react";
import { type Names, withNames } from "../addresses.ts";
import { apiUrl, mode } from "../mode.ts";

/** The only folder that talks to a server. Pages on a file host never call anything here. */
export const origin = apiUrl === undefined || apiUrl === "" ? location.origin : new URL(apiUrl, location.origin).href;
export const client = createClient({ url: origin });

/** Repeats a request after a lost connection or a fault of the server, but not after a refusal. */
const isWorthRetrying = (count: number, error: unknown): boolean =>
  count < 2 && (!(error instanceof PrivacyError) || error.code === "INTERNAL");

/** The time since which the server cannot be reached; null while it can. */
let lostAt: Date | null = null;
const listeners = new Set<() => void>();
function setReached(isReached: boolean): void {
  if (isReached === (lostAt === null)) return;
  lostAt = isReached ? null : new Date();
  for (const listener of listeners) listener();
}

/** What a proxy answers when there is no server behind it. */
const GATEWAY_ERRORS: readonly unknown[] = [502, 503, 504];

/** A refusal is an answer; a broken connection or a gateway error means the server is gone. */
function noteFailure(error: unknown): void {
  if (error instanceof TypeError) setReached(false);
  else if (error instanceof PrivacyError)
    setReached(error.code !== "INTERNAL" || !GATEWAY_ERRORS.includes(error.details.status));
}

export const useLostAt = (): Date | null =>
  useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => lostAt,
  );

/** Keeps the names that an answer tells, for addresses that can be read. */
function noteNames(answer: unknown): void {
  const known = queryClient.getQueryData<Names>(["names"]);
  const names = withNames(known, answer);
  if (names !== known) queryClient.setQueryData(["names"], names);
}

export const queryClient: QueryClient = new QueryClient({
  queryCache: new QueryCache({
    onSuccess: (answer, { queryKey }) => {
      if (queryKey[0] === "names") return;
      setReached(true);
      noteNames(answer);
    },
    onError: noteFailure,
  }),
  defaultOptions: {
    // A server on this machine answers without a network, and a page that waits for one would not say so.
    queries: { retry: isWorthRetrying, staleTime: 5_000, networkMode: "always" },
    mutations: { retry: false, networkMode: "always" },
  },
});

queryClient.setQueryDefaults(["names"], { gcTime: Number.POSITIVE_INFINITY });

export const isServed = mode === "server";

/** A change at the server. Afterwards, done or refused, the page loads its data again. */
export function useChange<Change, Result>(act: (client: Client, change: Change) => Promise<Result>) {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: (change: Change) => act(client, change),
    onSettled: () => queries.invalidateQueries(),
  });
}

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
