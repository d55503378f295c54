import type { PlanRequest, Quote } from "@dosimeter/client";
import { useInfiniteQuery, useMutation, useQueries, useQuery, useQueryClient } from "@tanstack/react-query";
import { useChange } from "./change.ts";
import { client } from "./connection.ts";
import { paged } from "./listing.ts";

/** How long the server may hold the answer to a release that is not finished. */
const LONG_POLL_SECONDS = 15;

export const useReleases = (filter: { readonly dataset?: string; readonly limit?: number } = {}) =>
  useInfiniteQuery(paged(["releases", filter], (page) => client.listReleases({ limit: 20, ...filter, ...page })));

/** A release; requested again, with a wait at the server, until its answers are there. */
export function useRelease(release: string) {
  const queries = useQueryClient();
  const queryKey = ["release", release];
  return useQuery({
    queryKey,
    queryFn: ({ signal }) =>
      client.showRelease(
        { release, wait: queries.getQueryData(queryKey) === undefined ? 0 : LONG_POLL_SECONDS },
        { signal },
      ),
    refetchInterval: ({ state: { data } }) =>
      data === undefined || data.stage === "done" || data.failure ? false : 200,
    staleTime: ({ state: { data } }) => (data?.stage === "done" ? Infinity : 0),
  });
}

/** Releases that are done, with their answers. */
export const useSettled = (releases: readonly { readonly id: string }[]) =>
  useQueries({
    queries: releases.map(({ id }) => ({
      queryKey: ["release", id],
      queryFn: ({ signal }: { signal: AbortSignal }) => client.showRelease({ release: id, wait: 0 }, { signal }),
      staleTime: Number.POSITIVE_INFINITY,
    })),
  });

/** Measures a release again that failed; nothing is charged. */
export const useRetryRelease = () => useChange((server, release: string) => server.retryRelease({ release }));

/** Renames a release or writes the note next to it. */
export const useLabelRelease = () =>
  useChange((server, label: { release: string; title?: string | null; note: string | null }) =>
    server.labelRelease(label),
  );

/** A finished release as a PDF. */
export const useReleaseReport = () =>
  useMutation({ mutationFn: (release: string) => client.releaseReport({ release }) });

/**
 * The cost of a plan; reads no data. `null` sends no request. Where `keeps`, the last quote stays while the next one is on its way, as
 * `isPlaceholderData`: nothing on the page goes and comes back.
 */
export const useQuote = (request: PlanRequest | null, keeps = false) =>
  useQuery<Quote>({
    queryKey: ["quote", request],
    queryFn: ({ signal }) =>
      request === null ? Promise.reject(new Error("nothing to quote")) : client.quotePlan(request, { signal }),
    enabled: request !== null,
    staleTime: 0,
    placeholderData: (last) => (keeps ? last : undefined),
    gcTime: 60_000,
  });

/** Charges a plan. The same key is charged once, even if it is sent again. */
export function useCreateRelease() {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: ({ request, key }: { readonly request: PlanRequest; readonly key: string }) =>
      client.createRelease({ ...request, wait: 0 }, { idempotencyKey: key }),
    onSettled: () =>
      Promise.all(
        ["accounts", "dataset", "datasets", "ledger", "releases", "report", "quote", "reuse", "released"].map((name) =>
          queries.invalidateQueries({ queryKey: [name] }),
        ),
      ),
  });
}
