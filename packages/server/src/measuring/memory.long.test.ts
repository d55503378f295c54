import { readFile } from "node:fs/promises";
import { expect, onTestFinished, test } from "vitest";
import { highest } from "../highest.kit.ts";
import { buildFixture, countPlan, csvBytes, openTestInstance } from "../instance.kit.ts";
import { startProcess } from "./measurer.ts";
import { memoryOfFiles } from "./memory.ts";

const ROWS = 2_000_000;

function table(): Uint8Array<ArrayBuffer> {
  const lines = ["person,key"];
  for (let row = 0; row < ROWS; row += 1) lines.push(`${row},key ${row} of a text that has some length`);
  return csvBytes(`${lines.join("\n")}\n`);
}

test.skipIf(process.platform !== "linux")(
  "a question about two million values takes no more than the memory of the setting: it fails, charged, and others are answered",
  async () => {
    const memoryLimit = "2GB";
    const pids: number[] = [];
    const startMeasuring = () => {
      const child = startProcess(memoryOfFiles(memoryLimit).process);
      pids.push(child.pid ?? 0);
      return child;
    };
    const instance = await openTestInstance({ measuring: { memoryLimit }, startMeasuring });
    onTestFinished(() => instance.close());
    const fixture = await buildFixture(instance);
    const { as, people } = fixture;
    const { id: file } = await as.datasetAdmin.uploadFile({ name: "keys.csv", content: table() });
    const declaration = {
      ...{ name: "keys", source: { csv: "keys.csv" }, privacyUnit: { column: "person" }, adjacency: "addRemove" },
      ...{ contribution: { rows: 1 }, size: { assumed: ROWS } },
      columns: {
        person: { type: "integer", provenance: "public" },
        key: { type: "text", provenance: "public" },
      },
    };
    const { id: dataset } = await as.datasetAdmin.createDataset({ file, declaration });
    const { id: ledger } = await as.datasetAdmin.openLedger({ dataset, epsilon: "50", delta: "1e-3" });
    const { id: account } = await as.datasetAdmin.createAccount({
      ledger,
      holder: { kind: "person", id: people.datasetAdmin },
      epsilon: "40",
    });
    const plan = { statistics: [{ statistic: "keyCounts", column: "key", epsilon: "1", delta: "1e-9" }] };
    const asked = { dataset, account, plan, reuse: "never" } as const;
    const peaks = async (): Promise<number> => {
      const statuses = pids.map((pid) => readFile(`/proc/${pid}/status`, "utf8").catch(() => ""));
      const read = (await Promise.all(statuses)).map((status) => Number(/VmHWM:\s+(\d+)/.exec(status)?.[1] ?? 0));
      return 1024 * Math.max(0, ...read);
    };
    const most = await highest(peaks, async () => {
      const failed = as.datasetAdmin.releaseAndWait(asked as never, { idempotencyKey: "keys" });
      await expect(failed).rejects.toMatchObject({ code: "ENGINE_FAILED" });
    });
    expect(most).toBeGreaterThan(0);
    expect(most).toBeLessThan(2e9);
    expect(pids.length).toBeGreaterThan(1);
    const small = { dataset: fixture.dataset, account: fixture.memberAccount, plan: countPlan() };
    expect(await as.member.releaseAndWait(small, { idempotencyKey: "count" })).toMatchObject({ stage: "done" });
  },
);
