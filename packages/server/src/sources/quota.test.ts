import { readdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { PrincipalId } from "@dosimeter/ledger";
import { afterAll, expect, onTestFinished, test } from "vitest";
import { temporaryFolder } from "../../../../test/folder.kit.ts";
import { buildFixture, codeOf, csvBytes, openTestInstance } from "../instance.kit.ts";
import { createLog } from "../telemetry/log.ts";
import { openConverter } from "./convert/converter.ts";
import { expireUploads } from "./expired-uploads.ts";
import { openFiles, type Upload } from "./files.ts";

const converter = openConverter();
afterAll(() => converter.close());

const ana = "usr_1" as PrincipalId;
const ben = "usr_2" as PrincipalId;

async function open(options: Partial<Parameters<typeof openFiles>[1]> = {}) {
  const place = temporaryFolder();
  const files = await openFiles(place, { converter, isAlone: true, ...options });
  const save = (owner: PrincipalId, bytes: number, more: Pick<Upload, "brought"> = {}) =>
    files.save({
      ...{ name: "t", owner, ...more, describe: async () => [] },
      bytes: new Blob([`a\n${"1".repeat(bytes - 2)}`]).stream(),
    });
  return { files, save, folder: place };
}

const full = { code: "PAYLOAD_TOO_LARGE", details: { want: "at most 1000 bytes of all your uploads" } };

test("the files of one person have a number of bytes together, and deleting one makes room; others have their own", async () => {
  const { files, save, folder } = await open({ largestOfPerson: 1000 });
  const first = await save(ana, 600);
  await expect(save(ana, 600)).rejects.toMatchObject(full);
  await save(ben, 600);
  await files.erase(`${first.id}.csv`);
  await save(ana, 600);
  const again = await openFiles(folder, { converter, isAlone: true, largestOfPerson: 1000 });
  const bytes = new Blob(["a\n", "1".repeat(500)]).stream();
  await expect(again.save({ name: "t", owner: ana, bytes, describe: async () => [] })).rejects.toMatchObject(full);
});

test("an append counts to its person the bytes that it brought, not those of the copy that it makes, also after a restart", async () => {
  const { files, save, folder } = await open({ largestOfPerson: 1000 });
  for (let each = 0; each < 5; each += 1)
    await save("system" as PrincipalId, 900, { brought: { by: ana, bytes: 100 } });
  const room = await save(ana, 500);
  await expect(save(ana, 10)).rejects.toMatchObject(full);
  await files.erase(`${room.id}.csv`);
  const again = await openFiles(folder, { converter, isAlone: true, largestOfPerson: 1000 });
  const upload = (bytes: number) =>
    again.save({
      name: "t",
      owner: ana,
      bytes: new Blob(["a\n", "1".repeat(bytes)]).stream(),
      describe: async () => [],
    });
  await expect(upload(600)).rejects.toMatchObject(full);
  await upload(400);
});

test("uploads that arrive together count together, and nothing of a refused one is left", async () => {
  const { save, folder } = await open({ largestOfPerson: 1000 });
  const ended = await Promise.allSettled(Array.from({ length: 8 }, () => save(ana, 300)));
  expect(ended.filter(({ status }) => status === "fulfilled").length).toBeLessThanOrEqual(3);
  const sizes = (await readdir(folder)).filter((name) => name.endsWith(".csv"));
  expect(sizes.length).toBeLessThanOrEqual(3);
  expect((await readdir(folder)).filter((name) => name.includes("partial"))).toEqual([]);
});

test("what is kept free for the ledger no upload takes", async () => {
  const { files, save, folder } = await open({ reserve: Number.MAX_SAFE_INTEGER });
  await expect(save(ana, 10)).rejects.toMatchObject({ code: "NOT_READY", details: { name: "disk" } });
  expect((await readdir(folder)).filter((name) => name.startsWith("fil_"))).toEqual([]);
  const to = join(folder, "t.csv");
  const from = join(import.meta.dirname, "convert/golden/visits-lz4.feather");
  const conversion = { format: "arrow", from, to, largest: 1e6, reserve: Number.MAX_SAFE_INTEGER } as const;
  await expect(converter.convert(conversion, { person: ana, sent: 5000 })).rejects.toMatchObject({ code: "NOT_READY" });
  expect(() => files.scratch(1), "of an append").toThrow("kept for the ledger");
  expect(await files.filesOf(ana)).toEqual([]);
});

test("its person deletes a file that no dataset reads, and one that was never declared is deleted after a week", async () => {
  const instance = await openTestInstance();
  onTestFinished(() => instance.close());
  const { as, dataset } = await buildFixture(instance);
  const folder = join(instance.folder, "files");
  const upload = (by: typeof as.member) => by.uploadFile({ name: "t.csv", content: csvBytes("a\n1\n") });
  const [used] = (await as.datasetAdmin.listFiles({})).items;
  const { id: file } = await upload(as.member);
  expect(await codeOf(as.stranger.eraseFile({ file }))).toBe("NOT_FOUND");
  expect(await codeOf(as.datasetAdmin.eraseFile({ file: used?.id ?? "" }))).toBe("CONFLICT");
  await as.member.eraseFile({ file });
  expect((await as.member.listFiles({})).items).toEqual([]);
  expect(await codeOf(as.member.eraseFile({ file }))).toBe("NOT_FOUND");

  const { id: left } = await upload(as.member);
  const { id: fresh } = await upload(as.member);
  for (const id of [left, used?.id]) {
    const record = join(folder, `${id}.json`);
    const stored = JSON.parse(await readFile(record, "utf8"));
    await writeFile(record, JSON.stringify({ ...stored, uploadedAt: new Date(Date.now() - 8 * 86_400_000) }));
  }
  const files = await openFiles(folder, { converter, isAlone: false });
  expect((await files.expired()).map(({ id }) => id)).toEqual([left]);
  await rm(join(folder, `${used?.id}.declared`)); // of a version that made no marks
  await expireUploads({ files, database: instance.database, log: createLog("silent") })();
  const names = await readdir(folder);
  expect(names.filter((name) => name.startsWith(left))).toEqual([]);
  expect(names).toEqual(expect.arrayContaining([`${fresh}.csv`, `${used?.id}.csv`, `${used?.id}.declared`]));
  expect((await as.datasetAdmin.showDataset({ dataset })).version).toBe(1);
});
