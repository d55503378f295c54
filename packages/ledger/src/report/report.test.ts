import { join } from "node:path";
import { formatDelta } from "@dosimeter/core";
import { readSpends, tightestOf } from "@dosimeter/core/accounting";
import { expect, test } from "vitest";
import { temporaryFolder } from "../../../../test/folder.kit.ts";
import { sqliteStore } from "../stores/sqlite/sqlite.ts";
import { buildFixture, type Fixture, type FixtureOptions, gaussian, pure } from "../testing/fixture.kit.ts";
import { spendReport } from "./report.ts";

const folder = temporaryFolder();

let files = 0;
async function fixtureOf(options: FixtureOptions = {}): Promise<Fixture> {
  return buildFixture(await sqliteStore(join(folder, `${files++}.sqlite`)), options);
}

async function reportOf(
  { database }: Fixture,
  node: Parameters<Fixture["database"]["reports"]["history"]>[0]["node"],
  points = 8,
) {
  return spendReport({ history: await database.reports.history({ node, points }), delta: 1e-6, threshold: 1 });
}

test("room for more like the last says where δ alone is in the way", async () => {
  const fixture = await fixtureOf();
  const { delta } = fixture.adas.caps;
  const most = {
    kind: "approximate",
    epsilon: "0.01",
    delta: formatDelta(((delta * 6n) / 10n) as typeof delta),
  } as const;
  await fixture.charge("a", [most]);
  expect(await fixture.database.reports.roomForMore({ account: fixture.adas.id })).toEqual({
    count: 0,
    isAtLeast: false,
    isDelta: true,
    like: 1,
  });
  await fixture.charge("b", pure("0.3"), fixture.bobs);
  expect(await fixture.database.reports.roomForMore({ account: fixture.bobs.id })).toMatchObject({ isDelta: false });
  await fixture.database.close();
});

test("a ledger's report totals every charge, an account's only what was charged to it and below", async () => {
  const fixture = await fixtureOf();
  for (let i = 0; i < 4; i++) await fixture.charge(`a${i}`, pure("0.1"));
  await fixture.charge("b", pure("0.25"), fixture.bobs);
  const [whole, team, adas, bobs] = await Promise.all(
    [fixture.ledger, fixture.teamAccount, fixture.adas, fixture.bobs].map(({ id }) => reportOf(fixture, id)),
  );
  const basic = (report: typeof whole) => report?.accountants.find(({ method }) => method === "basic")?.epsilon;
  expect([whole, team, adas, bobs].map(basic)).toEqual([0.65, 0.65, 0.4, 0.25].map((x) => expect.closeTo(x, 12)));
  expect([whole, team, adas, bobs].map((report) => report?.charges)).toEqual([5, 5, 4, 1]);
  expect(adas?.left.map(({ left }) => left)).toEqual(["1", "0.9", "0.8", "0.7", "0.6"]);
  expect(adas?.more).toEqual({ count: 6, isAtLeast: false, isDelta: false, like: 4 });
  expect(await fixture.database.reports.roomForMore({ account: fixture.adas.id })).toMatchObject({ count: 6, like: 1 });
  expect(await fixture.database.reports.roomForMore({ account: fixture.bobs.id })).toMatchObject({ count: 3, like: 1 });
  // The filter says the same: six more are admitted, the seventh is not.
  for (let i = 0; i < 6; i++) await fixture.charge(`m${i}`, pure("0.1"));
  await expect(fixture.charge("m6", pure("0.1"))).rejects.toMatchObject({ code: "QUOTA_EXHAUSTED" });
  await fixture.database.close();
});

test("lines over time end at the table's totals, grow, and none that is valid is below the truth", async () => {
  const fixture = await fixtureOf({ epsilon: "10", quota: "8", share: "4", delta: "1e-5" });
  for (let i = 0; i < 30; i++) await fixture.charge(`k${i}`, pure(i % 3 === 0 ? "0.1" : "0.05"));
  const report = await reportOf(fixture, fixture.ledger.id, 6);
  for (const { name, points } of report.series) {
    expect(points.map(({ charges }) => charges)).toEqual([5, 10, 15, 20, 25, 30]);
    expect(points.map(({ epsilon }) => epsilon)).toEqual(
      points.map(({ epsilon }) => epsilon).toSorted((a, b) => a - b),
    );
    const row = report.accountants.find(({ method }) => method === name);
    if (row?.epsilon != null && name !== "pld") expect(points.at(-1)?.epsilon).toBe(row.epsilon);
    const truth = tightestOf(
      readSpends([...pure("0.1"), ...pure("0.05"), ...pure("0.05"), ...pure("0.1"), ...pure("0.05")]),
      { delta: 1e-6 },
    );
    expect(points[0]?.epsilon).toBeGreaterThanOrEqual(truth.lower ?? truth.epsilon);
  }
  expect(report.accountants.filter(({ isLeast }) => isLeast)).toHaveLength(1);
  expect(report.adaptive).toBeGreaterThanOrEqual(Math.min(...report.accountants.map(({ epsilon }) => epsilon ?? 1e9)));
  expect(report.agent?.label).toBe("as AGENT reports it");
  expect(report.agent?.curve.length).toBeGreaterThan(10);
  await fixture.database.close();
});

test("Gaussian noise is priced by remaining μ², listed for AGENT with its ρ, and burns the remaining μ² down", async () => {
  const fixture = await fixtureOf({ rule: "tight", epsilon: "3" });
  for (let i = 0; i < 5; i++) await fixture.charge(`g${i}`, gaussian("20"));
  const report = await reportOf(fixture, fixture.adas.id);
  expect(report.agent?.zcdp?.rho).toBeCloseTo(5 / 800, 12);
  const balance = await fixture.database.ledgers.balance(fixture.adas.id);
  expect(report.left.at(-1)?.left).toBe(String(Number(balance.state.mu2) / 1e12));
  expect(report.more?.count).toBeGreaterThan(0);
  await fixture.database.close();
});

test("a report is of the ledger as it stands: the next charge is in the next one", async () => {
  const fixture = await fixtureOf();
  expect((await reportOf(fixture, fixture.ledger.id)).charges).toBe(0);
  await fixture.charge("one", pure("0.1"));
  expect((await reportOf(fixture, fixture.ledger.id)).charges).toBe(1);
  const history = await fixture.database.reports.history({ node: fixture.ledger.id, points: 3 });
  expect(history.head.number).toBe(2);
  expect(history.stops).toHaveLength(1);
  await expect(fixture.database.reports.history({ node: "led_none" as never, points: 3 })).rejects.toMatchObject({
    code: "NOT_FOUND",
  });
  await fixture.database.close();
});
