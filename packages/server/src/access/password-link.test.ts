import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { browserOf, clientOf, codeOf, openTestInstance, tokenFor } from "../instance.kit.ts";

const [OLD, NEW] = ["correct horse battery", "staple battery horse"];

let instance: Awaited<ReturnType<typeof openTestInstance>>;
beforeAll(async () => {
  instance = await openTestInstance();
});
afterAll(() => instance.close());

const browser = () => browserOf(instance.fetch);
const operator = () => clientOf(instance, instance.operatorToken);
const secretOf = (url: string | null) => new URL(url ?? "").hash.slice(1);
const person = async (name: string) =>
  (await operator().createPerson({ name, email: `${name.toLowerCase()}@example.org` })).id;
const linkFor = async (id: string) => secretOf((await operator().createPasswordLink({ person: id })).url);
const linesOf = async (action: string, subject?: string) =>
  (await operator().listAudit({ action, limit: 20 })).items.filter(
    (line) => subject === undefined || line.subject === subject,
  );

test("a person who lost their password sets a new one by the link of an admin, once, and all that was open is closed", async () => {
  const id = await person("Ana");
  const login = { email: "ana@example.org", password: OLD };
  const here = browser();
  await here.signIn({ link: secretOf((await operator().createSignInLink({ person: id })).url) });
  await here.setPassword({ password: OLD });
  await operator().grantRole({ person: id, role: "platformAdmin", object: { kind: "platform" } });
  const token = clientOf(instance, await tokenFor(instance, id));
  const service = await token.createPerson({ name: "nightly", kind: "service" });
  const { secret } = await token.createServiceToken({ person: service.id, name: "x", scopes: ["read"] });
  const unused = secretOf((await operator().createSignInLink({ person: id })).url);

  const [before, link] = [await linkFor(id), await linkFor(id)];
  expect(link).toMatch(/^dsp_/);
  expect((await linesOf("passwordLink.create")).map(({ detail }) => detail)).toContainEqual(
    expect.objectContaining({ principal: id }),
  );
  expect(await codeOf(browser().signIn({ link })), "it signs no one in").toBe("UNAUTHENTICATED");
  const reset = (given: string, password = NEW) => codeOf(browser().resetPassword({ link: given, password }));
  expect(await reset(before), "the newest link counts").toBe("UNAUTHENTICATED");
  expect(await reset(unused)).toBe("UNAUTHENTICATED");
  expect(await reset(link, "ana@example.org"), "is refused, and leaves the link").toBe("INVALID_PARAMETER");
  expect((await here.me()).person.id, "nothing has happened yet").toBe(id);
  expect((await Promise.all([reset(link), reset(link)])).toSorted()).toEqual(["UNAUTHENTICATED", "done"]);
  for (const gone of [here, token, clientOf(instance, secret)]) expect(await codeOf(gone.me())).toBe("UNAUTHENTICATED");
  expect(await codeOf(browser().signIn({ link: unused }))).toBe("UNAUTHENTICATED");
  expect(await codeOf(browser().signIn(login))).toBe("UNAUTHENTICATED");
  const again = browser();
  await again.signIn({ ...login, password: NEW });
  expect((await again.listNotifications()).items.map(({ facts }) => facts.what)).toContain("password");
  expect(await linesOf("passwordLink.use")).toMatchObject([{ actor: id }]);
  expect((await instance.database.audit.verify()).problems).toEqual([]);
});

test("a link ends with the new password that its person sets themselves, and is news to them when it is made", async () => {
  const id = await person("Eva");
  const here = browser();
  await here.signIn({ link: secretOf((await operator().createSignInLink({ person: id })).url) });
  await here.setPassword({ password: OLD });
  const news = async () =>
    (await here.listNotifications()).items.filter(({ facts }) => facts.what === "passwordLink").length;
  const [late, link] = [await linkFor(id), await linkFor(id)];
  expect(late).not.toBe(link);
  expect(await news()).toBe(2);
  const ended = async () => (await linesOf("passwordLink.end")).filter(({ actor }) => actor === id).length;
  expect(await ended()).toBe(0);
  await here.setPassword({ password: NEW, current: OLD });
  expect(await codeOf(browser().resetPassword({ link, password: OLD }))).toBe("UNAUTHENTICATED");
  expect(await ended()).toBe(1);
  await here.signOut();
  await browser().signIn({ email: "eva@example.org", password: NEW });
});

test("a link ends after a day, and with the person", async () => {
  const id = await person("Bea");
  const { expiresAt } = await operator().createPasswordLink({ person: id });
  const hours = (Date.parse(expiresAt) - Date.now()) / 3_600_000;
  expect(hours).toBeGreaterThan(23);
  expect(hours).toBeLessThanOrEqual(24);
  const late = await linkFor(id);
  vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 24.1 * 3_600_000 });
  expect(await codeOf(browser().resetPassword({ link: late, password: NEW }))).toBe("UNAUTHENTICATED");
  vi.useRealTimers();
  const link = await linkFor(id);
  await operator().removePerson({ person: id });
  expect(await codeOf(browser().resetPassword({ link, password: NEW }))).toBe("UNAUTHENTICATED");
});

test("none for who signs in with no password here, and none by who is no admin", async () => {
  const asked = (given: string, client = operator()) => codeOf(client.createPasswordLink({ person: given }));
  expect(await asked((await operator().createPerson({ name: "No address" })).id)).toBe("CONFLICT");
  expect(await asked((await operator().createPerson({ name: "night", kind: "service" })).id)).toBe("CONFLICT");
  expect(await asked("usr_nobody")).toBe("NOT_FOUND");
  const id = await person("Cy");
  expect(await asked(id, clientOf(instance, await tokenFor(instance, id)))).toBe("FORBIDDEN");
  const byProviders = await openTestInstance({
    signIn: "providers",
    oidc: [{ id: "w", name: "W", issuer: "https://127.0.0.1:1", clientId: "d" }],
  });
  const there = clientOf(byProviders, byProviders.operatorToken);
  const { id: dee } = await there.createPerson({ name: "Dee", email: "dee@example.org" });
  expect(await asked(dee, there)).toBe("FORBIDDEN");
  await byProviders.close();
});
