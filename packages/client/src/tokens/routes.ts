import { z } from "zod";
import type { RouteTable } from "../route.ts";
import { cursor, id, name, page, time } from "../schema.ts";
import { secret, secretText } from "../secret.ts";

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

export const tokensRoutes = {
  listTokens: {
    route: "GET /v1/tokens",
    summary: "My tokens: names, scopes, expiry; never the secret",
    who: "signedIn",
    scope: "admin",
    query: cursor,
    response: page(token),
  },
  createToken: {
    route: "POST /v1/tokens",
    summary: "A new bearer token of mine; the secret is shown this once",
    who: "signedIn",
    scope: "admin",
    body: tokenInput,
    response: tokenWithSecret,
    status: 201,
  },
  revokeToken: {
    route: "DELETE /v1/tokens/{token}",
    summary: "End a token and everything that it made",
    who: "owner",
    scope: "admin",
  },
  listSessions: {
    route: "GET /v1/sessions",
    summary: "The browsers I am signed in with",
    who: "signedIn",
    scope: "admin",
    query: cursor,
    response: page(sessionRow),
  },
  revokeSession: {
    route: "DELETE /v1/sessions/{session}",
    summary: "Sign a browser out",
    who: "owner",
    scope: "admin",
  },
  setPassword: {
    route: "POST /v1/me/password",
    summary: "Set or change my password; every other browser is signed out",
    who: "signedIn",
    scope: "admin",
    body: z.strictObject({
      current: secretText.optional().meta({ description: "Needed where there is one" }),
      password: newPassword,
    }),
  },
  listServiceTokens: {
    route: "GET /v1/people/{person}/tokens",
    summary: "The tokens of a service or an agent: names, scopes, expiry; never the secret",
    who: "tokenKeeper",
    scope: "admin",
    query: cursor,
    response: page(token),
    errors: ["CONFLICT"],
  },
  createServiceToken: {
    route: "POST /v1/people/{person}/tokens",
    summary: "A token of a service or an agent, which cannot sign in; a person makes their own",
    who: "platformAdmin",
    scope: "admin",
    body: tokenInput,
    response: tokenWithSecret,
    status: 201,
    errors: ["CONFLICT"],
  },
  revokeServiceToken: {
    route: "DELETE /v1/people/{person}/tokens/{token}",
    summary: "End a token of a service or an agent, and everything that it made",
    who: "tokenKeeper",
    scope: "admin",
    errors: ["CONFLICT"],
  },
} as const satisfies RouteTable;
