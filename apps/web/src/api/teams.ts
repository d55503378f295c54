import { useQuery } from "@tanstack/react-query";
import { client } from "./connection.ts";
import { MAX_PAGE, whole } from "./listing.ts";

export const useTeams = () => useQuery(whole(["teams"], () => client.all("listTeams", { limit: MAX_PAGE })));

export const useTeam = (team: string) =>
  useQuery({ queryKey: ["team", team], queryFn: () => client.showTeam({ team }) });

/** The present and former members of a team; null sends no request. */
export const useMembers = (team: string | null) =>
  useQuery({
    queryKey: ["team", team, "members"],
    queryFn: async () => (await client.showTeam({ team: team ?? "" })).members,
    enabled: team !== null,
  });

export const useTeamAccounts = (team: string) =>
  useQuery(whole(["team", team, "accounts"], () => client.all("listTeamAccounts", { team, limit: MAX_PAGE })));

export const useInvitations = (team: string, isAsked: boolean) =>
  useQuery(
    whole(["team", team, "invitations"], () => client.all("listInvitations", { team, limit: MAX_PAGE }), isAsked),
  );

/** What an invitation is for, before anyone has signed in with it. */
export const useOpenInvitation = (secret: string) =>
  useQuery({
    queryKey: ["invitation", secret],
    queryFn: () => client.showInvitation({ secret }),
    enabled: secret !== "",
    staleTime: "static",
  });
