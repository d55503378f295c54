import type { Plan } from "@dosimeter/client";
import { checkExport } from "@dosimeter/verify";
import { afterEach, expect, test, vi } from "vitest";
import { temporaryFolder } from "../../../../test/folder.kit.ts";
import { csvBytes } from "../instance.kit.ts";
import { openInstance } from "../instance.ts";
import { pointsOf, released } from "../schedules/schedules.kit.ts";
import { seedDemo } from "./seed.ts";

const folder = temporaryFolder();
afterEach(() => void vi.useRealTimers());

test("the clinic of the demo: a team that overspent one month is refused there and only there, a new month brings its report by itself, and all of it verifies [M160, M163]", async () => {
  vi.useFakeTimers({ toFake: ["Date"] });
  vi.setSystemTime("2025-02-01T07:30:00Z"); // still January at the clinic
  const instance = await openInstance({ folder });
  try {
    const { operatorToken, createDemoPerson } = instance;
    const door = { url: "http://localhost", fetch: instance.fetch };
    const seed = () => seedDemo({ door, operatorToken, createDemoPerson }, { clinic: true });
    const { as } = await seed();
    const [clinic] = (await as.lea.listDatasets({ name: "clinic" })).items;
    const [dataset, ledger] = [clinic?.id ?? "", clinic?.ledger?.id ?? ""];
    const { items } = await as.lea.listSchedules({ dataset });
    const schedule = items[0]?.id ?? "";
    await released(instance, as.lea, schedule);
    const firstYear = ["06", "07", "08", "09", "10", "11", "12"].map((month) => [`2024-${month}`, "released"]);
    expect(await pointsOf(as.lea, schedule)).toEqual(firstYear);
    const { rows, calendar } = await as.lea.showBlocks({ ledger });
    expect(calendar).toMatchObject({ first: "2023-01", last: "2024-12" });
    const team = rows.find(({ name }) => name === "Public health");
    expect(team?.runs.filter(({ used }) => used === 1).map(({ from, to }) => [from, to])).toEqual([
      ["2023-03", "2023-03"],
    ]);

    const { accounts } = await as.ana.showDataset({ dataset });
    const asked = (window: string) => {
      const plan: Plan = { window, statistics: [{ id: "visits", statistic: "count", epsilon: "0.1" }] };
      return { dataset, account: accounts[0]?.id ?? "", plan };
    };
    const quoted = async (window: string) => {
      const { admitted, refusal } = await as.ana.quotePlan(asked(window));
      return admitted ? "fits" : refusal?.blocks?.first;
    };
    const refused = { code: "QUOTA_EXHAUSTED", details: { block: "2023-03" } };
    await expect(as.ana.releaseAndWait(asked("2023-02 to 2023-03"))).rejects.toMatchObject(refused);
    expect(await quoted("2023-01 to 2023-06")).toBe("2023-03");
    expect(await quoted("2023-03")).toBe("2023-03");
    expect(await quoted("2023-04 to 2024-12")).toBe("fits");

    // Rows of January come while it lasts: its report waits until it is over and a version has all of it.
    const append = async (days: readonly number[]) => {
      const rows = days.map((day, patient) => `${patient},2025-01-${day},surgery`).join("\n");
      const content = csvBytes(`patient,seen,ward\n${rows}\n`);
      const { id: file } = await as.dana.uploadFile({ name: "january.csv", content });
      await as.dana.appendRows({ dataset, file, block: "2025-01" });
    };
    const waits = async () => (await as.lea.showSchedule({ schedule })).next;
    await append([10, 11, 12]);
    await released(instance, as.lea, schedule);
    expect(await waits()).toMatchObject({ block: "2025-01", at: "2025-02-01T08:00:00.000Z", waitsFor: "calendar" });
    vi.setSystemTime("2025-02-01T08:00:01Z");
    await released(instance, as.lea, schedule);
    expect(await waits()).toMatchObject({ block: "2025-01", waitsFor: "version" });
    expect(await pointsOf(as.lea, schedule)).toEqual(firstYear);
    await append([29, 30, 31]);
    // No one asks for it.
    const both = [...firstYear, ["2025-01", "released"]];
    await expect.poll(() => pointsOf(as.lea, schedule)).toEqual(both);
    const { points } = await as.lea.showSchedule({ schedule });
    expect(await as.lea.showRelease({ release: points.at(-1)?.release ?? "" })).toMatchObject({
      plan: { window: { blocks: ["2024-02 to 2025-01"] } },
    });
    expect(await quoted("2023-03")).toBe("2023-03");
    expect(await quoted("latest 12")).toBe("fits");

    // A second run finds everything there.
    const head = async () => (await as.dana.showLedger({ ledger })).head.number;
    const before = await head();
    await seed();
    expect(await head()).toBe(before);
    expect((await as.lea.listSchedules({ dataset })).items).toHaveLength(1);
    expect((await as.aud.verify()).ok).toBe(true);
    const exported = await (await as.dana.exportLedger({ ledger })).text();
    expect(await checkExport(exported)).toMatchObject({ ok: true, problems: [] });
    const { guarantee } = await as.lea.showLedger({ ledger });
    expect(guarantee.sentence).toContain(
      "when what is recorded of any one patient in any one month is added or removed",
    );
    expect(guarantee.sentence).toContain(
      "Over k months together, one patient has at most kε and δ(e^(kε) − 1)/(e^ε − 1), with ε = 2 and δ = 0.000001 of each month.",
    );
  } finally {
    await instance.close();
  }
});
