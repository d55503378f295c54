import type { Plan } from "@dosimeter/client";
import { present } from "@dosimeter/core/internal";
import { beforeAll, expect, test } from "vitest";
import { fixtureOf } from "../fixture.kit.ts";
import { codeOf, csvBytes, openAccounts } from "../instance.kit.ts";
import { declaredVisits } from "../visits.kit.ts";

const fixture = fixtureOf();
let visits: string;
let ledger: string;
let account: string;

const { blocks, ...whole } = declaredVisits({ lower: "2024-01-01", upper: "2024-02-29" });
const ROWS = Array.from({ length: 30 }, (_, who) => `p${who},2024-0${1 + (who % 2)}-15\n`).join("");

beforeAll(async () => {
  const { datasetAdmin } = fixture.as;
  const file = await datasetAdmin.uploadFile({ name: "visits.csv", content: csvBytes(`who,seen\n${ROWS}`) });
  visits = (await datasetAdmin.createDataset({ file: file.id, declaration: whole })).id;
  ledger = (await datasetAdmin.openLedger({ dataset: visits, epsilon: "40", delta: "1e-6" })).id;
  account = (await openAccounts(fixture, ledger, "40", "40")).memberAccount;
});

const count = (window?: string) => ({
  ...{ dataset: visits, account },
  plan: {
    ...present({ window }),
    statistics: [{ id: "n", statistic: "count", epsilon: "10" }],
  } satisfies Plan,
});

test("a population gets blocks: asked twice, declared afterwards, what was spent stays spent, and earlier answers are free [M168]", async () => {
  const { datasetAdmin, platformAdmin, member, auditor } = fixture.as;
  const first = await member.releaseAndWait({ ...count(), reuse: "never" });
  const asked = { ledger, every: "month", zone: "Europe/Berlin", reason: "the table grows" } as const;
  for (const other of [fixture.as.teamAdmin, member, platformAdmin])
    expect(["FORBIDDEN", "NOT_FOUND"]).toContain(await codeOf(other.migrateLedger(asked)));
  expect((await datasetAdmin.migrateLedger(asked)).blocks).toBeUndefined();
  const after = await platformAdmin.migrateLedger(asked);
  expect(after.blocks).toMatchObject({ every: "month", zone: "Europe/Berlin", earlier: { isClosed: false } });
  expect(after.guarantee.version).toBe(2);
  expect(after.balance.used).toBe(0.5);
  // What was charged before bounds all records of a person; those of one month come or go with the others left behind.
  const reports = [await datasetAdmin.reportLedger({ ledger }), await member.reportAccount({ account })];
  for (const { statement } of reports) {
    expect(statement.spent.epsilon).toBeCloseTo(20, 9);
    expect(statement.sentence).toContain(
      "named every month and what was charged before there were months twice: a loss of at most ε = 20 except",
    );
    expect(statement.sentence).toContain("is protected as version 1 says. Each month through");
  }

  // The tables do not say yet which month a row is of.
  expect(await codeOf(member.releaseAndWait(count()))).toBe("INVALID_PARAMETER");
  expect(await datasetAdmin.showBlocks({ ledger })).toEqual({ calendar: null, rows: [] });
  const declare = (declaration: Record<string, unknown>) =>
    codeOf(datasetAdmin.createVersion({ dataset: visits, declaration }));
  expect(await declare({ ...whole, blocks: { ...blocks, every: "week" } })).toBe("INVALID_PARAMETER");
  expect(await declare({ ...whole, blocks })).toBe("done");

  const { calendar, rows } = await datasetAdmin.showBlocks({ ledger });
  expect(calendar).toMatchObject({ first: "2024-01", last: "2024-02" });
  expect(rows.map(({ runs }) => runs.map(({ from, epsilon }) => [from, epsilon]))).toEqual([
    [["2024-01", "20"]],
    [["2024-01", "10"]],
    [["2024-01", "10"]],
  ]);
  const january = await member.releaseAndWait({ ...count("2024-01"), reuse: "never" });
  expect(january.epsilon).toBe("10");
  // The ledger is at 30 of 40 in January; the account has 20 left.
  expect(await member.quotePlan({ ...count("2024-01"), reuse: "never" })).toMatchObject({ admitted: true });
  await member.releaseAndWait({ ...count("2024-01"), reuse: "never" });
  expect(await member.quotePlan({ ...count("2024-01 to 2024-02"), reuse: "never" })).toMatchObject({
    admitted: false,
    refusal: { code: "BUDGET_EXHAUSTED", blocks: { first: "2024-01", fits: ["2024-02"] } },
  });
  const again = await member.releaseAndWait({ ...count(), asOf: 1, reuse: "asAccurate" });
  expect(again).toMatchObject({ epsilon: "0", answers: [{ cells: first.answers?.[0]?.cells }] });
  expect((await auditor.verify({})).problems).toEqual([]);
});

test("where declared dates lie ahead, the owner says through which block rows may have been measured; a cap that was closed before promises as it did [M168]", async () => {
  const { datasetAdmin, platformAdmin } = fixture.as;
  const file = await datasetAdmin.uploadFile({ name: "ahead.csv", content: csvBytes(`who,seen\nq0,2024-01-15\n`) });
  const { blocks: _, ...ahead } = declaredVisits({ lower: "2024-01-01", upper: "2090-01-31" });
  const { id: dataset } = await datasetAdmin.createDataset({ file: file.id, declaration: { ...ahead, name: "ahead" } });
  const opened = await datasetAdmin.openLedger({ dataset, epsilon: "1", delta: "1e-6" });
  // An earlier version counts too.
  await datasetAdmin.createVersion({ dataset, declaration: { ...whole, name: "ahead" } });
  const asked = { ledger: opened.id, every: "month", zone: "Europe/Berlin", reason: "the table grows" } as const;
  await expect(datasetAdmin.migrateLedger(asked)).rejects.toMatchObject({
    code: "INVALID_PARAMETER",
    message: expect.stringContaining("version 1 of ahead declares dates through 2090-01"),
  });
  const reader = { kind: "person", id: fixture.people.auditor } as const;
  const terms = { ledger: opened.id, holder: reader, epsilon: "0.5" };
  const cap = await datasetAdmin.createAccount({ ...terms, kind: "cap" });
  await datasetAdmin.closeAccount({ account: cap.id });
  const share = await datasetAdmin.createAccount(terms);
  const through = { ...asked, through: "2030-12" };
  expect((await datasetAdmin.migrateLedger(through)).guarantee.version).toBe(1);
  expect((await platformAdmin.migrateLedger(through)).guarantee.version).toBe(2);

  const promised = async (account: string) => (await datasetAdmin.reportAccount({ account })).statement.sentence;
  // A cap counted nothing by the month.
  expect(await promised(cap.id)).toMatch(
    /^Promised: \(0, 0\)-DP for what its holder learned, until it was closed, among the courses of events in which it is closed with this quota, (?!.*month)/,
  );
  expect(await promised(share.id)).toMatch(/^Promised for what is recorded of one who in one month: /);
});
