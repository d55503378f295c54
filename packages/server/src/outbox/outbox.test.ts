import { createHmac } from "node:crypto";
import { createServer, type IncomingMessage, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import type { PrincipalId } from "@dosimeter/ledger";
import { SMTPServer } from "smtp-server";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { buildFixture, clientOf, countPlan, type Fixture, openTestInstance } from "../instance.kit.ts";
import { buildVisits, released, scheduleOf } from "../schedules/schedules.kit.ts";
import { guarded, isInside, postWebhook, signatureOf, whyNoWebhook } from "./webhook.ts";
import { wordsOf } from "./words.ts";

/** A real SMTP server that keeps what it is sent, and refuses or drops what a test wants it to. */
const letters: string[] = [];
let behaviour: "take" | "refuse" | "fail" = "take";
const smtp = new SMTPServer({
  authOptional: true,
  disabledCommands: ["STARTTLS"],
  onData(stream, _, done) {
    let text = "";
    stream.on("data", (part: Buffer) => {
      text += part.toString();
    });
    stream.on("end", () => {
      const code = { take: 0, refuse: 550, fail: 451 }[behaviour];
      if (code === 0) letters.push(text);
      done(code === 0 ? null : Object.assign(new Error("no"), { responseCode: code }));
    });
  },
});

const posts: { readonly headers: IncomingMessage["headers"]; readonly body: string }[] = [];
let answers = 200;
const hook: Server = createServer((request, response) => {
  let body = "";
  request.on("data", (part: Buffer) => {
    body += part.toString();
  });
  request.on("end", () => {
    posts.push({ headers: request.headers, body });
    response.writeHead(answers).end();
  });
});

let fixture: Fixture;
let hookUrl = "";

beforeAll(async () => {
  await new Promise<void>((resolve) => smtp.listen(0, "127.0.0.1", () => resolve()));
  await new Promise<void>((resolve) => hook.listen(0, "127.0.0.1", resolve));
  hookUrl = `http://127.0.0.1:${(hook.address() as AddressInfo).port}/hook`;
  const port = (smtp.server.address() as AddressInfo).port;
  const instance = await openTestInstance({
    deliver: true,
    publicUrl: "https://budget.example",
    mail: { url: `smtp://127.0.0.1:${port}`, from: "Dosimeter <budget@example.org>" },
    webhooksInside: true,
  });
  fixture = await buildFixture(instance);
});
afterAll(async () => {
  await fixture.instance.close();
  await new Promise<void>((resolve) => smtp.close(() => resolve()));
  hook.close();
});

const operator = () => clientOf(fixture.instance, fixture.instance.operatorToken);
const sent = () => fixture.instance.sender?.flush() ?? Promise.resolve();
const decoded = (letter: string): string => letter.replaceAll("=\r\n", "").replace(/=([0-9A-F]{2})/g, "%$1");
const readable = (letter: string): string => {
  try {
    return decodeURIComponent(decoded(letter).replace(/%(?![0-9A-F]{2})/g, "%25"));
  } catch {
    return decoded(letter);
  }
};

test("an invitation is mailed, and its link lets the addressee in as someone new, once", async () => {
  const invited = await fixture.as.teamAdmin.invite({ team: fixture.team, email: "nora@example.org" });
  expect(invited.url).toBeNull();
  await sent();
  const letter = readable(letters.at(-1) ?? "");
  expect(letter).toMatch(/^To: .*nora@example\.org/m);
  const secret = /https:\/\/budget\.example\/join#(dsi_\w+)/.exec(letter)?.[1] ?? "";
  const shown = async (of: string) => (await clientOf(fixture.instance, "").showInvitation({ secret: of })).invitation;
  expect(await shown(secret)).toMatchObject({ team: "analysis", by: "teamAdmin", role: "member", newcomer: true });
  expect(await shown(`${secret}x`)).toBeNull();
  const handed = await fixture.as.teamAdmin.invite({ team: fixture.team });
  const link = new URL(handed.url ?? "").hash.slice(1);
  expect(await shown(link), "a link proves no address").toMatchObject({ newcomer: true, isMailed: false });
  const join = (name: string) => clientOf(fixture.instance, "").signIn({ invitation: secret, name });
  const nora = await join("Nora").catch((error: Error) => error);
  expect(nora).toMatchObject({ person: { name: "Nora", email: "nora@example.org" } });
  await expect(join("Again")).rejects.toMatchObject({ code: "UNAUTHENTICATED" });
  expect(await shown(secret)).toBeNull();
  const { members } = await fixture.as.teamAdmin.showTeam({ team: fixture.team });
  expect(members.map(({ name }) => name)).toContain("Nora");
});

test("to an address that a newcomer typed goes no mail, and a mailed invitation lets its owner in as another", async () => {
  const invitation = new URL((await fixture.as.teamAdmin.invite({ team: fixture.team })).url ?? "").hash.slice(1);
  const anyone = clientOf(fixture.instance, "");
  const given = { name: "Mal", email: "vic@example.org", password: "what the other chose" };
  const mal = await anyone.signIn({ invitation, ...given });
  await sent(); // what the tests before left
  const before = letters.length;
  await anyone.requestSignInLink({ email: given.email });
  await fixture.instance.settled();
  const other = await operator().createTeam({ name: "of others" });
  await operator().addMember({ team: other.id, person: mal.person.id });
  await sent();
  expect(letters.length).toBe(before);
  await fixture.as.teamAdmin.invite({ team: fixture.team, email: given.email });
  await sent();
  const secret = /join#(dsi_\w+)/.exec(readable(letters.at(-1) ?? ""))?.[1] ?? "";
  const vic = await anyone.signIn({ invitation: secret, name: "Vic" });
  expect(vic).toMatchObject({ person: { name: "Vic", email: given.email }, hasPassword: false });
  expect(vic.person.id).not.toBe(mal.person.id);
});

test("notifications are mailed too, with names that cannot become headers", async () => {
  const nasty = await operator().createPerson({ name: "<b>Bob</b>'; DROP TABLE team; --", email: "bob@example.org" });
  await sent(); // what the tests before left
  const before = letters.length;
  await fixture.as.teamAdmin.addMember({ team: fixture.team, person: nasty.id });
  await sent();
  const letter = readable(letters.at(-1) ?? "");
  expect(letters.length).toBe(before + 1);
  expect(letter).toMatch(/^To: bob@example\.org/m);
  expect(letter).toContain("DROP TABLE team");
  expect(letter.match(/^Subject:/gm)).toHaveLength(1);
});

test("a server that fails is tried again under the same id; one that refuses is not", async () => {
  const { database } = fixture.instance;
  const waiting = async () => (await database.outbox.backlog()) > 0;
  const queue = async (email: string) => {
    const { id: principal } = await operator().createPerson({ name: "Xu", email });
    await database.outbox.putMail({ address: email, message: { kind: "link", principal }, principal: null });
  };
  behaviour = "fail";
  await queue("x@example.org");
  await sent();
  expect(await waiting()).toBe(true);
  behaviour = "refuse";
  await queue("y@example.org");
  await sent();
  behaviour = "take";
  const count = letters.length;
  await sent();
  expect(letters.length).toBe(count); // the first waits for its turn, the second has ended
});

test("a sign-in link is mailed to who has the address; no one learns whether someone has", async () => {
  await operator().createPerson({ name: "Lin", email: "lin@example.org" });
  const before = letters.length;
  for (const email of ["lin@example.org", "nobody@example.org"])
    expect(await clientOf(fixture.instance, "").requestSignInLink({ email })).toBeUndefined();
  await fixture.instance.settled();
  await sent();
  expect(letters.length).toBe(before + 1);
  const link = /sign-in#(dsl_\w+)/.exec(readable(letters.at(-1) ?? ""))?.[1] ?? "";
  expect(await clientOf(fixture.instance, "").signIn({ link })).toMatchObject({ person: { name: "Lin" } });
});

test("a link to set a new password goes to its person alone, and to no former address", async () => {
  const { instance } = fixture;
  const { id: person } = await operator().createPerson({ name: "Ola", email: "ola@example.org" });
  const before = letters.length;
  expect(await operator().createPasswordLink({ person })).toMatchObject({ name: "Ola", url: null });
  expect((await operator().listAudit({ action: "passwordLink.mail", limit: 1 })).items).toMatchObject([
    { subject: person },
  ]);
  await sent();
  const letter = readable(letters[before] ?? "");
  expect(letter).toMatch(/^To: ola@example\.org/m);
  const link = /sign-in#(dsp_\w+)/.exec(letter)?.[1] ?? "";
  expect(await clientOf(instance, "").resetPassword({ link, password: "horse battery staple" })).toBeUndefined();
  const principal = person as PrincipalId;
  const expiresAt = new Date(Date.now() + 60_000).toISOString();
  const asked = { principal, expiresAt, address: "former@example.org", by: principal };
  await instance.database.people.mailPasswordLink(asked);
  await sent();
  expect(letters.slice(before).filter((one) => readable(one).includes("dsp_"))).toHaveLength(1);
});

test("who changes something without end delays no letter", async () => {
  const { as, memberAccount: account, dataset, instance } = fixture;
  await operator().createPerson({ name: "Kim", email: "kim@example.org" });
  const before = letters.length;
  await clientOf(instance, "").requestSignInLink({ email: "kim@example.org" });
  await instance.settled();
  const since = performance.now();
  const again = { idempotencyKey: "again" };
  while (letters.length === before && performance.now() - since < 20_000) {
    await as.member.createRelease({ dataset, account, plan: countPlan("0.001") }, again);
    await new Promise((resume) => setTimeout(resume, 20));
  }
  expect(readable(letters.at(-1) ?? "")).toContain("kim@example.org");
});

test("a waiting sign-in link is not sent to a former address, which gets a message of the change", async () => {
  const mia = await operator().createPerson({ name: "Mia", email: "mia@example.org" });
  await sent();
  const before = letters.length;
  const message = { kind: "link", principal: mia.id };
  await operator().setPerson({ person: mia.id, email: "mia@new.example" });
  await fixture.instance.database.outbox.putMail({
    address: "mia@example.org",
    message,
    principal: mia.id as PrincipalId,
  });
  await sent();
  const since = letters.slice(before).map(readable);
  const old = since.filter((letter) => /^To: mia@example\.org/m.test(letter));
  expect(old).toHaveLength(1);
  expect(old[0]).toContain("Your name or address here was changed");
  expect(since.join("")).not.toContain("sign-in#");
  const links = await fixture.instance.database.people.credentials(mia.id as PrincipalId);
  expect(links.filter(({ kind }) => kind === "link")).toEqual([]);
});

test("a webhook is signed, and tried again until it is taken", async () => {
  const { secret } = await fixture.as.teamAdmin.setWebhook({ url: hookUrl });
  answers = 500;
  await fixture.as.member.createRequest({
    dataset: fixture.dataset,
    account: fixture.memberAccount,
    epsilon: "0.25",
    note: "ages",
  });
  await sent();
  const first = posts.find(({ body }) => body.includes('"requestMade"'));
  const body = first?.body ?? "";
  const [, t = "", v1 = ""] = /^t=(\d+),v1=([0-9a-f]{64})$/.exec(String(first?.headers["x-dosimeter-signature"])) ?? [];
  expect(
    createHmac("sha256", secret ?? "")
      .update(`${t}.${body}`)
      .digest("hex"),
  ).toBe(v1);
  expect(JSON.parse(body)).toMatchObject({ kind: "requestMade", facts: { epsilon: "0.25", note: "ages" } });
  answers = 200;
  expect(await fixture.instance.database.outbox.backlog()).toBeGreaterThan(0);
  expect((await fixture.as.teamAdmin.notificationSettings()).webhook).toBe(hookUrl);
});

test("a report of a schedule is mailed and posted to its owner and recipients, once, with a link to its page", async () => {
  const { as, instance, people } = fixture;
  const visits = await buildVisits(fixture);
  await operator().setPerson({ person: people.member, email: "member@example.org" });
  await operator().setPerson({ person: people.teamAdmin, email: "lead@example.org" });
  await as.teamAdmin.setWebhook({ url: hookUrl });
  await sent(); // what the tests before left
  const before = { letters: letters.length, posts: posts.length };
  const asked = scheduleOf(visits, { from: "2023-12", recipients: [people.teamAdmin] });
  const { id } = await as.member.createSchedule(asked);
  await released(instance, as.member, id);
  await sent();
  await instance.schedules.run();
  await sent();
  const mailed = letters.slice(before.letters).map(readable);
  for (const address of ["member@example.org", "lead@example.org"]) {
    const theirs = mailed.filter((letter) => letter.includes(`To: ${address}`));
    expect(theirs).toHaveLength(1);
    expect(theirs[0]).toContain("Visits a year on visits: 2023-12 is there.");
    expect(theirs[0]).toContain(`https://budget.example/reports/${id}`);
  }
  const bodies = posts.slice(before.posts).map(({ body }) => JSON.parse(body) as { readonly kind: string });
  const posted = bodies.filter(({ kind }) => kind === "report"); // one of a test before may be tried again
  const facts = { schedule: id, name: "Visits a year", dataset: "visits", period: "2023-12", outcome: "released" };
  expect(posted).toMatchObject([{ kind: "report", facts }]);
  // Answers are read here alone.
  expect(`${mailed.join()}${JSON.stringify(posted)}`).not.toMatch(/"?(value|cells|answers)"?:/);
  expect(wordsOf("report", { ...facts, outcome: "QUOTA_EXHAUSTED" }, null)).toMatchObject({
    title: "Visits a year on visits: 2023-12 was refused",
    text: expect.stringContaining("Nothing was spent (QUOTA_EXHAUSTED)"),
  });
});

test("a webhook that never answers delays no mail, and no other webhook", async () => {
  const { database } = fixture.instance;
  const silent = createServer(() => undefined); // takes every request and answers none
  await new Promise<void>((resolve) => silent.listen(0, "127.0.0.1", resolve));
  const silentUrl = `http://127.0.0.1:${(silent.address() as AddressInfo).port}/`;
  const before = { letters: letters.length, posts: posts.length };
  behaviour = "take";
  answers = 200;
  const person = (await operator().createPerson({ name: "Zoe", email: "zoe@example.org" })).id as PrincipalId;
  const other = (await operator().createPerson({ name: "Yan" })).id as PrincipalId;
  await database.outbox.setWebhook({ principal: person, url: silentUrl });
  await database.outbox.setWebhook({ principal: other, url: hookUrl });
  for (let n = 0; n < 30; n += 1) {
    const { id: team } = await operator().createTeam({ name: `Z ${n}` });
    await operator().addMember({ team, person });
    if (n === 29) await operator().addMember({ team, person: other });
  }
  void sent();
  await vi.waitFor(() => {
    expect(letters.slice(before.letters).join(), "to the one whose webhook is silent").toContain("zoe@example.org");
    expect(posts.length, "to another webhook").toBeGreaterThan(before.posts);
  }, 8000); // the silent one is given ten seconds
  await database.outbox.setWebhook({ principal: person, url: null });
  silent.closeAllConnections();
  silent.close();
});

test("a holder is notified of a threshold after the charge that passes it", async () => {
  await fixture.as.member.releaseAndWait({
    dataset: fixture.dataset,
    account: fixture.memberAccount,
    plan: countPlan("0.6"),
  });
  await expect
    .poll(async () => (await fixture.as.member.listNotifications()).items.map(({ kind, title }) => [kind, title]))
    .toContainEqual(["threshold", expect.stringMatching(/^You have used half of your budget on /)]);
});

test("who did not spend reads whose budget is used", () => {
  const facts = { level: "80", what: "account", holder: "Ana", holderId: "usr_1", dataset: "adults", quota: "1" };
  const titleFor = (changed: Record<string, string>, reader: string | null) =>
    wordsOf("threshold", { ...facts, ...changed }, reader).title;
  expect(titleFor({}, "usr_1")).toBe("You have used 80 % of your budget on adults");
  expect(titleFor({}, "usr_2")).toBe("80 % of the budget of Ana on adults is used");
  expect(titleFor({ what: "ledger", holder: "", holderId: "", level: "50" }, "usr_2")).toBe(
    "Half of the budget of adults is used",
  );
});

test.each([
  "127.0.0.1",
  "10.1.2.3",
  "169.254.169.254",
  "192.168.0.1",
  "::1",
  "fd00::1",
  "::ffff:10.0.0.1",
  "::ffff:a00:1",
  "::ffff:0:a00:1",
  "::ffff:0:127.0.0.1",
  "2002:7f00:1::",
  "2002:a00:1::1",
  "2001::1",
  "::127.0.0.1",
  "::a00:1",
  "fec0::1",
  "64:ff9b::7f00:1",
  "64:ff9b:1::a00:1",
  "no address",
])("%s is inside, and no webhook goes there", (address) => expect(isInside(address)).toBe(true));

test("public addresses are not inside; a webhook without TLS, or to this machine, is refused", async () => {
  for (const address of ["93.184.216.34", "2606:2800:220:1::1", "2001:db9::1", "64:ff9b:2::1", "::ffff:5db8:d822"])
    expect(isInside(address)).toBe(false);
  const post = { id: "out_1", secret: "s", body: "{}", at: 1 };
  const count = posts.length;
  for (const url of [hookUrl, "https://127.0.0.1/", "https://[::1]/", "ftp://example.org/"])
    expect(await postWebhook({ ...post, url })).toBe("refused");
  const found = await new Promise((resolve) => guarded(false)("localhost", {}, resolve));
  expect(found, "a name that leads inside").toEqual(new Error("an address inside"));
  expect(posts.length).toBe(count);
  expect(signatureOf({ ...post, at: 2 })).not.toBe(signatureOf(post));
});

test.each([
  ["http://hooks.example/x", "an https address"],
  ["ftp://hooks.example/x", "an https address"],
  ["https://127.0.0.1/x", "an address outside"],
  ["https://2130706433/x", "an address outside"],
  ["https://0x7f.1/x", "an address outside"],
  ["https://[::ffff:169.254.169.254]/x", "an address outside"],
  ["https://LOCALHOST/x", "an address outside"],
  ["https://a.localhost./x", "an address outside"],
])("%s is not taken for a webhook, unless the operator allows it", (url, want) => {
  expect(whyNoWebhook(url, { allowInside: false })).toContain(want);
  expect(whyNoWebhook(url, { allowInside: true }) === null).toBe(!url.startsWith("ftp:"));
});

test("where the operator does not allow it, an address inside is refused when it is set; one outside is taken", async () => {
  const strict = await openTestInstance();
  const admin = clientOf(strict, strict.operatorToken);
  await expect(admin.setWebhook({ url: hookUrl })).rejects.toThrow("must be an https address");
  await expect(admin.setWebhook({ url: "https://10.0.0.1/" })).rejects.toThrow("outside this machine");
  expect((await admin.notificationSettings()).webhook).toBeNull();
  expect(await admin.setWebhook({ url: "https://hooks.example/x" })).toMatchObject({ secret: expect.any(String) });
  await strict.close();
});

test("an answer that does not end, or does not come, holds nothing up", async () => {
  const post = { id: "out_1", secret: "s", body: "{}", at: 1 };
  const endless = createServer((request, response) => {
    if (request.url === "/silent") return void request.socket.write("HTTP/1.1 200 OK\r\n");
    response.writeHead(200).write("x".repeat(1000));
  });
  await new Promise<void>((resolve) => endless.listen(0, "127.0.0.1", resolve));
  const to = (path: string) => `http://127.0.0.1:${(endless.address() as AddressInfo).port}${path}`;
  expect(await postWebhook({ ...post, url: to("/endless") }, { allowInside: true })).toBe("delivered");
  const impatient = { allowInside: true, timeoutMs: 100 };
  await expect(postWebhook({ ...post, url: to("/silent") }, impatient)).rejects.toThrow();
  await expect.poll(() => new Promise((resolve) => endless.getConnections((_, count) => resolve(count)))).toBe(0);
  endless.close();
});
