import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeEach, expect, test } from "vitest";
import { temporaryFolder } from "../../../../test/folder.kit.ts";
import { holderOf, takeLock } from "./lock.ts";

let place: string;
beforeEach(() => {
  place = temporaryFolder();
});

const leave = (holder: unknown) =>
  writeFile(join(place, "lock.json"), typeof holder === "string" ? holder : JSON.stringify(holder));

test("one holder at a time; the second learns where the first answers", async () => {
  const lock = await takeLock(place);
  await expect(takeLock(place, { timeoutMs: 60 })).rejects.toMatchObject({
    code: "ALREADY_RUNNING",
    details: { pid: process.pid },
  });
  await lock.publish("http://localhost:8080");
  await expect(takeLock(place)).rejects.toMatchObject({ message: "already running at http://localhost:8080" });
  expect(await holderOf(place)).toMatchObject({ pid: process.pid, url: "http://localhost:8080" });
  await lock.release();
  expect(await holderOf(place)).toBeNull();
  await (await takeLock(place)).release();
});

test("a holder that works for a moment is waited for", async () => {
  const first = await takeLock(place);
  const second = takeLock(place);
  await first.release();
  await (await second).release();
});

test.each([
  [
    "a dead process",
    () => ({ pid: spawnSync("true", { timeout: 10_000 }).pid, began: null, url: "http://localhost:1" }),
  ],
  ["a number that another process has now", () => ({ pid: process.pid, began: "1", url: "http://localhost:1" })],
  ["a file cut short by a power cut", () => '{"pid": 12'],
])("the lock of %s is taken over", async (_, stale) => {
  await leave(stale());
  const lock = await takeLock(place);
  expect(await holderOf(place)).toMatchObject({ pid: process.pid });
  await lock.release();
});

test("of many who find a dead holder exactly one takes over", async () => {
  await leave({ pid: spawnSync("true", { timeout: 10_000 }).pid, began: null, url: null });
  const all = await Promise.allSettled(Array.from({ length: 20 }, () => takeLock(place, { timeoutMs: 0 })));
  expect(all.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
});

test("a process that has ended and that no parent has waited for does not hold a folder", {
  timeout: 20_000,
}, async () => {
  if (process.platform !== "linux") return;
  const parent = spawn("sh", ["-c", "sleep 0 & echo $!; exec sleep 30"], { stdio: ["ignore", "pipe", "ignore"] });
  try {
    const [line] = (await once(parent.stdout, "data")) as [Buffer];
    const pid = Number(line.toString());
    const fields = () => readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1]?.split(" ") ?? [];
    await expect.poll(() => fields()[0], { timeout: 10_000 }).toBe("Z");
    await leave({ pid, began: fields()[19], url: "http://localhost:8080", operator: null });
    expect(await holderOf(place)).toBeNull();
  } finally {
    parent.kill();
  }
});

test("a process whose first thread has ended holds its folder while another one works", {
  timeout: 20_000,
}, async () => {
  if (process.platform !== "linux") return;
  const script = `import ctypes, threading, time
threading.Thread(target=time.sleep, args=(30,)).start()
ctypes.CDLL(None).pthread_exit(None)`;
  const child = spawn("python3", ["-c", script], { stdio: "ignore" });
  try {
    const fields = () => readFileSync(`/proc/${child.pid}/stat`, "utf8").split(") ")[1]?.split(" ") ?? [];
    await expect.poll(() => fields()[0], { timeout: 10_000 }).toBe("Z");
    await leave({ pid: child.pid, began: fields()[19], url: "http://localhost:8080", operator: null });
    expect(await holderOf(place)).toMatchObject({ pid: child.pid });
  } finally {
    child.kill("SIGKILL");
  }
});
