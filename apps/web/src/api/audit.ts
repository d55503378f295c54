import type { Input } from "@dosimeter/client";
import { useInfiniteQuery, useMutation } from "@tanstack/react-query";
import { client, isServed } from "./connection.ts";
import { paged } from "./listing.ts";

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
