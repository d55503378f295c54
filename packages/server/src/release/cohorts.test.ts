import type { Plan } from "@dosimeter/client";
import { present } from "@dosimeter/core/internal";
import { beforeAll, expect, onTestFinished, test, vi } from "vitest";
import { fixtureOf } from "../fixture.kit.ts";
import { csvBytes, openAccounts } from "../instance.kit.ts";
import { released } from "../schedules/schedules.kit.ts";
import { declaredVisits } from "../visits.kit.ts";

const fixture = fixtureOf();
let visits: string;
let ledger: string;
let account: string;

const HEADER = "who,seen\n";
const seen = (who: string, ...dates: readonly string[]): string => dates.map((at) => `${who},${at}\n`).join("");
const each = (letter: string, people: number, ...dates: readonly string[]): string =>
  Array.from({ length: people }, (_, at) => seen(`${letter}${at}`, ...dates)).join("");
/** Ten people who came in 2022 and again in 2023, five who came in 2023, and three of no cohort: undated, or first seen outside of the calendar. */
const PEOPLE = [
  ...[each("a", 10, "2022-05-01", "2023-05-01"), each("b", 5, "2023-03-01")],
  ...[seen("c", "", ""), seen("d", "9999-12-31"), seen("e", "2021-12-31", "2022-03-01", "2023-03-01")],
].join("");
const declared = declaredVisits({ blocks: { protects: "person", every: "year" } });
const cohorts = { every: "year", zone: "Europe/Berlin", protects: "person" } as const;
const WHILE =
  "It holds as long as the source does not rewrite anyone's cohort, which is the year of their least date; one who who has been in k cohorts has at most kε and δ(e^(kε) − 1)/(e^ε − 1), with ε = 100 and δ = 0.000001 of each cohort.";

const uploaded = async (text: string): Promise<string> =>
  (await fixture.as.datasetAdmin.uploadFile({ name: "visits.csv", content: csvBytes(`${HEADER}${text}`) })).id;

beforeAll(async () => {
  const { datasetAdmin } = fixture.as;
  visits = (await datasetAdmin.createDataset({ file: await uploaded(PEOPLE), declaration: declared })).id;
  const opened = await datasetAdmin.openLedger({ dataset: visits, epsilon: "100", delta: "1e-6" });
  ledger = opened.id;
  account = (await openAccounts(fixture, ledger, "100", "100")).memberAccount;
});

const plan = (window: Plan["window"], more: object = {}): Plan => ({
  ...present({ window }),
  statistics: [{ id: "n", statistic: "count", epsilon: "10", ...more }],
});
const quote = (of: Plan, more: object = {}) =>
  fixture.as.member.quotePlan({ dataset: visits, account, plan: of, ...more });
const release = (of: Plan, more: object = {}) =>
  fixture.as.member.releaseAndWait({ dataset: visits, account, plan: of, ...more });
/** Noise of scale at most 1/5: off by 8 in one of 10^17 runs. */
const expectAbout = async (of: Plan, value: number) => {
  const { answers } = await release(of);
  expect(Math.abs((answers?.[0]?.cells[0]?.value ?? Number.NaN) - value)).toBeLessThan(8);
};
const spent = async () => {
  const { rows } = await fixture.as.datasetAdmin.showBlocks({ ledger });
  const runs = rows[0]?.runs ?? [];
  return ["2022", "2023"].map((year) => Number(runs.find(({ from, to }) => from <= year && year <= to)?.epsilon ?? 0));
};
const republished = async (text: string) =>
  fixture.as.datasetAdmin.createVersion({ dataset: visits, file: await uploaded(text), declaration: declared });

test("every page that promises something promises it for a person, as long as no one's cohort is rewritten", async () => {
  const { datasetAdmin, member, stranger } = fixture.as;
  const shown = await datasetAdmin.showLedger({ ledger });
  expect(shown.blocks).toEqual(cohorts);
  expect(shown.rule).toBe("addition");
  expect(shown.guarantee.sentence).toContain("it holds when any one who is added or removed");
  expect(shown.guarantee.sentence).toContain(WHILE);
  const { population } = await datasetAdmin.setPublication({ ledger, isPublic: true });
  const published = await stranger.showPublicGuarantee({ population });
  expect(published.blocks).toEqual(cohorts);
  expect(published.sentence).toContain(WHILE);
  expect((await datasetAdmin.showDataset({ dataset: visits })).ledger?.blocks).toEqual(cohorts);
  const { statement } = await member.reportAccount({ account });
  expect(statement.sentence).toMatch(/^Promised for one who: .*; spent so far through this account/);
  expect(statement.sentence).toContain(WHILE);
});

test("a person is in the window with all rows or none, and people are counted over several cohorts", async () => {
  const before = await spent();
  await expectAbout(plan("2022"), 20);
  await expectAbout(plan("2023"), 5);
  const people = { window: "2022 to 2023", statistics: [{ id: "n", statistic: "distinctUnits", epsilon: "5" }] };
  const answer = await release(people as Plan);
  expect(Math.abs((answer.answers?.[0]?.cells[0]?.value ?? Number.NaN) - 15)).toBeLessThan(8);
  const note = "It is about all rows of the people of these cohorts, rows of later dates too.";
  expect(answer.answers?.[0]?.notes).toContain(note);
  expect(answer.words.protects).toBe("person");
  expect(answer.title).toContain("of cohorts 2022 to 2023");
  expect((await spent()).map((now, at) => now - (before[at] ?? 0))).toEqual([15, 15]);
});

test("a filter on the dates gives no one another cohort, and pays for the cohorts that the window names", async () => {
  const later = { where: "seen >= '2023-01-01'" };
  const before = await spent();
  await expectAbout(plan("2022", later), 10);
  expect((await spent()).map((now, at) => now - (before[at] ?? 0))).toEqual([10, 0]);
});

test("a cohort that is full is refused, and only that one", async () => {
  const [first = 0] = await spent();
  await release(plan("2022", { epsilon: String(100 - first - 12) }));
  expect(await quote(plan("2022 to 2023", { epsilon: "13" }))).toMatchObject({
    admitted: false,
    refusal: { largestEpsilon: "12", blocks: { first: "2022", fits: ["2023"] } },
  });
  expect(await quote(plan("2023", { epsilon: "13" }))).toMatchObject({ admitted: true });
});

test("an earlier answer is of use for its own cohorts alone", async () => {
  const used = async (window: string) =>
    (await quote(plan(window), { reuse: "asAccurate" })).statistics[0]?.reuse.chosen ?? null;
  expect(await used("2023")).not.toBeNull();
  expect(await used("2022 to 2023")).toBeNull();
});

test("what a window cannot be, a second table and other declarations are refused", async () => {
  const { datasetAdmin } = fixture.as;
  const before = await spent();
  for (const [of, message] of [
    [plan(undefined), "window is missing"],
    [plan("2024"), "must be from 2022 to 2023"],
    [plan("2022, 2022"), "every block once"],
    [{ ...plan("2022"), sample: { rate: 0.5 } }, "sample is"],
    [{ ...plan("2022"), join: { dataset: fixture.dataset, columns: { x: "x" } } }, "join.dataset is"],
  ] as const)
    await expect(release(of as Plan), message).rejects.toThrow(message);
  expect(await spent()).toEqual(before);
  const { population } = await datasetAdmin.showDataset({ dataset: visits });
  const second = { file: await uploaded(PEOPLE), population };
  await expect(datasetAdmin.createDataset({ ...second, declaration: { ...declared, name: "second" } })).rejects.toThrow(
    "must be absent where a population has several datasets",
  );
  const periods = { column: "seen", every: "year", zone: "Europe/Berlin" };
  const versions = (blocks: object) =>
    datasetAdmin.createVersion({ dataset: visits, declaration: { ...declared, blocks } });
  await expect(versions(periods)).rejects.toThrow("must be people by the year of their least date");
});

test("a clock that is set back names earlier cohorts, and none that has not begun", async () => {
  onTestFinished(() => void vi.useRealTimers());
  vi.useFakeTimers({ toFake: ["Date"] });
  vi.setSystemTime("2023-06-01");
  expect(await quote(plan("latest 1"))).toMatchObject({ window: { blocks: ["2022"] } });
  // Midnight in Berlin is an hour earlier in UTC.
  vi.setSystemTime("2022-12-31T22:59:59Z");
  await expect(quote(plan("latest 1"))).rejects.toThrow("none is closed yet");
  await expect(quote(plan("2023"))).rejects.toThrow("must be blocks that have been opened");
  vi.setSystemTime("2022-12-31T23:00:00Z");
  expect(await quote(plan("latest 1"))).toMatchObject({ window: { blocks: ["2022"] } });
});

test("people come to a cohort without moving anyone; who is moved by the source has spent in both [M170]", async () => {
  const { datasetAdmin } = fixture.as;
  const before = await spent();
  const come = [each("b", 1, "2022-02-01", "2023-07-01"), each("a", 9, "2023-08-01"), each("f", 4, "2023-09-01")];
  const file = await uploaded(come.join(""));
  // b0 keeps 2023, so that only the row of 2022 would move it; people of 2022 are in another block.
  const version = await datasetAdmin.appendRows({ dataset: visits, file, block: "2023" });
  expect(version).toMatchObject({ added: 5, dropped: 10 });
  await expectAbout(plan("2023"), 10);
  expect(await quote(plan("2022"), { reuse: "asAccurate" })).toMatchObject({ cost: { epsilon: "0" } });
  // A version in which all of b were seen in 2022 moves them: what both cohorts have spent stays.
  await republished(`${PEOPLE}${each("b", 5, "2022-06-01")}`);
  expect((await spent()).map((now, at) => now - (before[at] ?? 0))).toEqual([0, 10]);
  await expectAbout(plan("2023"), 0);
  await expectAbout(plan("2022"), 30);
  expect((await spent()).map((now, at) => now - (before[at] ?? 0))).toEqual([10, 20]);
});

test("a cohort is closed by hand too, and earlier answers are of use as before [M162, M167]", async () => {
  const { datasetAdmin } = fixture.as;
  const latest = async () => (await quote(plan("latest 1"))).window?.blocks;
  expect(await latest()).toEqual(["2023"]);
  const byHand = declaredVisits({ blocks: { protects: "person", every: "year", closes: "by hand", closed: "2022" } });
  await datasetAdmin.createVersion({ dataset: visits, declaration: byHand });
  expect(await latest()).toEqual(["2022"]);
  await release(plan("2023", { epsilon: "1" }));
  await datasetAdmin.closeBlocks({ dataset: visits, block: "2023" });
  expect(await latest()).toEqual(["2023"]);
  const again = await release(plan("2023", { epsilon: "1" }), { reuse: "asAccurate" });
  expect(again.epsilon).toBe("0");
  const earlier = datasetAdmin.closeBlocks({ dataset: visits, block: "2022" });
  await expect(earlier).rejects.toThrow("2023 or later: what was closed stays closed");
});

test("a report over the latest cohorts counts their people, and comes by itself", async () => {
  const { member } = fixture.as;
  const people = { statistics: [{ id: "n", statistic: "distinctUnits", epsilon: "1" }] } satisfies Plan;
  const asked = { dataset: visits, account, name: "People", latest: 2, from: "2023", plan: people };
  const { id } = await member.createSchedule(asked);
  await released(fixture.instance, member, id);
  const { points } = await member.showSchedule({ schedule: id });
  expect(points.map(({ block, state }) => [block, state])).toEqual([["2023", "released"]]);
  // Noise of scale 1: off by 40 in one of 10^17 runs.
  expect(Math.abs((points[0]?.answers?.[0]?.cells[0]?.value ?? Number.NaN) - 15)).toBeLessThan(40);
});

test("the ledger, its blocks and its charges verify", async () => {
  expect((await fixture.instance.database.audit.verify()).problems).toEqual([]);
});
