import { useQuery } from "@tanstack/react-query";
import { client, isServed } from "./connection.ts";

export const useHealth = () =>
  useQuery({ queryKey: ["health"], queryFn: () => client.health(), enabled: isServed, staleTime: Infinity });

export const useSearch = (text: string) =>
  useQuery({
    queryKey: ["search", text],
    queryFn: ({ signal }) => client.search({ text }, { signal }),
    enabled: text !== "",
    placeholderData: (before) => before,
  });
