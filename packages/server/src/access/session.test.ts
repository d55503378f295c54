import { createClient } from "@dosimeter/client";
import { afterAll, beforeAll, expect, test } from "vitest";
import { clientOf, ORIGIN, openTestInstance } from "../instance.kit.ts";
import type { Instance } from "../instance.ts";

let instance: Instance;

beforeAll(async () => {
  instance = await openTestInstance();
  for (const name of ["Dana", "Ana"]) await instance.createDemoPerson(name);
});
afterAll(() => instance.close());

/** A browser's cookie jar for one site, on top of the SDK. */
function browser() {
  const jar = { cookie: "", attributes: "" };
  const client = createClient({
    url: ORIGIN,
    async fetch(request) {
      if (jar.cookie !== "") request.headers.set("cookie", jar.cookie);
      const response = await instance.fetch(request);
      const [set] = response.headers.getSetCookie();
      if (set !== undefined) {
        jar.attributes = set;
        jar.cookie = set.split(";")[0] ?? "";
      }
      return response;
    },
  });
  return { client, jar };
}

const secretOf = (url: string) => new URL(url).hash.slice(1);
const links = () => clientOf(instance, instance.operatorToken).createDemoLinks();

test("a sign-in link works once and gives an HttpOnly session cookie", async () => {
  const { items } = await links();
  expect(items.map(({ name }) => name)).toEqual(["Dana", "Ana"]);
  const link = secretOf(items[0]?.url ?? "");
  const { client, jar } = browser();
  expect((await client.signIn({ link })).person.name).toBe("Dana");
  expect(jar.attributes).toMatch(/HttpOnly/);
  expect(jar.attributes).toMatch(/SameSite=Lax/);
  expect(jar.attributes).not.toMatch(/Secure/);
  expect((await client.me()).viaDemo).toBe(true);
  await expect(browser().client.signIn({ link })).rejects.toMatchObject({ code: "UNAUTHENTICATED" });
  await client.signOut();
  await expect(client.me()).rejects.toMatchObject({ code: "UNAUTHENTICATED" });
});

test("one browser can view as another demo person; the session before it is over", async () => {
  const { items } = await links();
  const { client, jar } = browser();
  const me = await client.signIn({ link: secretOf(items[0]?.url ?? "") });
  const old = jar.cookie;
  const ana = me.demoPeople?.find(({ name }) => name === "Ana");
  expect((await client.viewAs({ person: ana?.id ?? "" })).person.name).toBe("Ana");
  expect((await client.me()).person.name).toBe("Ana");
  const stale = await instance.fetch(new Request(`${ORIGIN}/v1/me`, { headers: { cookie: old } }));
  expect(stale.status).toBe(401);
  const { secret: token } = await client.createToken({ name: "reader", scopes: ["read"] });
  const program = browser().client;
  await program.signIn({ token });
  await expect(program.viewAs({ person: me.person.id }), "no more than its token").rejects.toMatchObject({
    code: "NOT_FOUND",
  });
});

test("another site cannot make this browser act", async () => {
  const { items } = await links();
  const { client, jar } = browser();
  await client.signIn({ link: secretOf(items[0]?.url ?? "") });
  const send = (headers: Record<string, string>) =>
    instance.fetch(
      new Request(`${ORIGIN}/v1/teams`, {
        method: "POST",
        body: JSON.stringify({ name: `team ${Math.round(performance.now() * 1000)}` }),
        headers: { "content-type": "application/json", cookie: jar.cookie, host: new URL(ORIGIN).host, ...headers },
      }),
    );
  expect((await send({})).status).toBe(403);
  expect((await send({ "x-dosimeter": "1", origin: "https://evil.test" })).status).toBe(403);
  expect((await send({ "x-dosimeter": "1", origin: "null" })).status).toBe(403);
  expect((await send({ "x-dosimeter": "1", "sec-fetch-site": "cross-site" })).status).toBe(403);
  expect((await send({ "x-dosimeter": "1", origin: ORIGIN })).status).toBe(201);
});

test("another site cannot make this browser read: what is shown may count against a cap", async () => {
  const { items } = await links();
  const { client, jar } = browser();
  await client.signIn({ link: secretOf(items[0]?.url ?? "") });
  const read = async (site: string, method = "GET", path = "me") => {
    const headers = { cookie: jar.cookie, "sec-fetch-site": site };
    return (await instance.fetch(new Request(`${ORIGIN}/v1/${path}`, { method, headers }))).status;
  };
  expect([await read("same-origin"), await read("none")]).toEqual([200, 200]);
  expect([await read("cross-site"), await read("same-site")]).toEqual([403, 403]);
  expect(await read("cross-site", "GET", "session/ways"), "what anyone may read").toBe(200);
  expect(await read("same-origin", "HEAD"), "nothing is counted that is not shown").toBe(405);
  expect(await read("cross-site", "HEAD", "session/ways")).toBe(200);
});

test("a browser can sign in with a token, with no more scopes than the token has", async () => {
  const operator = clientOf(instance, instance.operatorToken);
  const { secret } = await operator.createToken({ name: "reader", scopes: ["read"] });
  const { client } = browser();
  expect((await client.signIn({ token: secret })).scopes).toEqual(["read"]);
  await expect(client.createTeam({ name: "no" })).rejects.toMatchObject({ code: "FORBIDDEN" });
  await expect(operator.createToken({ name: "x", scopes: ["read"], days: 0 })).rejects.toMatchObject({
    code: "INVALID_PARAMETER",
  });
});

test("a revoked token takes the sessions begun with it along", async () => {
  const operator = clientOf(instance, instance.operatorToken);
  const { id, secret } = await operator.createToken({ name: "leaked", scopes: ["read"], days: 1 });
  const { client } = browser();
  await client.signIn({ token: secret });
  const other = browser();
  await other.client.signIn({ token: instance.operatorToken });
  await operator.revokeToken({ token: id });
  await expect(client.me()).rejects.toMatchObject({ code: "UNAUTHENTICATED" });
  expect((await other.client.me()).person.name).toBe("operator");
});

test("what a leaked token made ends with it, and no later than it", async () => {
  const operator = clientOf(instance, instance.operatorToken);
  const leaked = await operator.createToken({ name: "leaked", scopes: ["read", "admin"], days: 1 });
  const thief = clientOf(instance, leaked.secret);
  const child = await thief.createToken({ name: "child", scopes: ["read", "admin"], days: 366 });
  const { client } = browser();
  await client.signIn({ token: child.secret });
  const grandchild = await client.createToken({ name: "grandchild", scopes: ["read"], days: 366 });
  expect([child.expiresAt, grandchild.expiresAt]).toEqual([leaked.expiresAt, leaked.expiresAt]);
  const own = browser();
  await own.client.signIn({ link: secretOf((await links()).items[0]?.url ?? "") });
  const kept = await own.client.createToken({ name: "kept", scopes: ["read"], days: 1 });
  await operator.revokeToken({ token: leaked.id });
  for (const gone of [thief, clientOf(instance, child.secret), client, clientOf(instance, grandchild.secret)])
    await expect(gone.me()).rejects.toMatchObject({ code: "UNAUTHENTICATED" });
  await own.client.signOut();
  expect(
    (await clientOf(instance, kept.secret).me()).person.name,
    "a token outlives the sign-in that made it",
  ).toBeTruthy();
  await clientOf(instance, kept.secret).me();
});

test("demo sign-in ends as soon as a real person exists", async () => {
  const { items } = await links();
  const { client } = browser();
  await client.signIn({ link: secretOf(items[0]?.url ?? "") });
  const { secret: token } = await client.createToken({ name: "kept", scopes: ["read", "admin"] });
  const unused = secretOf(items[1]?.url ?? "");
  expect((await client.health()).demo).toBe(true);
  const real = await clientOf(instance, instance.operatorToken).createPerson({ name: "Real" });
  expect((await client.health()).demo).toBe(false);
  await expect(clientOf(instance, token).me()).rejects.toMatchObject({ code: "UNAUTHENTICATED" });
  await clientOf(instance, instance.operatorToken).removePerson({ person: real.id });
  expect((await client.health()).demo).toBe(false);
  await expect(client.me()).rejects.toMatchObject({ code: "UNAUTHENTICATED" });
  await expect(browser().client.signIn({ link: unused })).rejects.toMatchObject({ code: "UNAUTHENTICATED" });
  await expect(links()).rejects.toMatchObject({ code: "CONFLICT" });
});

test("an admin makes and revokes the tokens of a service, with no more scopes than their own, and none of a person", async () => {
  const operator = clientOf(instance, instance.operatorToken);
  const { id: somebody } = await operator.createPerson({ name: "somebody" });
  const { id: person } = await operator.createPerson({ name: "nightly", kind: "service" });
  const made = await operator.createServiceToken({ person, name: "cron", scopes: ["read"], days: 7 });
  const service = clientOf(instance, made.secret);
  expect((await service.me()).person.id).toBe(person);
  await expect(service.createTeam({ name: "its own" })).rejects.toMatchObject({ code: "FORBIDDEN" });
  const { items } = await operator.listServiceTokens({ person });
  expect(items.map(({ id, scopes }) => [id, ...scopes])).toEqual([[made.id, "read"]]);
  expect(JSON.stringify(items)).not.toContain(made.secret);

  const { secret } = await operator.createToken({ name: "few", scopes: ["admin"] });
  const few = clientOf(instance, secret);
  await expect(few.createServiceToken({ person, name: "x", scopes: ["release"] })).rejects.toMatchObject({
    code: "FORBIDDEN",
  });
  const other = await operator.createToken({ name: "not the service's", scopes: ["read"] });
  await expect(operator.revokeServiceToken({ person, token: other.id })).rejects.toMatchObject({ code: "NOT_FOUND" });
  await expect(operator.createServiceToken({ person: somebody, name: "x", scopes: ["read"] })).rejects.toMatchObject({
    code: "CONFLICT",
  });

  await operator.revokeServiceToken({ person, token: made.id });
  await expect(service.me()).rejects.toMatchObject({ code: "UNAUTHENTICATED" });
});

test("a service says whom it acts for, and goes when they go", async () => {
  const operator = clientOf(instance, instance.operatorToken);
  const { id: dora } = await operator.createPerson({ name: "Dora" });
  const { id: person, onBehalfOf } = await operator.createPerson({ name: "hers", kind: "service", onBehalfOf: dora });
  expect(onBehalfOf).toBe(dora);
  expect((await operator.showPerson({ person: dora })).onBehalfOf).toBeNull();
  const { secret } = await operator.createServiceToken({ person, name: "cron", scopes: ["read"], days: 7 });
  expect((await clientOf(instance, secret).me()).person).toMatchObject({ id: person, onBehalfOf: dora });
  await expect(operator.createPerson({ name: "x", kind: "agent", onBehalfOf: "usr_nobody" })).rejects.toMatchObject({
    code: "NOT_FOUND",
  });
  await operator.removePerson({ person: dora });
  await expect(clientOf(instance, secret).me()).rejects.toMatchObject({ code: "UNAUTHENTICATED" });
  expect((await operator.showPerson({ person })).removedAt).not.toBeNull();
});
