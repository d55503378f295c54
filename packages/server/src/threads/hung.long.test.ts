import { spawnSync } from "node:child_process";
import { closeSync, constants, openSync, readFileSync } from "node:fs";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { expect, test } from "vitest";
import { temporaryFolder } from "../../../../test/folder.kit.ts";
import { placeAt } from "../instance/witness.ts";
import { auditPlaceAt } from "../outbox/audit-places.ts";
import { oneThatMayHang, within } from "./within.ts";

test("a call that hangs fails in time, and takes one thread however often it is tried", async () => {
  const folder = temporaryFolder();
  const pipe = join(folder, "pipe");
  spawnSync("mkfifo", [pipe]); // who opens it waits for someone at its other end
  const reading = oneThatMayHang(50, () => readFile(pipe, "utf8"));
  for (let times = 0; times < 8; times += 1) await expect(reading()).rejects.toMatchObject({ code: "ETIMEDOUT" });
  await within(60_000, writeFile(join(folder, "other"), "there"), () => {
    throw new Error("no thread is left");
  });
  closeSync(openSync(pipe, constants.O_WRONLY | constants.O_NONBLOCK));
  await expect.poll(() => reading().catch(() => null), { timeout: 30_000 }).toBe(null); // it waits again, alone
  closeSync(openSync(pipe, constants.O_WRONLY | constants.O_NONBLOCK));
  expect(readFileSync(join(folder, "other"), "utf8")).toBe("there");
});

test("of many that are asked at once one hangs, and those that were late are not done later", async () => {
  const [begun, { promise, resolve }] = [[] as number[], Promise.withResolvers<void>()];
  const one = oneThatMayHang(50, async (number: number) => {
    begun.push(number);
    await promise;
  });
  const all = await Promise.allSettled([1, 2, 3].map((number) => one(number)));
  expect([all.map(({ status }) => status), begun]).toEqual([["rejected", "rejected", "rejected"], [1]]);
  resolve();
  await one(4);
  expect(begun).toEqual([1, 4]);
});

test("files of the witness and of audit lines are such calls", { timeout: 120_000 }, async () => {
  const folder = temporaryFolder();
  const [read = "", written = ""] = ["read", "written"].map((name) => join(folder, name));
  spawnSync("mkfifo", [read, written]);
  await Promise.all([
    expect(placeAt(pathToFileURL(read).href)?.read()).rejects.toMatchObject({ code: "ETIMEDOUT" }),
    expect(auditPlaceAt(pathToFileURL(written).href)?.("line\n")).rejects.toMatchObject({ code: "ETIMEDOUT" }),
  ]);
  for (const pipe of [read, written]) closeSync(openSync(pipe, constants.O_RDWR)); // both may go on
});
