import type { Route } from "@dosimeter/client/routes";
import { PrivacyError } from "@dosimeter/core";
import type { Context, Hono } from "hono";
import { type Caller, refuseForgery } from "../access/credentials.ts";
import type { Log } from "../telemetry/log.ts";
import { addressOf, hostOf, isOwnName } from "./address.ts";
import { readJson } from "./body.ts";
import type { Deps } from "./deps.ts";
import { noteAnswer } from "./note-answer.ts";
import { apiHeaders } from "./security.ts";

/** What a caller passes before anything is done. */
export type Admission = Pick<Route, "method" | "who" | "scope">;

/** What the routes do too: who sent a request, and how it is refused. */
export interface Gate {
  readonly callerOf: (route: Admission, c: Context, session: undefined, deps: Deps) => Promise<Caller | null>;
  readonly refuse: (c: Context, deps: Deps, route: string, error: unknown) => Promise<Response>;
}

/** Loads what answers messages, on the first request because it takes longer than most commands. */
export type LoadMcp = (serving: {
  readonly fetch: (request: Request) => Response | Promise<Response>;
  readonly log: Log;
}) => Promise<(request: Request, sent: { readonly token: string; readonly message: unknown }) => Promise<Response>>;

/** The most bytes of a message: a plan of a hundred statistics, and few enough that no message keeps others waiting. */
const MAX_BODY_BYTES = 2 ** 17;

/** As a route, as far as letting callers in is concerned: what a caller may do is decided afterwards. */
export const signedIn: Admission = { method: "POST", who: "signedIn", scope: null };

/**
 * The Model Context Protocol for AI agents: `POST /mcp` with a bearer token. A browser's session is not accepted. Limits are
 * those of any route; each call of a tool is one more request to the route that it names.
 */
export function addMcp(
  app: Hono,
  deps: Deps,
  { callerOf, refuse, loadMcp }: Gate & { readonly loadMcp: LoadMcp },
): void {
  const opened = once(() => loadMcp({ fetch: (request) => app.fetch(request), log: deps.log }));
  app.use("/mcp", apiHeaders);
  app.all("/mcp", async (c) => {
    const started = performance.now();
    try {
      await refuseOtherName(c);
      const caller = await bearer(c);
      await deps.rates.take("request", caller.principal.id);
      const [origin, fetchSite] = [c.req.header("origin"), c.req.header("sec-fetch-site")];
      refuseForgery({ unsafe: false, host: hostOf(c, deps.publicUrl), origin, fetchSite, marker: undefined });
      if (c.req.method !== "POST") {
        c.header("allow", "POST");
        throw new PrivacyError("METHOD_NOT_ALLOWED", { want: "POST" }, `this address does not take ${c.req.method}`);
      }
      const message = await readJson(c.req.raw, MAX_BODY_BYTES);
      if (Array.isArray(message)) throw new PrivacyError("INVALID_PARAMETER", { name: "body", want: "one message" });
      const token = c.req.header("authorization")?.replace(/^Bearer +/i, "") ?? "";
      const response = await (await opened())(c.req.raw, { token, message });
      noteAnswer({ route: "mcp", status: response.status, started }, deps);
      return response;
    } catch (error) {
      return await refuse(c, deps, "mcp", error);
    }
  });

  async function refuseOtherName(c: Context): Promise<void> {
    if (isOwnName(c, deps)) return;
    await deps.rates.take("anonymous", addressOf(c, deps.publicUrl));
    const want = "localhost, an IP address, or the host of DOSIMETER_PUBLIC_URL";
    throw new PrivacyError(
      "FORBIDDEN",
      { name: "host", want },
      `the header Host names another server, must name ${want}`,
    );
  }

  async function bearer(c: Context): Promise<Caller> {
    if (c.req.header("authorization") !== undefined) {
      const caller = await callerOf(signedIn, c, undefined, deps);
      if (caller !== null) return caller;
    }
    await deps.rates.take("anonymous", addressOf(c, deps.publicUrl));
    throw new PrivacyError("UNAUTHENTICATED");
  }
}

/** Does it at the first call and keeps the result; what failed is done again at the next call. */
export function once<T>(start: () => Promise<T>): () => Promise<T> {
  let started: Promise<T> | undefined;
  return () => {
    started ??= start().catch((error: unknown) => {
      started = undefined;
      throw error;
    });
    return started;
  };
}
