import type { Input } from "@dosimeter/client";
import { useQuery } from "@tanstack/react-query";
import { client, MAX_PAGE, useChange, whole } from "./connection.ts";

export const useDashboards = () =>
  useQuery(whole(["dashboards"], () => client.all("listDashboards", { limit: MAX_PAGE })));

/** As often as a server looks for reports that are due. */
const EVERY_MS = 30_000;

/** A dashboard with its answers; the newest of a report appears by itself. */
export const useDashboard = (dashboard: string) =>
  useQuery({
    queryKey: ["dashboards", dashboard],
    queryFn: () => client.showDashboard({ dashboard }),
    enabled: dashboard !== "",
    refetchInterval: EVERY_MS,
  });

export const useSaveDashboard = () => useChange((server, asked: Input<"saveDashboard">) => server.saveDashboard(asked));
export const useChangeDashboard = () =>
  useChange((server, asked: Input<"changeDashboard">) => server.changeDashboard(asked));
export const useDeleteDashboard = () => useChange((server, dashboard: string) => server.deleteDashboard({ dashboard }));
