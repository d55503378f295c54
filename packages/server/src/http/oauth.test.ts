import type { Client } from "@dosimeter/client";
import { beforeAll, beforeEach, expect, test } from "vitest";
import { challengeTo, fieldsOf } from "../access/mcp-clients.ts";
import { fixtureOf } from "../fixture.kit.ts";
import { browserOf, clientOf, codeOf, ORIGIN } from "../instance.kit.ts";

const fixture = fixtureOf();
const HERE = "http://127.0.0.1:7777/back?from=dosimeter";
const VERIFIER = "v".repeat(43);
let operator: Client;
let browser: Client;
let agent: string;
let program: string;

beforeAll(async () => {
  operator = clientOf(fixture.instance, fixture.instance.operatorToken);
  browser = browserOf(fixture.instance.fetch);
  const { url } = await operator.createSignInLink({ person: fixture.people.member });
  await browser.signIn({ link: new URL(url).hash.slice(1) });
  const onBehalfOf = fixture.people.member;
  agent = (await operator.createPerson({ name: "the agent of OAuth", kind: "agent", onBehalfOf })).id;
});
beforeEach(async () => {
  program = await idOf({ client_name: "Helper", redirect_uris: [HERE, "https://app.example.org/cb"] });
});

const send = async (path: string, init: RequestInit = {}) => fixture.instance.fetch(new Request(ORIGIN + path, init));
const said = async (answer: Promise<Response>) => (await answer).json() as Promise<Record<string, unknown>>;
const post = (path: string, body: unknown) =>
  send(path, { method: "POST", body: JSON.stringify(body), headers: { "content-type": "application/json" } });
const idOf = async (body: unknown) => String((await said(post("/oauth/register", body))).client_id);

const query = (change: Readonly<Record<string, string | undefined>> = {}) => {
  const all = {
    ...{ response_type: "code", client_id: program, redirect_uri: HERE, state: "1e5", resource: `${ORIGIN}/mcp` },
    ...{ code_challenge: challengeTo(VERIFIER), code_challenge_method: "S256", scope: "read release", ...change },
  };
  return new URLSearchParams(
    Object.entries(all).flatMap(([key, value]) => (value === undefined ? [] : [[key, value]])),
  );
};
const askedOf = (fields: URLSearchParams | string) => Buffer.from(String(fields)).toString("base64url");

async function codeFor(change: Readonly<Record<string, string | undefined>> = {}, days = 7): Promise<string> {
  const { url } = await browser.letMcpClientIn({ agent, asked: askedOf(query(change)), days });
  return new URL(url).searchParams.get("code") ?? "";
}
const redeem = (code: string, change: Readonly<Record<string, string>> = {}) =>
  send("/oauth/token", {
    method: "POST",
    body: new URLSearchParams({
      ...{ grant_type: "authorization_code", code, client_id: program, redirect_uri: HERE, code_verifier: VERIFIER },
      ...change,
    }),
  });
const tokens = async () => (await browser.listServiceTokens({ person: agent })).items;

test("a program learns where it is let in, registers, is let in as an agent, and gets a token of it that ends", async () => {
  const refused = await send("/mcp", { method: "POST" });
  const [, at = ""] = /resource_metadata="([^"]*)"/.exec(refused.headers.get("www-authenticate") ?? "") ?? [];
  const resource = await said(send(new URL(at).pathname));
  expect(resource).toMatchObject({ resource: `${ORIGIN}/mcp`, authorization_servers: [ORIGIN] });
  expect(await said(send("/.well-known/oauth-authorization-server"))).toMatchObject({
    issuer: ORIGIN,
    code_challenge_methods_supported: ["S256"],
    token_endpoint_auth_methods_supported: ["none"],
    grant_types_supported: ["authorization_code", "refresh_token"],
  });
  const way = await send(`/oauth/authorize?${query()}`, { redirect: "manual" });
  const shown = new URL(way.headers.get("location") ?? "", ORIGIN);
  expect([way.status, shown.origin + shown.pathname]).toEqual([302, `${ORIGIN}/connect`]);
  const asked = shown.searchParams.get("asked") ?? "";
  const seen = await browser.showMcpClient({ asked });
  expect(seen).toMatchObject({
    name: "Helper",
    returnsTo: "127.0.0.1:7777",
    isHere: true,
    scopes: ["read", "release"],
  });
  expect(seen.refused).toBe(`${HERE}&error=access_denied&state=1e5&iss=${encodeURIComponent(ORIGIN)}`);
  const { url } = await browser.letMcpClientIn({ agent, asked, days: 7 });
  const back = new URL(url);
  expect(Object.fromEntries(back.searchParams)).toMatchObject({ from: "dosimeter", state: "1e5", iss: ORIGIN });
  const answer = await redeem(back.searchParams.get("code") ?? "");
  expect(answer.headers.get("cache-control")).toBe("no-store");
  const { access_token, ...rest } = (await answer.json()) as Record<string, unknown>;
  const refresh_token = expect.stringMatching(/^dsr_/);
  expect(rest).toEqual({ token_type: "Bearer", expires_in: expect.any(Number), scope: "read release", refresh_token });
  expect(Math.round(Number(rest.expires_in) / 60)).toBe(60);
  const its = clientOf(fixture.instance, String(access_token));
  expect((await its.me()).person).toMatchObject({ id: agent });
  expect(await codeOf(its.createToken({ name: "more", scopes: ["read"] }))).toBe("FORBIDDEN");
  const [token] = await tokens();
  expect(token).toMatchObject({ name: "Helper", scopes: ["read", "release"], endedAt: null });
  expect(Math.round((Date.parse(token?.expiresAt ?? "") - Date.now()) / 86_400_000)).toBe(7);
  await browser.revokeServiceToken({ person: agent, token: token?.id ?? "" });
  expect(await codeOf(its.me())).toBe("UNAUTHENTICATED");
});

test("a code works once: shown again, its token ends", async () => {
  const code = await codeFor();
  const { access_token } = (await (await redeem(code)).json()) as { access_token: string };
  const its = clientOf(fixture.instance, access_token);
  expect((await its.me()).person.id).toBe(agent);
  const again = await redeem(code);
  expect([again.status, await said(Promise.resolve(again))]).toMatchObject([400, { error: "invalid_grant" }]);
  expect(await codeOf(its.me())).toBe("UNAUTHENTICATED");
});

test("a refresh token gets the next pair, for its own program; what a person ends gets none", async () => {
  const given = (await (await redeem(await codeFor())).json()) as Record<string, string>;
  const refreshed = async (refresh_token = "", client_id = program) => {
    const body = new URLSearchParams({
      grant_type: "refresh_token",
      refresh_token,
      client_id,
      resource: `${ORIGIN}/mcp`,
      scope: "read release manage admin",
    });
    return said(send("/oauth/token", { method: "POST", body }));
  };
  const next = await refreshed(given.refresh_token);
  expect(next).toMatchObject({ token_type: "Bearer", scope: "read release" });
  const lost = await refreshed(given.refresh_token);
  expect(lost.refresh_token, "the answer was lost").toBe(next.refresh_token);
  expect(lost.access_token).not.toBe(next.access_token);
  expect((await clientOf(fixture.instance, String(next.access_token)).me()).person.id).toBe(agent);
  const live = (await tokens()).filter(({ endedAt }) => endedAt === null);
  expect(live.map(({ name }) => name)).toEqual(["Helper"]);
  await browser.revokeServiceToken({ person: agent, token: live[0]?.id ?? "" });
  expect(await refreshed(String(next.refresh_token))).toMatchObject({ error: "invalid_grant" });
  expect(await codeOf(clientOf(fixture.instance, String(next.access_token)).me())).toBe("UNAUTHENTICATED");

  const reader = (await (await redeem(await codeFor({ scope: "read" }))).json()) as Record<string, string>;
  const again = await refreshed(reader.refresh_token);
  expect(again, "no more than was given").toMatchObject({ scope: "read" });
  const other = await idOf({ client_name: "Other", redirect_uris: [HERE] });
  expect(await refreshed(String(again.refresh_token), other)).toMatchObject({ error: "invalid_grant" });
  expect(await refreshed(String(again.refresh_token)), "it was stolen").toMatchObject({ error: "invalid_grant" });
  expect(await refreshed("dsr_none")).toMatchObject({ error: "invalid_grant" });
});

test("two who show a code at once get no token that lives", async () => {
  const code = await codeFor();
  const answers = await Promise.all([redeem(code), redeem(code)]);
  expect(answers.map(({ status }) => status).sort()).toEqual([200, 400]);
  expect((await tokens()).filter(({ endedAt }) => endedAt === null)).toEqual([]);
});

test("a code is worth nothing to another program, address or verifier, nor as a way to sign in", async () => {
  const other = await idOf({ client_name: "Other", redirect_uris: [HERE] });
  for (const change of [
    { client_id: other },
    { redirect_uri: "https://app.example.org/cb" },
    { code_verifier: "w".repeat(43) },
    { code_verifier: "" },
  ] as Readonly<Record<string, string>>[]) {
    const code = await codeFor();
    expect(await said(redeem(code, change)), JSON.stringify(change)).toMatchObject({ error: "invalid_grant" });
    expect(await said(redeem(code)), "the wrong try used it up").toMatchObject({ error: "invalid_grant" });
  }
  const code = await codeFor();
  expect(await codeOf(browserOf(fixture.instance.fetch).signIn({ link: code }))).toBe("UNAUTHENTICATED");
  expect(await codeOf(clientOf(fixture.instance, code).me())).toBe("UNAUTHENTICATED");
  expect((await tokens()).filter(({ endedAt }) => endedAt === null)).toEqual([]);
});

test("where it returns to is https or this computer, as registered, letter by letter", async () => {
  for (const address of [
    ...["http://example.org/cb", "javascript:alert(1)", "cursor://cb", "data:text/html,x", "//evil.test", "/cb", ""],
    ...["https://a@example.org/", "https://example.org/#x", "http://localhost.evil.test/", "https://example.org/\n"],
    ...["http://127.0.0.1.evil.test/", `https://example.org/${"x".repeat(500)}`, "http://localhost:99999/"],
  ])
    expect(await said(post("/oauth/register", { redirect_uris: [address] })), address).toMatchObject({
      error: "invalid_redirect_uri",
    });
  for (const redirect_uri of [
    `${HERE}x`,
    HERE.replace("back", "Back"),
    "http://127.0.0.1:7778/back?from=dosimeter",
    "",
  ])
    expect(await codeOf(browser.showMcpClient({ asked: askedOf(query({ redirect_uri })) })), redirect_uri).toBe(
      "INVALID_PARAMETER",
    );
});

test("what is no request of PKCE with S256 by a program of this server is refused, and no one is sent anywhere", async () => {
  const forged = `${Buffer.from(JSON.stringify(["Evil", 9e15, "x"])).toString("base64url")}.${program.split(".")[1]}`;
  for (const change of [
    ...[{ client_id: forged }, { client_id: "x" }, { client_id: `${program}x` }, { client_id: undefined }],
    ...[{ code_challenge_method: "plain" }, { code_challenge_method: undefined }, { code_challenge: undefined }],
    ...[{ code_challenge: "short" }, { response_type: "token" }, { response_type: undefined }],
    { resource: "https://other.test/mcp" },
  ]) {
    const asked = askedOf(query(change));
    expect(await codeOf(browser.showMcpClient({ asked })), JSON.stringify(change)).toBe("INVALID_PARAMETER");
    expect(await codeOf(browser.letMcpClientIn({ agent, asked })), JSON.stringify(change)).toBe("INVALID_PARAMETER");
  }
  const twice = `${query()}&redirect_uri=${encodeURIComponent("https://app.example.org/cb")}`;
  expect(await codeOf(browser.showMcpClient({ asked: askedOf(twice) }))).toBe("INVALID_PARAMETER");
  expect(await codeOf(browser.showMcpClient({ asked: "%%%" }))).toBe("INVALID_PARAMETER");
});

test("only the agent's person lets a program in, in a browser, as an agent of theirs", async () => {
  const asked = askedOf(query());
  const { as, people } = fixture;
  expect(await codeOf(as.member.letMcpClientIn({ agent, asked }))).toBe("FORBIDDEN");
  expect(await codeOf(as.stranger.letMcpClientIn({ agent, asked }))).toBe("NOT_FOUND");
  expect(await codeOf(browser.letMcpClientIn({ agent: people.member, asked }))).toBe("NOT_FOUND");
  expect(await codeOf(as.stranger.listServiceTokens({ person: agent }))).toBe("NOT_FOUND");
  const { id } = await operator.createPerson({ name: "gone", kind: "agent", onBehalfOf: people.member });
  const { url } = await browser.letMcpClientIn({ agent: id, asked });
  await browser.removeAgent({ agent: id });
  const code = new URL(url).searchParams.get("code") ?? "";
  expect(await said(redeem(code)), "what is removed gets no token").toMatchObject({ error: "invalid_grant" });
});

test("the token address takes a form of one grant, and says in OAuth's words what is wrong", async () => {
  const code = await codeFor();
  expect(await said(redeem(code, { grant_type: "password" }))).toMatchObject({ error: "unsupported_grant_type" });
  expect(await said(redeem(code, { client_id: "x" }))).toMatchObject({ error: "invalid_client" });
  expect(await said(redeem(code, { resource: "https://other.test/mcp" }))).toMatchObject({ error: "invalid_target" });
  expect(await said(post("/oauth/token", { code }))).toMatchObject({ error: "invalid_request" });
  expect(await said(redeem("x".repeat(20_000)))).toMatchObject({ error: "invalid_request" });
  expect(await said(redeem("dsl_none"))).toMatchObject({ error: "invalid_grant" });
  expect((await redeem(code)).status, "none of these used it up").toBe(200);
});

test("a program registers what is bounded, under a name that shows as it is", async () => {
  for (const body of [{}, { redirect_uris: [] }, { redirect_uris: "x" }, { redirect_uris: Array(9).fill(HERE) }])
    expect(await said(post("/oauth/register", body))).toMatchObject({ error: "invalid_redirect_uri" });
  const long = await said(
    post("/oauth/register", { redirect_uris: [HERE], client_name: `\u202e<b>${"x".repeat(300)}` }),
  );
  expect(long.client_name).toBe(`<b>${"x".repeat(77)}`);
  expect(String(long.client_id).length).toBeLessThan(600);
});

test("whatever a program calls itself, its name is seen, and its code gets a token", async () => {
  const combining = "\u{1d160}".repeat(80); // one character, six in normal form
  for (const [client_name, shown] of [
    ...["\u0301", "\u3164", "\u2800", " "].map((name) => [name, "a program without a name"] as const),
    [combining, combining.normalize("NFC").slice(0, 160)],
  ] as const) {
    program = await idOf({ client_name, redirect_uris: [HERE] });
    expect((await browser.showMcpClient({ asked: askedOf(query()) })).name).toBe(shown);
    expect((await redeem(await codeFor())).status, client_name).toBe(200);
  }
});

test("a form of many fields keeps no one waiting", () => {
  const started = performance.now();
  const form = Array.from({ length: 30_000 }, (_, at) => `${at}=`).join("&");
  expect(Object.keys(fieldsOf(form))).toHaveLength(30_000);
  expect(performance.now() - started).toBeLessThan(1000);
});
