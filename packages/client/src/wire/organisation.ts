import { z } from "zod";
import { account } from "./account.ts";
import { auditLine } from "./audit.ts";
import { cursor, decimal, decimalInput, id, name, none, page, time } from "./basic.ts";
import { member, team, token, tokenInput, tokenWithSecret } from "./people.ts";
import { request } from "./request.ts";

const one = <Name extends string>(param: Name) => z.strictObject({ [param]: id } as Record<Name, typeof id>);
const version = z.number().int().min(1).meta({ description: "The version that was read; 409 when it has changed" });
const note = z.string().max(2000);

export const password = z.string().min(1).max(200);
export const newPassword = z
  .string()
  .min(12)
  .max(200)
  .meta({ description: "At least 12 characters; not your name, your address or one letter again and again" });

const signInWays = z
  .object({
    password: z.boolean(),
    mail: z.boolean().meta({ description: "A sign-in link can be asked for by mail" }),
    providers: z
      .array(z.object({ id, name: z.string(), url: z.string().meta({ description: "Where the browser goes" }) }))
      .meta({ description: "OpenID Connect" }),
  })
  .meta({ id: "SignInWays" });

export const sessionRow = z
  .object({
    id,
    name: z.string().meta({ description: "How it began, and the kind of browser" }),
    createdAt: time,
    expiresAt: time,
    current: z.boolean(),
  })
  .meta({ id: "SessionRow" });

const teamRole = z.enum(["member", "teamAdmin"]);

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

export const standingApproval = z
  .object({
    id,
    ledger: id,
    parent: id.nullable().meta({ description: "Whose quota it gives out; null: the ledger itself" }),
    most: decimal.meta({ description: "Requests up to so much ε are approved at once" }),
    room: decimal.meta({ description: "ε that it may still give out in all" }),
    by: z.string(),
    createdAt: time,
    endedAt: time.nullable(),
  })
  .meta({ id: "StandingApproval" });

const kind = z
  .enum([
    "requestMade",
    "requestDecided",
    "requestAnswered",
    "quotaChanged",
    "threshold",
    "membership",
    "security",
    "guarantee",
  ])
  .meta({ id: "NotificationKind" });

export const notification = z
  .object({
    id,
    kind,
    subject: id,
    title: z.string(),
    text: z.string(),
    path: z.string().meta({ description: "The page about it" }),
    facts: z.record(z.string(), z.string()),
    createdAt: time,
    readAt: time.nullable(),
  })
  .meta({ id: "Notification" });

const channels = { app: z.boolean(), mail: z.boolean(), webhook: z.boolean() };

const settings = z
  .object({
    kinds: z.array(z.object({ kind, means: z.string(), ...channels })),
    mail: z.boolean().meta({ description: "This server sends mail, and knows my address" }),
    webhook: z.string().nullable().meta({ description: "Where my notifications are posted" }),
  })
  .meta({ id: "NotificationSettings" });

const found = z
  .object({
    kind: z.enum(["dataset", "team", "person", "release", "request"]),
    id,
    name: z.string(),
    hint: z.string(),
    path: z.string(),
  })
  .meta({ id: "Found" });

export const organisationWire = {
  signInWays: { params: none, query: none, body: null, response: signInWays },
  requestSignInLink: { params: none, query: none, body: z.strictObject({ email: z.email().max(254) }), response: null },
  listSessions: { params: none, query: cursor, body: null, response: page(sessionRow) },
  revokeSession: { params: one("session"), query: none, body: null, response: null },
  setPassword: {
    params: none,
    query: none,
    body: z.strictObject({
      current: password.optional().meta({ description: "Needed where there is one" }),
      password: newPassword,
    }),
    response: null,
  },

  listServiceTokens: { params: one("person"), query: cursor, body: null, response: page(token) },
  createServiceToken: { params: one("person"), query: none, body: tokenInput, response: tokenWithSecret },
  revokeServiceToken: {
    params: z.strictObject({ person: id, token: id }),
    query: none,
    body: null,
    response: null,
  },
  setMemberRole: {
    params: z.strictObject({ team: id, person: id }),
    query: none,
    body: z.strictObject({ role: teamRole }),
    response: member,
  },
  leaveTeam: { params: one("team"), query: none, body: null, response: null },
  closeTeam: { params: one("team"), query: none, body: null, response: team },
  listTeamAccounts: { params: one("team"), query: cursor, body: null, response: page(account) },
  listInvitations: { params: one("team"), query: cursor, body: null, response: page(invitation) },
  invite: {
    params: one("team"),
    query: none,
    body: z.strictObject({
      role: teamRole.optional(),
      email: z.email().max(254).optional().meta({ description: "Mailed there; a link to hand over when absent" }),
      days: z.number().int().min(1).max(90).optional().meta({ description: "Valid for so many days; 7 when absent" }),
    }),
    response: invitation,
  },
  endInvitation: { params: z.strictObject({ team: id, invitation: id }), query: none, body: null, response: null },
  acceptInvitation: {
    params: none,
    query: none,
    body: z.strictObject({ secret: z.string().min(1).max(200) }),
    response: team,
  },

  askRequest: {
    params: one("request"),
    query: none,
    body: z.strictObject({ version, note: note.min(1).meta({ description: "The question" }) }),
    response: request,
  },
  answerRequest: {
    params: one("request"),
    query: none,
    body: z.strictObject({ version, note: note.min(1).meta({ description: "The answer" }) }),
    response: request,
  },
  escalateRequest: {
    params: one("request"),
    query: none,
    body: z.strictObject({
      version,
      epsilon: decimalInput.optional().meta({ description: "How much to ask for above; what was asked when absent" }),
      note: note.optional(),
    }),
    response: request,
  },
  listStandingApprovals: { params: one("ledger"), query: cursor, body: null, response: page(standingApproval) },
  createStandingApproval: {
    params: one("ledger"),
    query: none,
    body: z.strictObject({ parent: id.optional(), most: decimalInput, room: decimalInput }),
    response: standingApproval,
  },
  endStandingApproval: { params: one("approval"), query: none, body: null, response: null },

  listNotifications: {
    params: none,
    query: cursor,
    body: null,
    response: page(notification).extend({ unread: z.number().int() }),
  },
  readNotifications: {
    params: none,
    query: none,
    body: z.strictObject({ notification: id.optional().meta({ description: "All of them when absent" }) }),
    response: null,
  },
  notificationSettings: { params: none, query: none, body: null, response: settings },
  setNotification: {
    params: none,
    query: none,
    body: z.strictObject({ kind, ...channels }),
    response: settings,
  },
  setWebhook: {
    params: none,
    query: none,
    body: z.strictObject({ url: z.url().max(2000).nullable() }),
    response: z
      .object({ url: z.string().nullable(), secret: z.string().nullable() })
      .meta({ id: "Webhook", description: "The secret signs every delivery; it is shown this once" }),
  },

  search: {
    params: none,
    query: z.strictObject({ text: name.meta({ description: "Part of a name, or an id" }) }),
    body: null,
    response: z.object({ items: z.array(found) }),
  },
  listActivity: { params: none, query: cursor, body: null, response: page(auditLine) },
} as const;
