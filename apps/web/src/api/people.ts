import { useQuery } from "@tanstack/react-query";
import { client } from "./connection.ts";
import { MAX_PAGE, whole } from "./listing.ts";

export const usePeople = () => useQuery(whole(["people"], () => client.all("listPeople", { limit: MAX_PAGE })));

export const useRoles = (isAsked: boolean) =>
  useQuery(whole(["roles"], () => client.all("listRoles", { limit: MAX_PAGE }), isAsked));
