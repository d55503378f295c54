import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { client } from "./connection.ts";
import { paged } from "./listing.ts";
import { useMe } from "./session.ts";

/** My notifications; asked again every minute, so that the number at the bell is right. */
export const useNotifications = () => {
  const me = useMe();
  return useInfiniteQuery({
    ...paged(["notifications"], (page) => client.listNotifications({ limit: 30, ...page })),
    enabled: me.data !== undefined,
    refetchInterval: 60_000,
  });
};

export const useNotificationSettings = () =>
  useQuery({ queryKey: ["notification-settings"], queryFn: () => client.notificationSettings() });
