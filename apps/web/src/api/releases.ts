import type { Input, PlanRequest, Quote } from "@dosimeter/client";
import { useInfiniteQuery, useMutation, useQueries, useQuery, useQueryClient } from "@tanstack/react-query";
import { client, MAX_PAGE, paged, useChange, whole } from "./connection.ts";

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

/** Whether a release is public; for admins of its dataset. */
export const usePublication = (release: string) =>
  useQuery({ queryKey: ["publication", release], queryFn: () => client.showPublication({ release }) });

export const usePublish = () => useChange((server, asked: Input<"publishRelease">) => server.publishRelease(asked));
export const useUnpublish = () => useChange((server, release: string) => server.unpublishRelease({ release }));

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

export const useDrafts = (dataset: string) =>
  useQuery(whole(["drafts", dataset], () => client.all("listDrafts", { dataset, limit: MAX_PAGE })));

/** A draft with its plan and comments. */
export const useDraft = (draft: string) =>
  useQuery({ queryKey: ["draft", draft], queryFn: () => client.showDraft({ draft }), enabled: draft !== "" });

export const useSaveDraft = () => useChange((server, draft: Input<"saveDraft">) => server.saveDraft(draft));
export const useChangeDraft = () => useChange((server, change: Input<"changeDraft">) => server.changeDraft(change));
/** The list is loaded again; the draft itself is gone and not asked for. */
export function useDeleteDraft() {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: (draft: string) => client.deleteDraft({ draft }),
    onSettled: () => {
      void queries.invalidateQueries({ queryKey: ["drafts"] });
      return queries.invalidateQueries({ queryKey: ["unfinished"], exact: true });
    },
  });
}
export const useCommentDraft = () => useChange((server, said: Input<"commentDraft">) => server.commentDraft(said));

export const useSchedules = (dataset: string) =>
  useQuery(whole(["schedules", dataset], () => client.all("listSchedules", { dataset, limit: MAX_PAGE })));

/** A scheduled report with its answers. A new one appears by itself. */
export const useSchedule = (schedule: string) =>
  useQuery({
    queryKey: ["schedule", schedule],
    queryFn: () => client.showSchedule({ schedule }),
    refetchInterval: ({ state: { data } }) => {
      if (data?.status !== "active") return false;
      const isComing = data.next?.waitsFor === "nothing" || data.points.some(({ state }) => state === "pending");
      return isComing ? SOON_MS : LATER_MS;
    },
  });

const SOON_MS = 3000;
/** As often as a server looks for what is due. */
const LATER_MS = 30_000;

/** What a scheduled report would take; null while something is missing. */
export const useScheduleQuote = (asked: Input<"quoteSchedule"> | null) =>
  useQuery({
    queryKey: ["schedule", "quote", asked],
    queryFn: () => (asked === null ? null : client.quoteSchedule(asked)),
    enabled: asked !== null,
    retry: false,
  });

export const useCreateSchedule = () =>
  useChange((server, asked: Input<"createSchedule">) => server.createSchedule(asked));
export const useSetSchedule = () => useChange((server, set: Input<"setSchedule">) => server.setSchedule(set));
export const useEndSchedule = () => useChange((server, schedule: string) => server.endSchedule({ schedule }));
export const useRetryReport = () => useChange((server, point: Input<"retryReport">) => server.retryReport(point));
