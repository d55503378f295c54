import { z } from "zod";
import type { RouteTable } from "../route.ts";
import { cursor, id, page, time } from "../schema.ts";

const kind = z
  .enum([
    "requestMade",
    "requestDecided",
    "requestAnswered",
    "agentWaits",
    "programWaits",
    "quotaChanged",
    "threshold",
    "membership",
    "security",
    "report",
    "declaration",
    "answerLost",
    "guarantee",
  ])
  .meta({ id: "NotificationKind" });

const notification = z
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

export const notificationsRoutes = {
  listNotifications: {
    route: "GET /v1/notifications",
    summary: "My notifications, newest first, and how many are unread",
    who: "signedIn",
    scope: "read",
    query: cursor,
    response: page(notification).extend({ unread: z.number().int() }),
  },
  readNotifications: {
    route: "POST /v1/notifications/read",
    summary: "Mark one as read, or all of them",
    who: "signedIn",
    scope: "read",
    body: z.strictObject({ notification: id.optional().meta({ description: "All of them when absent" }) }),
  },
  notificationSettings: {
    route: "GET /v1/notifications/settings",
    summary: "Which notifications I get, and where",
    who: "signedIn",
    scope: "read",
    response: settings,
  },
  setNotification: {
    route: "POST /v1/notifications/settings",
    summary: "Switch one kind on or off, on the page, by mail and by webhook",
    who: "signedIn",
    scope: "admin",
    body: z.strictObject({ kind, ...channels }),
    response: settings,
  },
  setWebhook: {
    route: "POST /v1/notifications/webhook",
    summary: "Where my notifications are posted, signed; null stops it",
    who: "signedIn",
    scope: "admin",
    body: z.strictObject({ url: z.url().max(2000).nullable() }),
    response: z
      .object({ url: z.string().nullable(), secret: z.string().nullable() })
      .meta({ id: "Webhook", description: "The secret signs every delivery; it is shown this once" }),
  },
} as const satisfies RouteTable;
