import type { Input } from "@dosimeter/client";
import { useInfiniteQuery, useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useEffect, useRef } from "react";
import { client, isServed, paged } from "./connection.ts";
import { useMe } from "./session.ts";

export const useSearch = (text: string) =>
  useQuery({
    queryKey: ["search", text],
    queryFn: ({ signal }) => client.search({ text }, { signal }),
    enabled: text !== "",
    placeholderData: (before) => before,
  });

export const useSecrets = () => useQuery({ queryKey: ["secrets"], queryFn: () => client.listSecrets() });

export const useActivity = () =>
  useInfiniteQuery({
    ...paged(["activity"], (page) => client.listActivity({ limit: 30, ...page })),
    enabled: isServed,
  });

export type AuditFilter = Omit<Input<"listAudit">, "cursor" | "limit">;

export const useAudit = (filter: AuditFilter) =>
  useInfiniteQuery(paged(["audit", filter], (page) => client.listAudit({ limit: 50, ...filter, ...page })));

export const useLedgerAudit = (ledger: string) =>
  useInfiniteQuery(paged(["audit", ledger], (page) => client.listLedgerAudit({ ledger, limit: 50, ...page })));

/** Recomputes everything at the server; asked for by hand. */
export const useVerification = () => useMutation({ mutationFn: () => client.verify() });

/** One ledger as signed JSON Lines. */
export const exportLedger = (ledger: string): Promise<Blob> => client.exportLedger({ ledger });

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
