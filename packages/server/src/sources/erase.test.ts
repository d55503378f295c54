import { readdirSync } from "node:fs";
import { join } from "node:path";
import { present } from "@dosimeter/core/internal";
import { type AccountId, type PrincipalId, systemPrincipal, type TeamId } from "@dosimeter/ledger";
import { afterAll, beforeAll, expect, test } from "vitest";
import { temporaryFolder } from "../../../../test/folder.kit.ts";
import { buildFixture, clientOf, countPlan, type Fixture, openTestInstance } from "../instance.kit.ts";

let instance: Awaited<ReturnType<typeof openTestInstance>>;
let fixture: Fixture;
beforeAll(async () => {
  instance = await openTestInstance();
  fixture = await buildFixture(instance);
});
afterAll(() => instance.close());

test("erased uploads are gone, nothing is charged for them any more, and what was answered and spent stays", async () => {
  const { as, dataset, memberAccount: account } = fixture;
  const uploads = () => readdirSync(join(instance.folder, "files")).filter((name) => name.startsWith("fil_"));
  const ask = (key: string, plan = countPlan()) =>
    as.member.releaseAndWait({ dataset, account, plan, reuse: "never" }, { idempotencyKey: key });
  const before = await ask("one");
  expect(uploads(), "a table, its record and its mark").toHaveLength(3);
  await expect(as.member.eraseUploads({ dataset })).rejects.toMatchObject({ code: "FORBIDDEN" });
  expect(await as.datasetAdmin.eraseUploads({ dataset })).toEqual({ files: 1 });
  expect(uploads()).toEqual([]);
  const balance = () => instance.database.ledgers.balance(account as AccountId);
  const spent = await balance();
  await expect(ask("two")).rejects.toMatchObject({ code: "DATA_UNREADABLE" });
  expect(await balance()).toEqual(spent);
  expect(await ask("one"), "the earlier answer").toEqual(before);
  expect(await as.datasetAdmin.eraseUploads({ dataset }), "again").toEqual({ files: 0 });
  expect((await instance.database.audit.verify()).problems).toEqual([]);
  const lines = await instance.database.audit.lines({ action: "dataset.erase" });
  expect(lines.items).toHaveLength(2);
});

test("people are erased as many days after their removal as the setting says, and no sooner", async () => {
  const folder = temporaryFolder();
  const opened = (eraseAfterDays?: number) => openTestInstance({ folder, ...present({ eraseAfterDays }) });
  const first = await opened();
  const operator = clientOf(first, first.operatorToken);
  const [ana, bea] = [await operator.createPerson({ name: "Ana" }), await operator.createPerson({ name: "Bea" })];
  await operator.removePerson({ person: ana.id });
  const cy = await operator.createPerson({ name: "Cy" });
  const identity = { issuer: "https://id.example", subject: "cy" };
  await first.database.people.linkIdentity({ ...identity, principal: cy.id as PrincipalId, by: systemPrincipal });
  await operator.removePerson({ person: cy.id });
  await first.close();
  const names: string[][] = [];
  for (const days of [1, 0, 0]) {
    const later = await opened(days);
    const { people, audit } = later.database;
    names.push([(await people.principal(ana.id)).name, (await people.principal(bea.id)).name]);
    expect(await people.isBanned({ identity }), "and stays out").toBe(names.length > 1);
    if (names.length === 3) expect((await audit.lines({ action: "principal.erase" })).items).toHaveLength(2);
    await later.close();
  }
  expect(names).toEqual([
    ["Ana", "Bea"],
    ["Erased", "Bea"],
    ["Erased", "Bea"],
  ]);
});

test("notifications, and names of what has ended, are kept as many days as the settings say; charges and the audit verify as before", async () => {
  const folder = temporaryFolder();
  const opened = (days?: number) =>
    openTestInstance({ folder, ...(days === undefined ? {} : { keepDays: { notifications: days, access: days } }) });
  const first = await opened();
  const { as, people, dataset, memberAccount: account, team } = await buildFixture(first);
  await as.member.releaseAndWait({ dataset, account, plan: countPlan() });
  const [kept, ended] = [
    await as.member.createToken({ name: "kept", scopes: ["read"] }),
    await as.member.createToken({ name: "of a laptop", scopes: ["read"] }),
  ];
  await as.member.revokeToken({ token: ended.id });
  const sent = { team: team as TeamId, email: "zoe@example.org", days: 7, by: people.teamAdmin as PrincipalId };
  const { invitation: invited } = await first.database.people.invite({ ...sent, role: "member" });
  await as.teamAdmin.endInvitation({ team, invitation: invited.id });
  const head = (await first.database.audit.lines({ limit: 1 })).items[0]?.sequence ?? 0;
  await first.close();
  const seen = async (days: number) => {
    const { database, close } = await opened(days);
    const member = people.member as PrincipalId;
    const names = (await database.people.credentials(member)).filter(({ id }) => [kept.id, ended.id].includes(id));
    const found = {
      told: (await database.outbox.notifications({ principal: member })).items.length > 0,
      names: names.map(({ name }) => name).toSorted(),
      address: (await database.people.invitation(invited.id)).email,
      lines: (await database.audit.lines({ limit: 1 })).items[0]?.sequence ?? 0,
    };
    expect((await database.audit.verify()).problems).toEqual([]);
    await close();
    return found;
  };
  const before = await seen(1);
  expect(before).toMatchObject({ told: true, names: ["kept", "of a laptop"], address: "zoe@example.org" });
  const after = await seen(0);
  expect(after).toMatchObject({ told: false, names: ["", "kept"], address: null });
  expect(after.lines, "each with a line").toBeGreaterThan(before.lines);
  expect(before.lines).toBeGreaterThanOrEqual(head);
});
