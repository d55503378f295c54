import { useQuery } from "@tanstack/react-query";
import { client } from "./connection.ts";

export const useSearch = (text: string) =>
  useQuery({
    queryKey: ["search", text],
    queryFn: ({ signal }) => client.search({ text }, { signal }),
    enabled: text !== "",
    placeholderData: (before) => before,
  });

export const useSecrets = () => useQuery({ queryKey: ["secrets"], queryFn: () => client.listSecrets() });
