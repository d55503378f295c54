import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Plan } from "@dosimeter/client";
import { afterAll, expect, test } from "vitest";
import { openInstance } from "../instance.ts";
import { pointsOf, released } from "../schedules/schedules.kit.ts";
import { seedDemo } from "./seed.ts";

const folder = mkdtempSync(join(tmpdir(), "clinic-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

test("the clinic of the demo: months with budgets, one that a team has spent, and a report that comes by itself", async () => {
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
    expect(await pointsOf(as.lea, schedule)).toEqual(
      ["06", "07", "08", "09", "10", "11", "12"].map((month) => [`2024-${month}`, "released"]),
    );
    const { rows, calendar } = await as.lea.showBlocks({ ledger });
    expect(calendar).toMatchObject({ first: "2023-01", last: "2024-12" });
    const team = rows.find(({ name }) => name === "Public health");
    expect(team?.runs.filter(({ used }) => used === 1).map(({ from, to }) => [from, to])).toEqual([
      ["2023-03", "2023-03"],
    ]);

    const quoted = async (window: string) => {
      const { accounts } = await as.ana.showDataset({ dataset });
      const plan: Plan = { window, statistics: [{ id: "visits", statistic: "count", epsilon: "0.1" }] };
      const { admitted, refusal } = await as.ana.quotePlan({ dataset, account: accounts[0]?.id ?? "", plan });
      return admitted ? "fits" : refusal?.blocks?.first;
    };
    expect(await quoted("2023-01 to 2023-06")).toBe("2023-03");
    expect(await quoted("2023-03")).toBe("2023-03");
    expect(await quoted("2023-04 to 2024-12")).toBe("fits");

    // A second run finds everything there.
    const head = async () => (await as.dana.showLedger({ ledger })).head.number;
    const before = await head();
    await seed();
    expect(await head()).toBe(before);
    expect((await as.lea.listSchedules({ dataset })).items).toHaveLength(1);
    expect((await as.aud.verify()).ok).toBe(true);
  } finally {
    await instance.close();
  }
});
