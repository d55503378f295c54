import { z } from "zod";
import { cursor, id, page, time } from "../schema.ts";
import type { WireOf } from "../wire-row.ts";
import type { notificationsRoutes } from "./routes.ts";

const kind = z
  .enum([
    "requestMade",
    "requestDecided",
    "requestAnswered",
    "agentWaits",
    "quotaChanged",
    "threshold",
    "membership",
    "security",
    "report",
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

/** What travels on the routes of this tag. */
export const notificationsWire = {
  listNotifications: { query: cursor, response: page(notification).extend({ unread: z.number().int() }) },
  readNotifications: {
    body: z.strictObject({ notification: id.optional().meta({ description: "All of them when absent" }) }),
  },
  notificationSettings: { response: settings },
  setNotification: { body: z.strictObject({ kind, ...channels }), response: settings },
  setWebhook: {
    body: z.strictObject({ url: z.url().max(2000).nullable() }),
    response: z
      .object({ url: z.string().nullable(), secret: z.string().nullable() })
      .meta({ id: "Webhook", description: "The secret signs every delivery; it is shown this once" }),
  },
} as const satisfies WireOf<typeof notificationsRoutes>;
