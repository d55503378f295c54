import { useInfiniteQuery, useQuery, useQueryClient } from "@tanstack/react-query";
import { useEffect, useRef } from "react";
import { client } from "./connection.ts";
import { paged } from "./listing.ts";
import { useMe } from "./session.ts";

/** My notifications; asked again three times a minute, so that the number at the bell is right. */
export const useNotifications = () => {
  const me = useMe();
  return useInfiniteQuery({
    ...paged(["notifications"], (page) => client.listNotifications({ limit: 30, ...page })),
    enabled: me.data !== undefined,
    refetchInterval: 20_000,
  });
};

/** What the pages show is asked for again when a notification comes in: it tells of something that changed it. */
export function useFreshWhenNotified(): void {
  const queries = useQueryClient();
  const notifications = useNotifications().data;
  const newest = notifications === undefined ? undefined : (notifications.pages[0]?.items[0]?.id ?? null);
  const seen = useRef(newest);
  useEffect(() => {
    if (newest === seen.current) return;
    const isFirst = seen.current === undefined;
    seen.current = newest;
    if (!isFirst) void queries.invalidateQueries({ predicate: ({ queryKey }) => queryKey[0] !== "notifications" });
  }, [newest, queries]);
}

export const useNotificationSettings = () =>
  useQuery({ queryKey: ["notification-settings"], queryFn: () => client.notificationSettings() });
