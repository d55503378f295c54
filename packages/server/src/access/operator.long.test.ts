import { readFile, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { createClient } from "@dosimeter/client";
import { expect, test } from "vitest";
import { temporaryFolder } from "../../../../test/folder.kit.ts";
import { openPostgres } from "../../../../test/postgres.kit.ts";
import { openInstance } from "../instance.ts";

test("servers that share a database and its uploads share one token, and one that is deleted is written again", async () => {
  const place = temporaryFolder();
  const server = await openPostgres({ settings: { fsync: "on" } });
  const tokenIn = (folder: string) => join(folder, "operator.token");
  const uploads = join(place, "files");
  const open = (name: string) => openInstance({ folder: join(place, name), database: server.url, uploads });
  try {
    const one = await open("one");
    const other = await open("other");
    expect(other.operatorToken).toBe(one.operatorToken);
    await expect(stat(tokenIn(join(place, "one")))).rejects.toMatchObject({ code: "ENOENT" });
    await writeFile(tokenIn(uploads), "");
    const secret = async () => (await readFile(tokenIn(uploads), "utf8")).trim();
    await expect.poll(secret).toMatch(/^dsm_/);
    const client = createClient({
      url: "http://localhost",
      fetch: other.fetch,
      token: await secret(),
    });
    expect((await client.me()).person.name).toBe("operator");
    await one.close();
    await other.close();
  } finally {
    await server.close();
  }
});
