import { existsSync, readdirSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { temporaryFolder } from "../../../../test/folder.kit.ts";
import { said } from "../terminal.kit.ts";

const cwd = temporaryFolder();

const dosimeter = (...args: readonly string[]) => said(args, { cwd });

test("a key, a backup, its proof, and a restore, each with what to do next", async () => {
  await dosimeter("person", "create", "Ana");
  const made = await dosimeter("backup", "--new-key", "backup.key");
  const recipient = /--recipient (age1\S+)/.exec(made.out)?.[1] ?? "";
  const backup = await dosimeter("backup", "monday.age", "--recipient", recipient);
  expect(backup).toMatchObject({ code: 0, err: "" });
  const head = /head ([0-9a-f]{64})/.exec(backup.out)?.[1];
  const proof = await dosimeter("--json", "restore", "monday.age", "--key", "backup.key", "--check");
  expect(JSON.parse(proof.out)).toMatchObject({ ok: true, head, problems: [] });
  const scratch = () => readdirSync(tmpdir()).filter((name) => name.startsWith("dosimeter-drill-"));
  const before = scratch();
  await dosimeter("person", "create", "Bob");
  const drilled = JSON.parse((await dosimeter("--json", "restore", ".", "--key", "backup.key", "--drill")).out);
  expect(drilled).toMatchObject({ ok: true, archive: join(cwd, "monday.age"), problems: [], lacking: [], frozen: [] });
  expect(drilled.missingLines).toBeGreaterThan(0);
  expect(drilled.tookSeconds).toBeGreaterThan(0);
  expect((await dosimeter("restore", ".", "--key", "backup.key", "--drill")).out).toContain("would take the last");
  expect(scratch()).toEqual(before);
  expect((await dosimeter("person", "list")).out).toContain("Bob");
  expect(await dosimeter("restore", "monday.age", "--key", "backup.key")).toMatchObject({
    code: 5,
    err: expect.stringContaining("--replace"),
  });
  const restored = await dosimeter("--data", "new", "restore", "monday.age", "--key", "backup.key");
  expect(restored).toMatchObject({ code: 0, out: expect.stringContaining(`head ${head}`) });
  expect((await dosimeter("--data", "new", "person", "list")).out).toContain("Ana");
});

test("neither an archive nor a new key, or both, is wrong use; nothing is made", async () => {
  for (const args of [[], ["a.age", "--new-key", "b.key"], ["a.age"]]) {
    const { code, err } = await dosimeter("backup", ...args);
    expect(code, err).toBe(2);
  }
  expect(["a.age", "b.key"].some((name) => existsSync(join(cwd, name)))).toBe(false);
});
