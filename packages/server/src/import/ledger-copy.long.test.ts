import { type Client, createClient, type Plan } from "@dosimeter/client";
import { present } from "@dosimeter/core/internal";
import type { PrincipalId } from "@dosimeter/ledger";
import { checkExport } from "@dosimeter/verify";
import { afterAll, beforeAll, expect, test } from "vitest";
import {
  browserOf,
  buildFixture,
  clientOf,
  countPlan,
  csvBytes,
  declaration,
  type Fixture,
  ORIGIN,
  openTestInstance,
  tokenFor,
} from "../instance.kit.ts";
import type { Instance } from "../instance.ts";
import { declaredVisits } from "../visits.kit.ts";
import { openImporter } from "./ledger-copy.ts";

type DeclarationInput = { readonly privacyUnit: unknown; readonly contribution: object; readonly unit: string };

let fixture: Fixture;
let other: Instance;
let text: string;
let key: string;
beforeAll(async () => {
  [fixture, other] = [await buildFixture(await openTestInstance()), await openTestInstance()];
  for (const idempotencyKey of ["a", "b", "c"])
    await fixture.as.member.releaseAndWait(
      { dataset: fixture.dataset, account: fixture.memberAccount, plan: countPlan("0.1") },
      { idempotencyKey },
    );
  text = await (await fixture.as.datasetAdmin.exportLedger({ ledger: fixture.ledger })).text();
  key = (await checkExport(text)).signedBy ?? "";
});
afterAll(async () => {
  await fixture.instance.close();
  await other.close();
});

const codeOf = (asked: Promise<unknown>): Promise<string> =>
  asked.then(
    () => "nothing was thrown",
    ({ code, message }: { code: string; message: string }) => `${code} ${message}`,
  );

const stopped = (ledger: string) => ({ ledger, epsilon: "0", delta: "0", reason: "the original has stopped" });

/** What an admin asks for, and another one too. */
async function reopened(instance: Instance, admin: Client, ledger: string) {
  await admin.reopenLedger(stopped(ledger));
  const operator = clientOf(instance, instance.operatorToken);
  const { id: person } = await operator.createPerson({ name: "another" });
  await operator.grantRole({ person, role: "platformAdmin", object: { kind: "platform" } });
  return clientOf(instance, await tokenFor(instance, person)).reopenLedger(stopped(ledger));
}

/** A dataset of new people without a ledger, of the person who runs the machine. */
const declared = async (instance: Instance, id: string, over: Partial<DeclarationInput> = {}) => {
  const client = clientOf(instance, instance.operatorToken);
  return { client, dataset: await declaredBy(client, id, over) };
};

async function declaredBy(client: Client, id: string, over: Partial<DeclarationInput> = {}): Promise<string> {
  const file = await client.uploadFile({
    name: "moved.csv",
    content: csvBytes(`person,age,sex,salary\n${id},30,f,5\n`),
  });
  const { unit, ...words } = over;
  const asked = { file: file.id, declaration: { ...declaration, ...words }, name: `staff ${id}` };
  return (await client.createDataset({ ...asked, ...present({ unit }) })).id;
}

test("an imported ledger has spent what the original has, frozen until it is opened, and adds up by both verifiers", async () => {
  const { client, dataset } = await declared(other, "1");
  const content = csvBytes(text);
  expect(await codeOf(client.importLedger({ dataset, content }))).toMatch(/INVALID_PARAMETER.*signed by/);
  const copy = await client.importLedger({ dataset, content, key });
  const original = await fixture.as.datasetAdmin.showLedger({ ledger: fixture.ledger });
  expect(copy).toMatchObject({ status: "frozen", balance: original.balance });
  const { sentence } = original.guarantee;
  expect(sentence).toContain("Population: staff; it holds when any one person is added or removed");
  expect(copy.guarantee).toEqual({
    ...original.guarantee,
    sentence: sentence.replace("Population: staff;", "Population: staff 1;"),
  });
  expect(original.balance.epsilon.spent).toBe("0.3");
  expect(await codeOf(client.importLedger({ dataset, content, key }))).toMatch(/^CONFLICT/);
  const account = await client.createAccount({
    ledger: copy.id,
    holder: { kind: "person", id: (await client.me()).person.id },
    epsilon: "4.7",
  });
  const plan = countPlan("0.1");
  expect(await codeOf(client.createRelease({ dataset, account: account.id, plan }, { idempotencyKey: "k" }))).toMatch(
    /^ACCOUNT_CLOSED/,
  );
  expect((await client.reopenLedger(stopped(copy.id))).status, "one person is not two").toBe("frozen");
  expect((await reopened(other, client, copy.id)).status).toBe("open");
  await client.releaseAndWait({ dataset, account: account.id, plan }, { idempotencyKey: "k" });
  expect((await client.showLedger({ ledger: copy.id })).balance.epsilon.spent).toBe("0.4");
  expect(await client.verify()).toMatchObject({ ok: true, problems: [] });
  const again = await checkExport(await (await client.exportLedger({ ledger: copy.id })).text());
  expect(again.problems).toEqual([]);
});

test("a copy stays fitted to the data where a declaration of its original was [M341]", async () => {
  const { instance, people } = fixture;
  const browser = browserOf(instance.fetch);
  const { url } = await clientOf(instance, instance.operatorToken).createSignInLink({ person: people.stranger });
  await browser.signIn({ link: new URL(url).hash.slice(1) });
  const content = csvBytes("person,age,sex,salary\n77,30,f,5\n");
  const { id: file } = await browser.uploadFile({ name: "fitted.csv", content });
  await browser.checkUpload({ file, declaration });
  const { id } = await browser.createDataset({ file, declaration: { ...declaration, name: "fitted" } });
  const { id: ledger } = await browser.openLedger({ dataset: id, epsilon: "1", delta: "1e-6" });
  const exported = csvBytes(await (await browser.exportLedger({ ledger })).text());
  const { client, dataset } = await declared(other, "77");
  const copy = await client.importLedger({ dataset, content: exported, key });
  expect((await client.showDataset({ dataset })).isFitted).toBe(false);
  expect(copy.guarantee.fitted).toContain("Fitted to the data by its owner");
  const again = await checkExport(await (await client.exportLedger({ ledger: copy.id })).text());
  expect(again).toMatchObject({ ok: true, isFitted: true });
});

test("an export that was changed, cut, or never signed is refused, and nothing is opened", async () => {
  const { client, dataset } = await declared(other, "2");
  const lines = text.trimEnd().split("\n");
  const without = (test: (line: string) => boolean) => lines.filter((line) => !test(line)).join("\n");
  const isThird = (line: string) => line.includes('"table":"entry"') && line.includes('"number":"3"');
  const broken = {
    "a charge less": without(isThird),
    "a cheaper charge": text.replace('\\"epsilon\\":\\"0.1\\"', '\\"epsilon\\":\\"0.01\\"'),
    "another cap": text.replaceAll('"quota_epsilon":"5000000000000"', '"quota_epsilon":"9000000000000"'),
    "no signature": lines.slice(0, -1).join("\n"),
    "no export": "id,age\n1,2\n",
    nothing: "",
  };
  for (const [what, content] of Object.entries(broken)) {
    expect(content, what).not.toBe(text);
    expect(await codeOf(client.importLedger({ dataset, content: csvBytes(content), key })), what).toMatch(
      /^INVALID_PARAMETER the export is refused/,
    );
  }
  const stranger = fixture.as.stranger;
  expect(await codeOf(stranger.importLedger({ dataset: fixture.dataset, content: csvBytes(text), key }))).toMatch(
    /^NOT_FOUND/,
  );
  expect((await client.showDataset({ dataset })).ledger).toBeNull();
});

test("whom the ledger protects is compared: rows are not people, and a person is not a household", async () => {
  const content = csvBytes(text);
  const { client, dataset: rows } = await declared(other, "3", {
    privacyUnit: "row",
    contribution: {},
    unit: "person",
  });
  expect(await codeOf(client.importLedger({ dataset: rows, content, key }))).toMatch(
    /^CONFLICT population.unit is "column", must be row/,
  );
  const { dataset: households } = await declared(other, "4", { unit: "household" });
  expect(await codeOf(client.importLedger({ dataset: households, content, key }))).toMatch(
    /^CONFLICT population.privacyUnit is "person", must be household/,
  );
  const check = await checkExport(
    text
      .split("\n")
      .filter((line) => !line.includes('"table":"population"'))
      .join("\n"),
  );
  expect(check.problems.map(({ where }) => where)).toContain("population");
  const asRows = await checkExport(text.replace('"unit":"column"', '"unit":"row"'));
  expect(asRows.problems.map(({ where }) => where)).toContain("population");
});

test("what cannot be true is refused before it is priced, and no one waits behind it", async () => {
  const costly =
    '[{\\"kind\\":\\"repeated\\",\\"count\\":1000000000000,\\"event\\":{\\"kind\\":\\"pure\\",\\"epsilon\\":\\"0\\"}}]';
  const bad = text.replace(/"events":"\[\{.*?\}\]"/, `"events":"${costly}"`);
  expect(bad).not.toBe(text);
  const { stranger, datasetAdmin } = fixture.as;
  const [theirs, dataset] = [await declaredBy(stranger, "5"), await declaredBy(datasetAdmin, "6")];
  const [first, second] = await Promise.all([
    codeOf(stranger.importLedger({ dataset: theirs, content: csvBytes(bad) })),
    codeOf(datasetAdmin.importLedger({ dataset, content: csvBytes(text) })),
  ]);
  expect(first).toMatch(/^INVALID_PARAMETER the export is refused: signature/);
  expect(second).toMatch(/^CONFLICT .*is here and open/);
});

test("of one person one export arrives at a time: each is held in memory", async () => {
  const { stranger } = fixture.as;
  const dataset = await declaredBy(stranger, "8");
  const arriving = Promise.withResolvers<void>();
  const slow = new ReadableStream<Uint8Array<ArrayBuffer>>({
    async pull(controller) {
      await arriving.promise;
      controller.enqueue(csvBytes("no export"));
      controller.close();
    },
  });
  const first = fixture.instance.fetch(
    new Request(`${ORIGIN}/v1/datasets/${dataset}/ledger/import`, {
      method: "POST",
      headers: { authorization: `Bearer ${fixture.tokens.stranger}`, "content-type": "application/x-ndjson" },
      body: slow,
      duplex: "half",
    } as RequestInit),
  );
  await expect
    .poll(() => codeOf(stranger.importLedger({ dataset, content: csvBytes("no export") })))
    .toMatch(/^RATE_LIMITED other exports are arriving/);
  arriving.resolve();
  expect((await first).status).toBe(400);
  expect(await codeOf(stranger.importLedger({ dataset, content: csvBytes("no export") }))).toMatch(
    /^INVALID_PARAMETER/,
  );
});

test("a question that takes too long is given up and the next one is answered; more than may wait are refused", async () => {
  const lines = text.trimEnd().split("\n");
  const long = openImporter(1);
  const asked = { text, key };
  await expect(long.ask({ text: lines.join("\n").repeat(200), key })).rejects.toMatchObject({
    code: "PAYLOAD_TOO_LARGE",
  });
  await long.close();
  const importer = openImporter(200_000);
  const all = await Promise.all(
    [1, 2, 3, 4].map(() =>
      importer.ask(asked).then(
        () => "read",
        ({ code }) => code,
      ),
    ),
  );
  expect(all).toEqual(["read", "read", "read", "RATE_LIMITED"]);
  await importer.close();
});

test("in one instance a ledger lives once: it is frozen before its copy opens, and then never opens again", async () => {
  const admin = fixture.as.datasetAdmin;
  const dataset = await declaredBy(admin, "7");
  const [from, to, third] = [await declaredBy(admin, "8"), await declaredBy(admin, "9"), await declaredBy(admin, "10")];
  expect(await codeOf(admin.importLedger({ dataset, content: csvBytes(text) }))).toMatch(
    /^CONFLICT .*twice; freeze it first/,
  );
  const { id: original } = await admin.openLedger({ dataset: from, epsilon: "2", delta: "1e-6" });
  const exportOf = async (ledger: string) => csvBytes(await (await admin.exportLedger({ ledger })).text());
  const early = await exportOf(original);
  await admin.freezeLedger({ ledger: original, reason: "moves" });
  await admin.reopenLedger({ ledger: original, epsilon: "0.5", delta: "0", reason: "something was forgotten" });
  await admin.freezeLedger({ ledger: original, reason: "moves" });
  expect(await codeOf(admin.importLedger({ dataset: to, content: early }))).toMatch(/^CONFLICT .*gone on since/);
  const late = await exportOf(original);
  const copy = await admin.importLedger({ dataset: to, content: late });
  expect(copy.balance.epsilon.spent).toBe("0.5");
  await reopened(fixture.instance, admin, copy.id);
  const back = { ledger: original, epsilon: "0", delta: "0", reason: "twice" };
  expect(await codeOf(admin.reopenLedger(back))).toMatch(/^CONFLICT this ledger goes on as/);
  expect(await codeOf(admin.importLedger({ dataset: third, content: late }))).toMatch(
    /^CONFLICT .*imported here before/,
  );
  expect(await codeOf(admin.importLedger({ dataset: third, content: await exportOf(copy.id) }))).toMatch(
    /^CONFLICT .*is here and open/,
  );
  await admin.freezeLedger({ ledger: copy.id, reason: "moves on" });
  const again = await admin.importLedger({ dataset: third, content: await exportOf(copy.id) });
  expect(again).toMatchObject({ status: "frozen", balance: copy.balance });
  expect(await fixture.instance.database.audit.verify()).toMatchObject({ ok: true });
});

test("a copy of a raised ledger has the sentence of the raise, about its own people, also as a copy of a copy", async () => {
  const { id: dana } = (await fixture.as.datasetAdmin.me()).person;
  const admin = clientOf(fixture.instance, fixture.instance.operatorToken);
  const dataset = await declaredBy(fixture.as.datasetAdmin, "11");
  const { id: ledger } = await fixture.as.datasetAdmin.openLedger({ dataset, epsilon: "2", delta: "1e-6" });
  await fixture.as.datasetAdmin.freezeLedger({ ledger, reason: "a test" });
  await fixture.as.datasetAdmin.reopenLedger({ ledger, epsilon: "0.5", delta: "0", reason: "was forgotten" });
  const raise = { ledger, epsilon: "3", delta: "1e-6", reason: "a second wave, says Ana" };
  const { id } = await fixture.as.datasetAdmin.proposeAmendment(raise);
  await admin.secondAmendment({ amendment: id });
  const original = await fixture.as.datasetAdmin.setPublication({ ledger, isPublic: true });
  expect(original.guarantee.sentence).toMatch(/Among the histories.*Past the declared ceiling/);
  const shown = await createClient({ url: ORIGIN, fetch: fixture.instance.fetch }).showPublicGuarantee(original);
  expect(JSON.stringify(shown), dana).not.toMatch(/second wave|Ana/);
  const content = csvBytes(await (await fixture.as.datasetAdmin.exportLedger({ ledger })).text());
  const second = await declared(other, "12");
  const copy = await second.client.importLedger({ dataset: second.dataset, content, key });
  expect(copy.guarantee.sentence).toBe(original.guarantee.sentence.replace("staff 11", "staff 12"));
  const moved = csvBytes(await (await second.client.exportLedger({ ledger: copy.id })).text());
  const third = await declared(other, "13");
  const copied = await third.client.importLedger({ dataset: third.dataset, content: moved });
  expect(copied.guarantee.sentence).toBe(original.guarantee.sentence.replace("staff 11", "staff 13"));
});

const { blocks, ...whole } = declaredVisits({ lower: "2024-01-01", upper: "2024-03-31" });
const visitsBy = async (client: Client, name: string, declaration: object) => {
  const content = csvBytes(`who,seen\n${name},2024-01-15\np2,2024-02-15\n`);
  const file = await client.uploadFile({ name: "visits.csv", content });
  return (await client.createDataset({ file: file.id, declaration: { ...whole, ...declaration, name }, name })).id;
};
const spentBy = async (client: Client, ledger: string) => (await client.showBlocks({ ledger })).rows[0]?.runs;

test("a ledger that got blocks goes on elsewhere with what each of them has spent, also as a copy of a copy [M161] [M168]", async () => {
  const admin = fixture.as.datasetAdmin;
  const dataset = await visitsBy(admin, "visits 16", {});
  const { id: ledger } = await admin.openLedger({ dataset, epsilon: "4", delta: "1e-6", rule: "tight" });
  const holder = { kind: "person", id: (await admin.me()).person.id } as const;
  const { id: account } = await admin.createAccount({ ledger, holder, epsilon: "4" });
  const count = (epsilon: string, window?: string) => ({
    ...{ dataset, account, reuse: "never" as const },
    plan: {
      statistics: [{ id: "n", statistic: "count", epsilon }],
      ...present({ window }),
    } satisfies Plan,
  });
  await admin.releaseAndWait(count("0.1"));
  const migration = { ledger, every: "month", zone: "Europe/Berlin", reason: "the table grows" } as const;
  await admin.migrateLedger(migration);
  await clientOf(fixture.instance, fixture.instance.operatorToken).migrateLedger(migration);
  await admin.createVersion({ dataset, declaration: { ...whole, name: "visits 16", blocks } });
  await admin.releaseAndWait(count("0.3", "2024-01 to 2024-02"));
  await admin.releaseAndWait(count("0.2", "2024-02"));
  const original = await admin.showLedger({ ledger });
  const spent = await spentBy(admin, ledger);
  expect(spent?.map(({ from }) => from)).toEqual(["2024-01", "2024-02", "2024-03"]);
  const content = csvBytes(await (await admin.exportLedger({ ledger })).text());

  const there = clientOf(other, other.operatorToken);
  const weekly = await visitsBy(there, "visits by week", { blocks: { ...blocks, every: "week" } });
  expect(await codeOf(there.importLedger({ dataset: weekly, content, key }))).toMatch(/^CONFLICT declaration.blocks/);
  const second = await visitsBy(there, "visits 17", { blocks });
  const copy = await there.importLedger({ dataset: second, content, key });
  expect(copy).toMatchObject({ status: "frozen", balance: original.balance, blocks: original.blocks });
  expect(copy.guarantee.sentence).toBe(original.guarantee.sentence.replace("visits 16", "visits 17"));
  expect(await spentBy(there, copy.id)).toEqual(spent);
  const again = await (await there.exportLedger({ ledger: copy.id })).text();
  expect((await checkExport(again)).problems).toEqual([]);
  const third = await visitsBy(there, "visits 18", { blocks });
  const last = await there.importLedger({ dataset: third, content: csvBytes(again) });
  expect(await spentBy(there, last.id)).toEqual(spent);
  expect(await other.database.audit.verify()).toMatchObject({ ok: true, problems: [] });
});

test("a ledger with its own sentence is imported; one whose sentence says anything else is not", async () => {
  const admin = fixture.as.datasetAdmin;
  const { id: ledger } = await admin.openLedger({
    ...{ dataset: await visitsBy(admin, "visits 24", { blocks }), epsilon: "4", delta: "1e-6" },
  });
  const importer = openImporter();
  const read = await importer.ask({ text: await (await admin.exportLedger({ ledger })).text(), key });
  await importer.close();
  if ("problem" in read) throw new RangeError(read.problem);
  const { sentence: said } = read.copy;
  const there = clientOf(other, other.operatorToken);
  const dataset = await visitsBy(there, "visits 25", { blocks });
  const { population } = await other.database.catalog.dataset(dataset);
  const by = (await there.me()).person.id as PrincipalId;
  const imported = (sentence: string) =>
    other.database.ledgers.import({ population, by, copy: { ...read.copy, sentence } });
  for (const sentence of [
    said.replaceAll("4", "3"),
    `${said} No one loses more.`,
    said.replace(" in any one month", ""),
  ])
    expect(await codeOf(imported(sentence))).toBe("CONFLICT the copy's sentence is not what its terms promise");
  const { sentence } = await imported(said);
  expect(sentence).toMatch(
    /Population: visits 25; .* Over k months together, one who has at most kε and .*, with ε = 4 and δ = 0\.000001 of each month/,
  );
});

test("a ledger of cohorts goes on for a population of the same cohorts alone [M170]", async () => {
  const admin = fixture.as.datasetAdmin;
  const cohorts = { ...blocks, protects: "person" } as const;
  const dataset = await visitsBy(admin, "visits 21", { blocks: cohorts });
  const { id: ledger } = await admin.openLedger({ dataset, epsilon: "4", delta: "1e-6" });
  const holder = { kind: "person", id: (await admin.me()).person.id } as const;
  const { id: account } = await admin.createAccount({ ledger, holder, epsilon: "4" });
  const plan = { window: "2024-01", statistics: [{ id: "n", statistic: "count", epsilon: "0.3" }] } satisfies Plan;
  await admin.releaseAndWait({ dataset, account, plan });
  const original = await admin.showLedger({ ledger });
  const content = csvBytes(await (await admin.exportLedger({ ledger })).text());
  const there = clientOf(other, other.operatorToken);
  const periods = await visitsBy(there, "visits 22", { blocks });
  expect(await codeOf(there.importLedger({ dataset: periods, content, key }))).toMatch(
    /^CONFLICT declaration.blocks is "every month .*, must be people by the month of their least date/,
  );
  const second = await visitsBy(there, "visits 23", { blocks: cohorts });
  const copy = await there.importLedger({ dataset: second, content, key });
  expect(copy).toMatchObject({ balance: original.balance, blocks: original.blocks });
  expect(copy.guarantee.sentence).toBe(original.guarantee.sentence.replace("visits 21", "visits 23"));
  expect(await spentBy(there, copy.id)).toEqual(await spentBy(admin, ledger));
  const again = await (await there.exportLedger({ ledger: copy.id })).text();
  expect((await checkExport(again)).problems).toEqual([]);
});

test("a copy of a ledger that was raised up to its declared ceiling knows what was declared: it gets no blocks [M168]", async () => {
  const admin = fixture.as.datasetAdmin;
  const dataset = await declaredBy(admin, "19");
  const ceiling = { epsilon: "2", delta: "1e-6" };
  const { id: ledger } = await admin.openLedger({ dataset, epsilon: "1", delta: "1e-6", ceiling });
  const { id } = await admin.proposeAmendment({ ledger, ...ceiling, reason: "a second wave" });
  await clientOf(fixture.instance, fixture.instance.operatorToken).secondAmendment({ amendment: id });
  const content = csvBytes(await (await admin.exportLedger({ ledger })).text());
  const second = await declared(other, "20");
  const copy = await second.client.importLedger({ dataset: second.dataset, content, key });
  await reopened(other, second.client, copy.id);
  const migration = { ledger: copy.id, every: "month", zone: "UTC", reason: "the table grows" } as const;
  expect(await codeOf(second.client.migrateLedger(migration))).toMatch(/^CONFLICT ceiling is "\(2, 0.000001\)"/);
});

test("an export carries the threshold, both verifiers check it, and every copy has it", async () => {
  const admin = fixture.as.datasetAdmin;
  const { id: ledger } = await admin.openLedger({
    dataset: await declaredBy(admin, "14"),
    epsilon: "2",
    delta: "1e-6",
  });
  await admin.setLedger({ ledger, threshold: "0.5" });
  await admin.setLedger({ ledger, threshold: "0.04" });
  const exported = await (await admin.exportLedger({ ledger })).text();
  const first = await declared(other, "14");
  const copy = await first.client.importLedger({ dataset: first.dataset, content: csvBytes(exported), key });
  const again = await (await first.client.exportLedger({ ledger: copy.id })).text();
  const second = await declared(other, "15");
  await second.client.freezeLedger({ ledger: copy.id, reason: "moves on" });
  const last = await second.client.importLedger({ dataset: second.dataset, content: csvBytes(again) });
  expect([copy.threshold, last.threshold]).toEqual(["0.04", "0.04"]);
  expect((await second.client.reportLedger({ ledger: last.id })).threshold).toBe(0.04);
  for (const each of [exported, again]) expect((await checkExport(each)).problems).toEqual([]);
  expect(await other.database.audit.verify()).toMatchObject({ ok: true });

  const lines = exported.split("\n");
  const kept = lines.filter((line) => !line.includes('"table":"report_threshold"'));
  expect(kept).toHaveLength(lines.length - 1);
  const problemsOf = async (forged: string) =>
    (await checkExport(forged)).problems.map(({ where, problem }) => `${where} ${problem}`);
  expect(await problemsOf(kept.join("\n"))).toContain(`threshold rpt_${ledger} is missing`);
  const higher = exported.replace('"epsilon":"40000000000"', '"epsilon":"90000000000"');
  expect(await problemsOf(higher)).toContain(`threshold rpt_${ledger} differs from its last audited change`);
});

test("the names of other datasets of the same people are shown only to those who may see them", async () => {
  const admin = fixture.as.datasetAdmin;
  const { population } = await admin.showDataset({ dataset: fixture.dataset });
  const file = await admin.uploadFile({ name: "b.csv", content: csvBytes("person,age,sex,salary\n1,31,f,7\n") });
  const name = "secret-hiv-registry";
  const { id } = await admin.createDataset({ file: file.id, declaration, name, population });
  const { auditor, member } = fixture.as;
  expect(await codeOf(auditor.showDataset({ dataset: id }))).toMatch(/^NOT_FOUND/);
  const seen = [
    await auditor.showAccount({ account: fixture.memberAccount }),
    await auditor.listAccounts({ ledger: fixture.ledger }),
    await auditor.showLedger({ ledger: fixture.ledger }),
    await auditor.showDataset({ dataset: fixture.dataset }),
    await auditor.listDatasets({}),
    await auditor.search({ text: "secret" }),
    await auditor.listEntries({ ledger: fixture.ledger }),
  ];
  expect(JSON.stringify(seen)).not.toMatch(new RegExp(`${name}|${id}`));
  expect((await member.showAccount({ account: fixture.memberAccount })).datasetNames.toSorted()).toEqual([
    name,
    "staff",
  ]);
});

test("what is promised is public only where the admin said so, without a name of anybody or a spend", async () => {
  const anybody = createClient({ url: ORIGIN, fetch: fixture.instance.fetch });
  const { population } = await fixture.as.datasetAdmin.showLedger({ ledger: fixture.ledger });
  const asked = () => codeOf(anybody.showPublicGuarantee({ population }));
  expect(await asked()).toMatch(/^NOT_FOUND/);
  expect(await codeOf(fixture.as.member.setPublication({ ledger: fixture.ledger, isPublic: true }))).toMatch(
    /^FORBIDDEN/,
  );
  expect((await fixture.as.datasetAdmin.setPublication({ ledger: fixture.ledger, isPublic: true })).isPublic).toBe(
    true,
  );
  const shown = await anybody.showPublicGuarantee({ population });
  const { guarantee, head } = await fixture.as.datasetAdmin.showLedger({ ledger: fixture.ledger });
  expect(shown).toMatchObject({ sentence: guarantee.sentence, epsilon: "5", privacyUnit: "person", head });
  expect(shown.versions).toHaveLength(1);
  expect(JSON.stringify(shown)).not.toMatch(/usr_|spent|used|[":]0\.3/);
  await fixture.as.datasetAdmin.setPublication({ ledger: fixture.ledger, isPublic: false });
  expect(await asked()).toBe(await codeOf(anybody.showPublicGuarantee({ population: "pop_none" })));
  expect(await fixture.instance.database.audit.verify()).toMatchObject({ ok: true });
});

test("a copy relies on the programs outside that its original relied on, and says so [M388]", async () => {
  const source = await buildFixture(await openTestInstance());
  const { as, memberAccount: account, ledger } = source;
  await as.datasetAdmin.setDeclaring({ account, mostEpsilon: "1" });
  for (const name of ["train/1", "train/2", "count"])
    await as.member.declareCharge({
      ...{ account, key: name, purpose: "a model", relation: "add-or-remove-one", rowsPerUnit: 1 },
      events: [{ kind: "pure", epsilon: "0.1" }],
    });
  const written = await (await as.datasetAdmin.exportLedger({ ledger })).text();
  const { signedBy } = await checkExport(written);
  const { client, dataset } = await declared(other, "41");
  const copy = await client.importLedger({ dataset, content: csvBytes(written), key: signedBy ?? "" });
  expect(copy.guarantee.sentence).toMatch(/ 2 programs outside did what they declared\.$/);
  expect(copy.balance.epsilon.spent).toBe("0.3");
  const again = await checkExport(await (await client.exportLedger({ ledger: copy.id })).text());
  expect(again.problems).toEqual([]);
  expect(again.programs).toHaveLength(2);
  const published = { on: "2019-01-01", where: "a report", rowsPerUnit: 1, relation: "add-or-remove-one" as const };
  const rows = [{ ...published, key: "2019", events: [{ kind: "pure", epsilon: "30" }] }];
  await as.datasetAdmin.importCharges({ ledger, rows });
  const frozen = await (await as.datasetAdmin.exportLedger({ ledger })).text();
  const { client: third, dataset: free } = await declared(other, "42");
  const refusedCopy = third.importLedger({ dataset: free, content: csvBytes(frozen), key: signedBy ?? "" });
  await expect(refusedCopy).rejects.toThrow(/what was published before is not counted/);
  await source.instance.close();
});

test("so does a copy of a ledger that got blocks, which counts them twice [M168] [M388]", async () => {
  const source = await buildFixture(await openTestInstance());
  const admin = source.as.datasetAdmin;
  const dataset = await visitsBy(admin, "visits 51", {});
  const { id: ledger } = await admin.openLedger({ dataset, epsilon: "4", delta: "1e-6" });
  const holder = { kind: "person" as const, id: source.people.member };
  const { id: account } = await admin.createAccount({ ledger, holder, epsilon: "4" });
  await admin.setDeclaring({ account, mostEpsilon: "1" });
  for (const key of ["train/1", "train/2", "count"])
    await source.as.member.declareCharge({
      ...{ account, dataset, key, purpose: "a model", relation: "add-or-remove-one", rowsPerUnit: 1000 },
      events: [{ kind: "pure", epsilon: "0.1" }],
    });
  const migration = { ledger, every: "month" as const, zone: "Europe/Berlin", reason: "the table grows" };
  for (const client of [admin, clientOf(source.instance, source.instance.operatorToken)])
    await client.migrateLedger(migration);
  await admin.createVersion({ dataset, declaration: { ...whole, name: "visits 51", blocks } });
  const written = await (await admin.exportLedger({ ledger })).text();
  const { signedBy, problems } = await checkExport(written);
  expect(problems).toEqual([]);
  const client = clientOf(other, other.operatorToken);
  const there = await visitsBy(client, "visits 52", { blocks });
  const copy = await client.importLedger({ dataset: there, content: csvBytes(written), key: signedBy ?? "" });
  expect(copy.guarantee.sentence).toMatch(/ 2 programs outside did what they declared\.$/);
  const again = await checkExport(await (await client.exportLedger({ ledger: copy.id })).text());
  expect(again.problems).toEqual([]);
  expect(again.programs).toHaveLength(2);
  expect(await other.database.audit.verify()).toMatchObject({ ok: true });
  await source.instance.close();
});
