import type { Plan } from "@dosimeter/client";
import { present } from "@dosimeter/core/internal";
import { type LedgerId, systemPrincipal } from "@dosimeter/ledger";
import { beforeAll, expect, onTestFinished, test, vi } from "vitest";
import { fixtureOf } from "../fixture.kit.ts";
import { clientOf, codeOf, csvBytes, ORIGIN, openAccounts } from "../instance.kit.ts";
import { agentAt, called } from "../mcp/mcp.kit.ts";
import { declaredVisits, months } from "../visits.kit.ts";

const fixture = fixtureOf();
let visits: string;
let ledger: string;
let account: string;

/** Ten people, each seen in each of 24 months; one row without a date and one of a year that nothing declares. */
const VISITS = `who,seen,ward\n${months
  .flatMap((month) => Array.from({ length: 10 }, (_, who) => `p${who},${month}-15,${who < 4 ? "a" : "b"}`))
  .join("\n")}\np1,,a\np1,9999-01-01,a\n`;
const declared = declaredVisits({
  columns: { ward: { type: "category", categories: ["a", "b"], provenance: "public" } },
});

beforeAll(async () => {
  const { datasetAdmin } = fixture.as;
  const file = await datasetAdmin.uploadFile({ name: "visits.csv", content: csvBytes(VISITS) });
  visits = (await datasetAdmin.createDataset({ file: file.id, declaration: declared })).id;
  const opened = await datasetAdmin.openLedger({ dataset: visits, epsilon: "1000", delta: "1e-6" });
  ledger = opened.id;
  account = (await openAccounts(fixture, ledger, "500", "100")).memberAccount;
});

const count = (window: Plan["window"], more: object = {}): Plan => ({
  ...present({ window }),
  statistics: [{ id: "n", statistic: "count", epsilon: "10", ...more }],
});
const about = (plan: Plan, more: object = {}) => ({ dataset: visits, account, plan, ...more });
const quote = (plan: Plan, more: object = {}) => fixture.as.member.quotePlan(about(plan, more));
const release = (plan: Plan, key?: string, more: object = {}) =>
  fixture.as.member.releaseAndWait(about(plan, more), ...(key === undefined ? [] : [{ idempotencyKey: key }]));
const entries = async () => (await fixture.as.datasetAdmin.showLedger({ ledger })).head.number;

test("a ledger of blocks promises each of them, and an answer counts the rows of its window alone", async () => {
  const shown = await fixture.as.datasetAdmin.showLedger({ ledger });
  expect(shown.rule).toBe("addition");
  expect(shown.blocks).toEqual({ every: "month", zone: "Europe/Berlin" });
  expect(shown.guarantee.sentence).toContain("what is recorded of any one who in any one month is added or removed");

  const year = count("latest 12");
  expect(await quote(year)).toMatchObject({
    admitted: true,
    window: { blocks: ["2023-01 to 2023-12"] },
    cost: { epsilon: "10" },
  });
  // Noise of scale 1/5: it is off by 30 in one of 10^65 runs.
  const answer = await release(year, "year");
  expect(answer.plan).toMatchObject({ window: { blocks: ["2023-01 to 2023-12"] } });
  expect(answer.epsilon).toBe("10");
  expect(Math.abs((answer.answers?.[0]?.cells[0]?.value ?? 0) - 120)).toBeLessThan(30);
  // The same key is the same release, also when other months are the latest ones.
  const before = await entries();
  expect((await release(year, "year")).id).toBe(answer.id);
  expect(await codeOf(release(count("latest 11"), "year"))).toBe("IDEMPOTENCY_CONFLICT");
  expect(await entries()).toBe(before);
  const two = await release(count("2022-03, 2022-05"));
  expect(Math.abs((two.answers?.[0]?.cells[0]?.value ?? 0) - 20)).toBeLessThan(15);
});

test("who overspends one month is refused there and only there, and shown what would fit", async () => {
  await release(count("2023-03", { epsilon: "85" }));
  const full = await quote(count("2022-12 to 2023-06"));
  expect(full).toMatchObject({
    admitted: false,
    refusal: {
      code: "QUOTA_EXHAUSTED",
      largestEpsilon: "5",
      blocks: { first: "2023-03", fits: ["2022-12 to 2023-02", "2023-04 to 2023-06"] },
    },
  });
  expect(full.refusal?.detail).toMatch(
    /^In 2023-03, the first block without room: .* The widest window of these with room is 2022-12 to 2023-02, 2023-04 to 2023-06\.$/,
  );
  const before = await entries();
  await expect(release(count("2022-12 to 2023-06"))).rejects.toMatchObject({
    code: "QUOTA_EXHAUSTED",
    details: { block: "2023-03", fits: ["2022-12 to 2023-02", "2023-04 to 2023-06"], largestEpsilon: "5" },
  });
  expect(await entries()).toBe(before);
  expect(await quote(count("2022-12 to 2023-02"))).toMatchObject({ admitted: true });
  expect(await quote(count("2022-12 to 2023-06", { epsilon: "5" }))).toMatchObject({ admitted: true });
});

test("a filter on the date is no narrower window: the plan pays for the blocks that it names", async () => {
  const filtered = count("2022-01 to 2023-12", { where: "seen >= '2022-07-01' and seen < '2022-08-01'" });
  expect(await quote(filtered)).toMatchObject({ admitted: false, refusal: { blocks: { first: "2023-03" } } });
  expect(await quote({ ...filtered, window: "2022-07" })).toMatchObject({ admitted: true });
});

test("an earlier answer is used for the same blocks, however they are named, and for no others", async () => {
  const asked = { reuse: "asAccurate" };
  const used = async (plan: Plan) => (await quote(plan, asked)).statistics[0]?.reuse.chosen ?? null;
  await release(count("2022-09 to 2022-10"));
  expect(await used(count("2022-10, 2022-09"))).not.toBeNull();
  for (const window of ["2022-09", "2022-09 to 2022-11", "2022-10 to 2022-11"])
    expect(await used(count(window))).toBeNull();
  // A count of a group is in no table over other blocks, and two months are not added up.
  await release(count("2022-09", { groupBy: ["ward"] }));
  expect(await used(count("2022-10", { groupBy: ["ward"] }))).toBeNull();
  expect(await used(count("2022-09", { where: "ward = 'a'" }))).toBeNull();
  const before = await entries();
  const free = await release(count("2022-10, 2022-09"), undefined, asked);
  expect(free.epsilon).toBe("0");
  expect(await entries()).toBe(before + 1);
});

test("what a window cannot be is refused before anything is charged", async () => {
  const before = await entries();
  for (const [plan, message] of [
    [count(undefined), "window is missing"],
    [count("2023-12 to 2024-01"), "must be from 2022-01 to 2023-12"],
    [count("latest 25"), "window.latest is 25"],
    [count({ blocks: [] }), "at least one block"],
    [count("2022-01, 2022-01"), "every block once"],
    [count("2022-01 to 2022-06, 2022-04 to 2022-12"), "every block once"],
    [count("seen >= '2022-07-01'"), "window.blocks[0] is"],
    [count("9999-12"), "must be from 2022-01 to 2023-12"],
    [{ window: "latest 2", statistics: [{ statistic: "distinctUnits", epsilon: "1" }] }, "over one month"],
    [count("latest 1", { sample: { rate: 0.5 } }), "sample"],
    [{ ...count("latest 1"), sample: { rate: 0.5 } }, "sample is"],
  ] as const) {
    await expect(quote(plan as Plan), message).rejects.toThrow(message);
    await expect(release(plan as Plan), message).rejects.toThrow(message);
  }
  const elsewhere = { dataset: fixture.dataset, account: fixture.memberAccount, plan: count("latest 1") };
  await expect(fixture.as.member.releaseAndWait(elsewhere)).rejects.toThrow("this population has no blocks");
  expect(await entries()).toBe(before);
});

test("SQL names its blocks next to the text, or in it", async () => {
  const text = { sql: 'SELECT COUNT(*) FROM "visits"', account, epsilon: "10" };
  await expect(fixture.as.member.quoteSql(text)).rejects.toThrow("window is missing");
  const quoted = await fixture.as.member.quoteSql({ ...text, window: "2022-06 to 2022-07" });
  expect(quoted.quote).toMatchObject({ admitted: true, window: { blocks: ["2022-06 to 2022-07"] } });
  const { tables } = await fixture.as.member.releaseSqlAndWait({ ...text, window: "2022-06 to 2022-07" });
  expect(Math.abs(Number(tables?.[0]?.rows[0]?.[0]) - 20)).toBeLessThan(15);
  const { epsilon, ...bare } = text;
  const within = text.sql.replace(
    "SELECT",
    "SELECT WITH DIFFERENTIAL_PRIVACY OPTIONS(epsilon = 10, window = '2022-06 to 2022-07')",
  );
  const stated = { ...bare, sql: within };
  expect((await fixture.as.member.quoteSql(stated)).plan).toEqual(quoted.plan);
  expect((await fixture.as.member.quoteSql({ ...stated, window: "2022-06 to 2022-07" })).plan).toEqual(quoted.plan);
  await expect(fixture.as.member.quoteSql({ ...stated, window: "latest 2" })).rejects.toThrow(
    'window is "latest 2", must be 2022-06 to 2022-07, which the query itself states',
  );
  const wrong = { ...stated, sql: within.replace("2022-06", "1999-06") };
  await expect(fixture.as.member.quoteSql(wrong)).rejects.toThrow("line 1, column 56: window.from is");
  const again = await fixture.as.member.releaseSqlAndWait({ ...stated, reuse: "asAccurate" });
  expect(again.release.epsilon).toBe("0");
});

test("a text that is sent again later is about the blocks of then, whatever is the latest now", async () => {
  onTestFinished(() => void vi.useRealTimers());
  vi.useFakeTimers({ toFake: ["Date"] });
  vi.setSystemTime("2022-02-20");
  // People are counted over one month only, which "all closed" was then.
  const asked = { sql: "SELECT COUNT(DISTINCT who) FROM visits", account, epsilon: "10", window: "all closed" };
  const first = await fixture.as.member.releaseSqlAndWait(asked, { idempotencyKey: "one-month" });
  expect(first.release.plan).toMatchObject({ window: { blocks: ["2022-01"] } });
  vi.useRealTimers();
  // PostgreSQL goes by its own clock, and how far that is from this one is known from the last write.
  await fixture.instance.database.ledgers.setLedger({
    ledger: ledger as LedgerId,
    mode: "funded",
    by: systemPrincipal,
  });
  expect(await fixture.as.member.releaseSqlAndWait(asked, { idempotencyKey: "one-month" })).toEqual(first);
  await expect(fixture.as.member.releaseSqlAndWait(asked)).rejects.toThrow("over one month");
});

test("an agent names blocks in a plan and in SQL, and its person reads them in words before the click", async () => {
  const { instance, as, people, team } = fixture;
  const operator = clientOf(instance, instance.operatorToken);
  const { id: agent } = await operator.createPerson({ name: "agent", kind: "agent", onBehalfOf: people.member });
  const { secret } = await operator.createServiceToken({ person: agent, name: "mcp", scopes: ["read", "release"] });
  await as.teamAdmin.addMember({ team, person: agent });
  const { parent } = await as.member.showAccount({ account });
  const holder = { kind: "person", id: agent } as const;
  const own = await as.teamAdmin.createAccount({
    ledger,
    ...(parent === null ? {} : { parent }),
    holder,
    epsilon: "20",
  });
  await operator.setAgentLimits({ agent, confirmAbove: "5" });
  const mcp = await agentAt(ORIGIN, secret, { fetch: instance.fetch });
  const plan = count("2022-11 to 2022-12");
  const asked = { dataset: visits, account: own.id, plan };
  const window = { blocks: ["2022-11 to 2022-12"] };
  expect((await called(mcp, "quote_plan", asked)).said).toMatchObject({
    admitted: true,
    window,
    agent: { outcome: "waits" },
  });
  const sql =
    "SELECT WITH DIFFERENTIAL_PRIVACY OPTIONS(epsilon = 10, window = '2022-11 to 2022-12') COUNT(*) AS n FROM visits";
  const quoted = await called(mcp, "sql_quote", { sql, account: own.id });
  expect(quoted.said).toMatchObject({ plan: { ...plan }, quote: { window } });
  expect((await called(mcp, "release_plan", { ...asked, key: "k" })).said).toMatchObject({
    code: "CONFIRMATION_NEEDED",
  });
  const [mine] = (await as.member.listAgents({})).items;
  expect(mine?.waiting[0]?.text).toBe(
    "SELECT WITH DIFFERENTIAL_PRIVACY OPTIONS(epsilon = 10, window = '2022-11 to 2022-12')\n  COUNT(*) AS n\nFROM visits",
  );
  await as.teamAdmin.closeAccount({ account: own.id });
  await operator.removeAgent({ agent });
});

test("a new version keeps the blocks of the ledger, and its new months have their whole budget", async () => {
  const { datasetAdmin } = fixture.as;
  const more = `${VISITS}p1,2024-01-15,a\np2,2024-01-16,b\n`;
  const file = await datasetAdmin.uploadFile({ name: "visits.csv", content: csvBytes(more) });
  const wider = { ...declared.columns, seen: { ...declared.columns.seen, upper: "2024-06-30" } };
  const { blocks: _, ...none } = declared;
  const versions = (declaration: object) =>
    datasetAdmin.createVersion({ dataset: visits, file: file.id, declaration: { ...declaration, columns: wider } });
  await expect(versions(none)).rejects.toThrow("as in the ledger");
  await expect(versions({ ...declared, blocks: { ...declared.blocks, every: "week" } })).rejects.toThrow(
    "as in the ledger",
  );
  await versions(declared);
  const january = await release(count("2024-01", { epsilon: "100" }));
  expect(Math.abs((january.answers?.[0]?.cells[0]?.value ?? 0) - 2)).toBeLessThan(4);
  expect(await quote(count("2024-01"))).toMatchObject({ admitted: false, refusal: { blocks: { first: "2024-01" } } });
  expect(await quote(count("2024-02"))).toMatchObject({ admitted: true });
  // What was spent in March is spent: a new version refills nothing.
  expect(await quote(count("2023-03"))).toMatchObject({ admitted: false });
});

test("each block's balance is shown, of the ledger and of the accounts that one may see", async () => {
  const { calendar, rows } = await fixture.as.member.showBlocks({ ledger });
  expect(calendar).toEqual({
    ...{ every: "month", zone: "Europe/Berlin", first: "2022-01", last: "2024-06", closed: "2024-06" },
  });
  expect(rows.map(({ name, account: id }) => [name, id === null])).toEqual([
    ["the ledger", true],
    ["analysis", false],
    ["member", false],
  ]);
  const [whole, , own] = rows;
  expect(whole).toMatchObject({ quota: { epsilon: "1000" }, activeRule: "addition" });
  expect(whole?.runs.find(({ from }) => from === "2023-03")).toEqual({
    ...{ from: "2023-03", to: "2023-03", epsilon: "95", delta: "0", mu2: null, used: 0.095, earmarked: 0 },
  });
  expect(own?.runs.find(({ from }) => from === "2024-01")).toMatchObject({ epsilon: "100", used: 1 });
  expect(own?.runs.some(({ from, to }) => from <= "2024-02" && "2024-02" <= to)).toBe(false);
  expect(await fixture.as.member.showBlocks({ ledger: fixture.ledger })).toEqual({ calendar: null, rows: [] });
  expect(await codeOf(fixture.as.stranger.showBlocks({ ledger }))).toBe("NOT_FOUND");
});

test("reports of a ledger with blocks add up all charges, as if each had named every block", async () => {
  const report = await fixture.as.datasetAdmin.reportLedger({ ledger });
  expect(report.charges).toBeGreaterThan(3);
  const own = await fixture.as.member.reportAccount({ account });
  expect(own.charges).toBe(report.charges);
  const whom = "for what is recorded of one who in one month";
  for (const { statement, left, more } of [report, own]) {
    expect(statement.sentence).toMatch(
      new RegExp(
        `^Promised ${whom}: .*; spent so far.* ${whom}, with all charges added up as if each had named every month: a loss`,
      ),
    );
    // After what was spent, and about what is promised.
    expect(statement.sentence).toContain(
      "chosen. Over k months together, one who has at most kε and δ(e^(kε) − 1)/(e^ε − 1), with ε = 1000 and δ = 0.000001 of each month.",
    );
    expect(statement.promised.certificate).toContain("in the fullest month: Σε = 100 of 1000,");
    // Of one budget: the months have their own.
    expect([left, more]).toEqual([[], null]);
  }
  // More than the fullest month has spent.
  expect(report.statement.spent.epsilon).toBeGreaterThan(100);
});

test("every page that says what is protected knows the blocks", async () => {
  const { datasetAdmin, stranger } = fixture.as;
  const blocks = { every: "month", zone: "Europe/Berlin" };
  const { population } = await datasetAdmin.setPublication({ ledger, isPublic: true });
  expect((await stranger.showPublicGuarantee({ population })).blocks).toEqual(blocks);
  expect((await datasetAdmin.showDataset({ dataset: visits })).ledger?.blocks).toEqual(blocks);
  await datasetAdmin.setListing({ dataset: visits, isListed: true });
  expect((await stranger.showCatalogDataset({ dataset: visits })).blocks).toEqual(blocks);
  const { population: whole } = await datasetAdmin.setPublication({ ledger: fixture.ledger, isPublic: true });
  expect(await stranger.showPublicGuarantee({ population: whole })).not.toHaveProperty("blocks");
});

test("totals to date of a window are one charge in each of its blocks; what came between two of them is free [M208]", async () => {
  const { member } = fixture.as;
  const running = { statistic: "runningCount", column: "seen", epsilon: "1" } as const;
  const plan: Plan = { window: "2022-04 to 2022-09", statistics: [{ id: "n", ...running }] };
  const { cost, statistics } = await quote(plan);
  expect(cost).toMatchObject({ epsilon: "1" });
  const whole = async () => (await member.showBlocks({ ledger })).rows[0]?.runs ?? [];
  const spentIn = async (month: string) =>
    Number((await whole()).find(({ from, to }) => from <= month && month <= to)?.epsilon ?? 0);
  const before = await Promise.all(["2022-03", "2022-04", "2022-09", "2022-10"].map(spentIn));
  const made = await release(plan);
  const after = await Promise.all(["2022-03", "2022-04", "2022-09", "2022-10"].map(spentIn));
  expect(after.map((spent, at) => spent - (before[at] ?? 0))).toEqual([0, 1, 1, 0]);
  const cells = made.answers?.[0]?.cells ?? [];
  expect(cells.map(({ bin }) => bin?.label)).toEqual([4, 5, 6, 7, 8, 9].map((month) => `2022-0${month}`));
  // Six draws of scale 2: off by 80 in one of 10^10 runs.
  for (const [at, { value }] of cells.entries()) expect(Math.abs(value - 10 * (at + 1))).toBeLessThan(80);
  const cell = (at: number) => ({ release: made.id, row: "n", cell: at });
  const summer = await member.combineReleased({ dataset: visits, operation: "difference", of: [cell(4), cell(1)] });
  expect(summer.cost).toEqual({ epsilon: "0" });
  const size = ([from, to]: readonly (number | null)[]) => (to ?? Infinity) - (from ?? -Infinity);
  expect(Math.abs(summer.value - 30)).toBeLessThan(80);
  // Of three draws, not of the seven that both totals have, nor of the six of the last one.
  expect(size(summer.interval)).toBeLessThan(2 * (statistics[0]?.accuracy.halfWidth ?? 0));
});

test("the ledger, its blocks and its charges verify", async () => {
  expect((await fixture.instance.database.audit.verify()).problems).toEqual([]);
});
