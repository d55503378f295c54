import type { Plan } from "@dosimeter/client";
import { afterAll, beforeAll, expect, test } from "vitest";
import { temporaryFolder } from "../../../../test/folder.kit.ts";
import {
  buildFixture,
  clientOf,
  csvBytes,
  type Fixture,
  haveFailed,
  openTestInstance,
  tokenFor,
  withoutRows,
} from "../instance.kit.ts";

const place = temporaryFolder();
let instance: Awaited<ReturnType<typeof openTestInstance>>;
let fixture: Fixture;
let visits: string;
/** A dataset about other people. */
let elsewhere: string;

const VISITS = `who,year,cost\n${[1, 2, 3, 4, 5].flatMap((who) => [2023, 2024, 2024].map((year) => `${who},${year},${who}`)).join("\n")}\n`;
const visitsDeclared = {
  name: "visits",
  source: { csv: "visits.csv" },
  privacyUnit: { column: "who" },
  adjacency: "addRemove",
  contribution: { rows: 5 },
  columns: {
    who: { type: "integer", provenance: "public" },
    year: { type: "integer", lower: 2020, upper: 2030, provenance: "public" },
    cost: { type: "integer", lower: 0, upper: 100, provenance: "public" },
  },
} as const;

beforeAll(async () => {
  instance = await openTestInstance({ folder: place });
  fixture = await buildFixture(instance);
  const { datasetAdmin } = fixture.as;
  const { population } = await datasetAdmin.showDataset({ dataset: fixture.dataset });
  const file = await datasetAdmin.uploadFile({ name: "visits.csv", content: csvBytes(VISITS) });
  visits = (await datasetAdmin.createDataset({ file: file.id, declaration: visitsDeclared, population })).id;
  const other = await datasetAdmin.uploadFile({ name: "other.csv", content: csvBytes(`${VISITS}9,2024,1\n`) });
  elsewhere = (
    await datasetAdmin.createDataset({ file: other.id, declaration: { ...visitsDeclared, name: "elsewhere" } })
  ).id;
});
afterAll(() => instance.close());

const columns = {
  visits: { take: "count", where: "year = 2024", lower: 0, upper: 10 },
  paid: { take: "sum", column: "cost", lower: 0, upper: 100 },
};
const planOn = (dataset: string, more: object = {}): Plan => ({
  join: { dataset, on: "person", columns, ...more },
  statistics: [{ id: "total", statistic: "sum", column: "visits", epsilon: "0.1" }],
});
const ask = (plan: Plan, more: object = {}) =>
  fixture.as.member.releaseAndWait({ dataset: fixture.dataset, account: fixture.memberAccount, plan, ...more });
const quote = (plan: Plan, who: keyof Fixture["as"] = "member", more: object = {}) =>
  fixture.as[who].quotePlan({ dataset: fixture.dataset, account: fixture.memberAccount, plan, ...more });
const spent = async () =>
  (await fixture.as.member.showAccount({ account: fixture.memberAccount })).balance.epsilon.spent;

test("a plan reads two tables of the same people and is charged once; the release names both, at their versions", async () => {
  const before = Number(await spent());
  const release = await ask(planOn(visits));
  // The sum of five people's two visits of 2024, with noise of scale 20.
  expect(release.answers?.[0]?.cells[0]?.value).toBeTypeOf("number");
  expect(release).toMatchObject({ datasetName: "staff", joined: { dataset: visits, name: "visits", version: 1 } });
  expect(Number(await spent()) - before).toBeCloseTo(0.1, 9);
});

test("an earlier answer is used for the same join of the same versions, and for no other", async () => {
  const reused = async (plan: Plan) => {
    const { statistics } = await quote(plan, "member", { reuse: "asAccurate" });
    return statistics[0]?.reuse.chosen ?? null;
  };
  await ask(planOn(visits));
  expect(await reused(planOn(visits))).not.toBeNull();
  // As JSON, in another order, with columns that no statistic reads: the same question.
  const sameAgain = { visits: { ...columns.visits, where: { op: "=", column: "year", value: 2024 } } };
  expect(await reused(planOn(visits, { version: 1, columns: sameAgain }))).not.toBeNull();
  const otherYear = { visits: { ...columns.visits, where: "year = 2023" } };
  expect(await reused(planOn(visits, { columns: otherYear }))).toBeNull();

  const { datasetAdmin } = fixture.as;
  const next = await datasetAdmin.uploadFile({ name: "visits.csv", content: csvBytes(`${VISITS}6,2024,2\n`) });
  await datasetAdmin.createVersion({ dataset: visits, file: next.id });
  expect(await reused(planOn(visits))).toBeNull();
  expect(await reused(planOn(visits, { version: 1 }))).not.toBeNull();
});

test("the same key gives the same release, also when the joined table has a newer version", async () => {
  const key = "joined-once";
  const asked = { dataset: fixture.dataset, account: fixture.memberAccount, plan: planOn(visits) };
  const once = () => fixture.as.member.releaseAndWait(asked, { idempotencyKey: key });
  const one = await once();
  const { datasetAdmin } = fixture.as;
  const next = await datasetAdmin.uploadFile({ name: "visits.csv", content: csvBytes(`${VISITS}7,2024,2\n`) });
  await datasetAdmin.createVersion({ dataset: visits, file: next.id });
  const again = await once();
  expect(again.id).toBe(one.id);
});

test("a dataset that the caller may not see is answered like one that does not exist", async () => {
  const refusal = async (dataset: string) =>
    quote(planOn(dataset)).catch(({ code, message, details: { request: _, ...details } }) => ({
      code,
      message,
      details,
    }));
  const nowhere = visits.replace(/.$/, (last) => (last === "0" ? "1" : "0"));
  expect(await refusal(elsewhere)).toMatchObject({ code: "NOT_FOUND" });
  expect(await refusal(elsewhere)).toEqual(await refusal(nowhere));
  await expect(ask(planOn(elsewhere))).rejects.toMatchObject({ code: "NOT_FOUND" });
});

test("a join that is not by person, with itself, or with other people is refused with the reason", async () => {
  const refused = (plan: Plan, words: string) => expect(quote(plan)).rejects.toThrow(words);
  await refused(planOn(fixture.dataset), "must be another dataset");
  await refused(planOn(visits, { on: "age" }), "must be person: tables are joined by who is protected");
  await refused(planOn(visits, { columns: { age: "cost" } }), "a name that no other column has");
  await refused(planOn(visits, { columns: { x: "who" } }), "this one names the privacy unit");
  await refused({ ...planOn(visits), join: { dataset: 7 } }, "join.dataset");
  // Its admin sees both.
  const { ledger } = fixture;
  const { id: account } = await fixture.as.datasetAdmin.createAccount({
    ledger,
    holder: { kind: "person", id: fixture.people.datasetAdmin },
    epsilon: "1",
  });
  const asked = fixture.as.datasetAdmin.quotePlan({ dataset: fixture.dataset, account, plan: planOn(elsewhere) });
  await expect(asked).rejects.toThrow("must be a dataset about the same people");
});

test("of two policies about earlier answers the stricter one holds", async () => {
  const { datasetAdmin } = fixture.as;
  await datasetAdmin.setReusePolicy({ dataset: fixture.dataset, visibility: "dataset", price: "free" });
  const { id } = await clientOf(instance, instance.operatorToken).createPerson({ name: "colleague" });
  const colleague = clientOf(instance, await tokenFor(instance, id));
  const { id: account } = await datasetAdmin.createAccount({
    ledger: fixture.ledger,
    holder: { kind: "person", id },
    epsilon: "1",
  });
  const plain = { id: "plain", statistic: "count", where: "age < 77", epsilon: "0.01" } as const;
  await ask(planOn(visits));
  const offers = async () => {
    const plan = planOn(visits);
    const { statistics } = await colleague.quotePlan({ dataset: fixture.dataset, account, plan, reuse: "asAccurate" });
    return statistics[0]?.reuse.offers.length;
  };
  const release = await ask({ ...planOn(visits), statistics: [planOn(visits).statistics[0] as never, plain] });
  const { dataset } = fixture;
  const listed = async () =>
    (await colleague.listReleased({ dataset, limit: 1 })).items
      .filter((item) => item.kind === "released")
      .filter(({ release: id }) => id === release.id)
      .map(({ row }) => row);
  const cell = { release: release.id, row: "total" };
  const doubled = () => colleague.combineReleased({ dataset, operation: "sum", of: [cell, cell] });
  expect(await offers()).toBe(0);
  expect(await listed()).toEqual(["plain"]);
  await expect(doubled()).rejects.toMatchObject({ code: "NOT_FOUND" });
  await datasetAdmin.setReusePolicy({ dataset: visits, visibility: "dataset", price: "free" });
  expect(await offers()).toBeGreaterThan(0);
  expect((await colleague.listReleased({ dataset })).items).toContainEqual(expect.objectContaining({ row: "total" }));
  expect((await doubled()).value).toBeCloseTo(2 * (release.answers?.[0]?.cells[0]?.value ?? Number.NaN), 6);
  await datasetAdmin.setReusePolicy({ dataset: visits, visibility: "dataset", price: "ownLevel" });
  await expect(doubled()).rejects.toMatchObject({ code: "FORBIDDEN" });
  await datasetAdmin.setReusePolicy({ dataset: visits, visibility: "dataset", price: "free" });
});

/** A person with an account of their own on the same ledger. */
async function colleagueNamed(name: string) {
  const { id } = await clientOf(instance, instance.operatorToken).createPerson({ name });
  const { id: account } = await fixture.as.datasetAdmin.createAccount({
    ledger: fixture.ledger,
    holder: { kind: "person", id },
    epsilon: "1",
  });
  return { client: clientOf(instance, await tokenFor(instance, id)), account };
}

test("an unfinished charge answers only plans that read the same tables at the same versions", async () => {
  const { datasetAdmin, member } = fixture.as;
  for (const dataset of [fixture.dataset, visits])
    await datasetAdmin.setReusePolicy({ dataset, visibility: "dataset", price: "free" });
  const { client, account } = await colleagueNamed("first to ask");
  const count = { id: "people", statistic: "count", where: "age > 41", epsilon: "0.05" } as const;
  const sum = { id: "total", statistic: "sum", column: "visits", epsilon: "0.05" } as const;
  const joined = { dataset: visits, columns: { visits: { take: "count", where: "year = 2023", lower: 0, upper: 9 } } };
  const first: Plan = { join: { ...joined, version: 1 }, statistics: [count, sum] } as Plan;
  const { dataset } = fixture;
  const asked = (plan: Plan) => ({ dataset, account: fixture.memberAccount, plan, reuse: "asAccurate" as const });
  const plain: Plan = { statistics: [count] };
  const atOther: Plan = { join: { ...joined, version: 2 }, statistics: [count, sum] } as Plan;
  const alike: Plan = { join: { ...joined, version: 1 }, statistics: [sum] } as Plan;
  await withoutRows(place, async () => {
    const left = [await client.createRelease({ ...asked(first), account }, { idempotencyKey: "first" })];
    for (const [key, plan] of Object.entries({ plain, atOther, alike }))
      left.push(await member.createRelease(asked(plan), { idempotencyKey: key }));
    await haveFailed(fixture, left);
  });
  const done = (key: string, plan: Plan) => member.releaseAndWait(asked(plan), { idempotencyKey: key });
  const origins = async (key: string, plan: Plan) =>
    (await done(key, plan)).answers?.map(({ origin }) => origin?.kind ?? "drawn");
  await client.releaseAndWait({ ...asked(first), account }, { idempotencyKey: "first" });
  expect(await origins("plain", plain)).toEqual(["drawn"]);
  expect(await origins("atOther", atOther)).toEqual(["drawn", "drawn"]);
  expect(await origins("alike", alike)).toEqual(["same"]);
}, 60_000);

test("what an agent takes of another table is shown to its person in words, before the click", async () => {
  const { as, dataset, ledger, people, team, teamAccount: parent } = fixture;
  const operator = clientOf(instance, instance.operatorToken);
  const { id: agent } = await operator.createPerson({ name: "agent", kind: "agent", onBehalfOf: people.member });
  const { secret } = await operator.createServiceToken({ person: agent, name: "mcp", scopes: ["read", "release"] });
  await as.teamAdmin.addMember({ team, person: agent });
  const holder = { kind: "person", id: agent } as const;
  const { id: account } = await as.teamAdmin.createAccount({ ledger, parent, holder, epsilon: "0.1" });
  await operator.setAgentLimits({ agent, confirmAbove: "0" });
  const asked = clientOf(instance, secret).releaseAndWait({ dataset, account, plan: planOn(visits) });
  await expect(asked).rejects.toMatchObject({ code: "CONFIRMATION_NEEDED" });
  expect((await as.member.listAgents({})).items[0]?.waiting[0]?.text).toBe(
    [
      "SELECT WITH DIFFERENTIAL_PRIVACY OPTIONS(epsilon = 0.1)",
      "  SUM(visits) AS total",
      "FROM staff LEFT JOIN (SELECT who AS person, SUM(cost, contribution_bounds_per_group => (0, 100)) AS paid, COUNT(*, contribution_bounds_per_group => (0, 10)) FILTER (WHERE year = 2024) AS visits FROM visits GROUP BY who) AS taken USING (person)",
    ].join("\n"),
  );
  await as.teamAdmin.closeAccount({ account });
  await operator.removeAgent({ agent });
});

test("SQL joins as a plan does: one price, one charge, one table, and only what the reader may see", async () => {
  const { as, dataset, memberAccount: account } = fixture;
  const sql = "SELECT SUM(cost) AS paid FROM staff LEFT JOIN visits USING (person)";
  const asked = { account, sql, epsilon: "0.1" };
  const { plan, quote, notes } = await as.member.quoteSql(asked);
  expect(plan).toEqual({
    join: { dataset: visits, columns: { cost: "cost" } },
    statistics: [{ id: "paid", statistic: "sum", column: "cost", epsilon: "0.1" }],
  });
  expect(notes).toEqual([expect.stringContaining("Of several rows of one who in visits, one is read")]);
  expect(quote).toEqual(await as.member.quotePlan({ dataset, account, plan }));
  const released = await as.member.releaseSqlAndWait(asked, { idempotencyKey: "join-sql" });
  expect(released.tables).toMatchObject([{ columns: ["paid"], rows: [[expect.any(Number)]] }]);
  expect(released.release).toMatchObject({ joined: { dataset: visits, name: "visits" } });
  const byPlan = await as.member.releaseAndWait({ dataset, account, plan }, { idempotencyKey: "join-sql" });
  expect(byPlan.id).toBe(released.release.id);
  for (const [from, code] of [
    ["nowhere", "NOT_FOUND"],
    ["elsewhere", "NOT_FOUND"],
    [elsewhere, "NOT_FOUND"],
    ["staff", "INVALID_PARAMETER"],
  ])
    await expect(
      as.member.quoteSql({ ...asked, sql: sql.replaceAll("visits", `"${from}"`) }),
      from,
    ).rejects.toMatchObject({ code });
});
