import type { Client } from "@dosimeter/client";
import { epsilonAmount } from "@dosimeter/core";
import { type AccountId, type DatasetId, type LedgerId, systemPrincipal } from "@dosimeter/ledger";
import { afterAll, beforeAll, expect, test } from "vitest";
import { buildFixture, codeOf, type Fixture, openTestInstance } from "../instance.kit.ts";
import { aside, buildVisits, pointsOf, released, scheduleOf, type Visits } from "./schedules.kit.ts";

let instance: Awaited<ReturnType<typeof openTestInstance>>;
let fixture: Fixture;
let visits: Visits;

beforeAll(async () => {
  instance = await openTestInstance();
  fixture = await buildFixture(instance);
  visits = await buildVisits(fixture);
});
afterAll(() => instance.close());

const all = (schedule: string) => released(instance, fixture.as.member, schedule);
const entries = async () => (await fixture.as.datasetAdmin.showLedger({ ledger: visits.ledger })).head.number;
const notices = async (client = fixture.as.member) =>
  (await client.listNotifications({})).items.filter(({ kind }) => kind === "report").map(({ title }) => title);

test("a schedule says what each month pays, and a new month brings its report by itself, once", async () => {
  const { member, teamAdmin, stranger, datasetAdmin } = fixture.as;
  const asked = scheduleOf(visits, { from: "2023-10" });
  const { name: _, ...quoted } = asked;
  expect(await member.quoteSchedule(quoted)).toMatchObject({
    ...{ latest: 12, every: "month", zone: "Europe/Berlin", first: "2023-10" },
    ...{ price: { epsilon: "0.5", delta: "0" }, earmark: { epsilon: "6", delta: "0" } },
    next: { block: "2023-10", at: "2023-10-31T23:00:00.000Z", waitsFor: "nothing" },
  });
  const made = await member.createSchedule({ ...asked, recipients: [fixture.people.teamAdmin] });
  await all(made.id);
  const shown = await member.showSchedule({ schedule: made.id });
  expect(shown.points.map(({ block, state }) => [block, state])).toEqual([
    ["2023-10", "released"],
    ["2023-11", "released"],
    ["2023-12", "released"],
  ]);
  // Noise of scale 4: off by more than 100 in one of 10^10 reports.
  for (const { answers } of shown.points)
    expect(Math.abs((answers?.[0]?.cells[0]?.value ?? 0) - 120)).toBeLessThan(100);
  const plans = shown.points.map(({ release }) => member.showRelease({ release: release ?? "" }));
  expect((await Promise.all(plans)).map(({ plan }) => plan.window)).toEqual([
    { blocks: ["2022-11 to 2023-10"] },
    { blocks: ["2022-12 to 2023-11"] },
    { blocks: ["2023-01 to 2023-12"] },
  ]);
  // Its account pays for no other question, of its owner either, and says so wherever accounts are listed.
  const march = { window: "2023-03", statistics: [{ id: "n", statistic: "count", epsilon: "0.5" }] };
  const other = { dataset: visits.dataset, account: made.account, plan: march };
  for (const ask of [() => member.releaseAndWait(other), () => member.quotePlan(other)])
    await expect(ask()).rejects.toMatchObject({
      code: "FORBIDDEN",
      message: expect.stringContaining("ask from another purpose, or end the report"),
    });
  expect(await codeOf(teamAdmin.releaseAndWait(other))).toBe("FORBIDDEN");
  const { items: listing } = await member.listAccounts({ ledger: visits.ledger });
  const { accounts } = await member.showDataset({ dataset: visits.dataset });
  for (const account of [await member.showAccount({ account: made.account }), ...listing, ...accounts])
    expect([account.id, account.mine.mayRelease]).toEqual([account.id, false]);
  expect(listing.map(({ id }) => id)).toContain(made.account);
  // January is over, and no version declares it: it waits for one, whatever is in the rows.
  expect(shown.next).toMatchObject({ block: "2024-01", waitsFor: "version" });
  const before = await entries();
  await all(made.id);
  // A clock that goes back, or far ahead, makes none twice and none too early.
  for (const now of ["2023-10-01T00:00:00Z", "2098-01-01T00:00:00Z"])
    await instance.schedules.run(Date.parse(now) / 1000);
  expect(await entries()).toBe(before);
  await visits.publish("2024-01-31", "p1,2024-01-09\n");
  await all(made.id);
  expect((await pointsOf(member, made.id)).at(-1)).toEqual(["2024-01", "released"]);
  expect((await notices()).sort()).toEqual(
    ["2023-10", "2023-11", "2023-12", "2024-01"].map((month) => `Visits a year on visits: ${month} is there`),
  );
  expect(await notices(teamAdmin)).toHaveLength(4);
  expect(await notices(stranger)).toEqual([]);
  expect(await codeOf(stranger.showSchedule({ schedule: made.id }))).toBe("NOT_FOUND");
  const listed = await datasetAdmin.listSchedules({ dataset: visits.dataset });
  expect(listed.items).toMatchObject([{ id: made.id, isMine: false, ownerName: "member", status: "active" }]);
  // What is shown again costs nothing.
  expect(await entries()).toBe(before + 1);
  await member.endSchedule({ schedule: made.id });
  // Four of twelve reports are paid for: what a month has spent stays.
  expect((await member.showAccount({ account: visits.account })).allocated.epsilon).toBe("2");
});

test("who overspends one month is refused there and only there; it is kept, notified of and can be tried again", async () => {
  const { member, teamAdmin } = fixture.as;
  const january = (account: string, epsilon: string) =>
    member.releaseAndWait({
      ...{ dataset: visits.dataset, account },
      plan: { window: "2024-01", statistics: [{ id: "n", statistic: "count", epsilon }] },
    });
  await january(visits.account, "2.5");
  const { id } = await member.createSchedule(scheduleOf(visits, { name: "Two months", latest: 2, from: "2024-02" }));
  const holder = { kind: "purpose", name: "Other questions" } as const;
  const purpose = { ledger: visits.ledger, parent: visits.account, holder, epsilon: "7" };
  // What the owner's account paid by itself is not there for a purpose: of January no more is given than leaves what the report set aside.
  await expect(member.createAccount(purpose)).rejects.toMatchObject({
    code: "QUOTA_UNAVAILABLE",
    details: { block: "2024-01" },
  });
  const { account } = visits;
  await teamAdmin.setAccount({ account, mode: "overbooked" });
  const { id: others } = await member.createAccount(purpose);
  await teamAdmin.setAccount({ account, mode: "funded" });
  // Of ε 10 January has now spent 0.5, 2.5 and 6.6: there is no room for the report of February.
  await january(others, "6.6");
  await visits.publish("2024-04-30");
  await all(id);
  expect(await pointsOf(member, id)).toEqual([
    ["2024-02", "QUOTA_EXHAUSTED"],
    ["2024-03", "released"],
    ["2024-04", "released"],
  ]);
  const [refused] = (await member.showSchedule({ schedule: id })).points;
  expect(refused?.refusal?.detail).toMatch(/^In 2024-01, the first block without room: /);
  expect(await notices()).toContain("Two months on visits: 2024-02 was refused");
  const before = await entries();
  const again = { schedule: id, block: "2024-02" };
  expect((await member.retryReport(again)).points[0]?.state).toBe("refused");
  expect(await codeOf(teamAdmin.retryReport(again))).toBe("FORBIDDEN");
  for (const block of ["2024-01", "2024-05", "2031-01"])
    expect(await codeOf(member.retryReport({ schedule: id, block }))).toBe("NOT_FOUND");
  expect(await codeOf(member.retryReport({ schedule: id, block: "february" }))).toBe("INVALID_PARAMETER");
  expect(await entries()).toBe(before);
  await teamAdmin.allocateQuota({ account: visits.account, epsilon: "1" });
  await member.retryReport(again);
  await member.retryReport(again);
  await all(id);
  expect((await pointsOf(member, id))[0]).toEqual(["2024-02", "released"]);
  expect(await entries()).toBe(before + 1);

  // Without the rights no report is made; with them again, the same one is.
  await teamAdmin.removeMember({ team: fixture.team, person: fixture.people.member });
  await visits.publish("2024-05-31");
  await instance.schedules.run();
  await teamAdmin.addMember({ team: fixture.team, person: fixture.people.member });
  await teamAdmin.unfreezeAccount({ account: visits.account });
  const [, , , may] = await pointsOf(member, id);
  expect(may).toEqual(["2024-05", "NOT_FOUND"]);
  await member.retryReport({ schedule: id, block: "2024-05" });
  await all(id);
  expect((await pointsOf(member, id)).at(-1)).toEqual(["2024-05", "released"]);

  // While it is paused nothing is made; taken up again, what was missed is, in order.
  await member.setSchedule({ schedule: id, status: "paused" });
  await visits.publish("2024-07-31");
  await all(id);
  expect(await pointsOf(member, id)).toHaveLength(4);
  await member.setSchedule({ schedule: id, status: "active" });
  await all(id);
  expect((await pointsOf(member, id)).slice(4)).toEqual([
    ["2024-06", "released"],
    ["2024-07", "released"],
  ]);
  await member.endSchedule({ schedule: id });
  expect(await codeOf(member.setSchedule({ schedule: id, status: "active" }))).toBe("CONFLICT");
  expect(await codeOf(member.retryReport({ schedule: id, block: "2024-02" }))).toBe("CONFLICT");
  expect((await member.showSchedule({ schedule: id })).next).toBeNull();
});

test("what a schedule cannot be is refused at the edge, and nothing is set aside", async () => {
  const { member, teamAdmin, stranger } = fixture.as;
  const allocated = async () => (await member.showAccount({ account: visits.account })).allocated;
  const before = await allocated();
  const edit = (more: object) => scheduleOf(visits, { name: "Wrong", ...more });
  const counted = (statistic: object, more: object = {}) => ({ plan: { statistics: [statistic], ...more } });
  for (const [asked, code, message] of [
    [{ latest: 0 }, "INVALID_PARAMETER", "latest"],
    [{ latest: 61 }, "INVALID_PARAMETER", "latest"],
    [{ from: "2022-11" }, "INVALID_PARAMETER", "from 2022-12, the first with 12 months"],
    [{ from: "2099-01" }, "INVALID_PARAMETER", "from"],
    [{ from: "May" }, "INVALID_PARAMETER", "from"],
    [counted({ statistic: "count", epsilon: "0.5" }, { window: "latest 3" }), "INVALID_PARAMETER", "absent"],
    [counted({ statistic: "distinctUnits", epsilon: "0.5" }), "UNSUPPORTED_QUERY", "over one month"],
    [counted({ statistic: "count", epsilon: "2" }), "QUOTA_EXHAUSTED", "would not fit next to the others"],
    [counted({ statistic: "mean", epsilon: "0.5" }), "INVALID_PARAMETER", "column"],
    [{ recipients: [fixture.people.stranger] }, "INVALID_PARAMETER", "who may read the account"],
  ] as const) {
    const making = member.createSchedule(edit(asked));
    await expect(making, message).rejects.toMatchObject({ code, message: expect.stringContaining(message) });
  }
  expect(await codeOf(teamAdmin.createSchedule(edit({})))).toBe("FORBIDDEN");
  expect(await codeOf(stranger.createSchedule(edit({})))).toBe("NOT_FOUND");
  const elsewhere = { dataset: fixture.dataset, account: fixture.memberAccount };
  await expect(member.createSchedule(edit(elsewhere))).rejects.toThrow("a report comes when one is over");
  expect(await allocated()).toEqual(before);
  expect((await instance.database.audit.verify()).problems).toEqual([]);
});

test("what a report has set aside stands next to what is spent, for those who may see its account", async () => {
  const { member, datasetAdmin, stranger } = fixture.as;
  const plan = { statistics: [{ id: "visits", statistic: "count", epsilon: "0.25" }] };
  const asked = scheduleOf(visits, { name: "Three months", latest: 3, plan });
  const { id, account } = await member.createSchedule(asked);
  const { next } = await member.showSchedule({ schedule: id });
  expect(next?.block).toBe("2024-08");
  const held = (client: Client, block: string) => aside(client, visits.ledger, block);
  // ε 0.75 of the ledger's 100 and of the 11 that the account has by now, in the months that windows to come cover.
  const june = await held(member, "2024-06");
  expect([null, visits.account, account].map((of) => june.get(of))).toEqual([0.0075, 0.75 / 11, 1]);
  expect(await held(member, "2024-07")).toEqual(june);
  for (const [of, earmarked] of await held(member, "2024-05")) expect([of, earmarked]).toEqual([of, 0]);
  expect((await held(datasetAdmin, "2024-06")).get(null)).toBe(0.0075);
  const holder = { kind: "person", id: fixture.people.stranger } as const;
  await datasetAdmin.createAccount({ ledger: visits.ledger, holder, epsilon: "1" });
  expect([...(await held(stranger, "2024-06")).values()]).toEqual([0, 0]);
  await visits.publish("2024-08-31");
  await all(id);
  // The report of August has spent a third of it in June, which no other window covers.
  expect((await held(member, "2024-06")).get(account)).toBe(0);
  expect((await held(member, "2024-07")).get(account)).toBeCloseTo(2 / 3, 12);
  await member.endSchedule({ schedule: id });
  for (const [of, earmarked] of await held(member, "2024-07")) expect([of, earmarked]).toEqual([of, 0]);
});

test("what is set aside below an account that one may not see is part of what those above it have set aside", async () => {
  const { member, teamAdmin } = fixture.as;
  const { ledger, dataset } = visits;
  const { parent: team } = await member.showAccount({ account: visits.account });
  const { ledgers } = instance.database;
  const between = await ledgers.openAccount({
    ...{ ledger: ledger as LedgerId, parent: team as AccountId, by: systemPrincipal },
    ...{ holder: { kind: "dataset", id: dataset as DatasetId }, epsilon: epsilonAmount("5", "down") },
  });
  const holder = { kind: "person", id: fixture.people.member } as const;
  const { id: account } = await teamAdmin.createAccount({ ledger, parent: between.id, holder, epsilon: "2" });
  await member.createSchedule(scheduleOf({ ...visits, account }, { name: "Below", latest: 2 }));
  // Twice ε 0.5, of the ledger's 100 and of the team's 50; the account between them is not shown.
  const august = await aside(member, ledger, "2024-08");
  expect([null, team, account, between.id].map((of) => august.get(of))).toEqual([0.01, 0.02, 0.5, undefined]);
});
