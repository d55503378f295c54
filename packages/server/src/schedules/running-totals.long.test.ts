import type { Input } from "@dosimeter/client";
import { columnMu2, columnShare, formatMu2, type Mu2Amount } from "@dosimeter/core";
import type { ChargeId, Json } from "@dosimeter/ledger";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { buildFixture, codeOf, csvBytes, type Fixture, openTestInstance, reopenByTwo } from "../instance.kit.ts";
import { declaredVisits } from "../visits.kit.ts";
import { aside, buildVisits, pointsOf, released, type Visits } from "./schedules.kit.ts";

let instance: Awaited<ReturnType<typeof openTestInstance>>;
let fixture: Fixture;
let visits: Visits;

beforeAll(async () => {
  instance = await openTestInstance();
});
afterAll(() => instance.close());
// Each has people, a table and a ledger of its own.
beforeEach(async () => {
  fixture = await buildFixture(instance);
  visits = await buildVisits(fixture, {}, { rule: "tight" });
});

const running = { id: "n", statistic: "runningCount", column: "seen", rho: "0.5" } as const;
const HORIZON = 12;
/** μ² of the first block: 2ρ. */
const MU2 = 1_000_000_000_000n as Mu2Amount;

const asked = (more: Partial<Input<"createSchedule">> = {}): Input<"createSchedule"> => ({
  ...{ dataset: visits.dataset, account: visits.account, name: "All visits", horizon: HORIZON, from: "2023-03" },
  plan: { statistics: [running] },
  ...more,
});
/** A total from March 2023 on, with all its reports until this day. */
async function totalUntil(day: string): Promise<string> {
  const { id } = await fixture.as.member.createSchedule(asked());
  await visits.publish(day);
  await all(id);
  return id;
}
const all = (schedule: string) => released(instance, fixture.as.member, schedule);
const entries = async () => (await fixture.as.datasetAdmin.showLedger({ ledger: visits.ledger })).head.number;

/** What each block has paid in all, in units of μ², from the first that was asked about on. */
async function paid(): Promise<readonly bigint[]> {
  const { caps } = await instance.database.ledgers.ledger(visits.ledger as never);
  const runs = await instance.database.ledgers.blockBalances(visits.ledger as never);
  return runs
    .flatMap(({ from, to, balance }) =>
      Array.from({ length: to - from + 1 }, () => (caps.mu2 ?? 0n) - (balance.state.mu2 ?? 0n)),
    )
    .filter((spent) => spent > 0n);
}
const columns = (from: number, steps: number) =>
  Array.from({ length: steps }, (_, at) => columnMu2(MU2, { horizon: HORIZON, step: from + at }));

test("each month pays once for its part in all reports, and each report has all totals to date [M209]", async () => {
  const { member, stranger } = fixture.as;
  const { name: _, ...quoted } = asked();
  const plan = { window: "2023-03 to 2023-05", horizon: HORIZON, statistics: [running] };
  const alone = { dataset: visits.dataset, account: visits.account, plan };
  for (const ask of [() => member.quotePlan(alone), () => member.releaseAndWait(alone)])
    await expect(ask(), "not of a report").rejects.toMatchObject({
      code: "INVALID_PARAMETER",
      details: { name: "plan.horizon" },
    });
  const quote = await member.quoteSchedule(quoted);
  expect(quote).toMatchObject({
    ...{ latest: 1, horizon: HORIZON, every: "month", first: "2023-03", price: { epsilon: null } },
    next: { block: "2023-03", waitsFor: "nothing" },
  });
  const [error] = quote.errors;
  expect(error).toMatchObject({ row: "n" });
  expect(error?.first).toBeGreaterThan(0);
  expect((error?.last ?? 0) / (error?.first ?? 1)).toBeLessThan(2);
  expect(await paid()).toEqual([]);

  const { id, account } = await member.createSchedule(asked());
  await all(id);
  const shown = await member.showSchedule({ schedule: id });
  expect(shown.points.map(({ block, state }) => [block, state])).toEqual(
    ["03", "04", "05", "06", "07", "08", "09", "10", "11", "12"].map((month) => [`2023-${month}`, "released"]),
  );
  expect(await paid()).toEqual(columns(1, 10));
  expect(await entries()).toBe(11);
  const totals = shown.points.map(({ answers }) => answers?.[0]?.cells);
  // Ten visits each month, noise of at most 7: off by 100 in one of 10^40 runs.
  for (const [at, cells] of totals.entries()) {
    expect(cells).toHaveLength(1);
    expect(Math.abs((cells?.[0]?.value ?? 0) - 10 * (at + 1))).toBeLessThan(100);
  }
  const halfWidth = ([from, to]: readonly (number | null)[]) => ((to ?? Infinity) - (from ?? 0)) / 2;
  expect(halfWidth(totals.at(-1)?.[0]?.interval ?? [])).toBeLessThan((error?.last ?? 0) + 1);

  // A report has what the one before released, and one integer more.
  const released10 = await member.showRelease({ release: shown.points.at(-1)?.release ?? "" });
  const released9 = await member.showRelease({ release: shown.points.at(-2)?.release ?? "" });
  const noisy = (release: typeof released9) => release.answers?.[0]?.cells.map(({ noisy: integers }) => integers);
  expect(noisy(released10)).toHaveLength(10);
  expect(noisy(released10)?.slice(0, 9)).toEqual(noisy(released9));
  expect(released10.plan.window).toEqual({ blocks: ["2023-03 to 2023-12"] });

  // Its title and its answers say what its newest month paid.
  expect(released10.title).toBe("Running count of seen over 2023-03 to 2023-12, ρ 0.376");
  expect(released10.answers?.[0]?.cost).toMatchObject({ muSquared: formatMu2(columns(10, 1)[0] as Mu2Amount) });

  // What came between two months is free, from the newest report.
  const cell = (at: number) => ({ release: released10.id, row: "n", cell: at });
  const spring = await member.combineReleased({
    ...{ dataset: visits.dataset, operation: "difference" },
    of: [cell(5), cell(2)],
  });
  expect(spring.cost).toEqual({ epsilon: "0" });
  expect(Math.abs(spring.value - 30)).toBeLessThan(100);

  // No one else goes on from there, and no report is made twice.
  const later = { ...plan, window: "2023-03 to 2023-12" };
  for (const payer of [visits.account, account])
    expect(await codeOf(member.releaseAndWait({ dataset: visits.dataset, account: payer, plan: later }))).toMatch(
      /INVALID_PARAMETER|FORBIDDEN/,
    );
  // Nor where earlier answers would do: who may read them has them for nothing.
  const holder = { kind: "purpose", name: "Other questions" } as const;
  const reading = await member.createAccount({
    ...{ ledger: visits.ledger, parent: visits.account, holder, epsilon: "1" },
  });
  const again = { dataset: visits.dataset, account: reading.id, plan: later, reuse: "asAccurate" } as const;
  for (const ask of [() => member.quotePlan(again), () => member.releaseAndWait(again)])
    await expect(ask(), "reuses a report").rejects.toMatchObject({
      code: "INVALID_PARAMETER",
      details: { name: "plan.horizon" },
    });
  expect(await codeOf(stranger.showSchedule({ schedule: id }))).toBe("NOT_FOUND");
  const schedule = await instance.database.schedules.schedule(id);
  for (const block of [schedule.first, schedule.first + 9]) await instance.schedules.make(schedule, block);
  expect(await entries()).toBe(11);

  // A new month, with rows that are late for an old one; the eleventh report, and no old month pays again.
  await visits.publish("2024-01-31", "p1,2024-01-09\np2,2023-05-03\n");
  await all(id);
  expect(await paid()).toEqual(columns(1, 11));
  expect((await instance.database.audit.verify()).problems).toEqual([]);
});

test("where the declaration changes what it is about, it waits; with the last report it ends", async () => {
  const { member, datasetAdmin } = fixture.as;
  const id = await totalUntil("2024-01-31");
  const before = await entries();
  const { id: file } = await datasetAdmin.uploadFile({
    name: "visits.csv",
    content: csvBytes("who,seen\np0,2024-02-02\n"),
  });
  const wider = { ...declaredVisits({ upper: "2024-02-29" }), contribution: { rows: 3 } };
  await datasetAdmin.createVersion({ dataset: visits.dataset, file, declaration: wider });
  await all(id);
  expect((await pointsOf(member, id)).at(-1)).toEqual(["2024-02", "CONFLICT"]);
  const refused = await member.showSchedule({ schedule: id });
  expect(refused.points.at(-1)?.refusal?.detail).toContain("the declaration of the dataset has changed");
  expect(refused.next).toMatchObject({ block: "2024-02", waitsFor: "report" });
  // What is still to be tried again is still set aside, and nothing where it was paid.
  const part = columnShare({ horizon: HORIZON, step: HORIZON });
  expect((await aside(member, visits.ledger, "2024-02")).get(refused.account)).toBe(part);
  expect((await aside(member, visits.ledger, "2024-01")).get(refused.account)).toBe(0);
  await instance.schedules.run();
  expect(await entries()).toBe(before);
  await visits.publish("2024-04-30");
  await member.retryReport({ schedule: id, block: "2024-02" });
  await all(id);
  const last = await member.showSchedule({ schedule: id });
  expect(last.points).toHaveLength(HORIZON);
  expect(last.points.at(-1)?.state).toBe("released");
  expect(last).toMatchObject({ status: "ended", next: null });
  expect(await paid()).toEqual(columns(1, HORIZON));
  expect((await instance.database.audit.verify()).problems).toEqual([]);
});

test("of each month that has not paid, up to the last one, what its column costs is set aside", async () => {
  const { member } = fixture.as;
  const { id, account } = await member.createSchedule(asked({ name: "Two months", horizon: 2, from: "2024-05" }));
  await member.setSchedule({ schedule: id, status: "paused" });
  await visits.publish("2024-08-31");
  const held = async (month: string, of: string | null = account) =>
    (await aside(member, visits.ledger, `2024-${month}`)).get(of);
  const part = columnShare({ horizon: 2, step: 2 });
  expect(part).toBeCloseTo(0.8, 5);
  expect([await held("04"), await held("05"), await held("06"), await held("07")]).toEqual([0, 1, part, 0]);
  const [may = 0, june = 0] = [await held("05", null), await held("06", null)];
  expect(june).toBeCloseTo(may * part, 12);
  await member.setSchedule({ schedule: id, status: "active" });
  await all(id);
  for (const month of ["05", "06"]) expect(await held(month, null)).toBe(0);
});

test("what cannot go on is refused at the edge, and nothing is set aside", async () => {
  const { member } = fixture.as;
  const before = (await member.showAccount({ account: visits.account })).allocated;
  const of = (more: object) => ({ plan: { statistics: [{ ...running, ...more }] } });
  for (const [wrong, code] of [
    [{ horizon: 1 }, "INVALID_PARAMETER"],
    [{ horizon: 121 }, "INVALID_PARAMETER"],
    [{ latest: 2 }, "INVALID_PARAMETER"],
    [{ horizon: undefined }, "INVALID_PARAMETER"],
    [of({ rho: undefined, epsilon: "0.5" }), "UNSUPPORTED_QUERY"],
    [of({ statistic: "count", column: undefined }), "UNSUPPORTED_QUERY"],
    [of({ bins: "day" }), "INVALID_PARAMETER"],
    [{ plan: { statistics: [running], horizon: 3 } }, "INVALID_PARAMETER"],
    [of({ rho: "500" }), "BUDGET_EXHAUSTED"],
  ] as const)
    expect([wrong, await codeOf(member.createSchedule(asked({ name: "Wrong", ...wrong } as object)))]).toEqual([
      wrong,
      code,
    ]);
  expect((await member.showAccount({ account: visits.account })).allocated).toEqual(before);
});

test("where Gaussian noise was paid for, a quote has its own price in ε, and each line and month says its μ²", async () => {
  const { member, datasetAdmin } = fixture.as;
  const { account } = await member.showSchedule({ schedule: await totalUntil("2024-02-29") });
  const lines = async () => (await datasetAdmin.listEntries({ ledger: visits.ledger, kind: "charge" })).items;
  const steps = columns(1, HORIZON).map((mu2) => formatMu2(mu2));
  expect((await lines()).map(({ cost }) => cost?.mu2).toReversed()).toEqual(steps);
  const { rows } = await member.showBlocks({ ledger: visits.ledger });
  const { activeRule, muSquared, runs } = rows.find((row) => row.account === account) ?? {};
  expect(activeRule).toBe("tight");
  const spent = runs?.filter(({ used }) => used > 0);
  for (const { mu2, used } of spent ?? []) expect(Number(mu2) / Number(muSquared)).toBeCloseTo(used, 9);
  expect(spent?.map(({ epsilon, mu2 }) => [epsilon, mu2])).toEqual(steps.map((mu2) => [null, mu2]));

  const holder = { kind: "purpose", name: "Single months" } as const;
  const { id: other } = await member.createAccount({
    ledger: visits.ledger,
    parent: visits.account,
    holder,
    epsilon: "1",
  });
  const plan = { window: "2023-03 to 2023-05", statistics: [{ id: "n", statistic: "count" as const, epsilon: "0.1" }] };
  const { cost, path } = await member.quotePlan({ dataset: visits.dataset, account: other, plan });
  expect([cost?.epsilon, path[0]?.before.epsilon.spent]).toEqual(["0.1", null]);
  const { epsilon } = await member.releaseAndWait({ dataset: visits.dataset, account: other, plan });
  expect(epsilon).toBe(cost?.epsilon);
  expect(Number(cost?.mu2)).toBeGreaterThan(0);
  expect((await lines())[0]?.cost).toEqual(cost);
});

/** A paused total whose first report another server has charged, and not measured. With the owner "lost" none ever does, as after a restore. */
async function stopped(lease: { readonly owner: string; readonly seconds: number }) {
  const { member } = fixture.as;
  const { ledgers, releases, schedules } = instance.database;
  const plan = { statistics: [{ ...running, rho: "0.05" }] };
  const begin = (name: string) => member.createSchedule(asked({ name, plan, from: "2024-06" }));
  const [like, { id, account }] = [await begin("Like it"), await begin("Stopped")];
  for (const schedule of [like.id, id]) await member.setSchedule({ schedule, status: "paused" });
  // Not before: what is published has its reports made at once.
  await visits.publish("2024-08-31");
  const { id: schedule, owner, dataset, ...own } = await schedules.schedule(id);
  await member.setSchedule({ schedule: like.id, status: "active" });
  await all(like.id);
  const [first] = (await member.showSchedule({ schedule: like.id })).points;
  const { request, events } = await releases.chargeOf((first?.release ?? "") as ChargeId);
  const stored = { ...(request as Record<string, Json>), account };
  const { charge } = await ledgers.charge({
    ...{
      principal: owner,
      account: own.account,
      dataset,
      schedule,
      key: `report/${id}/2024-06`,
      request: stored,
      events,
    },
    ...{ window: [{ from: own.first, to: own.first }], adjacency: "addRemove" },
    lease,
  });
  return { id, schedule, owner, first: own.first, charge: charge.id };
}

test("a report that was paid for when the server stopped is the report, though its owner lost the rights since", async () => {
  const { member, teamAdmin } = fixture.as;
  const { id, schedule, owner, first, charge } = await stopped({ owner: "a server that stopped", seconds: 0.001 });
  await teamAdmin.removeMember({ team: fixture.team, person: fixture.people.member });
  await instance.database.schedules.setSchedule({ schedule, status: "active", by: owner });
  await instance.schedules.run();
  const [point] = await instance.database.schedules.points({ schedule, limit: HORIZON });
  expect(point).toMatchObject({ block: first, charge, refusal: null });
  await teamAdmin.addMember({ team: fixture.team, person: fixture.people.member });
  await teamAdmin.unfreezeAccount({ account: visits.account });
  await all(id);
  expect((await pointsOf(member, id))[0]).toEqual(["2024-06", "released"]);
});

test("a total whose newest report has lost its answers has no next one, and ends [M209]", async () => {
  const { member } = fixture.as;
  const { id, schedule, owner: by, first, charge } = await stopped({ owner: "lost", seconds: 60 });
  const { schedules } = instance.database;
  await schedules.setSchedule({ schedule, status: "active", by });
  await instance.schedules.run();
  expect(await schedules.points({ schedule, limit: HORIZON })).toMatchObject([{ block: first, charge }]);
  await instance.schedules.run();
  expect(await member.showSchedule({ schedule: id })).toMatchObject({ status: "ended", next: null });
});

test("a write-off ends a total that has begun, paused or refused before, and its page says why at once", async () => {
  const { member } = fixture.as;
  const plan = { statistics: [{ ...running, rho: "0.05" }] };
  const begin = (from: string) => member.createSchedule(asked({ name: `From ${from}`, plan, from }));
  await visits.publish("2024-08-31");
  const [begun, later] = [await begin("2024-05"), await begin("2024-12")];
  await all(begun.id);
  for (const { id } of [begun, later]) await member.setSchedule({ schedule: id, status: "paused" });
  await visits.publish("2024-12-31");
  const held = async () => {
    const rows = await aside(member, visits.ledger, "2024-12");
    return [begun, later].map(({ account }) => rows.get(account));
  };
  const part = columnShare({ horizon: HORIZON, step: 8 });
  expect(await held()).toEqual([part, 1]);
  const { audit } = instance.database;
  const kept = await audit.checkpoint();
  if (kept === null) throw new RangeError("no line");
  await audit.compareCheckpoint({ ...kept, seq: kept.seq + 1n });
  // Frozen, it is refused for that.
  await member.setSchedule({ schedule: begun.id, status: "active" });
  await all(begun.id);
  const frozen = await member.showSchedule({ schedule: begun.id });
  expect(frozen.points.at(-1)).toMatchObject({ block: "2024-09", refusal: { code: "ACCOUNT_CLOSED" } });
  await reopenByTwo(instance, fixture, { ledger: visits.ledger, epsilon: "0", delta: "0", reason: "restored" });
  expect((await held()).map((part) => part ?? 0)).toEqual([0, 1]);
  const ended = await member.showSchedule({ schedule: begun.id });
  expect(ended).toMatchObject({ status: "ended", next: null });
  expect(ended.points.at(-1)).toMatchObject({
    ...{ block: "2024-09", state: "refused" },
    refusal: { code: "CONFLICT", detail: expect.stringContaining("This running total has ended") },
  });
  const { items } = await member.listNotifications({});
  expect(items.map(({ title }) => title)).toContain("From 2024-05 on visits has ended");
  const open = await member.showSchedule({ schedule: later.id });
  expect(open).toMatchObject({ status: "paused", next: { block: "2024-12" } });
});

test("on a ledger that adds up ε, a running total is refused with the rule that it needs", async () => {
  const apart = await openTestInstance();
  const added = await buildFixture(apart);
  const { dataset, account } = await buildVisits(added);
  const plan = { statistics: [running] };
  await expect(
    added.as.member.quoteSchedule({ dataset, account, horizon: HORIZON, from: "2023-03", plan }),
  ).rejects.toThrow(
    /the rule in force for [^.]* adds up ε and has no price for this noise: it is paid for by the rule tight, or asked for with epsilon\.$/,
  );
  await apart.close();
});
