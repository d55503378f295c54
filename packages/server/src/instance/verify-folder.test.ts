import { createHash } from "node:crypto";
import { copyFile, cp, mkdir, readdir, readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { beforeAll, expect, test } from "vitest";
import { temporaryFolder } from "../../../../test/folder.kit.ts";
import { buildFixture, countPlan } from "../instance.kit.ts";
import { openInstance } from "../instance.ts";
import { verifyFolder } from "./database.ts";

const place = temporaryFolder();
let head: string;
const at = (...path: string[]) => join(place, ...path);

beforeAll(async () => {
  const instance = await openInstance({ folder: at("data") });
  const { as, dataset, memberAccount: account } = await buildFixture(instance);
  await as.member.releaseAndWait({ plan: countPlan(), dataset, account }, { idempotencyKey: "k" });
  // As a server that was killed leaves it: the log next to the file. A file that is renamed while this copies it is left out.
  await cp(at("data"), at("killed"), { recursive: true, filter: (path) => !path.endsWith(".new") });
  ({ head } = await instance.database.audit.verify());
  await instance.close();
});

/** Every file with its hash. */
async function hashes(folder: string): Promise<readonly string[]> {
  const files = await readdir(folder, { recursive: true, withFileTypes: true });
  const named = files.filter((file) => file.isFile()).map((file) => join(file.parentPath, file.name));
  const hash = async (file: string) =>
    createHash("sha256")
      .update(await readFile(file))
      .digest("hex");
  return Promise.all(named.toSorted().map(async (file) => `${file} ${await hash(file)}`));
}

test.each(["data", "killed"])("verifying the folder %s changes no file and makes none", async (name) => {
  await rm(at(name, "lock.json"), { force: true });
  const before = await hashes(at(name));
  expect(await verifyFolder({ folder: at(name) })).toMatchObject({ ok: true, problems: [], head });
  expect(await hashes(at(name))).toEqual(before);
});

test("a folder without a ledger database gets none, and an older one is not brought up to date", async () => {
  await mkdir(at("empty"));
  await expect(verifyFolder({ folder: at("empty") })).rejects.toMatchObject({ code: "NOT_FOUND" });
  expect(await readdir(at("empty"))).toEqual([]);
  await mkdir(at("older"));
  await copyFile(at("data", "ledger.sqlite"), at("older", "ledger.sqlite"));
  const older = new DatabaseSync(at("older", "ledger.sqlite"));
  older.exec(
    "PRAGMA journal_mode = DELETE; DELETE FROM migration WHERE version = (SELECT max(version) FROM migration)",
  );
  older.close();
  const before = await hashes(at("older"));
  await expect(verifyFolder({ folder: at("older") })).rejects.toMatchObject({ code: "CONFLICT" });
  expect(await hashes(at("older"))).toEqual(before);
});
