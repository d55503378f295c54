import type { Problem } from "@dosimeter/client";
import { invalid, PrivacyError } from "@dosimeter/core";
import type { Context, Hono } from "hono";
import { z } from "zod";
import { boundTo, challengeTo, checkResource, fieldsOf, hashOf, OF_AGENTS } from "../access/mcp-clients.ts";
import { addressOf, originOf } from "./address.ts";
import { readJson, readText } from "./body.ts";
import type { Deps } from "./deps.ts";
import { checked } from "./input.ts";
import type { Gate } from "./mcp.ts";
import { noteAnswer } from "./note-answer.ts";
import { apiHeaders } from "./security.ts";

const MAX_BYTES = 2 ** 14;
const RESOURCE = "/.well-known/oauth-protected-resource";

/** What a caller without a token gets: where to learn how a person lets it in (RFC 9728). */
export const challengeOf = (origin: string): string =>
  `Bearer resource_metadata="${origin}${RESOURCE}/mcp", scope="${OF_AGENTS.join(" ")}"`;

/** Of RFC 7591; what else a program says of itself is not read. */
const registration = z.object({
  redirect_uris: z.array(z.string()).min(1).max(8),
  client_name: z.string().optional(),
});

/** How MCP clients are let in by a person (OAuth 2.1): discovery, registration, the way to the page that asks, and the token for a code. */
export function addOauth(app: Hono, deps: Deps, { refuse }: Pick<Gate, "refuse">): void {
  const { mcpClients, rates } = deps;
  const origin = (c: Context) => originOf(c, deps);
  const from = (c: Context) => addressOf(c, deps.publicUrl);

  const resource = (c: Context) =>
    c.json({
      resource: `${origin(c)}/mcp`,
      authorization_servers: [origin(c)],
      scopes_supported: OF_AGENTS,
      bearer_methods_supported: ["header"],
      resource_name: "Dosimeter",
    });
  app.use("/oauth/*", apiHeaders);
  app.get(RESOURCE, apiHeaders, resource);
  app.get(`${RESOURCE}/mcp`, apiHeaders, resource);
  app.get("/.well-known/oauth-authorization-server", apiHeaders, (c) =>
    c.json({
      issuer: origin(c),
      authorization_endpoint: `${origin(c)}/oauth/authorize`,
      token_endpoint: `${origin(c)}/oauth/token`,
      registration_endpoint: `${origin(c)}/oauth/register`,
      scopes_supported: OF_AGENTS,
      ...ONE_WAY,
      code_challenge_methods_supported: ["S256"],
      authorization_response_iss_parameter_supported: true,
    }),
  );

  // The page reads and shows what is asked. In one text, no router reads a number into it.
  app.get("/oauth/authorize", (c) =>
    c.redirect(`/connect?asked=${Buffer.from(new URL(c.req.url).search.slice(1)).toString("base64url")}`),
  );

  const answering = (rate: "register" | "signIn", work: (c: Context) => Promise<Response>) => async (c: Context) => {
    const started = performance.now();
    try {
      await rates.take(rate, from(c));
      const response = await work(c);
      await deps.shown();
      noteAnswer({ route: "oauth", status: response.status, started }, deps);
      return response;
    } catch (error) {
      return refused(await refuse(c, deps, "oauth", error));
    }
  };

  app.post(
    "/oauth/register",
    answering("register", async (c) => {
      const given = checked(registration, await readJson(c.req.raw, MAX_BYTES), "body") as z.infer<typeof registration>;
      const { id, name } = mcpClients.register(given.client_name ?? "", given.redirect_uris);
      const known = { client_id: id, client_name: name, redirect_uris: given.redirect_uris };
      return c.json({ ...known, client_id_issued_at: Math.floor(Date.now() / 1000), ...NO_SECRET }, 201);
    }),
  );

  app.post(
    "/oauth/token",
    answering("signIn", async (c) => {
      const type = c.req.header("content-type");
      if (!/^application\/x-www-form-urlencoded\b/i.test(type ?? ""))
        invalid("content-type", type, "application/x-www-form-urlencoded");
      const form = fieldsOf(await readText(c.req.raw, MAX_BYTES));
      const { grant_type: grant = "", client_id: id = "", resource } = form;
      const use = isGrant(grant)
        ? grants[grant]
        : invalid("grant_type", grant, ONE_WAY.grant_types_supported.join(" or "));
      mcpClients.known(id);
      checkResource(resource, origin(c));
      const { token, refresh } = await use(form, id, deps).catch(sayWhy);
      const { expiresAt, scopes } = token.credential;
      const expires = Math.floor((Date.parse(expiresAt) - Date.now()) / 1000);
      const said = { token_type: "Bearer", expires_in: expires, scope: scopes.join(" ") };
      return c.json({ access_token: token.secret, ...said, refresh_token: refresh.secret });
    }),
  );
}

type Form = ReturnType<typeof fieldsOf>;

/** How a program gets tokens: by the code that a person gave it, later by the last token of this kind. */
const grants = {
  authorization_code: (
    { code = "", redirect_uri: address = "", code_verifier: verifier = "" }: Form,
    id: string,
    { database: { people } }: Deps,
  ) => people.useCode({ secret: code, bound: boundTo(id, address, challengeTo(verifier)), program: hashOf(id) }),
  refresh_token: ({ refresh_token: secret = "" }: Form, id: string, { database: { people }, mcpClients }: Deps) =>
    people.useRefresh({ secret, program: hashOf(id), next: mcpClients.after(secret) }),
} as const;
const isGrant = (name: string): name is keyof typeof grants => Object.hasOwn(grants, name);

const ONE_WAY = {
  response_types_supported: ["code"],
  grant_types_supported: Object.keys(grants),
  token_endpoint_auth_methods_supported: ["none"],
} as const;
const NO_SECRET = {
  response_types: ["code"],
  grant_types: Object.keys(grants),
  token_endpoint_auth_method: "none",
} as const;

function sayWhy(error: unknown): never {
  if (!(error instanceof PrivacyError) || error.code !== "UNAUTHENTICATED") throw error;
  const why = "this code or refresh token was used, is too old, or belongs to another program, address or verifier";
  throw new PrivacyError("UNAUTHENTICATED", { name: "code" }, why);
}

/** What OAuth calls a fault of a field, else of a code of ours. */
const faults = new Map(
  Object.entries({
    code: "invalid_grant",
    client_id: "invalid_client",
    grant_type: "unsupported_grant_type",
    resource: "invalid_target",
    redirect_uris: "invalid_redirect_uri",
    "body.redirect_uris": "invalid_redirect_uri",
    "body.client_name": "invalid_client_metadata",
    INVALID_PARAMETER: "invalid_request",
    PAYLOAD_TOO_LARGE: "invalid_request",
    RATE_LIMITED: "temporarily_unavailable",
    NOT_READY: "temporarily_unavailable",
  }),
);

/** A refusal as RFC 6749, section 5.2 wants it. */
async function refused(answer: Response): Promise<Response> {
  const { status, detail, code, name } = (await answer.json()) as Problem & { readonly name?: string };
  const headers = new Headers(answer.headers);
  headers.set("content-type", "application/json");
  headers.delete("www-authenticate");
  const error = faults.get(name ?? "") ?? faults.get(code) ?? "server_error";
  const body = JSON.stringify({ error, error_description: detail });
  return new Response(body, { status: code === "UNAUTHENTICATED" ? 400 : status, headers });
}
