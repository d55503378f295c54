import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import type { Client } from "@dosimeter/client";
import type { PrivacyError } from "@dosimeter/core";
import { systemPrincipal } from "@dosimeter/ledger";
import Provider from "oidc-provider";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { temporaryFolder } from "../../../../test/folder.kit.ts";
import { instanceOfTest } from "../fixture.kit.ts";
import { browserOf, clientOf, codeOf, ORIGIN, openTestInstance, tokenFor } from "../instance.kit.ts";
import { serve } from "../serve.ts";
import { openRates, usualRates } from "./rates.ts";

const PASSWORD = "correct horse battery";

describe("a password", () => {
  let instance: Awaited<ReturnType<typeof openTestInstance>>;
  let ana: Client;
  beforeAll(async () => {
    // However slow the machine is, nothing is forgiven meanwhile.
    instance = await openTestInstance({
      rates: { ...usualRates, password: { ...usualRates.password, perMinute: 1e-3 } },
      publicUrl: ORIGIN,
    });
    const operator = clientOf(instance, instance.operatorToken);
    const { id } = await operator.createPerson({ name: "Ana Silva", email: "ana@example.org" });
    ana = clientOf(instance, await tokenFor(instance, id));
    expect(await codeOf(ana.setPassword({ password: PASSWORD })), "a token sets no first password").toBe("FORBIDDEN");
    const first = browser();
    const { url } = await operator.createSignInLink({ person: id });
    await first.signIn({ link: new URL(url).hash.slice(1) });
    await first.setPassword({ password: PASSWORD });
  });
  afterAll(() => instance.close());
  const browser = () => browserOf(instance.fetch);

  test("lets its owner in, in any spelling of the address, and its session can be seen and ended", async () => {
    const here = browser();
    await here.signIn({ email: "Ana@Example.org", password: PASSWORD });
    expect((await here.me()).person.name).toBe("Ana Silva");
    expect((await here.me()).hasPassword).toBe(true);
    const { items } = await here.listSessions();
    const current = items.find((row) => row.current);
    expect(current?.name).toContain("by password");
    await ana.revokeSession({ session: current?.id ?? "" });
    expect(await codeOf(here.me())).toBe("UNAUTHENTICATED");
  });

  test("wrong, of no person, or of a person without one: the same words", async () => {
    const tries = [
      { email: "ana@example.org", password: "wrong horse battery" },
      { email: "nobody@example.org", password: PASSWORD },
    ];
    const said = await Promise.all(
      tries.map((secret) =>
        browser()
          .signIn(secret)
          .catch((error: PrivacyError) => `${error.code} ${error.message}`),
      ),
    );
    expect(new Set(said).size).toBe(1);
    expect(said[0]).toContain("UNAUTHENTICATED");
  });

  test("guessing locks the address that it comes from, and not the owner of the password", async () => {
    const from = (address: string) =>
      browserOf((request) => {
        request.headers.set("x-forwarded-for", `203.0.113.250, ${address}`);
        return instance.fetch(request);
      }, ORIGIN);
    const guess = (address: string) =>
      codeOf(from(address).signIn({ email: "ana@example.org", password: "guess again and again" }));
    const codes: string[] = [];
    for (let n = 0; n < 10; n += 1) codes.push(await guess(`2001:db8:0:1::${n}`));
    expect(codes.slice(-2), "one customer has all addresses of a /64").toEqual(["RATE_LIMITED", "RATE_LIMITED"]);
    expect((await from("198.51.100.7").signIn({ email: "ana@example.org", password: PASSWORD })).person.name).toBe(
      "Ana Silva",
    );
  });

  test("is changed only by who knows it, and every other browser is signed out", async () => {
    const [here, elsewhere] = [browser(), browser()];
    for (const one of [here, elsewhere]) await one.signIn({ email: "ana@example.org", password: PASSWORD });
    expect(await codeOf(here.setPassword({ current: "not this one", password: "another long one" }))).toBe("FORBIDDEN");
    expect(await codeOf(here.setPassword({ current: PASSWORD, password: "ana silva 22" }))).toBe("INVALID_PARAMETER");
    await here.setPassword({ current: PASSWORD, password: "another long one" });
    expect(await codeOf(elsewhere.me())).toBe("UNAUTHENTICATED");
    expect((await here.me()).person.name).toBe("Ana Silva");
    expect((await ana.listNotifications()).items.map(({ kind }) => kind)).toContain("security"); // it may not have been her
  });
});

describe("charges that are refused again and again", () => {
  test("must wait, and leave no more lines in the audit", async () => {
    const rates = openRates({ ...usualRates, refusal: { burst: 2, perMinute: 1 } });
    for (let n = 0; n < 2; n += 1) {
      rates.check("refusal", "ana");
      await rates.take("refusal", "ana");
    }
    expect(() => rates.check("refusal", "ana")).toThrowError(expect.objectContaining({ code: "RATE_LIMITED" }));
  });
});

describe("OpenID Connect, against a real provider", () => {
  let provider: Server;
  let issuer = "";
  const folder = temporaryFolder();
  let serving: Awaited<ReturnType<typeof serve>>;
  const verified: Readonly<Record<string, object>> = {
    eve: { email: "eve@example.org", email_verified: true, name: "Eve at the provider" },
    owner: { email: "owner@example.org", email_verified: true, name: "owner" },
  };
  /** What the provider says of everyone's groups. */
  let groups: unknown = [];
  const names: Readonly<Record<string, string>> = {
    turned: "\u202bAli\u202c\nKhan",
    unseen: "\u200b",
    long: `${"x".repeat(199)}🙂🙂`,
  };

  beforeAll(async () => {
    provider = createServer();
    await new Promise<void>((resolve) => provider.listen(0, "127.0.0.1", resolve));
    issuer = `http://127.0.0.1:${(provider.address() as AddressInfo).port}`;
    serving = await serve({
      folder: folder,
      port: 0,
      webRoot: null,
      rates: { ...usualRates, signIn: { burst: 200, perMinute: 1200 } },
      oidc: [
        { id: "local", name: "Local", issuer, clientId: "dosimeter", clientSecret: "s3cret", insecure: true },
        {
          id: "open",
          name: "Open",
          issuer,
          clientId: "dosimeter",
          clientSecret: "s3cret",
          insecure: true,
          signUp: true,
        },
        {
          id: "grouped",
          name: "Grouped",
          issuer,
          clientId: "dosimeter",
          clientSecret: "s3cret",
          insecure: true,
          signUp: true,
          scope: "openid profile groups",
          groups: {
            epi: { team: "Epidemiology" },
            leads: { team: "Epidemiology", role: "teamAdmin" },
            ops: { role: "platformAdmin" },
            audit: { role: "auditor" },
            ghosts: { team: "No such team" },
          },
        },
        {
          id: "kept",
          name: "Kept",
          issuer,
          clientId: "dosimeter",
          clientSecret: "s3cret",
          insecure: true,
          signUp: true,
          scim: true,
          groups: { epi: { team: "By SCIM" } },
        },
      ],
    });
    const real = new Provider(issuer, {
      clients: [
        {
          client_id: "dosimeter",
          client_secret: "s3cret",
          redirect_uris: ["local", "open", "grouped", "kept"].map((id) => `${serving.url}/auth/oidc/${id}/callback`),
        },
      ],
      claims: { openid: ["sub"], email: ["email", "email_verified"], profile: ["name"], groups: ["groups"] },
      findAccount: (_, sub) => ({
        accountId: sub,
        claims: () => ({ sub, groups, ...(verified[sub] ?? { name: names[sub] ?? sub }) }),
      }),
      pkce: { required: () => true },
    });
    const answer = real.callback();
    provider.on("request", (request, response) => void answer(request, response));
  });
  afterAll(async () => {
    await serving.close();
    provider.closeAllConnections();
    provider.close();
  });

  /** What a person does at the provider: signs in as `who` and agrees; the address the browser is sent back to. */
  async function walk(id: string, who: string, tamper: (back: URL) => URL = (back) => back) {
    const jars = new Map<string, Map<string, string>>();
    const go = async (url: URL, init: RequestInit = {}): Promise<Response> => {
      const jar = jars.get(url.host) ?? new Map<string, string>();
      jars.set(url.host, jar);
      const cookie = [...jar].map(([name, value]) => `${name}=${value}`).join("; ");
      const response = await fetch(url, { ...init, redirect: "manual", headers: { cookie, ...(init.headers ?? {}) } });
      for (const line of response.headers.getSetCookie()) {
        const [name = "", value = ""] = (line.split(";")[0] ?? "").split(/=(.*)/s);
        jar.set(name, value);
      }
      return response;
    };
    let at = new URL(`${serving.url}/auth/oidc/${id}?next=/datasets`);
    for (let step = 0; step < 12; step += 1) {
      const isBack = at.pathname.endsWith("/callback") && at.host === new URL(serving.url).host;
      const response = await go(isBack ? tamper(at) : at);
      const location = response.headers.get("location");
      if (isBack) return { location: location ?? "", jar: jars.get(at.host) };
      if (location !== null) {
        at = new URL(location, at);
        continue;
      }
      const form = new URL(/action="([^"]+)"/.exec(await response.text())?.[1] ?? "", at);
      const prompt = form.searchParams.get("prompt") ?? (jars.get(at.host)?.has("_session") ? "consent" : "login");
      const body = new URLSearchParams(prompt === "login" ? { prompt, login: who, password: "x" } : { prompt });
      const headers = { "content-type": "application/x-www-form-urlencoded" };
      const posted = await go(form, { method: "POST", body, headers });
      at = new URL(posted.headers.get("location") ?? "", at);
    }
    throw new Error("the provider never sent the browser back");
  }

  const meOf = async (jar: Map<string, string> | undefined) => {
    const response = await fetch(`${serving.url}/v1/me`, { headers: { cookie: `dosimeter=${jar?.get("dosimeter")}` } });
    return (await response.json()) as { person: { name: string } };
  };

  test("who is known by a verified address comes in, and from then on by the provider's own name for them", async () => {
    const { database } = serving.instance;
    const eve = await clientOf(serving.instance, serving.instance.operatorToken).createPerson({
      name: "Eve",
      email: "eve@example.org",
    });
    const first = await walk("local", "eve");
    expect(first.location).toBe("/datasets");
    expect((await meOf(first.jar)).person.name).toBe("Eve");
    expect((await database.people.principalByIdentity({ issuer, subject: "eve" }))?.id).toBe(eve.id);
    expect((await meOf((await walk("local", "eve")).jar)).person.name).toBe("Eve");
  });

  test("who typed a verified address of another at a link is not who comes in by it", async () => {
    const { people } = serving.instance.database;
    const by = systemPrincipal;
    const { id: team } = await people.createTeam({ name: "With a link", by });
    const { id: lea } = await people.createPrincipal({ kind: "user", name: "Lea", by });
    await people.grantRole({ principal: lea, role: "teamAdmin", object: team, by });
    const { secret } = await people.invite({ team, role: "member", days: 7, by: lea });
    const joined = { secret: secret ?? "", name: "Mal", email: "owner@example.org", hash: "theirs" };
    const mal = await people.joinByInvitation({ ...joined, mayLinksAdmit: true });
    expect((await walk("local", "owner")).location).toMatch(/^\/sign-in\?problem=no%20one%20here/);
    expect((await meOf((await walk("open", "owner")).jar)).person.name).toBe("owner");
    expect((await people.signInsOf("owner@example.org")).map((one) => one?.name)).toEqual(["owner", "Mal"]);
    expect((await people.principal(mal.id)).email).toBeNull();
  });

  test("a stranger is not let in where the operator did not say so, and made where they did", async () => {
    const refused = await walk("local", "mallory");
    expect(refused.location).toMatch(/^\/sign-in\?problem=no%20one%20here/);
    expect(refused.jar?.get("dosimeter")).toBeUndefined();
    expect((await meOf((await walk("open", "newcomer")).jar)).person.name).toBe("newcomer");
  });

  test("who was removed and erased by an admin is not made again, and is once an admin lets them in", async () => {
    const { people } = serving.instance.database;
    await walk("open", "banned");
    const { id } = (await people.principalByIdentity({ issuer, subject: "banned" })) ?? { id: "" };
    const operator = clientOf(serving.instance, serving.instance.operatorToken);
    await operator.removePerson({ person: id });
    await operator.erasePerson({ person: id });
    expect((await walk("open", "banned")).location).toMatch(/^\/sign-in\?problem=no%20one%20here/);
    await operator.restorePerson({ person: id });
    expect((await meOf((await walk("open", "banned")).jar)).person.name).toBe("banned");
  });

  test.each([
    ["turned", "Ali Khan"],
    ["unseen", "someone"],
    ["long", "x".repeat(199)],
  ])("of a name that no one may have here, what can be read stands: %s", async (who, name) => {
    expect((await meOf((await walk("open", who)).jar)).person.name).toBe(name);
  });

  test.each([
    ["another state", (back: URL) => new URL(back.href.replace(/state=[^&]+/, "state=forged"))],
    ["a forged code", (back: URL) => new URL(back.href.replace(/code=[^&]+/, "code=forged"))],
    ["no code", (back: URL) => new URL(`${back.origin}${back.pathname}`)],
    ["another provider's answer", (back: URL) => new URL(back.href.replace("/local/", "/open/"))],
  ])("%s lets no one in", async (_, tamper) => {
    const { location, jar } = await walk("local", "eve", tamper);
    expect(location).toMatch(/^\/sign-in\?problem=/);
    expect(jar?.get("dosimeter")).toBeUndefined();
  });

  describe("groups", () => {
    const signIn = async (given: unknown) => {
      groups = given;
      const { location, jar } = await walk("grouped", "gina");
      const { people } = serving.instance.database;
      const person = await people.principalByIdentity({ issuer, subject: "gina" });
      return { location, jar, roles: person === null ? null : await people.rolesOf(person.id) };
    };
    let epidemiology = "";
    let other = "";
    beforeAll(async () => {
      const operator = clientOf(serving.instance, serving.instance.operatorToken);
      epidemiology = (await operator.createTeam({ name: "Epidemiology" })).id;
      other = (await operator.createTeam({ name: "Other" })).id;
    });

    test("give what the table says at each sign-in, take it when the provider does, and leave all else", async () => {
      expect((await signIn([])).roles).toMatchObject({ memberOf: [], platformAdmin: false });
      const { roles } = await signIn(["epi", "audit", "ghosts", "unnamed"]);
      expect(roles).toMatchObject({ memberOf: [epidemiology], teamAdminOf: [], auditor: true, platformAdmin: false });
      const person = await serving.instance.database.people.principalByIdentity({ issuer, subject: "gina" });
      await clientOf(serving.instance, serving.instance.operatorToken).addMember({
        team: other,
        person: `${person?.id}`,
      });
      const lead = await signIn(["leads", "ops"]);
      expect(lead.roles).toMatchObject({ teamAdminOf: [epidemiology], auditor: false, platformAdmin: true });
      expect(lead.roles?.memberOf.toSorted()).toEqual([epidemiology, other].toSorted());
      expect((await signIn(["epi"])).roles, "the last admin of the platform stays").toMatchObject({
        platformAdmin: true,
      });
      const operator = clientOf(serving.instance, serving.instance.operatorToken);
      const { id: pia } = await operator.createPerson({ name: "Pia" });
      await operator.grantRole({ person: pia, role: "platformAdmin", object: { kind: "platform" } });
      expect((await signIn(["epi"])).roles).toMatchObject({ teamAdminOf: [], platformAdmin: false });
      expect((await signIn([])).roles).toMatchObject({ memberOf: [other] });
    });

    test.each([
      ["a text", "ops"],
      ["a number in it", ["ops", 1]],
      ["nothing", undefined],
      ["an object", { ops: true }],
    ])("that the provider names as %s let no one in, and take nothing away", async (_, lie) => {
      const before = (await signIn(["epi"])).roles;
      const { location, jar, roles } = await signIn(lie);
      expect(decodeURIComponent(location)).toContain("its operator lets it send the claim groups as a list");
      expect(jar?.get("dosimeter")).toBeUndefined();
      expect(roles).toEqual(before);
    });

    test("a second team of the same name keeps no one in the first, and lets no one into either", async () => {
      expect((await signIn(["epi"])).roles?.memberOf).toContain(epidemiology);
      const { people } = serving.instance.database;
      const gina = await people.principalByIdentity({ issuer, subject: "gina" });
      if (gina === null) throw new Error("gina");
      await people.createTeam({ name: "Epidemiology", by: gina.id });
      expect((await signIn([])).roles?.memberOf).not.toContain(epidemiology);
      expect((await signIn(["epi"])).roles?.memberOf).not.toContain(epidemiology);
    });
  });

  test("whose provider keeps groups here gets what they say at a sign-in too, and no claim is asked for", async () => {
    const { people, provisioning } = serving.instance.database;
    const operator = clientOf(serving.instance, serving.instance.operatorToken);
    const eve = await people.principalByEmail("eve@example.org");
    if (eve === null) throw new Error("eve");
    const said = { externalId: null, by: eve.id, provider: "kept", issuer, id: null };
    await provisioning.setUser({ ...said, userName: "eve", name: "Eve", email: eve.email, isActive: true });
    await provisioning.setGroup({ ...said, name: "epi", members: [eve.id] });
    const { id: team } = await operator.createTeam({ name: "By SCIM" });
    groups = undefined;
    expect((await walk("kept", "eve")).location).toBe("/datasets");
    expect((await people.rolesOf(eve.id)).memberOf).toEqual([team]);
  });

  test("a provider that keeps its people here lets in them alone, also a stranger whom it lets sign up, and takes nothing from others", async () => {
    const { people, provisioning } = serving.instance.database;
    const said = { by: systemPrincipal, provider: "kept", issuer, id: null, email: null, isActive: true };
    const refused = async (who: string) => {
      const { location, jar } = await walk("kept", who);
      expect(location).toMatch(/^\/sign-in\?problem=your%20provider%20has%20not/);
      expect(jar?.get("dosimeter")).toBeUndefined();
    };
    await refused("twin");
    expect(await people.principalByIdentity({ issuer, subject: "twin" })).toBeNull();
    expect((await walk("open", "hal")).location).toBe("/datasets");
    const hal = await people.principalByIdentity({ issuer, subject: "hal" });
    await refused("hal");
    expect(await provisioning.groupNamesOf({ provider: "kept", principal: hal?.id ?? systemPrincipal })).toBeNull();
    const { person } = await provisioning.setUser({ ...said, userName: "twin", name: "Twin", externalId: "twin" });
    expect((await meOf((await walk("kept", "twin")).jar)).person.name).toBe("Twin");
    await provisioning.deleteUser({ provider: "kept", id: person.id, by: systemPrincipal });
    await refused("twin");
  });

  test("no one is sent to another site afterwards", async () => {
    const { ownPath } = await import("./oidc.ts");
    for (const next of ["https://evil.example", "//evil.example", "/\\evil.example", "javascript:alert(1)", ""])
      expect(ownPath(next)).toBe("/");
    expect(ownPath("/datasets/x?account=y")).toBe("/datasets/x?account=y");
  });

  test("a browser without the cookie of this sign-in is refused", async () => {
    const response = await fetch(`${serving.url}/auth/oidc/local/callback?code=x&state=y`, { redirect: "manual" });
    expect(response.headers.get("location")).toMatch(/^\/sign-in\?problem=/);
    const unknown = await fetch(`${serving.url}/auth/oidc/nobody`, { redirect: "manual" });
    expect(unknown.headers.get("location")).toMatch(/^\/sign-in\?problem=/);
  });
});

test("where people sign in with a provider alone, passwords, mailed links and invitations are off, and a link of an admin still works", async () => {
  const oidc = [{ id: "work", name: "Work", issuer: "https://127.0.0.1:1", clientId: "d" }];
  const instance = await instanceOfTest({ oidc, signIn: "providers", sessionHours: 2, publicUrl: ORIGIN });
  const operator = clientOf(instance, instance.operatorToken);
  const { id: person } = await operator.createPerson({ name: "Ana Silva", email: "ana@example.org" });
  const here = browserOf(instance.fetch);
  expect(await here.signInWays()).toMatchObject({ password: false, mail: false, providers: [{ id: "work" }] });
  for (const secret of [
    { email: "ana@example.org", password: PASSWORD },
    { invitation: "x", name: "Eve" },
  ])
    await expect(here.signIn(secret)).rejects.toThrow(/sign in with a provider here, and in no other way/);
  const { url } = await operator.createSignInLink({ person });
  const { expiresAt } = await here.signIn({ link: new URL(url).hash.slice(1) });
  expect(Date.parse(expiresAt) - Date.now()).toBeLessThanOrEqual(2 * 3_600_000);
  await expect(here.setPassword({ password: PASSWORD })).rejects.toThrow(/passwords are off/);
});
