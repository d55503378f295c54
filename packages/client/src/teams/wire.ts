import { z } from "zod";
import { account } from "../accounts/wire.ts";
import { cursor, id, name, named, page, time } from "../schema.ts";
import { secretText } from "../secret.ts";
import type { WireOf } from "../wire-row.ts";
import type { teamsRoutes } from "./routes.ts";

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
  description: "Whom invitation links let in: people who have an account here, or also newcomers who give a name",
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
        "signIn takes it with a name: it was mailed to an address that no one here has, or its team lets newcomers in by link",
    }),
  })
  .meta({ id: "OpenInvitation" });

/** What travels on the routes of this tag. */
export const teamsWire = {
  listTeams: { query: cursor.extend(named), response: page(team) },
  createTeam: { body: teamInput, response: team },
  showTeam: { response: openTeam.extend({ members: z.array(member) }) },
  addMember: { body: memberInput, response: member },
  removeMember: {},
  setMemberRole: { body: z.strictObject({ role: teamRole }), response: member },
  leaveTeam: {},
  setTeam: { body: z.strictObject({ linksAdmit }), response: openTeam },
  closeTeam: { response: team },
  listTeamAccounts: { query: cursor, response: page(account) },
  listInvitations: { query: cursor, response: page(invitation) },
  invite: {
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
  },
  endInvitation: {},
  showInvitation: {
    body: z.strictObject({ secret: secretText }),
    response: z.object({ invitation: openInvitation.nullable() }),
  },
  acceptInvitation: { body: z.strictObject({ secret: secretText }), response: team },
} as const satisfies WireOf<typeof teamsRoutes>;
