import { randomUUID } from "node:crypto";
import type { RouteName } from "@dosimeter/client";
import { openApi } from "@dosimeter/client/openapi";
import { type Route, routeNames, routes } from "@dosimeter/client/routes";
import { PrivacyError } from "@dosimeter/core";
import { connectionErrorCode, type Principal } from "@dosimeter/ledger";
import { type Context, Hono, type MiddlewareHandler } from "hono";
import { getCookie, setCookie } from "hono/cookie";
import { html } from "hono/html";
import { requestId } from "hono/request-id";
import { streamSSE } from "hono/streaming";
import { authorise } from "../access/authority.ts";
import { authenticate, type Caller, refuseForgery, SESSION_COOKIE } from "../access/credentials.ts";
import { OIDC_MINUTES } from "../access/oidc.ts";
import { current, runAs, traced } from "../telemetry/current.ts";
import { errorFields } from "../telemetry/log.ts";
import { problemOf, publicError, unnamed } from "../view/problem.ts";
import { addressOf, hostOf, isForwarded, isLocal, originOf } from "./address.ts";
import { dropRest } from "./body.ts";
import type { Bytes, Exchange, Handlers } from "./call.ts";
import type { Deps } from "./deps.ts";
import { parseInput } from "./input.ts";
import { type Admission, addMcp, type LoadMcp } from "./mcp.ts";
import { noteAnswer } from "./note-answer.ts";
import { addOauth, challengeOf } from "./oauth.ts";
import { addScim } from "./scim.ts";
import { apiHeaders, openHeaders } from "./security.ts";

/** What answers requests; instance.ts gives it. */
export interface Answering {
  readonly handlers: Handlers;
  /** Of a person whom a provider has let in; `how` says by what. */
  readonly beginSession: (
    person: Principal,
    deps: Deps,
    exchange: Exchange,
    about: { readonly how: string },
  ) => Promise<unknown>;
  readonly loadMcp: LoadMcp;
}

type AnyHandler = (call: {
  readonly deps: Deps;
  readonly caller: Caller | null;
  readonly input: Record<string, unknown>;
  readonly exchange: Exchange;
}) => Promise<unknown> | AsyncIterable<unknown>;

/** The HTTP interface: every row of the route table with its handler, and problem+json for everything else. */
export function createApp(deps: Deps, { handlers, beginSession, loadMcp }: Answering): Hono {
  const app = new Hono();
  // Built on the first request, because it takes longer than most commands.
  let document: ReturnType<typeof openApi> | undefined;

  // Never an id that the caller sends, since it stands in the log and in the audit. What asks from within, as a tool of an agent, is a part of
  // the request that it serves.
  const generator = () => current().request ?? randomUUID();
  app.use(requestId({ headerName: "", generator }), async (c, next) => {
    const request = c.get("requestId");
    await runAs({ request, span: current().span ?? deps.tracing?.root }, next);
    c.header("x-request-id", request); // also of an answer that a library made
  });
  app.use("/v1/*", apiHeaders);
  app.use("/openapi.json", apiHeaders);
  app.use("/public/answers/*", openHeaders);
  app.get("/openapi.json", (c) => {
    document ??= openApi({ version: deps.version });
    return c.json(document);
  });
  const { metrics } = deps;
  if (metrics?.isScraped === true)
    app.get("/metrics", async (c) =>
      isForwarded(c)
        ? c.notFound()
        : c.body(await metrics.text(), 200, { "content-type": "text/plain; version=0.0.4" }),
    );

  for (const name of routeNames) {
    const route = routes[name];
    const handler = handlers[name] as AnyHandler;
    const path = route.path.replace(/\{(\w+)\}/g, ":$1");
    // A router answers HEAD by GET, which may count an answer that is then not shown.
    const takes = (c: Context) => c.req.method === route.method || route.who === "anyone";
    const answered = (c: Context) => (takes(c) ? answer({ name, route, handler }, c, deps) : refuseMethod(c, deps));
    app.on(route.method, path, asSpan(name), answered);
  }

  // How HAProxy asks where it has no more than `option httpchk`.
  app.options("/", async (c) => c.body(null, (await deps.ready()) ? 204 : 503));
  addOidc(app, deps, beginSession);
  app.use("/mcp", asSpan("mcp"));
  app.use("/scim/*", asSpan("scim"));
  addOauth(app, deps, { refuse });
  addMcp(app, deps, { callerOf, refuse, loadMcp });
  addScim(app, deps, { callerOf, refuse });
  app.all("/v1/*", (c) => refuseMethod(c, deps));
  app.onError((error, c) => refuse(c, deps, "unknown", error));
  return app;
}

const asSpan =
  (route: string): MiddlewareHandler =>
  (c, next) =>
    traced("request", { route, request: c.get("requestId") }, next);

/** One request: authenticate, parse, authorise, handle, answer. */
async function answer(
  { name, route, handler }: { readonly name: RouteName; readonly route: Route; readonly handler: AnyHandler },
  c: Context,
  deps: Deps,
): Promise<Response> {
  const started = performance.now();
  try {
    const sessionSecret = getCookie(c, SESSION_COOKIE);
    const caller = await callerOf(route, c, sessionSecret, deps);
    if (caller !== null) await deps.rates.take("request", caller.principal.id);
    else if (!isProbe(name, c)) await deps.rates.take("anonymous", addressOf(c, deps.publicUrl));
    const input = await parseInput(name, c.req.raw, c.req.param() as Record<string, string>);
    if (caller !== null) await authorise(route.who, caller, input, deps);
    const result = handler({ deps, caller, input, exchange: exchangeOf(c, sessionSecret, deps) });
    const response = await respond(route, c, result, deps.shown);
    if (!isProbe(name, c)) await deps.shown();
    noteAnswer({ route: name, status: response.status, started }, deps);
    return response;
  } catch (error) {
    return await refuse(c, deps, name, error);
  }
}

/**
 * Whether a load balancer, or a supervisor that restarts what does not answer, asks: it has no rate, and shares no bucket with strangers of its address.
 * Who sends a secret along tries it.
 */
const isProbe = (name: RouteName, c: Context): boolean =>
  name === "health" || (name === "ready" && c.req.header("authorization") === undefined && !hasSession(c));

const hasSession = (c: Context): boolean => getCookie(c, SESSION_COOKIE) !== undefined;

async function callerOf(route: Admission, c: Context, session: string | undefined, deps: Deps): Promise<Caller | null> {
  const authorization = c.req.header("authorization");
  const unsafe = route.method !== "GET";
  const byBrowser = authorization === undefined && (session !== undefined || c.req.header("origin") !== undefined);
  if (unsafe ? byBrowser : byBrowser && route.who !== "anyone")
    refuseForgery({
      unsafe,
      host: hostOf(c, deps.publicUrl),
      origin: c.req.header("origin"),
      fetchSite: c.req.header("sec-fetch-site"),
      marker: c.req.header("x-dosimeter"),
    });
  if (route.who === "anyone") return null;
  const signIn = () => authenticate({ authorization, session }, deps);
  const tried = { method: "token", address: addressOf(c, deps.publicUrl), requestId: c.get("requestId") } as const;
  const caller = await (authorization === undefined ? signIn() : deps.notedSignIn(tried, signIn)).catch(
    async (error: unknown) => {
      // A failed sign-in counts against its address. A request that gets in is not counted here, so it never waits for others'.
      if (route.who === "visitor" && error instanceof PrivacyError && error.code === "UNAUTHENTICATED") return null;
      await deps.rates.take("anonymous", addressOf(c, deps.publicUrl));
      throw error;
    },
  );
  if (caller === null) return null;
  if (route.scope !== null && !caller.scopes.includes(route.scope))
    throw new PrivacyError(
      "FORBIDDEN",
      { name: "scope", want: route.scope },
      `this token lacks the scope ${route.scope}`,
    );
  return caller;
}

function exchangeOf(c: Context, sessionSecret: string | undefined, deps: Deps): Exchange {
  const { publicUrl } = deps;
  const { protocol } = new URL(publicUrl ?? c.req.url);
  return {
    origin: originOf(c, deps),
    sessionSecret,
    requestId: c.get("requestId"),
    address: addressOf(c, publicUrl),
    isLocal: isLocal(c, publicUrl),
    agent: c.req.header("user-agent") ?? "",
    signal: c.req.raw.signal,
    bytes: c.req.raw.body,
    setLocation: (path) => c.header("location", path),
    setSession(secret) {
      setCookie(c, SESSION_COOKIE, secret ?? "", {
        path: "/",
        httpOnly: true,
        sameSite: "Lax",
        secure: protocol === "https:",
        maxAge: secret === null ? 0 : deps.sessionHours * 3600,
      });
    },
  };
}

async function respond(
  route: Route,
  c: Context,
  result: Promise<unknown> | AsyncIterable<unknown>,
  shown: Deps["shown"],
): Promise<Response> {
  if (route.events) {
    return streamSSE(c, async (stream) => {
      for await (const event of result as AsyncIterable<unknown>) {
        await shown();
        if (stream.aborted) return;
        await stream.writeSSE({ data: JSON.stringify(event) });
      }
    });
  }
  const body = await result;
  if (route.media !== undefined) {
    const { name, bytes, media = [route.media].flat()[0], open } = body as Bytes;
    c.header("content-type", media?.startsWith("text/html") ? `${media}; charset=utf-8` : media);
    if (open === undefined) c.header("content-disposition", `attachment; filename="${name.replace(/[^\w.-]/g, "-")}"`);
    else c.header("x-robots-tag", open.isIndexed ? "all" : "noindex");
    return c.body(bytes, route.status as 200);
  }
  return route.status === 204 ? c.body(null, 204) : c.json(body as object, route.status as 200);
}

/** Sign-in through a provider: the browser is redirected there and back. No other route redirects. */
function addOidc(app: Hono, deps: Deps, beginSession: Answering["beginSession"]): void {
  const origin = (c: Context) => originOf(c, deps);
  const cookie = { path: "/auth/oidc", httpOnly: true, sameSite: "Lax", maxAge: OIDC_MINUTES * 60 } as const;
  /** What is wrong with a provider is for who runs the server: it goes to the log. */
  const back = (c: Context, error: unknown) => {
    const shown = publicError(error);
    const { why } = shown.details;
    if (typeof why === "string") deps.log.error("PROVIDER_FAILED", { cause: why });
    const problem = shown.code === "NOT_READY" && why !== undefined ? NO_PROVIDER : problemOf(shown).detail;
    return c.redirect(`/sign-in?problem=${encodeURIComponent(problem)}`);
  };
  app.use("/auth/*", apiHeaders);
  app.get("/auth/oidc/:provider", async (c) => {
    try {
      await deps.rates.take("signIn", addressOf(c, deps.publicUrl));
      const { url, kept } = await deps.oidc.start(c.req.param("provider"), origin(c), c.req.query("next") ?? "/");
      setCookie(c, OIDC_COOKIE, kept, { ...cookie, secure: origin(c).startsWith("https:") });
      return c.redirect(url.href);
    } catch (error) {
      return back(c, error);
    }
  });
  app.get("/auth/oidc/:provider/callback", async (c) => {
    try {
      await deps.rates.take("signIn", addressOf(c, deps.publicUrl));
      const url = new URL(c.req.url);
      const kept = getCookie(c, OIDC_COOKIE);
      setCookie(c, OIDC_COOKIE, "", { ...cookie, maxAge: 0 });
      const exchange = exchangeOf(c, undefined, deps);
      const next = await deps.notedSignIn({ method: "provider", ...exchange }, async () => {
        const found = await deps.oidc.finish(c.req.param("provider"), { url, origin: origin(c), kept });
        await beginSession(found.principal, deps, exchange, { how: `by ${c.req.param("provider")}` });
        return found.next;
      });
      return c.redirect(next);
    } catch (error) {
      return back(c, error);
    }
  });
}

const NO_PROVIDER = "this provider cannot be used just now; an admin of the platform can find out why under Settings";
const OIDC_COOKIE = "dosimeter-oidc";

/** How long someone who asks too often waits for each refusal, so that a flood costs little. */
const HELD_MS = 250;

async function refuse(c: Context, deps: Deps, route: string, error: unknown): Promise<Response> {
  const shown = publicError(error);
  if (shown !== error && hasLeft(c)) {
    deps.log.info("left", { route });
    return c.body(null, 499 as 400);
  }
  if (shown.code === "RATE_LIMITED") await new Promise((resume) => setTimeout(resume, HELD_MS));
  await dropRest(c.req.raw);
  const problem = { ...problemOf(unnamed(shown)), request: c.get("requestId") };
  const { status } = problem;
  deps.metrics?.refused(shown.code);
  current().span?.tell({ status, code: shown.code });
  if (shown !== error) {
    const cause = connectionErrorCode(error) ?? shown.code;
    deps.log.error("REQUEST_FAILED", { route, status, cause, ...errorFields(error) });
  } else deps.log.info("refused", { route, status, code: shown.code });
  if (shown.code === "UNAUTHENTICATED")
    c.header("www-authenticate", route === "mcp" ? challengeOf(originOf(c, deps)) : "Bearer");
  if (typeof shown.details.seconds === "number") c.header("retry-after", String(shown.details.seconds));
  // Who follows a link that has ended reads why.
  if (route === "showPublicAnswer" && c.req.header("accept")?.includes("text/html"))
    return c.html(
      html`<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${problem.title}</title><style>:root{color-scheme:light dark;font:16px/1.5 sans-serif}</style><h1>${problem.title}</h1><p>${problem.detail}.</p></html>`,
      problem.status as 400,
    );
  return c.body(JSON.stringify(problem), problem.status as 400, { "content-type": "application/problem+json" });
}

/** Whether the connection ended before the request was whole: what failed then is what was still to be read, and no one waits for an answer. */
function hasLeft(c: Context): boolean {
  const { incoming } = (c.env ?? {}) as { incoming?: { destroyed?: boolean; complete?: boolean } };
  return incoming?.destroyed === true && incoming.complete === false;
}

async function refuseMethod(c: Context, deps: Deps): Promise<Response> {
  const refusal = noSuchRoute(c);
  const counted = deps.rates.take("anonymous", addressOf(c, deps.publicUrl)).then(() => refusal);
  return refuse(c, deps, "unknown", await counted.catch((error: unknown) => error));
}

/** What no route takes; for an address that other methods have, `Allow` names them. */
function noSuchRoute(c: Context): PrivacyError {
  const known = patterns.flatMap(([name, pattern]) => (pattern.test(c.req.path) ? [name] : []));
  if (known.length === 0)
    return new PrivacyError("NOT_FOUND", {}, "there is no such address; /openapi.json lists them all");
  const methods = known.flatMap((name) => {
    const { method, who } = routes[name];
    return method === "GET" && who === "anyone" ? [method, "HEAD"] : [method];
  });
  const allow = [...new Set(methods)].join(", ");
  c.header("allow", allow);
  return new PrivacyError("METHOD_NOT_ALLOWED", { want: allow }, `this address does not take ${c.req.method}`);
}

const patterns = routeNames.map(
  (name) => [name, new RegExp(`^${routes[name].path.replace(/\{\w+\}/g, "[^/]+")}$`)] as const,
);
