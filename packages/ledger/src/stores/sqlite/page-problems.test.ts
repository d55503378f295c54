import { open } from "node:fs/promises";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { expect, test } from "vitest";
import { temporaryFolder } from "../../../../../test/folder.kit.ts";
import { pageProblems, quickProblems } from "./page-problems.ts";

const folder = temporaryFolder();

/** Rows of about a page each, the last of them scrambled where that is asked for. */
async function fileOf(rows: number, isScrambled: boolean): Promise<string> {
  const path = join(folder, `${rows}-${isScrambled}.sqlite`);
  const database = new DatabaseSync(path);
  database.exec("PRAGMA page_size = 4096; CREATE TABLE filler (t TEXT)");
  database.exec("BEGIN");
  const insert = database.prepare("INSERT INTO filler VALUES (?)");
  for (let row = 0; row < rows; row += 1) insert.run("x".repeat(3900));
  database.exec("COMMIT");
  database.close();
  if (isScrambled) {
    const file = await open(path, "r+");
    await file.write(Buffer.alloc(4096, 0xff), 0, 4096, 4096 * (rows - 1));
    await file.close();
  }
  return path;
}

test.each([20, 800])(
  "a scrambled page among %i is found, here or in a thread, and a sound file has none",
  async (rows) => {
    const [sound, scrambled] = [await fileOf(rows, false), await fileOf(rows, true)];
    expect([await pageProblems(sound), quickProblems(sound)]).toEqual([[], []]);
    expect(await pageProblems(scrambled)).not.toEqual([]);
    expect(quickProblems(scrambled)).not.toEqual([]);
  },
);

test("a file that is no database says so", async () => {
  const path = join(folder, "text");
  const file = await open(path, "w");
  await file.write("no database".repeat(1000));
  await file.close();
  expect(await pageProblems(path)).toEqual(["file is not a database"]);
});
