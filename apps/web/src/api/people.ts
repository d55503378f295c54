import type { Input } from "@dosimeter/client";
import { useQuery } from "@tanstack/react-query";
import { client, MAX_PAGE, useChange, whole } from "./connection.ts";
import { useChangePerson } from "./session.ts";

export const usePeople = () => useQuery(whole(["people"], () => client.all("listPeople", { limit: MAX_PAGE })));

export const useRoles = (isAsked: boolean) =>
  useQuery(whole(["roles"], () => client.all("listRoles", { limit: MAX_PAGE }), isAsked));

/** The AI agents that act for me. */
export const useAgents = () => useQuery(whole(["agents"], () => client.all("listAgents", { limit: MAX_PAGE })));

/** The program that asks to act as one of them. */
export const useMcpClient = (asked: string) =>
  useQuery({ queryKey: ["mcpClient", asked], queryFn: () => client.showMcpClient({ asked }) });

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

export const useTeams = (isAsked = true) =>
  useQuery(whole(["teams"], () => client.all("listTeams", { limit: MAX_PAGE }), isAsked));

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

/** What a new member of a team came for: the dataset on which it has budget, of several what may be asked, or else the team. */
async function placeOf(team: string) {
  const { items } = await client.listTeamAccounts({ team, limit: MAX_PAGE });
  const [dataset, another] = new Set(items.flatMap(({ datasets }) => datasets));
  if (dataset === undefined) return { to: "/teams/$team", params: { team } } as const;
  return another === undefined ? ({ to: "/datasets/$dataset", params: { dataset } } as const) : ({ to: "/" } as const);
}

/** Joins the team of an invitation; answers with the page to show then. */
export const useJoin = () =>
  useChange(async (server, secret: string) => placeOf((await server.acceptInvitation({ secret })).id));

/** The same for a person who is new here, and is signed in by it. */
export const useJoinAsNewcomer = () =>
  useChangePerson(async (given: Input<"signIn">) => {
    await client.signIn(given);
    const [team] = (await client.listTeams({ limit: 1 })).items;
    return team === undefined ? ({ to: "/teams" } as const) : placeOf(team.id);
  });
