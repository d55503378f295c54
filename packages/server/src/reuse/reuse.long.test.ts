import type { Release, StatisticRequest } from "@dosimeter/client";
import { planHash } from "@dosimeter/query/plan";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import {
  buildFixture,
  CSV,
  clientOf,
  csvBytes,
  declaration,
  type Fixture,
  openTestInstance,
  tokenFor,
} from "../instance.kit.ts";

let instance: Awaited<ReturnType<typeof openTestInstance>>;
let fixture: Fixture;
beforeAll(async () => {
  instance = await openTestInstance();
});
beforeEach(async () => {
  fixture = await buildFixture(instance);
});
afterAll(async () => {
  await instance.close();
});

const required = {
  ...declaration,
  columns: { ...declaration.columns, age: { ...declaration.columns.age, required: true } },
};

type ReuseRequest = {
  readonly reuse?: "asAccurate" | "free" | "never" | Record<string, string>;
  readonly asOf?: number;
};
const ask = (
  statistics: readonly StatisticRequest[],
  more: ReuseRequest = {},
  who: "member" | "teamAdmin" = "member",
) =>
  fixture.as[who].releaseAndWait({
    dataset: fixture.dataset,
    account: fixture.memberAccount,
    plan: { statistics: [...statistics] },
    reuse: "asAccurate",
    ...more,
  });
const offers = async (statistic: StatisticRequest, more: ReuseRequest = {}) => {
  const { statistics } = await fixture.as.member.quotePlan({
    dataset: fixture.dataset,
    account: fixture.memberAccount,
    plan: { statistics: [statistic] },
    reuse: "asAccurate",
    ...more,
  });
  return statistics[0]?.reuse ?? { key: "", offers: [], chosen: null, note: null };
};
const spent = async (): Promise<string> => {
  const { balance } = await fixture.as.member.showAccount({ account: fixture.memberAccount });
  return balance.epsilon.spent ?? "";
};
const first = (release: Release) => release.answers?.[0];

const sum: StatisticRequest = { statistic: "sum", column: "age", epsilon: "0.1" };
const count: StatisticRequest = { statistic: "count", epsilon: "0.1" };
const mean: StatisticRequest = { statistic: "mean", column: "age", epsilon: "0.02" };

describe("the example: sum, count, then mean", () => {
  test("costs two charges, and the third answer is free and names its sources", async () => {
    const file = await fixture.as.datasetAdmin.uploadFile({ name: "staff.csv", content: csvBytes(`${CSV}8,40,f,1\n`) });
    await fixture.as.datasetAdmin.createVersion({ dataset: fixture.dataset, file: file.id, declaration: required });
    await ask([sum]);
    await ask([count]);
    expect(await spent()).toBe("0.2");
    const offered = await offers(mean, { reuse: "free" });
    expect(offered.offers[0]).toMatchObject({ kind: "derived", cost: { epsilon: "0" } });
    expect(offered.chosen).toBe(offered.offers[0]?.id);
    const release = await ask([mean], { reuse: "free" });
    expect(await spent()).toBe("0.2");
    expect(release.stage).toBe("done");
    const answer = first(release);
    expect(answer).toMatchObject({ statistic: "mean", cost: { epsilon: "0" }, origin: { kind: "derived" } });
    expect(answer?.origin?.from).toHaveLength(2);
    expect(release.receipt).toMatchObject({ epsilon: "0", delta: "0" });
    expect((await fixture.as.datasetAdmin.showReuse({ dataset: fixture.dataset })).epsilon).toBe("0.02");
    expect((await fixture.as.auditor.verify({})).problems).toEqual([]);
  });

  test("where values may be missing it takes a count of the values, and the list promises what a quote offers [M186]", async () => {
    const listed = async () =>
      (await fixture.as.member.listReleased({ dataset: fixture.dataset })).items.map((item) => [
        item.label,
        item.kind === "released" ? item.derivable : null,
      ]);
    const ages = { statistic: "count", column: "age", epsilon: "0.1" } as const;
    const sex = { ...count, groupBy: ["sex"] };
    const file = await fixture.as.datasetAdmin.uploadFile({ name: "staff.csv", content: csvBytes(`${CSV}8,,f,1\n`) });
    await fixture.as.datasetAdmin.createVersion({ dataset: fixture.dataset, file: file.id });
    await ask([sum, count, sex]);
    const bySex = ["count by sex", ["histogram of sex"]];
    expect(await listed()).toEqual([bySex, ["count", []], ["sum of age", []]]);
    const before = await offers(mean, { reuse: "free" });
    expect(before.offers).toEqual([]);
    expect(before.note).toBe(
      "“sum of age” would give it with a count of the values of age: the released “count” also counts rows without a value.",
    );
    expect((await offers({ ...mean, column: "salary" })).note).toBeNull();

    const counted = first(await ask([ages]));
    expect(counted).toMatchObject({ label: "count of age", cost: { epsilon: "0.1" } });
    const spelled = await ask([{ ...count, where: "age is not null" }]);
    expect(first(spelled)?.origin?.kind, "the same question as a filter").toBe("same");
    const promised = ["mean of age"];
    expect((await listed()).filter(([, words]) => words?.length !== 0)).toEqual([
      ["count of age", promised],
      bySex,
      ["sum of age", promised],
    ]);
    const [offer] = (await offers(mean, { reuse: "free" })).offers;
    expect(offer).toMatchObject({ kind: "derived", cost: { epsilon: "0" } });
    expect(offer?.from.map(({ label }) => label)).toEqual(["sum of age", "count of age"]);
    expect(first(await ask([mean], { reuse: "free" }))?.cost).toEqual({ epsilon: "0" });
    expect(await spent()).toBe("0.4");
  });
});

test("the same question again is free, with the same numbers, however it is written", async () => {
  const before = await ask([{ ...count, where: "age > 30" }]);
  const again = await ask([{ statistic: "count", epsilon: "0.05", where: "age >= 31 or age >= 40" }]);
  expect(first(again)?.cells[0]?.value).toBe(first(before)?.cells[0]?.value);
  expect(first(again)?.origin).toEqual({ kind: "same", from: [{ release: before.id, row: "s1" }] });
  expect(await spent()).toBe("0.1");
  const [summary] = (await fixture.as.member.listReleases({ dataset: fixture.dataset })).items;
  expect(summary?.id).toBe(again.id);
});

test("nothing is reused unless it is asked for", async () => {
  await ask([count]);
  const asked = { dataset: fixture.dataset, account: fixture.memberAccount, plan: { statistics: [count] } };
  const quote = await fixture.as.member.quotePlan(asked);
  expect(quote.statistics[0]?.reuse).toMatchObject({ chosen: null, offers: [{ kind: "same", asAccurate: true }] });
  expect(quote.cost?.epsilon).toBe("0.1");
  expect(first(await fixture.as.member.releaseAndWait(asked))?.origin).toBeUndefined();
  expect(await spent()).toBe("0.2");
});

test("more accuracy than that of earlier answers has a price, and a fresh draw is always possible", async () => {
  await ask([count]);
  expect(first(await ask([{ ...count, epsilon: "0.2" }]))?.origin).toBeUndefined();
  expect(first(await ask([count], { reuse: "never" }))?.origin).toBeUndefined();
  expect(await spent()).toBe("0.4");
  const offered = await offers({ ...count, epsilon: "0.3" });
  expect(offered.chosen).toBeNull();
  expect(offered.note).toContain("Laplace");
  expect(offered.offers.map(({ kind, asAccurate }) => [kind, asAccurate])).toEqual([
    ["same", false],
    ["same", false],
    ["same", false],
  ]);
});

test("a Gaussian answer is topped up for the difference, the fresh draw is kept", async () => {
  await fixture.as.datasetAdmin.switchRule({ ledger: fixture.ledger });
  const one = await ask([{ statistic: "count", rho: "0.005" }]);
  expect(one.receipt?.epsilon).toBe(null);
  const offered = await offers({ statistic: "count", rho: "0.02" });
  const refined = offered.offers.find(({ kind }) => kind === "refined");
  expect(refined?.cost).toEqual({ rho: "0.015", muSquared: "0.03" });
  const two = await ask([{ statistic: "count", rho: "0.02" }], { reuse: { s1: refined?.id ?? "" } });
  expect(first(two)?.origin?.kind).toBe("refined");
  expect(first(two)?.raw?.[0]?.noisy).toHaveLength(1);
  // Both together have the cost and the error of one release at the final accuracy.
  const { mu2 } = (await fixture.as.member.showAccount({ account: fixture.memberAccount })).balance;
  expect(Number(mu2.cap) - Number(mu2.left)).toBeCloseTo(0.04, 11);
  const direct = await fixture.as.member.quotePlan({
    dataset: fixture.dataset,
    account: fixture.memberAccount,
    plan: { statistics: [{ statistic: "count", rho: "0.02" }] },
  });
  // No end of a count's interval is below zero.
  const { value = 0, interval: [, to = 0] = [] } = first(two)?.cells[0] ?? {};
  const upper = Math.max(0, value + (direct.statistics[0]?.accuracy.halfWidth ?? 0));
  expect(Math.abs(to - upper)).toBeLessThan(1);
  const three = await ask([{ statistic: "count", rho: "0.02" }]);
  expect(first(three)?.origin?.kind).toBe("pooled");
  expect(
    first(three)
      ?.origin?.from.map(({ release }) => release)
      .sort(),
  ).toEqual([one.id, two.id].sort());
  expect(first(three)?.cells[0]?.value).toBeCloseTo(first(two)?.cells[0]?.value ?? Number.NaN, 9);
});

test("two identical requests at once are one charge", async () => {
  const both = await Promise.all([ask([count]), ask([count]), ask([count])]);
  expect(await spent()).toBe("0.1");
  expect(new Set(both.map((release) => first(release)?.cells[0]?.value)).size).toBe(1);
  expect(both.filter((release) => first(release)?.origin === undefined)).toHaveLength(1);
});

test("the same key is the same release, reused or not", async () => {
  await ask([count]);
  const asked = {
    dataset: fixture.dataset,
    account: fixture.memberAccount,
    plan: { statistics: [count] },
    reuse: "asAccurate" as const,
  };
  const a = await fixture.as.member.releaseAndWait(asked, { idempotencyKey: "k" });
  const b = await fixture.as.member.releaseAndWait(asked, { idempotencyKey: "k" });
  expect(b).toEqual(a);
  await expect(
    fixture.as.member.releaseAndWait({ ...asked, reuse: "never" }, { idempotencyKey: "k" }),
  ).rejects.toMatchObject({ code: "IDEMPOTENCY_CONFLICT" });
});

test("a plan pays only for the rows that are new, and its answers agree", async () => {
  await ask([{ ...count, id: "all" }]);
  const release = await ask([
    { ...count, id: "total" },
    { ...sum, id: "ages" },
  ]);
  expect(await spent()).toBe("0.2");
  expect(release.answers?.map(({ id, origin }) => [id, origin?.kind])).toEqual([
    ["total", "same"],
    ["ages", undefined],
  ]);
  const two = await ask([
    { statistic: "count", epsilon: "0.1", groupBy: ["sex"], where: "sex in ('f', 'm')" },
    { statistic: "count", epsilon: "0.1", where: "sex in ('f', 'm')" },
  ]);
  const [groups, total] = two.answers ?? [];
  const parts = (groups?.cells ?? []).map(({ consistent }) => consistent?.value ?? Number.NaN);
  expect(total?.cells[0]?.consistent?.value).toBeCloseTo((parts[0] ?? 0) + (parts[1] ?? 0), 6);
  expect(total?.cells[0]?.value).toBe(Number(total?.cells[0]?.noisy[0]));
  // No answer is replaced, and none has another value next to it without a note that says so.
  for (const answer of [...(release.answers ?? []), ...(two.answers ?? [])]) {
    expect(answer.notes.some((note) => note.startsWith("The values as drawn stay"))).toBe(
      answer.cells.some(({ consistent }) => consistent !== undefined),
    );
    for (const { value, noisy } of answer.cells) if (noisy.length === 1) expect(value).toBe(Number(noisy[0]));
  }
});

test("a value that the owner of a required category forgot counts nowhere, and agreed answers say that they rest on it [M330]", async () => {
  const file = await fixture.as.datasetAdmin.uploadFile({
    name: "staff.csv",
    content: csvBytes(`${CSV}8,40,unknown,1\n9,,f,1\n`),
  });
  const { sex } = declaration.columns;
  await fixture.as.datasetAdmin.createVersion({
    dataset: fixture.dataset,
    file: file.id,
    declaration: { ...declaration, columns: { ...declaration.columns, sex: { ...sex, required: true } } },
  });
  const { answers = [] } = await ask([{ ...count, groupBy: ["sex"] }, count]);
  const [groups, total] = answers ?? [];
  const parts = (groups?.cells ?? []).map(({ consistent }) => consistent?.value ?? Number.NaN);
  expect(total?.cells[0]?.consistent?.value).toBeCloseTo((parts[0] ?? 0) + (parts[1] ?? 0), 6);
  const rests = "It rests on what the owner requires: a row without a declared value of sex counts nowhere.";
  expect([groups, total].map((answer) => answer?.notes.includes(rests))).toEqual([true, true]);
  const derived = first(await ask([{ ...count, where: "sex = 'f' or sex = 'm'" }], { reuse: "free" }));
  expect(derived?.origin?.kind).toBe("same");
});

test("a saved plan, whose hash is about all of its rows, may be answered in part from earlier answers", async () => {
  await ask([{ ...count, id: "all" }]);
  const plan = {
    format: "dosimeter-plan/1",
    madeBy: "0",
    table: "people",
    budget: { epsilon: "0.2" },
    rows: [],
    statistics: [
      { ...count, id: "total" },
      { ...sum, id: "ages" },
    ],
  };
  const saved = { ...plan, hash: planHash(plan) };
  const { memberAccount: account, dataset } = fixture;
  const release = await fixture.as.member.releaseAndWait({ dataset, account, plan: saved, reuse: "asAccurate" });
  expect(await spent()).toBe("0.2");
  expect(release.answers?.map(({ id, origin }) => [id, origin?.kind])).toEqual([
    ["total", "same"],
    ["ages", undefined],
  ]);
});

type Cell = { readonly release: string; readonly row: string };

describe("whose answers", () => {
  async function colleague(): Promise<string> {
    const operator = clientOf(instance, instance.operatorToken);
    const { id } = await operator.createPerson({ name: "colleague" });
    await fixture.as.teamAdmin.addMember({ team: fixture.team, person: id });
    return id;
  }
  const kindsFor = async (who: ReturnType<typeof clientOf>, account: string) =>
    (
      await who.quotePlan({ dataset: fixture.dataset, account, plan: { statistics: [count] } })
    ).statistics[0]?.reuse.offers.map(({ kind }) => kind);

  test("one's own, one's team's, or everyone's: as the dataset says, by the rights of now", async () => {
    const theirs = await ask([count]);
    const id = await colleague();
    const own = clientOf(instance, await tokenFor(instance, id));
    const { id: account } = await fixture.as.teamAdmin.createAccount({
      ledger: fixture.ledger,
      parent: fixture.teamAccount,
      holder: { kind: "person", id },
      epsilon: "0.5",
    });
    const policy = (visibility: "dataset" | "team" | "member", price: "free" | "ownLevel" = "free") =>
      fixture.as.datasetAdmin.setReusePolicy({ dataset: fixture.dataset, visibility, price });
    expect(await kindsFor(own, account)).toEqual([]);
    expect((await own.listReleased({ dataset: fixture.dataset })).items).toEqual([]);
    await policy("team");
    expect(await kindsFor(own, account)).toEqual(["same"]);
    expect(
      (await own.listReleased({ dataset: fixture.dataset, text: "COUNT", statistic: "count" })).items,
    ).toHaveLength(1);
    expect((await own.listReleased({ dataset: fixture.dataset, column: "age" })).items).toEqual([]);
    await policy("team", "ownLevel");
    const asked = { dataset: fixture.dataset, account, plan: { statistics: [count] }, reuse: "asAccurate" as const };
    const release = await own.releaseAndWait(asked);
    expect(release.answers?.[0]?.origin?.kind).toBe("same");
    const { balance } = await own.showAccount({ account });
    expect(balance.epsilon.spent).toBe("0.1");
    const ledger = await fixture.as.datasetAdmin.showLedger({ ledger: fixture.ledger });
    expect(ledger.balance.epsilon.spent).toBe("0.1");
    // Where shares pay, only one's own answers are combined: reading those of others goes through a release.
    const cellOf = { release: theirs.id, row: "s1" };
    const combine = { dataset: fixture.dataset, operation: "sum" as const, of: [cellOf, cellOf] as [Cell, Cell] };
    await expect(own.combineReleased(combine)).rejects.toMatchObject({ code: "FORBIDDEN" });
    expect((await fixture.as.member.combineReleased(combine)).cost).toEqual({ epsilon: "0" });
    expect((await own.showAccount({ account })).balance.epsilon.spent).toBe("0.1");
    // After the right is withdrawn, the server no longer offers them the free answer.
    await policy("member");
    await expect(own.releaseAndWait({ ...asked, reuse: { s1: `same:${release.id}/s1` } })).rejects.toMatchObject({
      code: "CONFLICT",
    });
    expect(await kindsFor(own, account)).toEqual([]);
    await policy("dataset");
    expect(await kindsFor(own, account)).toEqual(["same"]);
    // A person who leaves the team gets none of its answers, from the same second on.
    await policy("team");
    await fixture.as.teamAdmin.removeMember({ team: fixture.team, person: id });
    await expect(kindsFor(own, account)).rejects.toMatchObject({ code: "NOT_FOUND" });
  });

  test("a cap pays in full, once, for what its holder is given", async () => {
    await ask([count]);
    await fixture.as.datasetAdmin.setReusePolicy({ dataset: fixture.dataset, visibility: "dataset", price: "free" });
    const id = await colleague();
    const own = clientOf(instance, await tokenFor(instance, id));
    const { id: account } = await fixture.as.datasetAdmin.createAccount({
      ledger: fixture.ledger,
      holder: { kind: "person", id },
      epsilon: "0.15",
      kind: "cap",
    });
    const asked = { dataset: fixture.dataset, account, plan: { statistics: [count] }, reuse: "asAccurate" as const };
    await ask([{ statistic: "mean", column: "age", epsilon: "0.01" }]);
    const quoted = async (statistic: StatisticRequest) =>
      (await own.quotePlan({ dataset: fixture.dataset, account, plan: { statistics: [statistic] } })).statistics[0]
        ?.reuse.offers;
    // A width may reveal the answer: the server shows none before the cap has paid.
    const before = await quoted({ statistic: "mean", column: "age", epsilon: "0.01" });
    expect(before?.[0]).toMatchObject({ kind: "same", asAccurate: true, halfWidth: 72 });
    expect(JSON.stringify(before)).toContain("Your cap pays");
    expect((await quoted({ statistic: "sum", column: "age", epsilon: "0.01" }))?.[0]).toMatchObject({
      kind: "derived",
      halfWidth: null,
      asAccurate: false,
    });
    await own.releaseAndWait(asked);
    expect(JSON.stringify(await quoted(count))).not.toContain(
      "Your cap pays for these answers when you take them: until",
    );
    await own.releaseAndWait(asked);
    expect((await own.showAccount({ account })).balance.epsilon.spent).toBe("0.1");
    await ask([{ ...count, where: "age > 40" }]);
    const more = { ...asked, plan: { statistics: [{ ...count, where: "age > 40" }] } };
    await expect(own.releaseAndWait(more)).rejects.toMatchObject({ code: "QUOTA_EXHAUSTED" });
    // With a share of the same person in addition to the cap: an offer that could not be shown is not charged either.
    const { id: share } = await fixture.as.teamAdmin.createAccount({
      ledger: fixture.ledger,
      parent: fixture.teamAccount,
      holder: { kind: "person", id },
      epsilon: "0.2",
    });
    const beside = { dataset: fixture.dataset, account: share, plan: { statistics: [{ ...count, epsilon: "0.06" }] } };
    const { admitted, refusal } = await own.quotePlan(beside);
    expect([admitted, refusal?.reasons.map(({ account: node }) => node)]).toEqual([false, [account]]);
    await expect(own.releaseAndWait(beside)).rejects.toMatchObject({ code: "QUOTA_EXHAUSTED" });
    expect((await fixture.as.datasetAdmin.showLedger({ ledger: fixture.ledger })).balance.epsilon.spent).toBe("0.21");
    expect((await fixture.as.auditor.verify({})).problems).toEqual([]);
  });
});

describe("versions", () => {
  const next = (text: string) =>
    fixture.as.datasetAdmin
      .uploadFile({ name: "staff.csv", content: csvBytes(text) })
      .then(({ id }) => fixture.as.datasetAdmin.createVersion({ dataset: fixture.dataset, file: id }));

  test("new rows: the same ledger, nothing reused but as of then", async () => {
    const before = await ask([count]);
    expect(await next(`${CSV}7,30,f,7\n`)).toMatchObject({ version: 2 });
    const after = await ask([count]);
    expect(first(after)?.origin).toBeUndefined();
    expect([before.version, after.version]).toEqual([1, 2]);
    expect(await spent()).toBe("0.2");
    const then = await ask([count], { asOf: 1 });
    expect(first(then)?.origin).toMatchObject({ from: [{ release: before.id }] });
    expect(then.version).toBe(1);
    expect(await spent()).toBe("0.2");
    await expect(ask([count], { asOf: 9 })).rejects.toMatchObject({ code: "NOT_FOUND" });
    const { items } = await fixture.as.member.listVersions({ dataset: fixture.dataset });
    expect(items.map(({ version }) => version)).toEqual([1, 2]);
    const audit = await fixture.as.datasetAdmin.showDataset({ dataset: fixture.dataset });
    expect(audit.version).toBe(2);
    expect((await fixture.as.auditor.verify({})).problems).toEqual([]);
  });

  test("other bounds are another question; another unit or other neighbours are refused", async () => {
    await ask([sum]);
    const wider = { ...declaration.columns, age: { ...declaration.columns.age, upper: 80 } };
    await fixture.as.datasetAdmin.createVersion({
      dataset: fixture.dataset,
      declaration: { ...declaration, columns: wider },
    });
    expect((await offers(sum)).offers).toEqual([]);
    const create = (declared: object) =>
      fixture.as.datasetAdmin.createVersion({ dataset: fixture.dataset, declaration: { ...declaration, ...declared } });
    await expect(create({ privacyUnit: { column: "age" } })).rejects.toThrow(/privacyUnit/);
    await expect(create({ adjacency: "replace" })).rejects.toMatchObject({ code: "ADJACENCY_MISMATCH" });
    await expect(fixture.as.datasetAdmin.createVersion({ dataset: fixture.dataset })).rejects.toMatchObject({
      code: "INVALID_PARAMETER",
    });
    await expect(fixture.as.member.createVersion({ dataset: fixture.dataset, declaration })).rejects.toMatchObject({
      code: "FORBIDDEN",
    });
  });

  test("an offer of an older version is stale", async () => {
    await ask([count]);
    const { offers: then } = await offers(count);
    await next(`${CSV}7,30,f,7\n`);
    await expect(ask([count], { reuse: { s1: then[0]?.id ?? "" } })).rejects.toMatchObject({ code: "CONFLICT" });
  });
});

test("a difference of two released cells is free", async () => {
  const a = await ask([count]);
  const b = await ask([{ ...count, where: "age > 40" }]);
  const of = [a, b].map(({ id }) => ({ release: id, row: "s1" }));
  const { value, interval, cost } = await fixture.as.member.combineReleased({
    dataset: fixture.dataset,
    operation: "difference",
    of: of as [(typeof of)[0], (typeof of)[0]],
  });
  expect(value).toBe((first(a)?.cells[0]?.value ?? 0) - (first(b)?.cells[0]?.value ?? 0));
  expect((interval[1] ?? 0) - value).toBeCloseTo(value - (interval[0] ?? 0), 6);
  expect(cost).toEqual({ epsilon: "0" });
  await expect(
    fixture.as.member.combineReleased({
      dataset: fixture.dataset,
      operation: "sum",
      of: [
        { release: "chg_x", row: "s1" },
        { release: "chg_x", row: "s1" },
      ],
    }),
  ).rejects.toMatchObject({ code: "NOT_FOUND" });
});

test("an exhausted account still gets released answers", async () => {
  await ask([{ ...count, epsilon: "1" }]);
  await expect(ask([sum])).rejects.toMatchObject({ code: "QUOTA_EXHAUSTED" });
  expect(first(await ask([count]))?.origin?.kind).toBe("same");
});

test("answers that read derived columns are no other question's, break no later quote, and are tied to nothing", async () => {
  const { member } = fixture.as;
  const about = { dataset: fixture.dataset, account: fixture.memberAccount };
  const older = { statistic: "count", where: { column: "older", op: ">", value: 50 }, epsilon: "0.05" };
  const plan = {
    statistics: [older, { ...older, where: { column: "older", op: "<", value: 20 } }],
    let: { older: "age + 1" },
  };
  const released = await member.releaseAndWait({ ...about, plan }, { idempotencyKey: "derived" });
  for (const answer of released.answers ?? []) expect(JSON.stringify(answer)).not.toContain("consistent");
  expect((await member.quotePlan({ ...about, plan: { statistics: [count] } })).admitted).toBe(true);
  const again = await member.releaseAndWait(
    { ...about, plan, reuse: "asAccurate" },
    { idempotencyKey: "derived-again" },
  );
  expect(again.answers?.[0]?.origin?.kind).toBe("same");
  const other = { ...plan, let: { older: "age + 2" } };
  const fresh = await member.releaseAndWait(
    { ...about, plan: other, reuse: "asAccurate" },
    { idempotencyKey: "other" },
  );
  expect(fresh.answers?.[0]?.origin).toBeUndefined();
});
