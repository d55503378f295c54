import { readdir, readFile, utimes, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { PrincipalId } from "@dosimeter/ledger";
import { afterAll, expect, test } from "vitest";
import { temporaryFolder } from "../../../../test/folder.kit.ts";
import { openConverter } from "./convert/converter.ts";
import { openFiles } from "./files.ts";

const place = temporaryFolder();
const converter = openConverter();
afterAll(() => converter.close());

/** The same bytes in parts of this many bytes. */
function parts(bytes: Uint8Array, each: number): ReadableStream<Uint8Array> {
  const list = Array.from({ length: Math.ceil(bytes.length / each) }, (_, index) =>
    bytes.slice(index * each, (index + 1) * each),
  );
  return new ReadableStream({
    start(controller) {
      for (const part of list) controller.enqueue(part);
      controller.close();
    },
  });
}

const save = async (bytes: Uint8Array, each: number, encoding?: "windows-1252") => {
  const files = await openFiles(place, { converter, isAlone: false });
  const owner = "per_1" as PrincipalId;
  const file = await files.save({ name: "t", owner, bytes: parts(bytes, each), encoding, describe: async () => [] });
  return { file, stored: await readFile(files.pathOf(`${file.id}.${file.format}`)) };
};

test.each([1, 2, 3, 4, 5, 1000])("a text arrives whole in parts of %d bytes, whatever its letters", async (each) => {
  const bytes = new TextEncoder().encode("é😀,n\n1,2\n");
  const { file, stored } = await save(bytes, each);
  expect(file.format).toBe("csv");
  expect(new Uint8Array(stored)).toEqual(bytes);
});

const TABLE = "größe,€\r1,“a”\r";
const utf16 = (text: string) => Buffer.from(`\uFEFF${text}`, "utf16le");
const western = (text: string) =>
  Uint8Array.from([...text].map((letter) => ({ "€": 0x80, "“": 0x93, "”": 0x94 })[letter] ?? letter.charCodeAt(0)));

test.each([
  ["utf-16le", utf16(TABLE)],
  ["utf-16be", Buffer.from(utf16(TABLE)).swap16()],
  ["windows-1252", western(TABLE)],
])("a text in %s is found by its mark or its header line, and kept as UTF-8", async (encoding, bytes) => {
  for (const each of [1, 2, 3, 7, 1000]) {
    const { file, stored } = await save(bytes, each);
    expect([file.format, file.encoding, stored.toString("utf8")]).toEqual(["csv", encoding, TABLE]);
  }
});

test("a value never decides: after a plain header the owner says what the letters are", async () => {
  const bytes = western("name,n\nJosé,1\n");
  await expect(save(bytes, 1000)).rejects.toMatchObject({ code: "DATA_UNREADABLE" });
  const { stored } = await save(bytes, 4, "windows-1252");
  expect(stored.toString("utf8")).toBe("name,n\nJosé,1\n");
});

test.each([1, 3, 1000])("Parquet is known by its first four bytes in parts of %d", async (each) => {
  const bytes = Uint8Array.from([0x50, 0x41, 0x52, 0x31, 0xff, 0, 0xfe]);
  expect((await save(bytes, each)).file.format).toBe("parquet");
});

test.each([
  [1, [0xef, 0xbb, 0xbf, 0x41, 0x0a, 0xc3]],
  [1, [0x41, 0x0a, 0xff, 0x41]],
  [1, [0x41, 0, 0x42]],
  [2, [0x41, 0x0a, 0xc3, 0x28, 0x41, 0x41]],
  [3, [0xff, 0xfe, 0x41, 0x00, 0x0a, 0x00, 0x00]],
])("bytes that are no text are refused in parts of %d: %j", async (each, bytes) => {
  await expect(save(Uint8Array.from(bytes), each)).rejects.toMatchObject({ code: "DATA_UNREADABLE" });
});

test.each(["visits-1900.xlsx", "visits-lz4.feather", "visits-stream.arrows"])(
  "%s is known by its first bytes, and the CSV file that it becomes is what is stored and recognised",
  async (name) => {
    const bytes = await readFile(join(import.meta.dirname, "convert/golden", name));
    const { file, stored } = await save(bytes, 7);
    expect([file.format, file.from?.format]).toEqual(["csv", name.endsWith("x") ? "xlsx" : "arrow"]);
    const again = await save(new Uint8Array(stored), 1000);
    expect([again.file.digest, again.file.bytes]).toEqual([file.digest, file.bytes]);
    expect((await readdir(place)).filter((each) => each.includes("partial"))).toEqual([]);
  },
);

test("one person has at most two files converted at once; others are not refused for it", async () => {
  const bytes = await readFile(join(import.meta.dirname, "convert/golden/visits-1900.xlsx"));
  const files = await openFiles(place, { converter, isAlone: false });
  const upload = (owner: string) =>
    files.save({
      name: "t",
      owner: owner as PrincipalId,
      bytes: parts(bytes, bytes.length),
      encoding: undefined,
      describe: async () => [],
    });
  const [other, ...ended] = await Promise.allSettled([
    upload("per_2"),
    ...Array.from({ length: 8 }, () => upload("per_1")),
  ]);
  expect(other?.status).toBe("fulfilled");
  const refused = ended.filter(({ status }) => status === "rejected");
  expect(refused.length).toBeGreaterThanOrEqual(1);
  for (const one of refused) expect(one).toMatchObject({ reason: { code: "RATE_LIMITED" } });
  expect(ended.length - refused.length).toBeGreaterThanOrEqual(2);
  expect((await upload("per_1")).format).toBe("csv");
});

test("a workbook with a password, or of before 2007, is refused", async () => {
  const old = Uint8Array.from([0xd0, 0xcf, 0x11, 0xe0, 0xa1, 0xb1, 0x1a, 0xe1, 0, 0]);
  await expect(save(old, 3)).rejects.toMatchObject({
    code: "DATA_UNREADABLE",
    details: { want: expect.stringContaining("password") },
  });
});

test("a server that starts leaves the running uploads of another alone, and removes what was given up", async () => {
  const running = ["fil_00000000000000000001.partial", "fil_00000000000000000002.csv", "fil_3.json.partial"];
  const givenUp = ["fil_00000000000000000004.partial", "fil_00000000000000000005.csv", "fil_6.json.partial"];
  for (const name of [...running, ...givenUp]) await writeFile(join(place, name), "a\n1\n");
  const yesterday = new Date(Date.now() - 86_400_000);
  for (const name of givenUp) await utimes(join(place, name), yesterday, yesterday);
  await openFiles(place, { converter, isAlone: false });
  const names = await readdir(place);
  expect(names).toEqual(expect.arrayContaining(running));
  expect(names.filter((name) => givenUp.includes(name))).toEqual([]);
});

test("a damaged record stops neither the start nor the lists: no one can name its file, and the others are as ever", async () => {
  const folder = temporaryFolder();
  const owner = "usr_1" as PrincipalId;
  const files = await openFiles(folder, { converter, isAlone: true });
  const bytes = parts(new TextEncoder().encode("a\n1\n"), 4);
  const { id } = await files.save({ name: "a.csv", owner, bytes, describe: async () => [] });
  for (const [at, text] of ['{"owner":', "null", "[1]"].entries()) {
    await writeFile(join(folder, `fil_0000000000000000000${at}.json`), text);
    await writeFile(join(folder, `fil_0000000000000000000${at}.held`), "dts_1");
    await utimes(join(folder, `fil_0000000000000000000${at}.held`), 0, 0);
  }
  const again = await openFiles(folder, { converter, isAlone: true });
  expect(await again.heldByKilled()).toEqual([]);
  expect((await again.filesOf(owner)).map((file) => file.id)).toEqual([id]);
  await expect(again.file("fil_00000000000000000000", owner)).rejects.toMatchObject({ code: "NOT_FOUND" });
});
