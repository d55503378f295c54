import { readFile } from "node:fs/promises";
import { expect, onTestFinished, test } from "vitest";
import { highest } from "../highest.kit.ts";
import { openStrangersTable } from "../release/found-keys.kit.ts";
import { mostBoundedBytes, mostFoundBytes } from "./memory.ts";

const memoryLimit = "2GB";
test("rows of people for which neither memory nor disk has room are refused before anything is charged", async () => {
  const small = { memoryLimit: "1GB", temporaryLimit: "1MB" };
  const most = Math.floor(mostBoundedBytes("625MB", "1MB") / 48);
  const table = await openStrangersTable(100, { mostRows: most + 1 }, small);
  onTestFinished(table.close);
  const count = { statistic: "count", epsilon: "0.1" };
  await expect(table.release(count)).rejects.toMatchObject({
    code: "INVALID_PARAMETER",
    message: expect.stringMatching(/^most rows of rows is \d+, must be at most \d+, .* declare a smaller mostRows/),
  });
  const { balance } = await table.fixture.as.datasetAdmin.showAccount({ account: table.account });
  expect(Number(balance.epsilon.spent)).toBe(0);
  const fits = await openStrangersTable(100, { mostRows: most }, small);
  onTestFinished(fits.close);
  await fits.release(count);
});

/** As many as fit into what is set aside for them, each of a text as long as a key may be, of characters that take most. */
const ROWS = Math.floor(mostFoundBytes(memoryLimit)({ parquet: "rows.parquet" }) / 962);

test.skipIf(process.platform !== "linux")(
  "the most values that a plan may look for fit into the memory of the setting, and one more is refused before anything is charged",
  async () => {
    const pids: number[] = [];
    const text = "concat(repeat('😀', 122), lpad(CAST(i AS VARCHAR), 6, '0'))";
    const table = await openStrangersTable(
      ROWS,
      { mostRows: ROWS },
      { text, memoryLimit, onStart: (pid) => pids.push(pid) },
    );
    onTestFinished(table.close);
    const peaks = async (): Promise<number> => {
      const statuses = pids.map((pid) => readFile(`/proc/${pid}/status`, "utf8").catch(() => ""));
      const read = (await Promise.all(statuses)).map((status) => Number(/VmHWM:\s+(\d+)/.exec(status)?.[1] ?? 0));
      return 1024 * Math.max(0, ...read);
    };
    const started = pids.length;
    const most = await highest(peaks, async () => {
      expect(await table.took(1)).toBeGreaterThan(0);
    });
    expect(most).toBeGreaterThan(0);
    expect(most).toBeLessThan(2e9);
    expect(pids.length, "none was ended").toBe(started);
    const more = await openStrangersTable(100, { mostRows: ROWS + 1 }, { memoryLimit });
    onTestFinished(more.close);
    await expect(more.took(1)).rejects.toMatchObject({ code: "INVALID_PARAMETER" });
  },
);
