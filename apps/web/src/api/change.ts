import type { Client } from "@dosimeter/client";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { client } from "./connection.ts";

/** Anything that changes something: afterwards, done or refused, what is on the page is asked again. */
export function useChange<Change, Result>(act: (client: Client, change: Change) => Promise<Result>) {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: (change: Change) => act(client, change),
    onSettled: () => queries.invalidateQueries(),
  });
}
