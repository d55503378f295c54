import { useQuery } from "@tanstack/react-query";
import { client } from "./connection.ts";
import { MAX_PAGE, whole } from "./listing.ts";

/** The AI agents that act for me. */
export const useAgents = () => useQuery(whole(["agents"], () => client.all("listAgents", { limit: MAX_PAGE })));
