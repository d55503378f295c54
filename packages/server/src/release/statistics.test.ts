import { answer } from "@dosimeter/client/routes";
import { statistics } from "@dosimeter/query/statistics";
import { expect, test } from "vitest";
import { fixtureOf } from "../fixture.kit.ts";
import { CSV, csvBytes, declaration } from "../instance.kit.ts";

const fixture = fixtureOf();

test("a release on a secret sample: the ledger holds the sampled event at the full price, reports tell the smaller loss [M19, M128]", async () => {
  const statistics = [{ id: "people", statistic: "count", epsilon: "0.5" }];
  const asked = {
    dataset: fixture.dataset,
    account: fixture.memberAccount,
    plan: { sample: { rate: "0.1" }, statistics },
  };
  const quote = await fixture.as.member.quotePlan(asked);
  const inner = { kind: "discreteLaplace", scale: "2", sensitivity: 1 };
  expect(quote.statistics[0]?.events).toEqual([{ kind: "poissonSampled", rate: "1/10", event: inner }]);
  expect(quote.cost).toMatchObject({ epsilon: "0.5" });
  const release = await fixture.as.member.releaseAndWait(asked);
  expect(release.receipt).toMatchObject({ epsilon: "0.5" });
  const { accountants, statement } = await fixture.as.datasetAdmin.reportLedger({ ledger: fixture.ledger });
  expect(statement.promised.certificate).toContain("Σε = 0.5 of 5");
  const sampled = Math.log1p(0.1 * Math.expm1(0.5));
  for (const method of ["basic", "pld"]) {
    const epsilon = accountants.find((each) => each.method === method)?.epsilon ?? 0;
    expect(epsilon / sampled).toBeGreaterThan(0.999);
    expect(epsilon / sampled).toBeLessThan(1.001);
  }
});

test("every row of the table of statistics is quoted, charged, released and on the wire as declared", async () => {
  const requests = Object.entries(statistics).map(([statistic, row]) => ({
    statistic: statistic as keyof typeof statistics,
    epsilon: "0.01",
    ...(row.column === "none" ? {} : { column: "age" }),
    ...("others" in row ? { with: ["salary"] } : {}),
    ...(statistic === "keyCounts" ? { column: "sex", delta: "0.00000001" } : {}),
    ...(statistic === "topValues" ? { column: "sex", k: 1 } : {}),
    ...(statistic === "runningTotal" ? { column: "salary", with: ["age"] } : {}),
  }));
  const asked = { dataset: fixture.dataset, account: fixture.memberAccount, plan: { statistics: requests } };
  const quote = await fixture.as.member.quotePlan(asked);
  expect(quote.refusal).toBeNull();
  const release = await fixture.as.member.releaseAndWait(asked);
  expect(release.answers?.map(({ statistic }) => statistic)).toEqual(Object.keys(statistics));
  for (const each of release.answers ?? []) answer.parse(each);
  expect(release.receipt).toMatchObject({ epsilon: String(requests.length / 100) });
});

test("groups that no one declared spend the ledger's δ for selection, and no more than it has", async () => {
  const ask = (delta: string) => ({
    dataset: fixture.dataset,
    account: fixture.memberAccount,
    plan: {
      statistics: [
        { id: "who", statistic: "keyCounts", column: "sex", epsilon: "0.01", delta },
        { statistic: "mean", column: "age", groupBy: ["sex"], keysFrom: "who", epsilon: "0.01" },
        { statistic: "cdf", column: "age", epsilon: "0.01" },
      ],
    },
  });
  const release = await fixture.as.member.releaseAndWait(ask("0.0000000001"));
  expect(release.receipt).toMatchObject({ epsilon: "0.03", delta: "0.0000000001" });
  const [who, mean, curve] = (release.answers ?? []).map((each) => answer.parse(each));
  expect(who?.cost).toEqual({ epsilon: "0.01", delta: "0.0000000001" });
  // Six people are too few for any value of theirs to be published: δ for each person and value, 6 in 10¹⁰ runs.
  expect([who?.cells, mean?.cells]).toEqual([[], []]);
  expect(curve?.simultaneous).toBeGreaterThan(0);
  expect(curve?.cells).toHaveLength(73);
  // A tenth of 10⁻⁶ is for selection in all; the member's account has its share of that.
  const refused = await fixture.as.member.quotePlan(ask("0.0000002"));
  expect(refused.refusal?.reasons.map(({ dimension }) => dimension)).toContain("delta");
});

test("derived columns are grouped, filtered and measured, and reused only where they mean the same", async () => {
  const ask = (definition: string) => ({
    dataset: fixture.dataset,
    account: fixture.memberAccount,
    plan: {
      let: { half: definition, grown: "age >= 18" },
      statistics: [
        { statistic: "count", groupBy: ["half"], where: "grown = true", epsilon: "0.01" },
        { statistic: "mean", column: "perYear", epsilon: "0.01" },
      ],
    },
  });
  const withMore = (definition: string) => {
    const asked = ask(definition);
    return { ...asked, plan: { ...asked.plan, let: { ...asked.plan.let, perYear: "salary / 12" } } };
  };
  const release = await fixture.as.member.releaseAndWait(withMore("cut(age, 50)"));
  const [count, mean] = (release.answers ?? []).map((each) => answer.parse(each));
  expect(count?.notes).toContain("half is cut(age, 50).");
  expect(mean?.notes).toContain("perYear is salary / 12.");
  expect(count?.cells.map(({ group }) => group.half)).toEqual([0, 50]);
  const other = await fixture.as.member.releaseAndWait(withMore("cut(age, 60)"));
  const [again] = (other.answers ?? []).map((each) => answer.parse(each));
  expect(again?.cells.map(({ group }) => group.half)).toEqual([0, 60]);
  await expect(fixture.as.member.quotePlan(withMore("cut(person, 5)"))).rejects.toThrow("let.half.of[0]");
});

test("estimated bounds name the release that paid for them, about the same people", async () => {
  const { columns } = declaration;
  const withRelease = (release: string) => ({
    ...declaration,
    columns: { ...columns, salary: { type: "number", lower: 0, upper: 131_072, provenance: "dp-estimated", release } },
  });
  const asked = { dataset: fixture.dataset, account: fixture.memberAccount };
  const { id } = await fixture.as.member.releaseAndWait({
    ...asked,
    plan: { statistics: [{ statistic: "bounds", column: "salary", epsilon: "0.01" }] },
  });
  const declare = (release: string) =>
    fixture.as.datasetAdmin.createVersion({ dataset: fixture.dataset, declaration: withRelease(release) });
  await expect(declare("rel_of_nobody")).rejects.toThrow("declaration.columns.salary.release");
  await declare(id);
  // New people cannot have paid for anything.
  const file = await fixture.as.datasetAdmin.uploadFile({ name: "other.csv", content: csvBytes(`${CSV}\n`) });
  await expect(
    fixture.as.datasetAdmin.createDataset({ file: file.id, name: "other", declaration: withRelease(id) }),
  ).rejects.toThrow("declaration.columns.salary.release");
});
