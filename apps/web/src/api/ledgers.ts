import type { Input } from "@dosimeter/client";
import { keepPreviousData, queryOptions, useInfiniteQuery, useQueries, useQuery } from "@tanstack/react-query";
import { client, isServed, MAX_PAGE, paged, searched, whole } from "./connection.ts";

const oneLedger = (ledger: string) =>
  queryOptions({ queryKey: ["ledger", ledger], queryFn: () => client.showLedger({ ledger }) });

export const useLedger = (ledger: string, isAsked = true) => useQuery({ ...oneLedger(ledger), enabled: isAsked });

export const useLedgers = (ledgers: readonly string[]) => useQueries({ queries: ledgers.map(oneLedger) });

/** What each block has spent, on the ledger and the accounts that may be seen. */
export const useBlocks = (ledger: string) =>
  useQuery({ queryKey: ["ledger", ledger, "blocks"], queryFn: () => client.showBlocks({ ledger }) });

type EntryFilter = Pick<Input<"listEntries">, "kind" | "account" | "person">;

export const useEntries = (ledger: string, filter: EntryFilter = {}) =>
  useInfiniteQuery(
    paged(["ledger", ledger, "entries", filter], (page) =>
      client.listEntries({ ledger, limit: 20, ...filter, ...page }),
    ),
  );

/** Needs no sign-in. */
export const usePublicGuarantee = (population: string) =>
  useQuery({ queryKey: ["public", population], queryFn: () => client.showPublicGuarantee({ population }) });

export const useSwitchPreview = (ledger: string) =>
  useQuery({ queryKey: ["ledger", ledger, "switch"], queryFn: () => client.previewSwitch({ ledger }) });

/** Every accountant side by side, for a ledger or one account on it. Computed once for each head of the ledger. */
export const useReport = (
  of: { readonly ledger: string } | { readonly account: string },
  options: { readonly delta?: string; readonly threshold?: number } = {},
) =>
  useQuery({
    queryKey: ["report", of, options],
    queryFn: ({ signal }) =>
      "ledger" in of
        ? client.reportLedger({ ...of, ...options }, { signal })
        : client.reportAccount({ ...of, ...options }, { signal }),
    // With another δ the old totals stay visible until the new ones come; those of another account do not.
    placeholderData: (before, query) =>
      JSON.stringify(query?.queryKey[1]) === JSON.stringify(of) ? before : undefined,
  });

/** The sentence that opening would give; `null` sends no request. */
export const useLedgerPreview = (terms: Input<"previewLedger"> | null) =>
  useQuery({
    queryKey: ["ledger-preview", terms],
    queryFn: ({ signal }) =>
      terms === null ? Promise.reject(new Error("nothing to preview")) : client.previewLedger(terms, { signal }),
    enabled: terms !== null,
    placeholderData: (before) => before,
    retry: false,
  });

const tree = (ledger: string, isAsked = true) =>
  whole(["ledger", ledger, "accounts"], () => client.all("listAccounts", { ledger, limit: MAX_PAGE }), isAsked);

/** Every visible account of a ledger: an account may arrive pages after its parent. */
export const useAccountTree = (ledger: string, isAsked = true) => useQuery(tree(ledger, isAsked));

export const useAccountTrees = (ledgers: readonly string[]) =>
  useQueries({ queries: ledgers.map((ledger) => tree(ledger)) });

export const useMyAccounts = (text = "") =>
  useInfiniteQuery({
    ...paged(["accounts", text], (page) => client.listMyAccounts({ limit: 12, ...searched(text), ...page })),
    enabled: isServed,
    placeholderData: keepPreviousData,
  });

/** One account; null sends no request. */
export const useAccount = (account: string | null) =>
  useQuery({
    queryKey: ["account", account],
    queryFn: () => client.showAccount({ account: account ?? "" }),
    enabled: account !== null,
  });

/** Whether an account may pay for programs that run elsewhere. */
export const useDeclaring = (account: string) =>
  useQuery({
    queryKey: ["account", account, "declaring"],
    queryFn: () => client.showDeclaring({ account }),
    enabled: account !== "",
  });

export const useCharge = (charge: string) =>
  useQuery({ queryKey: ["charge", charge], queryFn: () => client.showCharge({ charge }) });

/** Of programs outside, as far as they may be read. */
export const useCharges = (dataset: string) =>
  useInfiniteQuery(paged(["charges", dataset], (page) => client.listCharges({ dataset, limit: 20, ...page })));

/** Charges of programs outside that need a second person: mine, and those that I may decide. */
export const useWaitingCharges = () =>
  useQuery({ queryKey: ["waiting-charges"], queryFn: () => client.listWaitingCharges({}), enabled: isServed });

export const useAmendments = (ledger: string) =>
  useQuery({ queryKey: ["ledger", ledger, "amendments"], queryFn: () => client.listAmendments({ ledger }) });

export const usePreviewAmendment = (raise: Input<"previewAmendment">, isRaise: boolean) =>
  useQuery({
    enabled: isRaise,
    queryKey: ["ledger", raise.ledger, "raise", raise],
    queryFn: ({ signal }) => client.previewAmendment(raise, { signal }),
  });

export type Box = "received" | "submitted";

export const useRequests = (box: Box, isAsked = isServed) =>
  useQuery(whole(["requests", box], () => client.all("listRequests", { box, limit: MAX_PAGE }), isAsked));

export const useStandingApprovals = (ledger: string) =>
  useQuery(
    whole(["ledger", ledger, "approvals"], () => client.all("listStandingApprovals", { ledger, limit: MAX_PAGE })),
  );
