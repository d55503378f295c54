import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import type { Client } from "@dosimeter/client";
import { afterAll, beforeAll, expect, test } from "vitest";
import { checkExport } from "../../../verify/src/check.ts";
import {
  browserOf,
  buildFixture,
  clientOf,
  codeOf,
  csvBytes,
  declaration,
  type Fixture,
  openTestInstance,
  tokenFor,
} from "../instance.kit.ts";
import { createLog } from "../telemetry/log.ts";
import { declaredVisits } from "../visits.kit.ts";

let fixture: Fixture & { readonly instance: { readonly folder: string } };
const logged: string[] = [];
/** Of every answer to a browser of these tests. */
const cached: (string | null)[] = [];
beforeAll(async () => {
  const instance = await openTestInstance({ log: createLog("info", (line) => void logged.push(line)) });
  fixture = { ...(await buildFixture(instance)), instance };
});
afterAll(() => fixture.instance.close());

/** A browser in which this person signed in themselves. */
async function browserFor(person: string): Promise<Client> {
  const { instance } = fixture;
  const browser = browserOf(async (request) => {
    const response = await instance.fetch(request);
    cached.push(response.headers.get("cache-control"));
    return response;
  });
  const { url } = await clientOf(instance, instance.operatorToken).createSignInLink({ person });
  await browser.signIn({ link: new URL(url).hash.slice(1) });
  return browser;
}

/** Values that are nowhere else, so that a leak can be searched for. */
const SECRET = ["zebrafish", "81234567", "quokka-not-a-number"];
const rows = (more = "") =>
  `person,age,sex,salary\n1,31,f,100\n2,${SECRET[1]},m,100\n3,40,${SECRET[0]},100\n3,41,m,${SECRET[2]}\n${more}`;
const sent = (browser: Client, text = rows()) => browser.uploadFile({ name: "t.csv", content: csvBytes(text) });
let made = 0;
function fresh(name: string): string {
  made += 1;
  return `${name} ${made}`;
}
/** One that these rows can be declared with: the salary of a row is no number. */
const named = (name = fresh("t")) => ({
  ...declaration,
  name,
  columns: { ...declaration.columns, salary: { type: "text" } },
});

test("who sent a file sees how it fits, and nothing of it is kept: no log, audit, error, figure or cache", async () => {
  const { instance, people } = fixture;
  const browser = await browserFor(people.stranger);
  const { id: file } = await sent(browser);
  const fit = await browser.checkUpload({ file, declaration });
  expect(fit.rows).toBe(4);
  expect(fit.unit).toEqual({ missing: 0, over: 1, cut: 1, most: 2 });
  const frequent = (column: string) =>
    fit.columns.find(({ name }) => name === column)?.misfits.map(({ kind, frequent }) => [kind, frequent]);
  expect(frequent("sex")).toEqual([["outside", [{ value: SECRET[0], rows: 1 }]]]);
  expect(frequent("age")).toEqual([["outside", [{ value: SECRET[1], rows: 1 }]]]);
  expect(frequent("salary")).toEqual([["unreadable", [{ value: SECRET[2], rows: 1 }]]]);
  expect(fit.columns.find(({ name }) => name === "sex")?.rare).toEqual([
    { value: "f", rows: 1 },
    { value: "m", rows: 2 },
  ]);
  const few = await browser.checkUpload({ file, declaration, fewerThan: 2 });
  expect(few.columns.find(({ name }) => name === "sex")?.rareCount).toBe(1);
  // What is refused says nothing either.
  expect(await codeOf(browser.createDataset({ file, declaration: { ...declaration, name: fresh("t") } }))).toBe(
    "DATA_UNREADABLE",
  );
  const lines = (await fixture.as.platformAdmin.listAudit({ action: "upload.check" })).items;
  expect(lines.map(({ subject, actor }) => [subject, actor])).toEqual([
    [file, people.stranger],
    [file, people.stranger],
  ]);
  expect(lines.map(({ detail }) => detail)).toEqual([{}, {}]);
  const stored: Buffer[] = [];
  for (const name of await readdir(instance.folder, { recursive: true }))
    if (!/fil_|recognition/.test(name))
      stored.push(await readFile(join(instance.folder, name)).catch(() => Buffer.of()));
  const metrics = await (await instance.fetch(new Request("http://instance.test/metrics"))).text();
  for (const secret of SECRET) {
    expect(logged.join("\n")).not.toContain(secret);
    expect(Buffer.concat(stored).includes(secret)).toBe(false);
    expect(metrics).not.toContain(secret);
  }
  expect(logged.join("\n")).toContain("checkUpload");
  expect(new Set(cached)).toEqual(new Set(["no-store"]));
});

test("no token, agent, session that a token began, other session or other person is shown it", async () => {
  const { instance, people } = fixture;
  const operator = clientOf(instance, instance.operatorToken);
  const browser = await browserFor(people.stranger);
  const { id: file } = await sent(browser);
  const asked = { file, declaration };
  expect(await codeOf(browser.checkUpload(asked))).toBe("done");
  // Their own tokens, also one that the session made, and files that a token sent.
  const { secret } = await browser.createToken({ name: "mine", scopes: ["read", "release", "manage", "admin"] });
  const token = clientOf(instance, secret);
  await expect(token.checkUpload(asked)).rejects.toMatchObject({
    code: "FORBIDDEN",
    message: expect.stringContaining("a person is shown this"),
  });
  const byToken = await sent(token);
  expect(await codeOf(token.checkUpload({ ...asked, file: byToken.id }))).toBe("FORBIDDEN");
  expect(await codeOf(browser.checkUpload({ ...asked, file: byToken.id }))).toBe("FORBIDDEN");
  // A session that a token began.
  const begun = browserOf(instance.fetch);
  await begun.signIn({ token: secret });
  expect(await codeOf(begun.checkUpload(asked))).toBe("FORBIDDEN");
  expect(await codeOf(begun.checkUpload({ ...asked, file: (await sent(begun)).id }))).toBe("FORBIDDEN");
  // Another browser of the same person, and this one after its session has ended.
  const other = await browserFor(people.stranger);
  await expect(other.checkUpload(asked)).rejects.toMatchObject({
    code: "FORBIDDEN",
    message: expect.stringContaining("send it again here"),
  });
  // Other people, whatever they are.
  for (const person of [people.member, people.platformAdmin, people.datasetAdmin])
    expect(await codeOf((await browserFor(person)).checkUpload(asked))).toBe("NOT_FOUND");
  const { id: agent } = await operator.createPerson({ name: "agent", kind: "agent", onBehalfOf: people.stranger });
  const credential = await operator.createServiceToken({ person: agent, name: "mcp", scopes: ["read", "release"] });
  expect(await codeOf(clientOf(instance, credential.secret).checkUpload(asked))).toBe("FORBIDDEN");
  expect(await codeOf(browserOf(instance.fetch).checkUpload(asked))).toBe("UNAUTHENTICATED");
  await browser.signOut();
  expect(await codeOf(browser.checkUpload(asked))).toBe("UNAUTHENTICATED");
});

test("not after the upload is gone, and for no table of a connection", async () => {
  const browser = await browserFor(fixture.people.stranger);
  const { id: file } = await sent(browser);
  await browser.eraseFile({ file });
  expect(await codeOf(browser.checkUpload({ file, declaration }))).toBe("NOT_FOUND");
  const { id } = await sent(browser);
  const source = { postgres: { connection: "clinic", table: "visits" } };
  await expect(browser.checkUpload({ file: id, declaration: { ...declaration, source } })).rejects.toMatchObject({
    code: "INVALID_PARAMETER",
    message: expect.stringContaining("release a profile"),
  });
});

test("not once someone else has declared a later version of its dataset", async () => {
  const { as, people } = fixture;
  const browser = await browserFor(people.stranger);
  const { id: file } = await sent(browser);
  const { id: dataset } = await browser.createDataset({ file, declaration: named() });
  expect(await codeOf(browser.checkUpload({ file, declaration }))).toBe("done");
  const operator = clientOf(fixture.instance, fixture.instance.operatorToken);
  await operator.grantRole({ person: people.member, role: "datasetAdmin", object: { kind: "dataset", id: dataset } });
  const next = await sent(as.member, rows("9,50,f,1\n"));
  await as.member.createVersion({ dataset, file: next.id });
  expect(await codeOf(browser.checkUpload({ file, declaration }))).toBe("CONFLICT");
});

test("one at a time for each person", async () => {
  const browser = await browserFor(fixture.people.stranger);
  const { id: file } = await sent(browser);
  const both = [0, 1].map(() => codeOf(browser.checkUpload({ file, declaration })));
  expect((await Promise.all(both)).sort()).toEqual(["RATE_LIMITED", "done"]);
  expect(await codeOf(browser.checkUpload({ file, declaration }))).toBe("done");
});

test("what is declared after a check is marked, as it was checked or changed, over the same bytes sent again, and in every later version [M341]", async () => {
  const { instance, people } = fixture;
  const browser = await browserFor(people.auditor);
  const text = rows("11,50,f,1\n");
  const { id: file } = await sent(browser, text);
  await browser.checkUpload({ file, declaration });
  const checked = await browser.createDataset({ file, declaration: named() });
  expect(checked.isFitted).toBe(true);
  expect((await browser.showDataset({ dataset: checked.id })).isFitted).toBe(true);
  const open = { dataset: checked.id, epsilon: "1", delta: "1e-6" };
  const { id: ledger, guarantee, population } = await browser.openLedger(open);
  // The certificate, the report, the public page, and an export, as its independent reader says.
  expect(guarantee.fitted).toContain("Fitted to the data by its owner");
  expect(guarantee.sentence).not.toContain("Fitted");
  const { statement } = await browser.reportLedger({ ledger });
  expect(statement.promised.sentence).toBe(`${guarantee.sentence} ${guarantee.fitted}`);
  await browser.setPublication({ ledger, isPublic: true });
  const anyone = browserOf(instance.fetch);
  expect((await anyone.showPublicGuarantee({ population })).fitted).toBe(guarantee.fitted);
  const exported = async (of: string) =>
    checkExport(await new Response(await browser.exportLedger({ ledger: of })).text());
  expect(await exported(ledger)).toMatchObject({ ok: true, isFitted: true });
  // Each release of it, whatever is printed of its receipt.
  const account = await browser.createAccount({
    ledger,
    holder: { kind: "person", id: people.auditor },
    epsilon: "0.5",
  });
  const plan = { statistics: [{ id: "n", statistic: "count", epsilon: "0.1" }] };
  const { id: release } = await browser.createRelease({
    dataset: checked.id,
    account: account.id,
    plan,
  });
  const { receipt } = await browser.showRelease({ release, wait: 20 });
  expect(receipt?.guarantee).toBe(`${guarantee.sentence} ${guarantee.fitted}`);
  // Others' rows, declared by the same person without a check, are not marked until they are checked; a later version stays marked.
  const plain = await sent(browser, rows("12,50,f,1\n"));
  const twin = await browser.createDataset({ file: plain.id, declaration: named() });
  expect(twin.isFitted).toBe(false);
  const second = await browser.openLedger({ ...open, dataset: twin.id });
  expect(second.guarantee.fitted).toBeNull();
  expect(await exported(second.id)).toMatchObject({ ok: true, isFitted: false });
  const more = await sent(browser, rows("13,50,f,1\n"));
  const isFitted = async (dataset: string, of: string) => {
    await browser.createVersion({ dataset, file: of });
    return (await browser.showDataset({ dataset })).isFitted;
  };
  expect(await isFitted(checked.id, more.id)).toBe(true);
  expect(await isFitted(twin.id, (await sent(browser, rows("15,50,f,1\n"))).id)).toBe(false);
  const again = await sent(browser, rows("14,50,f,1\n"));
  await browser.checkUpload({ file: again.id, declaration });
  await browser.eraseFile({ file: again.id });
  const sentAgain = await sent(await browserFor(people.auditor), rows("14,50,f,1\n"));
  expect(await isFitted(twin.id, sentAgain.id)).toBe(true);
  expect((await browser.showLedger({ ledger: second.id })).guarantee.fitted).not.toBeNull();
  // Someone else with the same bytes is shown nothing by a mark.
  const other = clientOf(instance, await tokenFor(instance, people.teamAdmin));
  const theirs = await other.uploadFile({ name: "t.csv", content: csvBytes(text) });
  expect((await other.createDataset({ file: theirs.id, declaration: named() })).isFitted).toBe(false);
});

test("rows that were checked and then appended mark the version that has them, and every later one [M341]", async () => {
  const browser = await browserFor(fixture.people.auditor);
  const visits = declaredVisits({ lower: "2024-01-01", upper: "2024-03-31" });
  const upload = (rows: string) => sent(browser, `who,seen\n${rows}`);
  const marks = async (isChecked: boolean): Promise<readonly boolean[]> => {
    const name = fresh("visits");
    const first = await upload(`p1,2024-01-15\np2,2024-01-${isChecked ? 16 : 17}\n`);
    const { id: dataset, isFitted } = await browser.createDataset({ file: first.id, declaration: { ...visits, name } });
    const more = await upload(`p1,2024-02-15\np2,2024-02-${isChecked ? 16 : 17}\n`);
    if (isChecked) await browser.checkUpload({ file: more.id, declaration: visits });
    await browser.appendRows({ dataset, file: more.id, block: "2024-02" });
    const second = (await browser.showDataset({ dataset })).isFitted;
    const again = { ...visits, name, columns: { ...visits.columns, who: { type: "text", provenance: "public" } } };
    await browser.createVersion({ dataset, declaration: again });
    return [isFitted, second, (await browser.showDataset({ dataset })).isFitted];
  };
  expect(await marks(false)).toEqual([false, false, false]);
  expect(await marks(true)).toEqual([false, true, true]);
});

test("the record of a file does not show its session", async () => {
  const browser = await browserFor(fixture.people.stranger);
  const file = await sent(browser);
  expect(Object.keys(file)).not.toContain("session");
  expect(JSON.stringify((await browser.listFiles({})).items)).not.toContain("crd_");
});
