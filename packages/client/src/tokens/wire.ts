import { z } from "zod";
import { cursor, id, name, page, time } from "../schema.ts";
import { secret, secretText } from "../secret.ts";
import type { WireOf } from "../wire-row.ts";
import type { tokensRoutes } from "./routes.ts";

export const scope = z.enum(["read", "release", "manage", "admin"]).meta({ id: "Scope" });

const token = z
  .object({
    id,
    name: z.string(),
    scopes: z.array(
      scope.or(z.literal("provision").meta({ description: "Of a provider, which keeps people and groups here" })),
    ),
    createdAt: time,
    expiresAt: time,
    endedAt: time.nullable().meta({ description: "When it was revoked" }),
  })
  .meta({ id: "Token" });

const MAX_TOKEN_DAYS = 366;

export const tokenDays = z
  .number()
  .int()
  .min(1)
  .max(MAX_TOKEN_DAYS)
  .optional()
  .meta({ description: "Days for which it is valid; 90 when absent" });

const tokenInput = z.strictObject({
  name,
  scopes: z.array(scope).min(1).max(4),
  days: tokenDays,
});

export const tokenWithSecret = token
  .extend({ secret: z.string().meta({ description: "Shown this once; send it as `Authorization: Bearer …`" }) })
  .meta({ id: "TokenWithSecret" });

export const newPassword = secret(z.string().min(12).max(200)).meta({
  description: "At least 12 characters; not your name, your address or one letter again and again",
});

const sessionRow = z
  .object({
    id,
    name: z.string().meta({ description: "How it began, and the kind of browser" }),
    createdAt: time,
    expiresAt: time,
    current: z.boolean(),
  })
  .meta({ id: "SessionRow" });

/** What travels on the routes of this tag. */
export const tokensWire = {
  listTokens: { query: cursor, response: page(token) },
  createToken: { body: tokenInput, response: tokenWithSecret },
  revokeToken: {},
  listSessions: { query: cursor, response: page(sessionRow) },
  revokeSession: {},
  setPassword: {
    body: z.strictObject({
      current: secretText.optional().meta({ description: "Needed where there is one" }),
      password: newPassword,
    }),
  },
  listServiceTokens: { query: cursor, response: page(token) },
  createServiceToken: { body: tokenInput, response: tokenWithSecret },
  revokeServiceToken: {},
} as const satisfies WireOf<typeof tokensRoutes>;
