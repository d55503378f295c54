import { readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { beforeEach, expect, test } from "vitest";
import { temporaryFolder } from "../../../../test/folder.kit.ts";
import { clientOf } from "../instance.kit.ts";
import { openInstance } from "../instance.ts";

let place: string;
beforeEach(() => {
  place = temporaryFolder();
});

const fileOf = (folder: string) => join(folder, "operator.token");
const secretIn = async (path: string) => (await readFile(path, "utf8")).trim();

test("the operator's token lives for a day, is kept over a restart, and is replaced where it has ended or may do other things", async () => {
  const folder = join(place, "data");
  const first = await openInstance({ folder });
  const path = fileOf(folder);
  expect(await secretIn(path)).toBe(first.operatorToken);
  expect((await stat(path)).mode & 0o077).toBe(0);
  const [token] = (await clientOf(first, first.operatorToken).listTokens()).items;
  expect(new Date(token?.expiresAt ?? "").getTime() - Date.now()).toBeLessThanOrEqual(24 * 3_600_000);
  expect(token?.scopes).toEqual(["read", "release", "manage", "admin"]);
  await first.close();

  const second = await openInstance({ folder });
  expect(second.operatorToken).toBe(first.operatorToken);
  await clientOf(second, second.operatorToken).revokeToken({ token: token?.id ?? "" });
  await second.close();

  const third = await openInstance({ folder, operatorScopes: ["read", "admin"] });
  expect(third.operatorToken).not.toBe(second.operatorToken);
  const client = clientOf(third, third.operatorToken);
  expect((await client.me()).scopes).toEqual(["read", "admin"]);
  await expect(client.createTeam({ name: "team" })).rejects.toThrow("this token lacks the scope manage");
  await third.close();
});
