import { type Client, createClient, type Visit } from "@dosimeter/client";
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
export const origin =
  apiUrl === undefined || apiUrl === "" ? (globalThis.location?.origin ?? "") : new URL(apiUrl, location.origin).href;
export const client = createClient({ url: origin, fetch: asked });

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
  if (isReached) void queryClient.refetchQueries({ type: "active" });
  else void askAgain();
}

const AGAIN_MS = 2000;

/** One small question; its answer, or that there is none, is noted. */
export const askServer = (): Promise<unknown> => client.showSession().catch(() => undefined);

/** Until there is an answer. */
async function askAgain(): Promise<void> {
  while (lostAt !== null) {
    await new Promise((resolve) => setTimeout(resolve, AGAIN_MS));
    if (lostAt !== null) await askServer();
  }
}

/** What a proxy answers when there is no server behind it. */
const GATEWAY_ERRORS: readonly unknown[] = [502, 503, 504];

/** A refusal is an answer; a broken connection or a gateway error means the server is gone. */
async function asked(request: Request): Promise<Response> {
  try {
    const response = await fetch(request);
    const isServer = response.headers.get("content-type")?.includes("json") ?? false;
    setReached(isServer || !GATEWAY_ERRORS.includes(response.status));
    // The session has ended: the page asks for a sign-in, and comes back.
    if (response.status === 401 && queryClient.getQueryData<Visit>(["session"])?.me)
      void queryClient.invalidateQueries({ queryKey: ["session"] });
    return response;
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    setReached(false);
    throw new Error(NO_ANSWER, { cause: error });
  }
}

export const NO_ANSWER = "The server does not answer";

/** There was no answer; what was asked may have been done. */
export const isUnanswered = (error: unknown): boolean =>
  error instanceof PrivacyError
    ? error.code === "INTERNAL" && GATEWAY_ERRORS.includes(error.details.status)
    : error instanceof Error && error.message === NO_ANSWER;

function listen(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

export const useLostAt = (): Date | null => useSyncExternalStore(listen, () => lostAt);

/** Once the server answers. */
export const whenReached = (): Promise<void> =>
  new Promise((resolve) => {
    const look = (): void => {
      if (lostAt !== null) return;
      stop();
      resolve();
    };
    const stop = listen(look);
    look();
  });

export const isLost = (): boolean => lostAt !== null;

/** Keeps the names that an answer tells, for addresses that can be read. */
function noteNames(answer: unknown): void {
  const known = queryClient.getQueryData<Names>(["names"]);
  const names = withNames(known, answer);
  if (names !== known) queryClient.setQueryData(["names"], names);
}

export const queryClient: QueryClient = new QueryClient({
  queryCache: new QueryCache({
    onSuccess: (answer, { queryKey }) => {
      if (queryKey[0] !== "names") noteNames(answer);
    },
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
