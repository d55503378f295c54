import { keepPreviousData, useInfiniteQuery, useQueries, useQuery } from "@tanstack/react-query";
import { client, isServed } from "./connection.ts";
import { MAX_PAGE, paged, searched, whole } from "./listing.ts";

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
