import type { Client } from "@dosimeter/client";
import { systemPrincipal as system } from "@dosimeter/ledger";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { PROVISION } from "../access/credentials.ts";
import type { OidcProvider } from "../access/oidc-provider.ts";
import { clientOf, ORIGIN, openTestInstance, tokenFor, unhurried } from "../instance.kit.ts";
import { createLog } from "../telemetry/log.ts";
import type { Resource } from "./resources.ts";
import { openScim } from "./scim.ts";

const issuer = "https://127.0.0.1:1";
const oidc: readonly OidcProvider[] = [
  {
    id: "work",
    name: "Work",
    issuer,
    clientId: "d",
    scim: true,
    groups: {
      epi: { team: "Epidemiology" },
      leads: { team: "Epidemiology", role: "teamAdmin" },
      audit: { role: "auditor" },
    },
  },
  { id: "plain", name: "Plain", issuer, clientId: "d" },
  { id: "other", name: "Other", issuer, clientId: "d", scim: true },
  { id: "many", name: "Many", issuer, clientId: "d", scim: true },
  { id: "brief", name: "Brief", issuer, clientId: "d", scim: true },
];
const USER = "urn:ietf:params:scim:schemas:core:2.0:User";
const GROUP = "urn:ietf:params:scim:schemas:core:2.0:Group";
const PATCH = "urn:ietf:params:scim:api:messages:2.0:PatchOp";

let instance: Awaited<ReturnType<typeof openTestInstance>>;
let operator: Client;
let token = "";
let team = "";

const slow = { burst: 3, perMinute: 1e-3 };

beforeAll(async () => {
  instance = await openTestInstance({ oidc, rates: { ...unhurried, mail: slow, mailBy: slow } });
  operator = clientOf(instance, instance.operatorToken);
  const made = await operator.createProviderToken({ provider: "work" });
  expect(made).toMatchObject({ scopes: [PROVISION], url: `${ORIGIN}/scim/v2` });
  token = made.secret;
  team = (await operator.createTeam({ name: "Epidemiology" })).id;
});
afterAll(() => instance.close());

interface Said {
  readonly id: string;
  readonly [name: string]: unknown;
}

async function scim(method: string, path: string, body?: unknown, bearer = token) {
  const headers = { authorization: `Bearer ${bearer}`, "content-type": "application/scim+json" };
  const text = typeof body === "string" ? body : JSON.stringify(body);
  const init = { method, headers, ...(body === undefined ? {} : { body: text }) };
  const response = await instance.fetch(new Request(`${ORIGIN}/scim/v2/${path}`, init));
  const said = await response.text();
  return { status: response.status, headers: response.headers, body: (said === "" ? null : JSON.parse(said)) as Said };
}

const create = (userName: string, more: object = {}) => scim("POST", "Users", { schemas: [USER], userName, ...more });
const patch = (path: string, ...Operations: readonly object[]) => scim("PATCH", path, { schemas: [PATCH], Operations });
const rolesOf = (id: string) => instance.database.people.rolesOf(id as never);

test("a provider reads what is offered here", async () => {
  const { body, headers } = await scim("GET", "ServiceProviderConfig");
  expect(headers.get("content-type")).toBe("application/scim+json");
  expect(body).toMatchObject({ patch: { supported: true }, filter: { supported: true }, bulk: { supported: false } });
  expect((await scim("GET", "Schemas")).body).toMatchObject({ totalResults: 3 });
  expect((await scim("GET", "ResourceTypes/User")).body).toMatchObject({ endpoint: "/Users" });
  expect((await scim("GET", `Schemas/${USER}`)).body).toMatchObject({ id: USER });
});

test("a provider finds, makes, changes and removes a person; all that they had ends at once", async () => {
  const named = `Users?filter=${encodeURIComponent('userName eq "ANA@example.org"')}`;
  expect((await scim("GET", named)).body).toMatchObject({ totalResults: 0, Resources: [] });
  const made = await create("ana@example.org", {
    externalId: "00u1",
    name: { givenName: "Ana", familyName: "Silva" },
    emails: [{ value: "Ana@example.org", type: "work", primary: true }],
    title: "Analyst",
  });
  expect(made.status).toBe(201);
  const { id } = made.body;
  expect(made.body).toMatchObject({ externalId: "00u1", displayName: "Ana Silva", active: true });
  expect(made.body.meta).toMatchObject({ location: `${ORIGIN}/scim/v2/Users/${id}` });
  expect((await scim("GET", named)).body).toMatchObject({ totalResults: 1, Resources: [{ id }] });
  expect((await create("Ana@Example.org")).body).toMatchObject({ status: "409", scimType: "uniqueness" });

  const ana = clientOf(instance, await tokenFor(instance, id));
  const { secret: session } = await instance.database.people.createCredential({
    kind: "session",
    principal: id as never,
    expiresAt: new Date(Date.now() + 60_000).toISOString(),
    by: id as never,
  });
  const { url } = await operator.createSignInLink({ person: id });
  const agent = await operator.createPerson({ name: "helper", kind: "agent", onBehalfOf: id });
  const agents = await operator.createServiceToken({ person: agent.id, name: "x", scopes: ["read"] });
  expect((await ana.me()).person.name).toBe("Ana Silva");
  expect((await patch(`Users/${id}`, { op: "Replace", path: "active", value: "False" })).body.active).toBe(false);
  await expect(ana.me()).rejects.toMatchObject({ code: "UNAUTHENTICATED" });
  await expect(clientOf(instance, agents.secret).me()).rejects.toMatchObject({ code: "UNAUTHENTICATED" });
  const byCookie = { headers: { cookie: `dosimeter=${session}` } };
  expect((await instance.fetch(new Request(`${ORIGIN}/v1/me`, byCookie))).status).toBe(401);
  const link = new URL(url).hash.slice(1);
  await expect(clientOf(instance, "").signIn({ link })).rejects.toMatchObject({ code: "UNAUTHENTICATED" });

  expect((await patch(`Users/${id}`, { op: "replace", value: { active: true } })).body.active).toBe(true);
  const put = { schemas: [USER], userName: "ana@example.org", displayName: "Ana S.", active: true };
  expect((await scim("PUT", `Users/${id}`, put)).body).toMatchObject({ displayName: "Ana S." });
  expect((await scim("DELETE", `Users/${id}`)).status).toBe(204);
  expect((await scim("GET", `Users/${id}`)).status).toBe(404);
  expect((await operator.showPerson({ person: id })).removedAt).not.toBeNull();
  expect((await create("ANA@example.org")).body.id, "the same person as before").toBe(id);
  const lines = await instance.database.audit.lines({ subject: id });
  expect(lines.items.map(({ action }) => action)).toContain("provisioning.end");
});

describe("whom a provider deactivates leaves", () => {
  const off = { op: "Replace", path: "active", value: "False" };
  const enterprise = "urn:ietf:params:scim:schemas:extension:enterprise:2.0:User";
  const isIn = async (id: string) => (await scim("GET", `Users/${id}`)).body.active;

  test("with anything else that is not kept here", async () => {
    const { id } = (await create("leaver1", { active: "True", [enterprise]: { division: "x" }, addresses: "y" })).body;
    const mobile = { op: "Add", path: 'phoneNumbers[type eq "mobile"].value', value: "+49 1" };
    const superior = { op: "Add", path: `${enterprise}:manager`, value: "abc" };
    expect(await patch(`Users/${id}`, mobile, off, superior)).toMatchObject({ status: 200, body: { active: false } });
    expect(await isIn(id)).toBe(false);
  });

  test.each<[string, string, object, number]>([
    ["an address that is none", "PATCH", { op: "replace", path: "emails", value: "none" }, 400],
    ["a user name of another", "PATCH", { op: "replace", path: "userName", value: "leaver1" }, 409],
    ["a path that cannot be read", "PATCH", { op: "replace", path: "emails[(", value: "x" }, 400],
    ["an address that is none, in a whole", "PUT", { emails: "none" }, 400],
    ["no user name, in a whole", "PUT", { userName: null }, 400],
  ])("when the rest is refused: %s", async (name, method, odd, status) => {
    const { id } = (await create(`leaver ${name}`)).body;
    const Operations = [odd, off];
    const whole = { userName: "x", active: "False", ...odd };
    const said = await scim(method, `Users/${id}`, method === "PATCH" ? { schemas: [PATCH], Operations } : whole);
    expect([said.status, await isIn(id)]).toEqual([status, false]);
  });

  test.each<[string, unknown]>([
    ["an operation that there is not", { op: "move" }],
    ["a removal of nothing", { op: "remove" }],
    ["a text in place of attributes", { op: "replace", value: "x" }],
    ["a path that is no text", { op: "replace", path: 5 }],
    ["a path below active", { op: "replace", path: "active.x", value: true }],
    ["no operation", null],
  ])("when another operation cannot be done, before or after: %s", async (name, odd) => {
    for (const Operations of [
      [odd, off],
      [off, odd],
    ]) {
      const { id } = (await create(`${name} ${Operations.indexOf(odd)}`)).body;
      const { status } = await scim("PATCH", `Users/${id}`, { schemas: [PATCH], Operations });
      expect([status, await isIn(id)]).toEqual([400, false]);
    }
  });

  test("among too many operations, by a value with its name, and by a whole of another schema", async () => {
    const { id } = (await create("leaver3")).body;
    expect((await patch(`Users/${id}`, ...Array.from({ length: 201 }, () => off))).status).toBe(400);
    expect(await isIn(id)).toBe(false);
    const named = (await create("leaver4")).body.id;
    await patch(`Users/${named}`, { op: "replace", path: "active", value: { active: false } });
    expect(await isIn(named)).toBe(false);
    const other = (await create("leaver5")).body.id;
    const whole = { schemas: [enterprise], userName: "leaver5", active: false };
    expect((await scim("PUT", `Users/${other}`, whole)).status).toBe(400);
    expect(await isIn(other)).toBe(false);
    const stays = (await create("stayer")).body.id;
    await patch(`Users/${stays}`, off, { op: "move" }, { ...off, value: true });
    expect(await isIn(stays)).toBe(true);
  });

  test("and stays out where a whole does not say that they are in", async () => {
    const { id } = (await create("leaver2", { active: false })).body;
    expect((await scim("PUT", `Users/${id}`, { userName: "leaver2" })).body).toMatchObject({ active: false });
    await patch(`Users/${id}`, { op: "remove", path: "active" });
    expect(await isIn(id)).toBe(false);
  });
});

test("groups give and take what the table says, at once", async () => {
  const [bea, cy] = [(await create("bea")).body.id, (await create("cy")).body.id];
  const members = (...ids: readonly string[]) => ids.map((value) => ({ value }));
  const made = await scim("POST", "Groups", { schemas: [GROUP], displayName: "epi", members: members(bea) });
  expect(made.status).toBe(201);
  const epi = `Groups/${made.body.id}`;
  expect((await rolesOf(bea)).memberOf).toEqual([team]);
  await patch(epi, { op: "add", path: "members", value: members(cy) });
  expect((await rolesOf(cy)).memberOf).toEqual([team]);
  await patch(epi, { op: "remove", path: `members[value eq "${bea}"]` });
  expect((await rolesOf(bea)).memberOf).toEqual([]);
  const rename = (displayName: string) => patch(epi, { op: "replace", value: { id: made.body.id, displayName } });
  await rename("audit");
  expect(await rolesOf(cy)).toMatchObject({ memberOf: [], auditor: true });
  await rename("epi");
  await patch(`Users/${cy}`, { op: "replace", path: "active", value: false });
  expect(await rolesOf(cy)).toMatchObject({ memberOf: [], auditor: false });
  await patch(`Users/${cy}`, { op: "replace", path: "active", value: true });
  expect((await rolesOf(cy)).memberOf, "let back in").toEqual([team]);
  expect((await scim("GET", "Groups?excludedAttributes=members")).body).not.toHaveProperty("Resources.0.members");
  expect((await scim("DELETE", epi)).status).toBe(204);
  expect((await rolesOf(cy)).memberOf).toEqual([]);
});

test("of changes that come at once none is lost, on two servers either", async () => {
  const names = ["at1", "at2", "at3", "at4", "at5", "at6"];
  const ids: string[] = [];
  for (const userName of names) ids.push((await create(userName)).body.id);
  const { body } = await scim("POST", "Groups", { schemas: [GROUP], displayName: "at once" });
  // Knows nothing of the other's turns, as a server on another machine.
  const second = openScim({ providers: oidc, database: instance.database, log: createLog("silent") });
  const provider = second.provider("work");
  const { id: service } = await instance.database.provisioning.serviceOf({ provider: "work", name: "w", by: system });
  const there = (path: string, ...Operations: readonly object[]) =>
    second.answer({
      provider,
      service,
      method: "PATCH",
      path,
      query: { base: ORIGIN },
      body: async () => ({ schemas: [PATCH], Operations }),
      countMail: async () => undefined,
    });
  const added = (id: string, index: number) => {
    const path = `Groups/${body.id}`;
    const add = { op: "add", path: "members", value: [{ value: id }] };
    return index % 2 === 0 ? patch(path, add) : there(path, add);
  };
  expect((await Promise.all(ids.map(added))).map(({ status }) => status)).toEqual(names.map(() => 200));
  const { members } = (await scim("GET", `Groups/${body.id}`)).body as { members?: readonly { value: string }[] };
  expect(new Set(members?.map(({ value }) => value))).toEqual(new Set(ids));
  await Promise.all([
    patch(`Users/${ids[0]}`, { op: "replace", path: "active", value: false }),
    there(`Users/${ids[0]}`, { op: "replace", path: "displayName", value: "At" }),
    patch(`Users/${ids[0]}`, { op: "replace", path: "externalId", value: "x1" }),
  ]);
  const user = (await scim("GET", `Users/${ids[0]}`)).body;
  expect(user).toMatchObject({ active: false, displayName: "At", externalId: "x1" });
  await second.close();
});

test("lists come in parts, and one person or group is found by an index among any number", async () => {
  const scim = openScim({ providers: oidc, database: instance.database, log: createLog("silent"), maxFiltered: 2 });
  const provider = scim.provider("many");
  const { id: service } = await instance.database.provisioning.serviceOf({ provider: "many", name: "m", by: system });
  const of = { provider, service, body: async () => null, countMail: async () => undefined, method: "GET" };
  const asked = async (path: string, query: object = {}) =>
    (await scim.answer({ ...of, path, query: { base: ORIGIN, ...query } })).body as {
      readonly totalResults: number;
      readonly startIndex: number;
      readonly Resources: readonly Resource[];
    };
  const made = async (path: string, body: object) =>
    (await scim.answer({ ...of, method: "POST", path, query: { base: ORIGIN }, body: async () => body })).body as Said;
  const ids: string[] = [];
  for (const userName of ["m1", "m2", "m3"])
    ids.push((await made("Users", { schemas: [USER], userName, emails: [{ value: `${userName}@many.org` }] })).id);
  const members = ids.map((value) => ({ value }));
  await made("Groups", { schemas: [GROUP], displayName: "Many", members });
  const part = await asked("Users", { startIndex: "2", count: "1" });
  expect([part.totalResults, part.startIndex, part.Resources.map(({ id }) => id)]).toEqual([3, 2, [ids[1]]]);
  const found = async (filter: string) => (await asked("Users", { filter })).Resources.map(({ id }) => id);
  expect(await found('userName eq "M3"')).toEqual([ids[2]]);
  expect(await found('emails[type eq "work"].value eq "M1@many.org"')).toEqual([ids[0]]);
  const groups = { filter: `members.value eq "${ids[0]}"`, excludedAttributes: "members" };
  expect((await asked("Groups", groups)).Resources).toMatchObject([{ displayName: "Many" }]);
  await expect(found('userName sw "m"')).rejects.toMatchObject({ details: { scimType: "tooMany" } });
  await scim.close();
});

test("changes of an address, each of which sends mail to the one before, have the rate of mail", async () => {
  const { id } = (await create("mo@example.org")).body;
  const moved = async (value: string) =>
    (await patch(`Users/${id}`, { op: "replace", path: 'emails[type eq "work"].value', value })).status;
  const statuses: number[] = [];
  for (let n = 0; n < 4; n += 1) statuses.push(await moved("ma@example.org"), await moved("mo@example.org"));
  expect(statuses).toEqual([200, 200, 200, 200, 200, 200, 429, 200]);
});

test("who asks for sign-in links in another's name keeps no admin and no provider from mailing them", async () => {
  const mail = { url: "smtp://127.0.0.1:1", from: "Dosimeter <budget@example.org>" };
  const mailing = await openTestInstance({ oidc, mail, rates: { ...unhurried, mail: slow, mailBy: slow } });
  const admin = clientOf(mailing, mailing.operatorToken);
  const { secret } = await admin.createProviderToken({ provider: "work" });
  const asked = async (method: string, path: string, body: object) => {
    const headers = { authorization: `Bearer ${secret}`, "content-type": "application/scim+json" };
    const init = { method, headers, body: JSON.stringify(body) };
    const response = await mailing.fetch(new Request(`${ORIGIN}/scim/v2/${path}`, init));
    return { status: response.status, said: (await response.json()) as Said };
  };
  const { id } = (await asked("POST", "Users", { schemas: [USER], userName: "ana@example.org" })).said;
  for (let n = 0; n < 4; n += 1) await clientOf(mailing, "").requestSignInLink({ email: "ana@example.org" });
  await mailing.settled();
  expect(await mailing.database.outbox.backlog(), "the fourth is not sent").toBe(3);
  expect(await admin.createPasswordLink({ person: id })).toMatchObject({ url: null });
  const Operations = [{ op: "replace", path: 'emails[type eq "work"].value', value: "ana@new.example" }];
  expect((await asked("PATCH", `Users/${id}`, { schemas: [PATCH], Operations })).status).toBe(200);
  await mailing.close();
});

test("a change of an address that others come before is counted once for all its attempts", async () => {
  const { id } = (await create("tess@example.org")).body;
  const other = openScim({ providers: oidc, database: instance.database, log: createLog("silent") });
  const { id: service } = await instance.database.provisioning.serviceOf({ provider: "work", name: "w", by: system });
  const counts: string[] = [];
  const value = "tessa@example.org";
  const Operations = [{ op: "replace", path: 'emails[type eq "work"].value', value }];
  const { status } = await other.answer({
    provider: other.provider("work"),
    service,
    method: "PATCH",
    path: `Users/${id}`,
    query: { base: ORIGIN },
    body: async () => ({ schemas: [PATCH], Operations }),
    // Another change, after the patch was computed.
    countMail: async (address) => {
      counts.push(address);
      await patch(`Users/${id}`, { op: "replace", path: "displayName", value: "T" });
    },
  });
  await other.close();
  expect([status, counts]).toEqual([200, ["tess@example.org"]]);
  const kept = (await scim("GET", `Users/${id}`)).body;
  expect(kept).toMatchObject({ displayName: "T", emails: [{ value }] });
});

test("a provider's token outlasts the admin who made it, and theirs", async () => {
  const { id: person } = await operator.createPerson({ name: "Pia" });
  await operator.grantRole({ person, role: "platformAdmin", object: { kind: "platform" } });
  const own = await tokenFor(instance, person);
  const { secret, service } = await clientOf(instance, own).createProviderToken({ provider: "brief" });
  expect((await operator.listPeople()).items.find(({ id }) => id === service)?.onBehalfOf).toBeNull();
  const { items } = await clientOf(instance, own).listTokens();
  await clientOf(instance, own).revokeToken({ token: items[0]?.id ?? "" });
  expect((await scim("GET", "Users", undefined, secret)).status).toBe(200);
  await operator.removePerson({ person });
  expect((await scim("GET", "Users", undefined, secret)).status).toBe(200);
});

describe("refused, in the words of SCIM", () => {
  const listed = (bearer: string) => scim("GET", "Users", undefined, bearer);

  test("any other token, none, and a provider whose setting says no", async () => {
    expect(await listed(instance.operatorToken)).toMatchObject({ status: 403, body: { status: "403" } });
    expect((await listed("nonsense")).status).toBe(401);
    expect((await instance.fetch(new Request(`${ORIGIN}/scim/v2/Users`))).status).toBe(401);
    await expect(operator.createProviderToken({ provider: "plain" })).rejects.toThrow(/sets "scim": true/);
    await expect(operator.createProviderToken({ provider: "none" })).rejects.toMatchObject({ code: "NOT_FOUND" });
  });

  test("a provider's token is good for nothing else, and for no other provider's people", async () => {
    await expect(clientOf(instance, token).listPeople()).rejects.toMatchObject({ code: "FORBIDDEN" });
    const { secret } = await operator.createProviderToken({ provider: "other" });
    const { id } = (await create("dee")).body;
    expect((await listed(secret)).body.totalResults).toBe(0);
    for (const [method, body] of [["GET"], ["DELETE"], ["PUT", { schemas: [USER], userName: "x" }]] as const)
      expect((await scim(method, `Users/${id}`, body, secret)).status).toBe(404);
    const taken = { schemas: [GROUP], displayName: "g", members: [{ value: id }] };
    expect((await scim("POST", "Groups", taken, secret)).body).toMatchObject({
      status: "400",
      scimType: "invalidValue",
    });
    expect((await operator.showPerson({ person: id })).removedAt).toBeNull();
  });

  test.each<[string, string, unknown, number]>([
    ["POST", "Users", "{", 400],
    ["POST", "Users", [], 400],
    ["POST", "Users", { schemas: [USER] }, 400],
    ["POST", "Users", { schemas: [GROUP], userName: "x" }, 400],
    ["POST", "Users", { schemas: [USER], userName: "x", emails: [{ value: "not an address" }] }, 400],
    ["POST", "Users", { schemas: [USER], userName: "x".repeat(257) }, 400],
    ["POST", "Users", { schemas: [USER], userName: "x\0" }, 400],
    ["POST", "Users", { schemas: [USER], userName: "x", externalId: "a\u0001b" }, 400],
    ["POST", "Users", { schemas: [USER], userName: "x", emails: [{ value: "x\0@example.org" }] }, 400],
    ["POST", "Users", { schemas: [USER], userName: "x".repeat(2 ** 20) }, 413],
    ["POST", "Groups", { schemas: [GROUP], displayName: "g", members: Array(2001).fill({ value: "usr_x" }) }, 400],
    ["PATCH", "Users", {}, 405],
    ["POST", "Bulk", {}, 404],
    ["GET", "Nothing", undefined, 404],
    ["GET", "Users?startIndex=x", undefined, 400],
    ["GET", "Users?filter=(", undefined, 400],
    ["GET", `Users?filter=${"a".repeat(600)}`, undefined, 400],
  ])("%s %s %j", async (method, path, body, status) => {
    const said = await scim(method, path, body);
    expect([said.status, said.body.status, said.body.schemas]).toEqual([
      status,
      `${status}`,
      ["urn:ietf:params:scim:api:messages:2.0:Error"],
    ]);
  });
});
