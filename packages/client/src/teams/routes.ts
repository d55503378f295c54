import { z } from "zod";
import { account } from "../accounts/routes.ts";
import type { RouteTable } from "../route.ts";
import { cursor, id, name, named, page, time } from "../schema.ts";
import { secretText } from "../secret.ts";

const team = z
  .object({
    id,
    name: z.string(),
    myRole: z.enum(["teamAdmin", "member"]).nullable(),
    createdAt: time,
    closedAt: time.nullable(),
  })
  .meta({ id: "Team" });

const teamInput = z.strictObject({ name });

const linksAdmit = z.enum(["known", "newcomers"]).meta({
  id: "LinksAdmit",
  description: "Whom invitation links let in: people who have an account here, or also newcomers, who say who they are",
});

const openTeam = team.extend({ linksAdmit });

const teamRole = z.enum(["member", "teamAdmin"]);

const member = z
  .object({ person: id, name: z.string(), role: teamRole, since: time, until: time.nullable() })
  .meta({ id: "Member" });

const memberInput = z.strictObject({ person: id, role: teamRole.optional() });

const invitation = z
  .object({
    id,
    team: id,
    role: teamRole,
    email: z.string().nullable(),
    by: z.string(),
    url: z.string().nullable().meta({ description: "Shown this once; null where it was mailed" }),
    createdAt: time,
    expiresAt: time,
  })
  .meta({ id: "Invitation" });

const openInvitation = z
  .object({
    team: z.string(),
    role: teamRole,
    by: z.string(),
    expiresAt: time,
    isMailed: z.boolean().meta({ description: "It was mailed, so that its holder has the address" }),
    newcomer: z.boolean().meta({
      description:
        "signIn takes it with a name, an address and a password: it was mailed to an address that no one here has, or its team lets newcomers in by link",
    }),
  })
  .meta({ id: "OpenInvitation" });

export const teamsRoutes = {
  listTeams: {
    route: "GET /v1/teams",
    summary: "The teams I can see; those with a name",
    who: "signedIn",
    scope: "read",
    query: cursor.extend(named),
    response: page(team),
  },
  createTeam: {
    route: "POST /v1/teams",
    summary: "Open a team and become its admin",
    who: "teamOpener",
    scope: "manage",
    body: teamInput,
    response: team,
    status: 201,
    errors: ["CONFLICT"],
  },
  showTeam: {
    route: "GET /v1/teams/{team}",
    summary: "One team with its members",
    who: "teamReader",
    scope: "read",
    response: openTeam.extend({ members: z.array(member) }),
  },
  addMember: {
    route: "POST /v1/teams/{team}/members",
    summary: "Add a person to a team, as member or as team admin",
    who: "teamAdmin",
    scope: "manage",
    body: memberInput,
    response: member,
    status: 201,
    errors: ["CONFLICT"],
  },
  removeMember: {
    route: "DELETE /v1/teams/{team}/members/{person}",
    summary: "Remove a person from a team; what they spent stays spent",
    who: "teamAdmin",
    scope: "manage",
    errors: ["CONFLICT"],
  },
  setMemberRole: {
    route: "POST /v1/teams/{team}/members/{person}/role",
    summary: "Make a member a team admin, or a team admin a member; the last admin stays",
    who: "teamAdmin",
    scope: "manage",
    body: z.strictObject({ role: teamRole }),
    response: member,
    errors: ["CONFLICT"],
  },
  leaveTeam: {
    route: "POST /v1/teams/{team}/leave",
    summary: "Leave a team; what I spent stays spent, and the last admin stays",
    who: "teamMember",
    scope: "manage",
    errors: ["CONFLICT"],
  },
  setTeam: {
    route: "POST /v1/teams/{team}/settings",
    summary:
      "Whom the team's invitation links let in: people who are here already, or newcomers too; holds for old links",
    who: "teamAdmin",
    scope: "manage",
    body: z.strictObject({ linksAdmit }),
    response: openTeam,
    errors: ["CONFLICT"],
  },
  closeTeam: {
    route: "POST /v1/teams/{team}/close",
    summary: "Close a team for good: its accounts close, free quota returns to who gave it, what was spent stays",
    who: "teamAdmin",
    scope: "manage",
    response: team,
    errors: ["CONFLICT"],
  },
  listTeamAccounts: {
    route: "GET /v1/teams/{team}/accounts",
    summary: "The accounts of a team and of its members below it, as far as I can see them",
    who: "teamReader",
    scope: "read",
    query: cursor,
    response: page(account),
  },
  listInvitations: {
    route: "GET /v1/teams/{team}/invitations",
    summary: "Invitations that still let someone in",
    who: "teamAdmin",
    scope: "manage",
    query: cursor,
    response: page(invitation),
  },
  invite: {
    route: "POST /v1/teams/{team}/invitations",
    summary: "Invite someone into the team, by mail or by a link that works once",
    who: "teamAdmin",
    scope: "manage",
    body: z.strictObject({
      role: teamRole.optional(),
      email: z.email().max(254).optional().meta({ description: "Mailed there; a link to hand over when absent" }),
      days: z
        .number()
        .int()
        .min(1)
        .max(90)
        .optional()
        .meta({ description: "Days for which it is valid; 7 when absent" }),
    }),
    response: invitation,
    status: 201,
    errors: ["CONFLICT"],
  },
  endInvitation: {
    route: "DELETE /v1/teams/{team}/invitations/{invitation}",
    summary: "Take an invitation back",
    who: "teamAdmin",
    scope: "manage",
  },
  showInvitation: {
    route: "POST /v1/invitations/show",
    summary:
      "What an invitation is for, and whether it lets in a person who is not here yet; null where it lets no one in",
    who: "anyone",
    scope: null,
    body: z.strictObject({ secret: secretText }),
    response: z.object({ invitation: openInvitation.nullable() }),
  },
  acceptInvitation: {
    route: "POST /v1/invitations/accept",
    summary: "Join the team that an invitation is for",
    who: "signedIn",
    scope: "manage",
    body: z.strictObject({ secret: secretText }),
    response: team,
  },
} as const satisfies RouteTable;
