import { execFileSync } from "node:child_process";
import { chmod, cp, readFile, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { temporaryFolder } from "../../../../test/folder.kit.ts";
import { openPostgres, type PostgresServer } from "../../../../test/postgres.kit.ts";
import {
  buildFixture,
  clientOf,
  codeOf,
  countPlan,
  type Fixture,
  openTestInstance,
  reopenByTwo,
} from "../instance.kit.ts";
import type { Instance } from "../instance.ts";
import { type ServingWitness, serveWitness } from "../witness/server.ts";

let server: PostgresServer;
const root = temporaryFolder();
let witness: ServingWitness;
let fixture: Fixture;
const standbys: PostgresServer[] = [];
const at = (...path: string[]) => join(root, ...path);

beforeAll(async () => {
  await chmod(root, 0o755); // the database server runs as another user
  server = await openPostgres({ settings: { fsync: "on" } });
  witness = await serveWitness({ folder: at("witness"), names: ["hospital"], port: 0 });
  const instance = await openTestInstance({
    ...{ folder: at("data"), database: server.url, witness: witness.addresses.hospital ?? "" },
  });
  fixture = await buildFixture(instance);
  await ask(instance, "before");
  await instance.close();
  await server.stop();
});
afterAll(async () => {
  for (const one of [...standbys, server]) await one.close();
  await witness.close();
});

const ask = (instance: Instance, idempotencyKey: string) =>
  clientOf(instance, fixture.tokens.member).releaseAndWait(
    { plan: countPlan("0.01"), dataset: fixture.dataset, account: fixture.memberAccount, reuse: "never" },
    { idempotencyKey },
  );
const statusOf = async ({ database }: Instance) => (await database.ledgers.ledger(fixture.ledger as never)).status;
const nothing = () => ({ ledger: fixture.ledger, epsilon: "0", delta: "0", reason: "promoted" });

const knows = async ({ database }: Instance) => {
  const { head } = await database.audit.verify();
  await expect.poll(async () => readFile(at("witness", "hospital.json"), "utf8"), { timeout: 20_000 }).toContain(head);
};

/** A server over a copy of the whole cluster, which ends its recovery on a timeline of its own, as a standby that takes over. */
async function promoted(name: string, more: { readonly witness?: string } = {}): Promise<Instance> {
  const data = `cluster-${name}`;
  const copied = (from: string, to: string) => execFileSync("cp", ["-a", from, to], { timeout: 60_000 }); // with its owner
  copied(join(tmpdir(), server.data), at(data));
  copied(at(data, "PG_VERSION"), at(data, "recovery.signal"));
  await writeFile(at(data, "recovery.signal"), "");
  const standby = await openPostgres({ root, data, settings: { fsync: "on", restore_command: "false" } });
  standbys.push(standby);
  await expect.poll(() => standby.query("SELECT pg_is_in_recovery() AS waits")).toEqual([{ waits: false }]);
  await cp(at("data"), at(name), { recursive: true });
  return openTestInstance({ folder: at(name), database: standby.url, ...more });
}

test("of two copies that were promoted apart, one charges where they have a signed witness", async () => {
  const more = { witness: witness.addresses.hospital ?? "" };
  const [left, right] = [await promoted("left", more), await promoted("right", more)];
  expect([await statusOf(left), await statusOf(right)]).toEqual(["frozen", "frozen"]);
  // Both have all that the witness knows, so one admin opens each.
  for (const one of [left, right]) await clientOf(one, fixture.tokens.datasetAdmin).reopenLedger(nothing());
  expect([await statusOf(left), await statusOf(right)]).toEqual(["open", "open"]);
  await ask(left, "left");
  await knows(left);
  await clientOf(right, right.operatorToken).createPerson({ name: "in the right" });
  await expect.poll(() => statusOf(right), { timeout: 20_000 }).toBe("frozen");
  expect(await codeOf(ask(right, "right"))).toBe("ACCOUNT_CLOSED");
  expect(await right.database.ledgers.frozen()).toMatchObject([{ missing: { epsilon: "0.01", delta: "0" } }]);
  // Who opens it nonetheless writes off what the other spent, and it is frozen again as soon as the other spends more.
  const reopen = (epsilon: string) =>
    codeOf(clientOf(right, fixture.tokens.datasetAdmin).reopenLedger({ ...nothing(), epsilon }));
  expect([await reopen("0"), await reopen("0.01")]).toEqual(["INVALID_PARAMETER", "done"]);
  await ask(left, "again");
  await knows(left);
  await expect.poll(() => statusOf(right), { timeout: 20_000 }).toBe("frozen");
  expect(await statusOf(left)).toBe("open");
  await left.close();
  await right.close();
});

test("without a witness two people open each of them: no server knows of the other", async () => {
  const both = [await promoted("here"), await promoted("there")];
  for (const one of both) {
    expect(await statusOf(one)).toBe("frozen");
    expect((await clientOf(one, fixture.tokens.datasetAdmin).reopenLedger(nothing())).status).toBe("frozen");
    await reopenByTwo(one, fixture, nothing());
    expect((await ask(one, "after")).answers).not.toBeNull();
    await one.close();
  }
});
