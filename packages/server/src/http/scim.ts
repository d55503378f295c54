import type { Problem } from "@dosimeter/client";
import { PrivacyError } from "@dosimeter/core";
import type { Context, Hono } from "hono";
import { PROVISION } from "../access/credentials.ts";
import { addressOf, originOf } from "./address.ts";
import { readJson } from "./body.ts";
import type { Deps } from "./deps.ts";
import { type Gate, signedIn } from "./mcp.ts";
import { noteAnswer } from "./note-answer.ts";
import { apiHeaders } from "./security.ts";

const MEDIA = "application/scim+json";
const ERROR = "urn:ietf:params:scim:api:messages:2.0:Error";

/** SCIM 2.0 for providers of sign-in: `/scim/v2/Users` and `/scim/v2/Groups`, with a token that is good for nothing else. */
export function addScim(app: Hono, deps: Deps, { callerOf, refuse }: Gate): void {
  app.use("/scim/*", apiHeaders);
  app.all("/scim/v2/*", async (c) => {
    const started = performance.now();
    try {
      const { provider, service } = await providerOf(c);
      const query = c.req.query();
      const { status, body } = await deps.scim.answer({
        provider,
        service,
        method: c.req.method,
        path: new URL(c.req.url).pathname.replace(/^\/scim\/v2\/|\/$/g, ""),
        query: { ...query, base: `${originOf(c, deps)}/scim/v2` },
        body: () => readJson(c.req.raw),
        countMail: (address) => deps.rates.take("mailBy", `${service} ${address}`),
      });
      if (c.req.method !== "GET") deps.sender?.wake();
      await deps.shown();
      noteAnswer({ route: "scim", status, started }, deps);
      return status === 204 ? c.body(null, 204) : c.body(JSON.stringify(body), status, { "content-type": MEDIA });
    } catch (error) {
      return refused(await refuse(c, deps, "scim", error));
    }
  });

  async function providerOf(c: Context) {
    const caller = c.req.header("authorization") === undefined ? null : await callerOf(signedIn, c, undefined, deps);
    if (caller === null) {
      await deps.rates.take("anonymous", addressOf(c, deps.publicUrl));
      throw new PrivacyError("UNAUTHENTICATED");
    }
    const { id } = caller.principal;
    await deps.rates.take("request", id);
    const provider = await deps.database.provisioning.providerOf(id);
    if (provider === null || !caller.credential.scopes.includes(PROVISION))
      throw new PrivacyError(
        "FORBIDDEN",
        { name: "scope", want: PROVISION },
        `this token lacks the scope ${PROVISION}`,
      );
    return { provider: deps.scim.provider(provider), service: id };
  }
}

const scimTypes: Readonly<Record<string, string>> = {
  CONFLICT: "uniqueness",
  INVALID_PARAMETER: "invalidValue",
  PAYLOAD_TOO_LARGE: "tooMany",
};

/** A refusal as RFC 7644, section 3.12 wants it. */
async function refused(answer: Response): Promise<Response> {
  const { status, detail, code, ...facts } = (await answer.json()) as Problem & { readonly scimType?: string };
  const headers = new Headers(answer.headers);
  headers.set("content-type", MEDIA);
  headers.delete("content-length");
  const scimType = facts.scimType ?? scimTypes[code];
  return new Response(JSON.stringify({ schemas: [ERROR], status: `${status}`, scimType, detail }), { status, headers });
}
