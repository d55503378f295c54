import { present } from "@dosimeter/core/internal";
import { expect, test } from "vitest";
import { refused } from "../../../../test/refusal.kit.ts";
import { fixtureOf } from "../fixture.kit.ts";
import { csvBytes, declaration } from "../instance.kit.ts";

const fixture = fixtureOf();

const SQL = "SELECT sex, COUNT(*) AS n, AVG(age) AS age FROM staff GROUP BY sex";
const ask = (sql: string, epsilon?: string) => ({
  account: fixture.memberAccount,
  sql,
  ...present({ epsilon }),
});

test("a quote of SQL is the quote of its plan", async () => {
  const { member } = fixture.as;
  const { plan, dataset, quote, notes } = await member.quoteSql(ask(SQL, "0.1"));
  expect(plan).toEqual({
    statistics: [
      { id: "n", statistic: "count", groupBy: ["sex"], epsilon: "0.05" },
      { id: "age", statistic: "mean", column: "age", groupBy: ["sex"], epsilon: "0.05" },
    ],
  });
  expect(quote).toEqual(await member.quotePlan({ dataset, account: fixture.memberAccount, plan }));
  expect(notes).toEqual([]);
  // A plan whose rows state no price has the same split of the same total, and is not quoted without one.
  const bare = { ...plan, statistics: plan.statistics.map(({ epsilon, ...row }) => row) };
  const asked = { dataset, account: fixture.memberAccount, plan: bare };
  expect(await member.quotePlan({ ...asked, epsilon: "0.1" })).toEqual({ ...quote, plan });
  expect((await refused(member.quotePlan(asked))).message).toBe(
    "body.epsilon is missing, must be stated as a total that 2 rows share evenly, or as the price of each row of the plan",
  );
  expect((await refused(member.quotePlan({ ...asked, plan, epsilon: "0.2" }))).message).toBe(
    'body.epsilon is "0.2", must be 0.1',
  );
  const byOptions = SQL.replace("SELECT", "SELECT WITH DIFFERENTIAL_PRIVACY OPTIONS(epsilon = 0.1)");
  expect(await member.quoteSql(ask(byOptions))).toMatchObject({ plan, quote });
});

test("a release of SQL is charged once under its key, as the release of its plan, and comes as a table", async () => {
  const { member } = fixture.as;
  const sql = `${SQL} ORDER BY sex DESC`;
  const options = { idempotencyKey: "sql-1" };
  const answer = await member.releaseSqlAndWait(ask(sql, "0.1"), options);
  const { release, tables, dataset, plan } = answer;
  const charged = await member.showAccount({ account: fixture.memberAccount });
  expect(release.receipt?.epsilon).toBe("0.1");
  // NULL where the noise was larger than the data.
  const maybe = expect.toSatisfy((value) => value === null || typeof value === "number");
  expect(tables).toEqual([
    {
      columns: ["sex", "n", "age"],
      rows: [
        ["m", expect.any(Number), maybe],
        ["f", expect.any(Number), maybe],
      ],
      notes: expect.arrayContaining([expect.stringContaining("Values outside 18 to 90")]),
    },
  ]);
  expect(tables?.[0]?.rows.map(([, n]) => n)).toEqual(
    release.answers?.[0]?.cells.map(({ value }) => value).toReversed(),
  );
  expect(await member.releaseSqlAndWait(ask(sql, "0.1"), options)).toEqual(answer);
  const asPlan = await member.releaseAndWait({ dataset, account: fixture.memberAccount, plan }, options);
  expect(asPlan).toEqual(release);
  expect(await member.showAccount({ account: fixture.memberAccount })).toEqual(charged);
  expect((await refused(member.releaseSqlAndWait(ask(sql, "0.2"), options))).code).toBe("IDEMPOTENCY_CONFLICT");
});

test.each([
  [
    "no ε",
    SQL,
    undefined,
    "INVALID_PARAMETER",
    "epsilon is missing, must be stated as a total that 2 aggregates share evenly: the argument epsilon, or OPTIONS(epsilon = …) in the query",
  ],
  [
    "a mistake",
    "SELECT sex,\n  AVG(agee) FROM staff GROUP BY sex",
    "0.1",
    "UNKNOWN_COLUMN",
    'line 2, column 7: no column is called "agee"; there are person, age, sex, salary',
  ],
  [
    "what only the plan's check finds",
    "SELECT\n  MEDIAN(sex) FROM staff",
    "0.1",
    "UNSUPPORTED_QUERY",
    'line 2, column 3: column is "sex", must be an integer, number or date column; it is category',
  ],
  ["an unknown dataset", "SELECT COUNT(*) FROM elsewhere", "0.1", "NOT_FOUND", "not found, or not visible to you"],
  ["too much", SQL, "4", "QUOTA_EXHAUSTED", ""],
  [
    "a megabyte",
    `SELECT COUNT(*) FROM staff WHERE ${"age > 1 OR ".repeat(20_000)}age > 1`,
    "0.1",
    "INVALID_PARAMETER",
    "at most 100000 characters",
  ],
])("%s is refused, and nothing is charged", async (_, sql, epsilon, code, message) => {
  const { member } = fixture.as;
  const before = await member.showAccount({ account: fixture.memberAccount });
  const error = await refused(member.releaseSqlAndWait(ask(sql, epsilon)));
  expect(error).toMatchObject({ code });
  expect(error.message).toContain(message);
  expect((await member.showAccount({ account: fixture.memberAccount })).balance).toEqual(before.balance);
});

test("what was quoted is released, or nothing is", async () => {
  const { member } = fixture.as;
  const { dataset } = await member.quoteSql(ask(SQL, "0.01"));
  expect(dataset).toBe(fixture.dataset);
  const asked = { ...ask(SQL, "0.01"), dataset: "ds_another" };
  expect(await refused(member.releaseSqlAndWait(asked))).toMatchObject({ code: "CONFLICT" });
  expect((await member.releaseSqlAndWait({ ...asked, dataset })).release.stage).toBe("done");
});

test("a dataset whose name is the id of another does not take its place", async () => {
  const { member, datasetAdmin } = fixture.as;
  const { population } = await datasetAdmin.showDataset({ dataset: fixture.dataset });
  const file = await datasetAdmin.uploadFile({ name: "other.csv", content: csvBytes("person,age,sex,salary\n") });
  const declared = { ...declaration, name: fixture.dataset };
  const other = await datasetAdmin.createDataset({ file: file.id, declaration: declared, population });
  const named = (name: string) => member.quoteSql(ask(SQL.replace("staff", `"${name}"`), "0.01"));
  expect((await named(fixture.dataset)).dataset).toBe(fixture.dataset);
  expect((await named(other.id)).dataset).toBe(other.id);
});

test("a dataset that someone may not see is not there, and their account says no more", async () => {
  const { stranger } = fixture.as;
  expect((await refused(stranger.quoteSql(ask(SQL, "0.1")))).code).toBe("NOT_FOUND");
});

test("a table that was paid for stays as it was after a new version of the dataset", async () => {
  const { member, datasetAdmin } = fixture.as;
  const asked = ask(
    "SELECT sex, COUNT(*) AS n, DP_INTERVAL_LOW(n) AS low, AVG(salary) AS pay FROM staff GROUP BY sex ORDER BY n",
    "0.1",
  );
  const options = { idempotencyKey: "sql-versions" };
  const answer = await member.releaseSqlAndWait(asked, options);
  expect(answer.tables?.[0]?.notes).toEqual(
    expect.arrayContaining([expect.stringMatching(/for all 2 answers at once/)]),
  );
  const { salary: _, ...columns } = declaration.columns;
  const declared = { ...declaration, columns, contribution: { rows: 4 } };
  await datasetAdmin.createVersion({ dataset: fixture.dataset, declaration: declared });
  expect(await member.releaseSqlAndWait(asked, options)).toEqual(answer);
  expect((await refused(member.quoteSql(asked))).code).toBe("UNKNOWN_COLUMN");
});

test("a name that several datasets have is refused with the id of each; an id, and the name as it is written, name one", async () => {
  const { as, dataset, memberAccount: account } = fixture;
  const { population } = await as.datasetAdmin.showDataset({ dataset });
  const ids: string[] = [];
  for (const name of ["Twins", "TWINS"]) {
    const file = await as.datasetAdmin.uploadFile({ name: "twins.csv", content: csvBytes() });
    ids.push((await as.datasetAdmin.createDataset({ file: file.id, name, declaration, population })).id);
  }
  const of = (name: string) => ask(`SELECT COUNT(*) AS n FROM ${name}`, "0.1");
  const error = await refused(as.member.quoteSql(of("twins")));
  expect(error).toMatchObject({ code: "CONFLICT", details: { name: "sql", got: "twins" } });
  const [said, listed = ""] = error.message.split(": ");
  expect(said).toBe('2 datasets are called "twins"; name one by its id');
  expect(listed.split(", ").sort()).toEqual(ids.toSorted());
  expect((await as.member.quoteSql(of('"TWINS"'))).dataset).toBe(ids[1]);
  for (const id of ids) expect((await as.member.quoteSql(of(`"${id}"`))).dataset).toBe(id);
  // Who does not see the ledger learns nothing of them.
  expect(await refused(as.stranger.quoteSql({ ...of("twins"), account }))).toMatchObject({ code: "NOT_FOUND" });
});
