import type { Client } from "@dosimeter/client";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { client } from "./connection.ts";

/** A change at the server. Afterwards, done or refused, the page loads its data again. */
export function useChange<Change, Result>(act: (client: Client, change: Change) => Promise<Result>) {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: (change: Change) => act(client, change),
    onSettled: () => queries.invalidateQueries(),
  });
}
