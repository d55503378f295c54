import { useQuery } from "@tanstack/react-query";
import { client } from "./connection.ts";
import { MAX_PAGE, whole } from "./listing.ts";

/** My tokens, or those of a service. */
export const useTokens = (service: string | null) =>
  useQuery(
    whole(["tokens", service], () =>
      service === null
        ? client.all("listTokens", { limit: MAX_PAGE })
        : client.all("listServiceTokens", { person: service, limit: MAX_PAGE }),
    ),
  );

/** Whether my password needs a second factor. */
export const useSecondFactor = () => useQuery({ queryKey: ["secondFactor"], queryFn: () => client.showSecondFactor() });

export const useSessions = () => useQuery(whole(["sessions"], () => client.all("listSessions", { limit: MAX_PAGE })));
