import type { Input } from "@dosimeter/client";
import { useQuery } from "@tanstack/react-query";
import { useChange } from "./change.ts";
import { client } from "./connection.ts";
import { MAX_PAGE, whole } from "./listing.ts";

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
