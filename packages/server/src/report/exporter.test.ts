import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import type { PrincipalId } from "@dosimeter/ledger";
import { afterAll, beforeAll, expect, test } from "vitest";
import { buildFixture, type Fixture, ORIGIN, openTestInstance } from "../instance.kit.ts";

let fixture: Fixture;
let folder: string;
beforeAll(async () => {
  const instance = await openTestInstance();
  ({ folder } = instance);
  fixture = await buildFixture(instance);
  // More than a reader who does not read has in memory.
  for (let n = 0; n < 800; n += 1)
    await instance.database.people.createTeam({ by: fixture.people.teamAdmin as PrincipalId, name: `team ${n}` });
});
afterAll(() => fixture.instance.close());

const ask = () =>
  fixture.instance.fetch(
    new Request(`${ORIGIN}/v1/ledgers/${fixture.ledger}/export`, {
      headers: { authorization: `Bearer ${fixture.tokens.auditor}` },
    }),
  );

async function drop(response: Response): Promise<Response> {
  await response.body?.cancel();
  return response;
}

test("an export that is not read holds no state of the database, and three at once are enough for a person", async () => {
  const unread = [await ask(), await ask(), await ask()];
  expect(unread.map(({ status }) => status)).toEqual([200, 200, 200]);
  await fixture.as.teamAdmin.createTeam({ name: "written afterwards" });
  const other = new DatabaseSync(join(folder, "ledger.sqlite"));
  // Only where no reader needs an older state is the whole log of changes taken over.
  expect(other.prepare("PRAGMA wal_checkpoint(TRUNCATE)").get()).toMatchObject({ busy: 0, log: 0 });
  other.close();
  expect(await readdir(join(folder, "spill")), "its file goes with its reader").toEqual([]);

  const refused = await ask();
  expect([refused.status, refused.headers.get("retry-after")]).toEqual([429, "10"]);
  const [first, second, third] = unread;
  await first?.body?.cancel();
  const lines = ((await second?.text()) ?? "").trimEnd().split("\n");
  expect(JSON.parse(lines.at(-1) ?? "")).toHaveProperty("signature");
  await expect.poll(async () => (await drop(await ask())).status).toBe(200);
  if (third !== undefined) await drop(third);
});
