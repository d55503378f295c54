import type { Input } from "@dosimeter/client";
import { useQuery } from "@tanstack/react-query";
import { client } from "./connection.ts";

export const useAmendments = (ledger: string) =>
  useQuery({ queryKey: ["ledger", ledger, "amendments"], queryFn: () => client.listAmendments({ ledger }) });

export const usePreviewAmendment = (raise: Input<"previewAmendment">, isRaise: boolean) =>
  useQuery({
    enabled: isRaise,
    queryKey: ["ledger", raise.ledger, "raise", raise],
    queryFn: ({ signal }) => client.previewAmendment(raise, { signal }),
  });
