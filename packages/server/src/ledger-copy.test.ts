import { createClient } from "@dosimeter/client";
import { checkExport } from "@dosimeter/verify";
import { afterAll, beforeAll, expect, test } from "vitest";
import {
  buildWorld,
  clientOf,
  countPlan,
  csvBytes,
  declaration,
  ORIGIN,
  openTestHouse,
  type World,
} from "./house.kit.ts";
import type { House } from "./house.ts";

let world: World;
let other: House;
let text: string;
let key: string;
beforeAll(async () => {
  [world, other] = [await buildWorld(await openTestHouse()), await openTestHouse()];
  for (const idempotencyKey of ["a", "b", "c"])
    await world.as.member.releaseAndWait(
      { dataset: world.dataset, account: world.memberAccount, plan: countPlan("0.1") },
      { idempotencyKey },
    );
  text = await (await world.as.datasetAdmin.exportLedger({ ledger: world.ledger })).text();
  key = (await checkExport(text)).signedBy ?? "";
});
afterAll(async () => {
  await world.house.close();
  await other.close();
});

const codeOf = (asked: Promise<unknown>): Promise<string> =>
  asked.then(
    () => "nothing was thrown",
    ({ code, message }: { code: string; message: string }) => `${code} ${message}`,
  );

/** A dataset of new people without a ledger, of whoever runs the machine. */
async function declared(house: House, id: string) {
  const client = clientOf(house, house.operatorToken);
  const file = await client.uploadFile({
    name: "moved.csv",
    content: csvBytes(`person,age,sex,salary\n${id},30,f,5\n`),
  });
  return { client, dataset: (await client.createDataset({ file: file.id, declaration, name: `staff ${id}` })).id };
}

test("an imported ledger has spent what the original has, frozen until it is opened, and adds up by both verifiers", async () => {
  const { client, dataset } = await declared(other, "1");
  const content = csvBytes(text);
  expect(await codeOf(client.importLedger({ dataset, content }))).toMatch(/INVALID_PARAMETER.*signed by/);
  const copy = await client.importLedger({ dataset, content, key });
  const original = await world.as.datasetAdmin.showLedger({ ledger: world.ledger });
  expect(copy).toMatchObject({ status: "frozen", balance: original.balance, guarantee: original.guarantee });
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
  await client.reopenLedger({ ledger: copy.id, epsilon: "0", delta: "0", reason: "the original has stopped" });
  await client.releaseAndWait({ dataset, account: account.id, plan }, { idempotencyKey: "k" });
  expect((await client.showLedger({ ledger: copy.id })).balance.epsilon.spent).toBe("0.4");
  expect(await client.verify()).toMatchObject({ ok: true, problems: [] });
  const again = await checkExport(await (await client.exportLedger({ ledger: copy.id })).text());
  expect(again.problems).toEqual([]);
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
  const stranger = world.as.stranger;
  expect(await codeOf(stranger.importLedger({ dataset: world.dataset, content: csvBytes(text), key }))).toMatch(
    /^NOT_FOUND/,
  );
  expect((await client.showDataset({ dataset })).ledger).toBeNull();
});

test("what is promised is public only where the admin said so, without a name of anybody or a spend", async () => {
  const anybody = createClient({ url: ORIGIN, fetch: world.house.fetch });
  const { population } = await world.as.datasetAdmin.showLedger({ ledger: world.ledger });
  const asked = () => codeOf(anybody.showPublicGuarantee({ population }));
  expect(await asked()).toMatch(/^NOT_FOUND/);
  expect(await codeOf(world.as.member.setPublication({ ledger: world.ledger, isPublic: true }))).toMatch(/^FORBIDDEN/);
  expect((await world.as.datasetAdmin.setPublication({ ledger: world.ledger, isPublic: true })).isPublic).toBe(true);
  const shown = await anybody.showPublicGuarantee({ population });
  const { guarantee, head } = await world.as.datasetAdmin.showLedger({ ledger: world.ledger });
  expect(shown).toMatchObject({ sentence: guarantee.sentence, epsilon: "5", privacyUnit: "person", head });
  expect(shown.versions).toHaveLength(1);
  expect(JSON.stringify(shown)).not.toMatch(/usr_|spent|used|0\.3/);
  await world.as.datasetAdmin.setPublication({ ledger: world.ledger, isPublic: false });
  expect(await asked()).toBe(await codeOf(anybody.showPublicGuarantee({ population: "pop_none" })));
  expect(await world.house.books.audit.verify()).toMatchObject({ ok: true });
});
