import { type Client, createClient } from "@dosimeter/client";
import type { PrivacyError } from "@dosimeter/core";
import type { PrincipalId } from "@dosimeter/ledger";
import { beforeAll, expect, test } from "vitest";
import { temporaryFolder } from "../../../../test/folder.kit.ts";
import { fixtureOf } from "../fixture.kit.ts";
import { buildFixture, clientOf, openTestInstance } from "../instance.kit.ts";
import { serve } from "../serve.ts";
import { hashPassword } from "./password.ts";
import { usualRates } from "./rates.ts";

const fixture = fixtureOf();
let lead: Client;
let team = "";

beforeAll(async () => {
  lead = fixture.as.teamAdmin;
  team = (await lead.createTeam({ name: "with links" })).id;
});

const outside = (): Client => clientOf(fixture.instance, "");
const secretOf = (url: string | null): string => new URL(url ?? "").hash.slice(1);
const link = async (): Promise<string> => secretOf((await lead.invite({ team })).url);
const join = (invitation: string, name = "Nora Lind") => outside().signIn({ invitation, name });
const offers = async (secret: string) => (await outside().showInvitation({ secret })).invitation?.newcomer;
const people = async () => (await lead.listPeople({ limit: 200 })).items.map(({ name }) => name);

test("a team's links let newcomers in, until an admin of the team turns that off and on", async () => {
  const { member, stranger, auditor, platformAdmin } = fixture.as;
  expect((await lead.showTeam({ team })).linksAdmit).toBe("newcomers");
  await lead.setTeam({ team, linksAdmit: "known" });
  const secret = await link();
  expect(await offers(secret)).toBe(false);
  await expect(join(secret)).rejects.toMatchObject({ code: "CONFLICT" });
  for (const other of [member, stranger, auditor])
    await expect(other.setTeam({ team, linksAdmit: "newcomers" })).rejects.toMatchObject({ code: "NOT_FOUND" });
  await lead.addMember({ team, person: fixture.people.member });
  await expect(member.setTeam({ team, linksAdmit: "newcomers" })).rejects.toMatchObject({ code: "FORBIDDEN" });
  expect(await platformAdmin.setTeam({ team, linksAdmit: "newcomers" })).toMatchObject({ linksAdmit: "newcomers" });
  expect(await offers(secret), "the policy of now counts for a link of before").toBe(true);
  expect(await join(secret)).toMatchObject({ person: { name: "Nora Lind", email: null }, roles: [] });
  const { members } = await lead.showTeam({ team });
  expect(members.map(({ name, role }) => [name, role])).toContainEqual(["Nora Lind", "member"]);
  const { items } = await platformAdmin.listAudit({ action: "team.policy", limit: 1 });
  expect(items).toMatchObject([{ detail: { team, linksAdmit: "newcomers" }, actor: fixture.people.platformAdmin }]);
});

test("who joins by a link gives address and password and signs in with them; what is wrong leaves the link as it was", async () => {
  await lead.setTeam({ team, linksAdmit: "newcomers" });
  const invitation = await link();
  const [name, email, password] = ["Siri Dahl", "siri@example.org", "a long pass phrase"];
  const refused = async (given: object, code: string) =>
    expect(outside().signIn({ invitation, name, ...given })).rejects.toMatchObject({ code });
  await refused({ password }, "INVALID_PARAMETER");
  await refused({ email, password: "short" }, "INVALID_PARAMETER");
  await refused({ email }, "INVALID_PARAMETER");
  expect(await people()).not.toContain(name);
  expect(await outside().signIn({ invitation, name, email, password })).toMatchObject({
    person: { name, email: null },
    hasPassword: true,
  });
  expect(await outside().signIn({ email, password })).toMatchObject({ person: { name } });
  await expect(outside().signIn({ email, password: "another pass phrase" })).rejects.toMatchObject({
    code: "UNAUTHENTICATED",
  });
});

test("who joins with another's address and waits is in no account of its owner, and is answered as for one that no one has", async () => {
  await lead.setTeam({ team, linksAdmit: "newcomers" });
  const { platformAdmin } = fixture.as;
  const [email, theirs, own] = ["vera@example.org", "what the other one chose", "what the owner chose"];
  const typed = async (name: string, at: string) => {
    const given = { invitation: await link(), name, email: at, password: theirs };
    const { person, ...rest } = await outside().signIn(given);
    return { ...rest, expiresAt: "", person: { ...person, id: "", createdAt: "", name: "" } };
  };
  const before = await typed("Mal", email);
  const vera = await platformAdmin.createPerson({ name: "Vera", email });
  const { url } = await platformAdmin.createSignInLink({ person: vera.id });
  const browser = clientOf(fixture.instance, "");
  expect(await browser.signIn({ link: secretOf(url) })).toMatchObject({ person: { id: vera.id }, hasPassword: false });
  await fixture.instance.database.people.setPassword({
    principal: vera.id as PrincipalId,
    hash: await hashPassword(own),
    by: vera.id as PrincipalId,
  });
  expect(await outside().signIn({ email, password: own })).toMatchObject({ person: { id: vera.id } });
  expect(await outside().signIn({ email, password: theirs })).toMatchObject({ person: { name: "Mal", email: null } });
  expect(await typed("Mallory", email), "an address that someone has").toEqual(before);
  const wrong = async (at: string) =>
    outside()
      .signIn({ email: at, password: "of nobody at all" })
      .catch(({ code, message }: PrivacyError) => [code, message]);
  expect(await wrong(email)).toEqual(await wrong("no.one@example.org"));

  // The least of some: what else runs in this process only adds. One password more would be twice as much.
  const work = async (at: string) => {
    const spent: number[] = [];
    for (let n = 0; n < 5; n += 1) {
      const begun = process.cpuUsage();
      await wrong(at);
      const { user, system } = process.cpuUsage(begun);
      spent.push(user + system);
    }
    return Math.min(...spent);
  };
  await typed("Mal", "only.typed@example.org");
  expect((await work("only.typed@example.org")) / (await work("no.one@example.org"))).toBeLessThan(1.5);
});

test("a link is used once, however many try at the same time", async () => {
  await lead.setTeam({ team, linksAdmit: "newcomers" });
  const secret = await link();
  const tries = await Promise.allSettled(["A", "B", "C", "D"].map((who) => join(secret, `Twice ${who}`)));
  expect(tries.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
  await expect(join(secret)).rejects.toMatchObject({ code: "UNAUTHENTICATED" });
  expect((await people()).filter((name) => name.startsWith("Twice"))).toHaveLength(1);
});

test("a policy that was turned off after the link was made lets no newcomer in, and the link still serves who is here", async () => {
  await lead.setTeam({ team, linksAdmit: "newcomers" });
  const secret = await link();
  await lead.setTeam({ team, linksAdmit: "known" });
  expect(await offers(secret)).toBe(false);
  await expect(join(secret, "Too late")).rejects.toMatchObject({ code: "CONFLICT" });
  expect(await people()).not.toContain("Too late");
  expect(await fixture.as.stranger.acceptInvitation({ secret })).toMatchObject({ id: team });
});

test("links that ended, expired, or were made by someone who may not invite any more let no one in", async () => {
  await lead.setTeam({ team, linksAdmit: "newcomers" });
  const { id: invitation, url } = await lead.invite({ team });
  await lead.endInvitation({ team, invitation });
  const { people: store } = fixture.instance.database;
  const { id: by } = await store.principal(fixture.people.teamAdmin);
  const { id } = await store.team(team);
  const past = await store.invite({ team: id, role: "member", days: -1, by });
  const { id: other } = await store.principal(fixture.people.auditor);
  const unfounded = await store.invite({ team: id, role: "member", days: 7, by: other });
  for (const secret of [secretOf(url), past.secret ?? "", unfounded.secret ?? "", "dsi_none"]) {
    expect((await outside().showInvitation({ secret })).invitation).toBeNull();
    await expect(join(secret, "Nobody")).rejects.toMatchObject({ code: "UNAUTHENTICATED" });
  }
  const closing = (await lead.createTeam({ name: "that closes" })).id;
  await lead.setTeam({ team: closing, linksAdmit: "newcomers" });
  const last = secretOf((await lead.invite({ team: closing })).url);
  await lead.closeTeam({ team: closing });
  await expect(join(last, "Nobody")).rejects.toMatchObject({ code: "UNAUTHENTICATED" });
  await expect(fixture.as.platformAdmin.setTeam({ team: closing, linksAdmit: "known" })).rejects.toMatchObject({
    code: "CONFLICT",
  });
  expect(await people()).not.toContain("Nobody");
});

test("the name of a newcomer is a line of printable characters", async () => {
  await lead.setTeam({ team, linksAdmit: "newcomers" });
  const secret = await link();
  for (const name of [
    "\u202egnp.exe",
    "Ada\u2066",
    "Ada\nAdmin",
    "Ada\u0000",
    "\ud800",
    "\u200b",
    " ",
    "x".repeat(201),
  ])
    await expect(join(secret, name), JSON.stringify(name)).rejects.toMatchObject({ code: "INVALID_PARAMETER" });
  expect(await join(secret, " Zoë ")).toMatchObject({ person: { name: "Zoë" } });
});

test("who tries secrets waits, and learns nothing of an invitation meanwhile", async () => {
  const folder = temporaryFolder();
  const rates = { ...usualRates, signIn: { burst: 3, perMinute: 1e-3 } };
  const slow = await serve({ folder, port: 0, webRoot: null, rates });
  const guesser = createClient({ url: slow.url });
  for (let n = 0; n < 3; n += 1)
    await expect(guesser.signIn({ invitation: `dsi_${n}`, name: "G" })).rejects.toMatchObject({
      code: "UNAUTHENTICATED",
    });
  await expect(guesser.signIn({ invitation: "dsi_4", name: "G" })).rejects.toMatchObject({ code: "RATE_LIMITED" });
  await expect(guesser.showInvitation({ secret: "dsi_4" })).rejects.toMatchObject({ code: "RATE_LIMITED" });
  await slow.close();
});

test("where people sign in through a provider, a link lets in no one who is new, whatever the team's policy", async () => {
  const oidc = [{ id: "local", name: "Local", issuer: "https://id.example", clientId: "dosimeter" }];
  const { instance, as, team: own } = await buildFixture(await openTestInstance({ oidc }));
  await as.teamAdmin.setTeam({ team: own, linksAdmit: "newcomers" });
  const secret = secretOf((await as.teamAdmin.invite({ team: own })).url);
  const anyone = clientOf(instance, "");
  expect((await anyone.showInvitation({ secret })).invitation?.newcomer).toBe(false);
  await expect(anyone.signIn({ invitation: secret, name: "Nora" })).rejects.toMatchObject({ code: "CONFLICT" });
  await instance.close();
});
