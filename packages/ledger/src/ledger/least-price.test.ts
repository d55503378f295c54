import { join } from "node:path";
import { expect, test } from "vitest";
import { temporaryFolder } from "../../../../test/folder.kit.ts";
import { openLedgerDatabase } from "../ledger-database.ts";
import { sqliteStore } from "../stores/sqlite/sqlite.ts";
import { balancesOf, buildFixture, type Fixture, type FixtureOptions, gaussian, pure } from "../testing/fixture.kit.ts";

const folder = temporaryFolder();

let serial = 0;
const fixture = async (options: FixtureOptions) =>
  buildFixture(await sqliteStore(join(folder, `${++serial}.sqlite`)), options);

async function refuses({ charge, database, adas, ledger }: Fixture, events: ReturnType<typeof pure>) {
  const before = await balancesOf(database, adas.id);
  const refusal = { node: ledger.id, dimension: "least" };
  expect(await database.ledgers.quote({ account: adas.id, events })).toMatchObject({
    admitted: false,
    refusals: [refusal],
  });
  await expect(charge("small", events)).rejects.toMatchObject({
    code: "PRICE_TOO_SMALL",
    details: { refusals: [refusal] },
  });
  expect(await balancesOf(database, adas.id)).toEqual(before);
}

test("under addition one charge takes at least one part in 100,000 of the lifetime", async () => {
  const built = await fixture({ epsilon: "5" });
  await refuses(built, pure("0.000049999999"));
  await built.charge("least", pure("0.00005"));
  await built.charge("reused", []).catch((error) => expect(error).toMatchObject({ code: "EMPTY_PLAN" }));
  expect((await built.database.ledgers.balance(built.adas.id)).state.epsilon).toBe(50_000_000n);
  await built.database.close();
});

test("under tight it is a part of the lifetime's μ², whatever the noise", async () => {
  const built = await fixture({ rule: "tight", mostCharges: 100n });
  const { caps } = await built.database.ledgers.balance(built.ledger.id);
  const multiplier = 1 / Math.sqrt(Number(caps.mu2) / 1e12 / 100);
  await refuses(built, gaussian(String(multiplier * 1.001)));
  await built.charge("least", gaussian(String(multiplier * 0.999)));
  await refuses(built, pure(String(0.1 / multiplier)));
  await built.database.close();
});

test("charges that were made before are replayed whatever they took", async () => {
  const path = join(folder, "old.sqlite");
  const before = await buildFixture(await sqliteStore(path), { mostCharges: 10n ** 15n });
  await before.charge("old", pure("1e-9"));
  await before.database.close();
  const after = await openLedgerDatabase(await sqliteStore(path));
  expect(await after.audit.verify()).toMatchObject({ ok: true, problems: [] });
  await after.close();
});
