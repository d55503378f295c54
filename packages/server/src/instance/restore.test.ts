import { cp, rm } from "node:fs/promises";
import { join } from "node:path";
import { backup, DatabaseSync } from "node:sqlite";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { clientOf, temporaryFolder } from "../instance.kit.ts";
import { openInstance } from "../instance.ts";
import { answeredAfter, askAgain, expectLost, kept, type Pending } from "./restore.kit.ts";

describe("a charge that is pending in a hot backup and was answered after it", () => {
  let place: Awaited<ReturnType<typeof temporaryFolder>>;
  let pending: Pending;
  const at = (...path: string[]) => join(place.folder, ...path);

  beforeAll(async () => {
    place = await temporaryFolder();
    pending = await answeredAfter({ folder: at("data") }, async ({ database }) => {
      const source = new DatabaseSync(at("data", "ledger.sqlite"), { readOnly: true });
      await backup(source, at("backup.sqlite"));
      source.close();
      await kept(place.folder).write({ ...(await database.audit.checkpoint()), copy: null, closed: false });
      // What a server that was killed at this moment leaves behind.
      await cp(at("data"), at("killed"), { recursive: true });
      await cp(at("checkpoint.json"), at("killed", "checkpoint.json"));
    });
  });
  afterAll(() => place.remove());

  /** As the page for operators says it. */
  async function restore(name: string): Promise<string> {
    const folder = at(name);
    await cp(at("data"), folder, { recursive: true });
    for (const file of ["ledger.sqlite-wal", "ledger.sqlite-shm", "lock.json"])
      await rm(join(folder, file), { force: true });
    await cp(at("backup.sqlite"), join(folder, "ledger.sqlite"));
    return folder;
  }

  test("is not measured again: it stays charged, and its person is notified", async () => {
    const folder = await restore("restored");
    await expectLost({ folder }, pending);
  });

  test("nor when the newest checkpoint is older than the answer, so that the restored database ends where it should", async () => {
    const folder = await restore("last-second");
    await cp(at("checkpoint.json"), join(folder, "checkpoint.json"));
    await expectLost({ folder }, pending);
  });

  test("nor when a checkpoint of an older version, which lists no charges, is ahead of it", async () => {
    const folder = await restore("older");
    const { entry: _, pending: __, copy: ___, closed: ____, ...older } = await kept(folder).read();
    await kept(folder).write(older);
    await expectLost({ folder }, pending);
  });

  test("nor when the checkpoint knows that it was answered, whatever line the database ends with", async () => {
    const folder = await restore("answered");
    const then = await kept(place.folder).read();
    await kept(folder).write({ ...then, closed: true, pending: [] });
    await expectLost({ folder }, pending);
  });

  test("is finished, at no further cost, when the server was killed and the database is its own", async () => {
    const folder = at("killed");
    await rm(join(folder, "lock.json"), { force: true });
    const { fixture } = pending;
    const instance = await openInstance({ folder });
    expect((await askAgain(instance, fixture)).answers).not.toBeNull();
    const member = clientOf(instance, fixture.tokens.member);
    expect((await member.showAccount({ account: fixture.memberAccount })).balance.epsilon.spent).toBe("0.1");
    expect((await member.showLedger({ ledger: fixture.ledger })).status).toBe("open");
    await instance.close();
  });
});
