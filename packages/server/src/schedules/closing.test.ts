import { afterAll, beforeAll, expect, test } from "vitest";
import { buildFixture, codeOf, csvBytes, type Fixture, openTestInstance } from "../instance.kit.ts";
import { declaredVisits } from "../visits.kit.ts";
import { buildVisits, pointsOf, released, scheduleOf, type Visits } from "./schedules.kit.ts";

let instance: Awaited<ReturnType<typeof openTestInstance>>;
let fixture: Fixture;
let visits: Visits;
/** Another account than that of the report. */
let account: string;
const byHand = (closed?: string) => ({ closes: "by hand", closed }) as const;

beforeAll(async () => {
  instance = await openTestInstance();
  fixture = await buildFixture(instance);
  visits = await buildVisits(fixture, { blocks: byHand("2023-10") });
  const holder = { kind: "purpose", name: "Other questions" } as const;
  const purpose = { ledger: visits.ledger, parent: visits.account, holder, epsilon: "5" };
  account = (await fixture.as.member.createAccount(purpose)).id;
});
afterAll(() => instance.close());

const close = (block: string) => fixture.as.datasetAdmin.closeBlocks({ dataset: visits.dataset, block });
const ask = (window: string) => ({
  ...{ dataset: visits.dataset, account, reuse: "asAccurate" as const },
  plan: { window, statistics: [{ id: "n", statistic: "count" as const, epsilon: "0.5" }] },
});

test("latest months and reports are those that an admin closed, and earlier answers are of use as before [M162, M167]", async () => {
  const { member, datasetAdmin } = fixture.as;
  const latest = async () => (await member.releaseAndWait(ask("latest 1"))).plan.window;
  expect(await latest()).toEqual({ blocks: ["2023-10"] });
  const { id: schedule } = await member.createSchedule(scheduleOf(visits, { latest: 2 }));
  const shown = async () => (await member.showSchedule({ schedule })).next;
  expect(await shown()).toMatchObject({ block: "2023-11", waitsFor: "closing" });
  // Rows make no report, and no version that closes nothing.
  await datasetAdmin.createVersion({
    dataset: visits.dataset,
    declaration: declaredVisits({ blocks: byHand("2023-10") }),
  });
  const asked = await member.releaseAndWait(ask("2023-01 to 2023-03"));
  await released(instance, member, schedule);
  expect(await pointsOf(member, schedule)).toEqual([]);
  const { version } = await close("2023-12");
  await released(instance, member, schedule);
  expect(await pointsOf(member, schedule)).toEqual([
    ["2023-11", "released"],
    ["2023-12", "released"],
  ]);
  expect(await shown()).toMatchObject({ block: "2024-01", waitsFor: "closing" });
  expect(await latest()).toEqual({ blocks: ["2023-12"] });
  expect((await member.showBlocks({ ledger: visits.ledger })).calendar?.closed).toBe("2023-12");
  const again = await member.releaseAndWait(ask("2023-01 to 2023-03"));
  expect([again.epsilon, again.answers?.[0]?.cells[0]?.value]).toEqual(["0", asked.answers?.[0]?.cells[0]?.value]);
  const { database } = instance;
  const { items } = await database.audit.lines({ subject: `${visits.dataset}.v${version}` });
  expect(items).toMatchObject([{ action: "dataset.declare", detail: { version, closed: "2023-12" } }]);
  expect((await database.audit.verify()).problems).toEqual([]);
});

test("what is not over, not declared or closed already is refused, and so is who is no admin", async () => {
  const { member, datasetAdmin } = fixture.as;
  await expect(close("2099-01")).rejects.toThrow("blocks.closed is");
  await expect(close("May")).rejects.toThrow("a month such as 2024-03");
  await expect(close("2023-11")).rejects.toThrow("2023-12 or later: what was closed stays closed");
  const declaration = (blocks: object) => declaredVisits({ upper: "2098-12-31", blocks });
  const far = declaration(byHand("2098-11"));
  await expect(datasetAdmin.createVersion({ dataset: visits.dataset, declaration: far })).rejects.toThrow(
    "a month that is over",
  );
  const { id: file } = await datasetAdmin.uploadFile({ name: "far.csv", content: csvBytes("who,seen\n") });
  await expect(datasetAdmin.createDataset({ file, declaration: far })).rejects.toThrow("a month that is over");
  expect(await codeOf(datasetAdmin.closeBlocks({ dataset: fixture.dataset, block: "2023-12" }))).toBe(
    "INVALID_PARAMETER",
  );
  expect(await codeOf(member.closeBlocks({ dataset: visits.dataset, block: "2023-12" }))).toBe("FORBIDDEN");
});

test("closing the same block again, three times at once too, makes one version", async () => {
  const { datasetAdmin } = fixture.as;
  const declaration = declaredVisits({ upper: "2024-03-31", blocks: byHand("2023-12") });
  const { version } = await datasetAdmin.createVersion({ dataset: visits.dataset, declaration });
  expect((await close("2023-12")).version).toBe(version);
  const made = await Promise.all([close("2024-01"), close("2024-01"), close("2024-01")]);
  expect([...made, await close("2024-01")].map((each) => each.version)).toEqual(Array(4).fill(version + 1));
  expect((await datasetAdmin.showDataset({ dataset: visits.dataset })).version).toBe(version + 1);
});
