import { afterAll, beforeAll, expect, test } from "vitest";
import { buildFixture, clientOf, type Fixture, openTestInstance, tokenFor } from "../instance.kit.ts";

let instance: Awaited<ReturnType<typeof openTestInstance>>;
let fixture: Fixture;
let own: ReturnType<typeof clientOf>;
let cap: string;
beforeAll(async () => {
  instance = await openTestInstance();
  fixture = await buildFixture(instance);
  await fixture.as.datasetAdmin.setReusePolicy({ dataset: fixture.dataset, visibility: "team", price: "free" });
  const { id } = await clientOf(instance, instance.operatorToken).createPerson({ name: "capped" });
  await fixture.as.teamAdmin.addMember({ team: fixture.team, person: id });
  own = clientOf(instance, await tokenFor(instance, id));
  const account = await fixture.as.datasetAdmin.createAccount({
    ledger: fixture.ledger,
    parent: fixture.teamAccount,
    holder: { kind: "person", id },
    epsilon: "0.05",
    kind: "cap",
  });
  cap = account.id;
});
afterAll(() => instance.close());

test("offers that are equally accurate stand in the order of their releases, newest first, whatever was answered", async () => {
  const { dataset, memberAccount: account } = fixture;
  let narrowerFirst = 0;
  let widerFirst = 0;
  for (let i = 0; i < 6; i++) {
    // So few rows that the interval, cut off at zero, tells how the noise fell.
    const plan = {
      statistics: [{ id: "m", statistic: "count", where: `salary < ${90_000_000 + i}`, epsilon: "0.01" }],
    };
    const widths: number[] = [];
    for (const key of ["a", "b", "c"]) {
      const { answers } = await fixture.as.member.releaseAndWait(
        { dataset, account, plan },
        { idempotencyKey: key + i },
      );
      const [from = 0, to = 0] = answers?.[0]?.cells[0]?.interval ?? [];
      widths.push(to - from);
    }
    const { statistics } = await own.quotePlan({ dataset, account: cap, plan });
    const ids = statistics[0]?.reuse.offers.filter(({ kind }) => kind === "same").map(({ id }) => id) ?? [];
    expect(ids).toHaveLength(3);
    expect(ids).toEqual(ids.toSorted().toReversed());
    if ((widths[0] ?? 0) < (widths[2] ?? 0)) narrowerFirst += 1;
    if ((widths[0] ?? 0) > (widths[2] ?? 0)) widerFirst += 1;
  }
  // Or the order would have been right by chance.
  expect(narrowerFirst + widerFirst).toBeGreaterThan(0);
});

test("what capping changes is unknown where the rows of people are bounded, for who has read a histogram and who has not [M350]", async () => {
  const { dataset, memberAccount: account } = fixture;
  await fixture.as.datasetAdmin.setReusePolicy({ dataset, visibility: "team", price: "free" });
  const histogram = { statistics: [{ statistic: "histogram", column: "salary", bins: 10, epsilon: "0.2" }] };
  const mean = { statistic: "mean", column: "salary", epsilon: "0.3" };
  const plan = { statistics: [{ ...mean, upper: 50_000 }] };
  const before = await fixture.as.member.quotePlan({ dataset, account, plan });
  expect(before.statistics[0]).toMatchObject({ caps: "capped at 50,000", known: {}, accuracy: { bias: null } });
  expect(before.statistics[0]?.sentence).toContain(" Capping: unknown; a histogram of salary for ε = ");
  await fixture.as.member.releaseAndWait({ dataset, account, plan: histogram });
  const after = await fixture.as.member.quotePlan({ dataset, account, plan });
  // A person's rows above the bound may be others in the histogram than in the mean, so it does not tell here.
  expect(after.statistics[0]).toMatchObject({ known: {}, accuracy: { bias: null } });
  expect(after.statistics[0]?.sentence).toBe(before.statistics[0]?.sentence);
  const [hidden] = (await own.quotePlan({ dataset, account: cap, plan })).statistics;
  expect(hidden).toMatchObject({ known: {}, accuracy: { bias: null }, sentence: before.statistics[0]?.sentence });
  expect(hidden?.sentence).toMatch(/ How many people have rows left out: unknown; .* would tell\.$/);
  // With how many people have rows left out it does, to who has read both.
  const cuts = { statistics: [{ statistic: "cutUnits", epsilon: "0.1" }] };
  await fixture.as.member.releaseAndWait({ dataset, account, plan: cuts });
  const [told] = (await fixture.as.member.quotePlan({ dataset, account, plan })).statistics;
  expect(told?.known.cut?.from).toBe("people over the row limit");
  expect(told?.known.tails?.from).toBe("histogram of salary");
  expect(told?.accuracy.bias).not.toBeNull();
  expect(told?.sentence).toMatch(/ have rows left out, by the earlier people over the row limit\.$/);
  const [still] = (await own.quotePlan({ dataset, account: cap, plan })).statistics;
  expect(still).toMatchObject({
    known: {},
    accuracy: { bias: null, bestBounds: null },
    sentence: before.statistics[0]?.sentence,
  });
  // A price at which nothing can be stated is warned of; it is not refused.
  const vain = { statistics: [{ ...mean, epsilon: "0.000001" }] };
  const { warnings } = await fixture.as.member.quotePlan({ dataset, account, plan: vain });
  expect(warnings).toEqual(["mean of salary cannot be distinguished from nothing: it costs as much as what can."]);
});

test("a combination is paid for before its result is shown", async () => {
  const { dataset, memberAccount: account } = fixture;
  const plan = { statistics: [{ id: "h", statistic: "count", groupBy: ["sex"], epsilon: "0.1" }] };
  const { id: release } = await fixture.as.member.releaseAndWait({ dataset, account, plan });
  const probe = (cell: number) =>
    own.combineReleased({
      dataset,
      operation: "sum",
      of: [
        { release, row: "h", cell },
        { release, row: "h", cell: 0 },
      ],
    });
  // The cap of 0.05 has no room for it: how many cells there are is not said either.
  await expect(probe(99)).rejects.toMatchObject({ code: "QUOTA_EXHAUSTED" });
  await expect(probe(1)).rejects.toMatchObject({ code: "QUOTA_EXHAUSTED" });
  await fixture.as.datasetAdmin.setReusePolicy({ dataset, visibility: "team", price: "ownLevel" });
  await expect(probe(99)).rejects.toMatchObject({ code: "FORBIDDEN" });
  expect((await own.showAccount({ account: cap })).balance.epsilon.spent).toBe("0");
});

test("rows about samples of their own are not made to agree with one another", async () => {
  const { dataset, memberAccount: account } = fixture;
  const where = "sex in ('f', 'm')";
  const statistics = [
    { id: "all", statistic: "count", where, epsilon: "0.1" },
    { id: "by", statistic: "count", where, groupBy: ["sex"], epsilon: "0.1" },
  ];
  const ask = (more: object) =>
    fixture.as.member
      .releaseAndWait({ dataset, account, plan: { ...more, statistics } })
      .then(({ answers }) => answers);
  expect(JSON.stringify(await ask({}))).toContain("consistent");
  expect(JSON.stringify(await ask({ sample: { rate: "0.5" } }))).not.toContain("consistent");
});
