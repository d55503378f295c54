import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdir, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { temporaryFolder } from "../../../../test/folder.kit.ts";
import { takeLock } from "./lock.ts";
import { findOperatorFile, runningInstance } from "./running.ts";

let place: string;
let held: Awaited<ReturnType<typeof takeLock>>;
beforeEach(async () => {
  place = temporaryFolder();
  held = await takeLock(place);
});
afterEach(async () => {
  vi.restoreAllMocks();
});

const leave = (holder: object) => writeFile(join(place, "lock.json"), JSON.stringify(holder));
const refusal = (message: RegExp) => ({ code: "INVALID_PARAMETER", message: expect.stringMatching(message) });

test.each(["http://localhost:8080", "http://127.0.0.1:1", "http://[::1]:8080"])("%s is found", async (url) => {
  await held.publish(url, "/elsewhere/operator.token");
  expect(await runningInstance(place)).toEqual({ url, operator: "/elsewhere/operator.token" });
});

test.each([
  "http://192.0.2.2:8080",
  "https://localhost",
  "http://localhost.example.org",
  "http://localhost@192.0.2.2",
  "http://192.0.2.2\\@localhost",
  "http://ana:secret@localhost",
  "file:///etc/passwd",
  "localhost",
])("a lock cannot send a token to %s", async (url) => {
  await held.publish(url);
  await expect(runningInstance(place)).rejects.toMatchObject(refusal(/^the url in lock\.json is .*loopback/));
});

test.skipIf(!existsSync("/proc/self/stat"))(
  "a process without its start time could be any, and is not believed",
  async () => {
    await leave({ pid: 1, url: "http://localhost:1" });
    await expect(runningInstance(place)).rejects.toMatchObject(refusal(/^the process in lock\.json is missing/));
    await leave({ pid: spawnSync("true", { timeout: 10_000 }).pid, url: "http://192.0.2.2" });
    expect(await runningInstance(place)).toBeNull();
  },
);

test("a process of another user is not believed", async () => {
  await held.publish("http://localhost:1");
  vi.spyOn(process, "kill").mockImplementation(() => {
    throw Object.assign(new Error("not permitted"), { code: "EPERM" });
  });
  await expect(runningInstance(place)).rejects.toMatchObject(refusal(/must be a process of yours/));
  await expect(takeLock(place)).rejects.toMatchObject({ code: "ALREADY_RUNNING" });
});

test("the operator's token is one of this data folder, also behind links", async () => {
  const [folder, uploads, other] = ["here", "files", "other"].map((name) => join(place, name)) as [
    string,
    string,
    string,
  ];
  for (const each of [folder, uploads, other]) {
    await mkdir(each);
    await writeFile(join(each, "operator.token"), each);
  }
  const found = (said: string | null, where: string | undefined = undefined) =>
    findOperatorFile({ folder, uploads: where, said });
  const [mine, shared, theirs] = [folder, uploads, other].map((each) => join(each, "operator.token")) as [
    string,
    string,
    string,
  ];
  expect(await found(null)).toBe(mine);
  expect(await found(mine)).toBe(mine);
  expect(await found(null, uploads)).toBe(shared);
  expect(await found(shared, uploads)).toBe(shared);
  const refused = refusal(/^the operator's file is .*must be operator\.token in the data folder/);
  for (const said of [theirs, shared, join(folder, "../other/operator.token"), join(folder, "other.token")])
    await expect(found(said)).rejects.toMatchObject(refused);
  const linked = join(place, "linked");
  await mkdir(linked);
  await symlink(theirs, join(linked, "operator.token"));
  await expect(findOperatorFile({ folder: linked, uploads: undefined, said: null })).rejects.toMatchObject(refused);
});
