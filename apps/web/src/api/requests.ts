import { useQuery } from "@tanstack/react-query";
import { client, isServed } from "./connection.ts";
import { MAX_PAGE, whole } from "./listing.ts";

export type Box = "received" | "submitted";

export const useRequests = (box: Box, isAsked = isServed) =>
  useQuery(whole(["requests", box], () => client.all("listRequests", { box, limit: MAX_PAGE }), isAsked));

export const useStandingApprovals = (ledger: string) =>
  useQuery(
    whole(["ledger", ledger, "approvals"], () => client.all("listStandingApprovals", { ledger, limit: MAX_PAGE })),
  );
