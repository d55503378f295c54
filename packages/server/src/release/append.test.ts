import { spawn } from "node:child_process";
import { once } from "node:events";
import { readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Plan } from "@dosimeter/client";
import { beforeAll, expect, test } from "vitest";
import { temporaryFolder } from "../../../../test/folder.kit.ts";
import { fixtureOf } from "../fixture.kit.ts";
import { clientOf, codeOf, csvBytes, openAccounts, openTestInstance } from "../instance.kit.ts";
import { declaredVisits } from "../visits.kit.ts";

const place = temporaryFolder();
const fixture = fixtureOf(() => ({ folder: place }));
let visits: string;
let account: string;

const HEADER = "who,seen\n";
const rows = (month: string, people: number): string =>
  Array.from({ length: people }, (_, who) => `p${who},${month}-15\n`).join("");

const declaration = declaredVisits({ lower: "2024-01-01", upper: "2024-02-29" });

beforeAll(async () => {
  const { datasetAdmin } = fixture.as;
  const file = await uploaded(`${HEADER}${rows("2024-01", 30)}${rows("2024-02", 20)}`);
  visits = (await datasetAdmin.createDataset({ file, declaration })).id;
  const { id: ledger } = await datasetAdmin.openLedger({ dataset: visits, epsilon: "40", delta: "1e-6" });
  account = (await openAccounts(fixture, ledger, "40", "40")).memberAccount;
});

const uploaded = async (text: string): Promise<string> =>
  (await fixture.as.datasetAdmin.uploadFile({ name: "visits.csv", content: csvBytes(text) })).id;
const append = async (text: string, block: string) =>
  fixture.as.datasetAdmin.appendRows({ dataset: visits, file: await uploaded(text), block });
const count = (window: string, epsilon = "10") => ({
  ...{ dataset: visits, account },
  plan: { window, statistics: [{ id: "n", statistic: "count", epsilon }] } satisfies Plan,
});
const counted = async (window: string, reuse: "never" | "asAccurate" = "never") => {
  const { answers, epsilon } = await fixture.as.member.releaseAndWait({ ...count(window), reuse });
  return { value: answers?.[0]?.cells[0]?.value ?? Number.NaN, epsilon };
};

test("rows of a new month come alone, and answers about the months before are used as before [M167]", async () => {
  const first = await counted("2024-01 to 2024-02");
  const early = {
    window: "2024-01",
    statistics: [{ id: "n", statistic: "count", epsilon: "5", where: "seen < '2024-01-20'" }],
  };
  await fixture.as.member.releaseAndWait({ dataset: visits, account, plan: early });
  expect(Math.abs(first.value - 50)).toBeLessThan(10); // fails with probability below e^−90
  const own = (await fixture.as.datasetAdmin.listFiles({})).items.map(({ id }) => id);
  const version = await append(`${HEADER}${rows("2024-03", 12)}${rows("2024-01", 500)}`, "2024-03");
  // The whole table belongs to no one who could declare it again.
  expect((await fixture.as.datasetAdmin.listFiles({})).items.map(({ id }) => id)).toEqual(own);
  expect(version).toMatchObject({ version: 2, added: 12, dropped: 500 });
  // The calendar reaches the new month, and the rows of January that came with it are in no table.
  const { declaration } = await fixture.as.datasetAdmin.showDataset({ dataset: visits });
  expect(declaration.columns).toMatchObject({ seen: { upper: "2024-03-31" } });
  expect(Math.abs((await counted("2024-03")).value - 12)).toBeLessThan(10);
  expect(await counted("2024-01 to 2024-02", "asAccurate")).toEqual({ ...first, epsilon: "0" });
  // A question about the dates themselves is another one where their bounds are.
  const dated = await fixture.as.member.quotePlan({ dataset: visits, account, plan: early, reuse: "asAccurate" });
  expect(dated.statistics[0]?.reuse.chosen ?? null).toBeNull();
  expect(await codeOf(fixture.as.member.quotePlan(count("2024-04")))).toBe("INVALID_PARAMETER");
});

test("rows that come late fall under the budget of their month, and older answers about it are not those of the new version", async () => {
  const before = await counted("2024-01");
  expect(await append(`${HEADER}${rows("2024-01", 40)}`, "2024-01")).toMatchObject({
    version: 3,
    added: 40,
    dropped: 0,
  });
  const quoted = await fixture.as.member.quotePlan({ ...count("2024-01"), reuse: "asAccurate" });
  expect(quoted.statistics[0]?.reuse.chosen ?? null).toBeNull();
  const late = await counted("2024-01", "asAccurate");
  expect(late.epsilon).toBe("10");
  expect(Math.abs(late.value - before.value - 40)).toBeLessThan(15);
  // January has paid 10 with February, 5 and twice 10 for itself: 35 of 40.
  expect(await fixture.as.member.quotePlan(count("2024-01", "5.1"))).toMatchObject({ admitted: false });
  expect(await fixture.as.member.quotePlan(count("2024-01", "5"))).toMatchObject({ admitted: true });
  expect(await counted("2024-03", "asAccurate")).toMatchObject({ epsilon: "0" });
});

test("a version that declares the rows again is no append: answers from before are not used", async () => {
  const { declaration } = await fixture.as.datasetAdmin.showDataset({ dataset: visits });
  await fixture.as.datasetAdmin.createVersion({ dataset: visits, declaration });
  const quoted = await fixture.as.member.quotePlan({ ...count("2024-03"), reuse: "asAccurate" });
  expect(quoted.statistics[0]?.reuse.chosen ?? null).toBeNull();
});

test("what cannot be appended is refused, and leaves no file behind", async () => {
  const { datasetAdmin, member } = fixture.as;
  const file = await uploaded(`${HEADER}p1,2024-03-01\n`);
  const asked = { dataset: visits, file, block: "2024-03" };
  await expect(datasetAdmin.appendRows({ ...asked, block: "2999-01" })).rejects.toThrow("a month that has begun");
  await expect(datasetAdmin.appendRows({ ...asked, block: "2024-Q1" })).rejects.toThrow("a month that has begun");
  await expect(datasetAdmin.appendRows({ ...asked, block: "2023-12" })).rejects.toThrow("the first that is declared");
  await expect(datasetAdmin.appendRows({ ...asked, dataset: fixture.dataset })).rejects.toThrow("has no blocks");
  await expect(member.appendRows(asked)).rejects.toMatchObject({ code: "FORBIDDEN" });
  await expect(append("who,day\np1,2024-03-01\n", "2024-03")).rejects.toMatchObject({ code: "DATA_UNREADABLE" });
  const files = readdirSync(join(place, "files"));
  expect(files.filter((name) => !/^fil_[0-9a-f]{20}\.(?:csv|json|declared)$/.test(name))).toEqual(["recognition.key"]);
  // Two at once: one of them would lose the rows of the other.
  const both = await Promise.all(
    ["p8,2024-03-08\n", "p9,2024-03-09\n"].map((row) => codeOf(append(`${HEADER}${row}`, "2024-03"))),
  );
  expect(both.toSorted()).toEqual(["CONFLICT", "done"]);
  expect((await fixture.instance.database.audit.verify()).problems).toEqual([]);
});

test("after appends, of which one came too late, an erasure leaves no row behind", async () => {
  const { datasetAdmin } = fixture.as;
  const stored = () => readdirSync(join(place, "files")).toSorted();
  const before = stored();
  const file = await uploaded(`${HEADER}${rows("2024-02", 7)}`);
  const { id: dataset } = await datasetAdmin.createDataset({ file, declaration: { ...declaration, name: "erased" } });
  const brought = (who: string) => uploaded(`${HEADER}${who},2024-03-08\n${who},2024-01-08\n`);
  const appended = (more: string) => datasetAdmin.appendRows({ dataset, file: more, block: "2024-03" });
  const first = await brought("e1");
  expect(await appended(first)).toMatchObject({ version: 2 });
  // Sent again, as by a client that lost the answer: the rows do not count twice.
  await expect(appended(first)).rejects.toThrow("an append deletes the one that it is given");
  const both = [await brought("e2"), await brought("e3")];
  expect((await Promise.all(both.map((more) => codeOf(appended(more))))).toSorted()).toEqual(["CONFLICT", "done"]);
  expect(stored(), "a table and its record for each of the three versions, and a mark").toHaveLength(before.length + 7);
  // An upload that a version reads stays.
  expect(await appended(file)).toMatchObject({ version: 4 });
  expect(stored()).toHaveLength(before.length + 9);
  const late = await brought("e4");
  const [came] = await Promise.all([codeOf(appended(late)), datasetAdmin.eraseUploads({ dataset })]);
  expect(["done", "CONFLICT", "DATA_UNREADABLE"], "whichever came first").toContain(came);
  expect(stored()).toEqual(before);
  expect(await codeOf(appended(await brought("e5")))).toBe("DATA_UNREADABLE");
  expect(stored()).toEqual(before);
});

/** Opens the folder, and is killed in the middle of an append: both tables are written, and no version reads the second. */
const KILLED = `
const [kit, folder, dataset, file] = process.argv.slice(1);
const { clientOf, openTestInstance } = await import(kit);
const instance = await openTestInstance({ folder });
instance.database.catalog.addVersion = () => process.kill(process.pid, "SIGKILL");
await clientOf(instance, instance.operatorToken).appendRows({ dataset, file, block: "2024-03" });
`;

test("what a killed append leaves is gone after the next start, and the append can be made again", async () => {
  const folder = temporaryFolder();
  const stored = () => readdirSync(join(folder, "files")).toSorted();
  const first = await openTestInstance({ folder });
  const upload = async (to: typeof first, month: string) => {
    const content = csvBytes(`${HEADER}${rows(month, 3)}`);
    return (await clientOf(to, to.operatorToken).uploadFile({ name: "visits.csv", content })).id;
  };
  const file = await upload(first, "2024-02");
  const { id: dataset } = await clientOf(first, first.operatorToken).createDataset({ file, declaration });
  const before = stored();
  const more = await upload(first, "2024-03");
  await first.close();
  const kit = new URL("../instance.kit.ts", import.meta.url).href;
  const options = ["--no-warnings", "--input-type=module", "-e", KILLED];
  const child = spawn(process.execPath, [...options, kit, folder, dataset, more], {
    stdio: "inherit",
    timeout: 100_000,
  });
  expect((await once(child, "exit"))[1]).toBe("SIGKILL");
  expect(stored().length, "twice a table, its record and its mark; and what was being written").toBe(before.length + 7);
  const later = await openTestInstance({ folder });
  expect(stored()).toEqual(before);
  const append = { dataset, file: await upload(later, "2024-03"), block: "2024-03" };
  expect(await clientOf(later, later.operatorToken).appendRows(append)).toMatchObject({ version: 2, added: 3 });
  expect(stored(), "and no mark").toHaveLength(before.length + 2);
  // As after a restore of a database that does not have the dataset yet.
  const [strange, known] = [await upload(later, "2024-04"), await upload(later, "2024-04")];
  await later.close();
  const mark = (id: string, name: string) => writeFileSync(join(folder, "files", `${id}.held`), name);
  mark(strange, "dat_00000000000000000000");
  mark(known, dataset);
  const last = await openTestInstance({ folder });
  const of = (id: string) => stored().filter((name) => name.startsWith(id));
  expect(of(strange), "its table stays").toEqual([`${strange}.aside`, `${strange}.csv`, `${strange}.json`]);
  expect(of(known)).toEqual([]);
  await last.close();
});
