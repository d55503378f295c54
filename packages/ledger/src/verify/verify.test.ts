import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { beforeAll, expect, test } from "vitest";
import { temporaryFolder } from "../../../../test/folder.kit.ts";
import { openLedgerDatabase } from "../ledger-database.ts";
import { sqliteStore } from "../stores/sqlite/sqlite.ts";
import { buildFixture, by, del, eps, gaussian, pure, reopenByTwo } from "../testing/fixture.kit.ts";

const folder = temporaryFolder();
const path = join(folder, "honest.sqlite");

beforeAll(async () => {
  const fixture = await buildFixture(await sqliteStore(path));
  const { database, charge, dataset, ada, team, ledger, adas } = fixture;
  await database.people.grantRole({ principal: ada.id, role: "teamAdmin", object: team.id, by });
  await database.people.createCredential({
    kind: "token",
    principal: ada.id,
    expiresAt: "2999-01-01T00:00:00Z",
    by,
  });
  await database.catalog.addVersion({ dataset: dataset.id, declaration: {}, source: {}, by });
  for (const epsilon of ["0.1", "0.05", "0.02"]) {
    const { charge: charged } = await charge(epsilon, pure(epsilon));
    await database.releases.complete({ charge: charged.id, owner: "test", answers: { value: epsilon } });
  }
  await database.ledgers.withdraw({ account: adas.id, epsilon: adas.quota.epsilon, by }).catch(() => undefined);
  await database.ledgers.switchRule({ ledger: ledger.id, by });
  await charge("noise", gaussian("80"));
  await database.close();
});

/** Copies the honest database, lifts every guard of the schema, and edits it behind the program's back. */
async function tampered(name: string, sql: string, more: readonly string[] = [], honest = path) {
  const copy = join(folder, `${name}.sqlite`);
  const source = new DatabaseSync(honest);
  source.exec(`VACUUM INTO '${copy}'`);
  source.close();
  const file = new DatabaseSync(copy, { enableForeignKeyConstraints: false });
  file.exec("PRAGMA journal_mode = WAL; PRAGMA ignore_check_constraints = ON");
  for (const { name: trigger } of file.prepare("SELECT name FROM sqlite_schema WHERE type = 'trigger'").all()) {
    file.exec(`DROP TRIGGER "${String(trigger)}"`);
  }
  const { changes } = file.prepare(sql).run();
  for (const each of more) file.exec(each);
  file.close();
  expect(Number(changes), "the edit touched a row").toBeGreaterThan(0);
  const database = await openLedgerDatabase(await sqliteStore(copy));
  try {
    return await database.audit.verify();
  } finally {
    await database.close();
  }
}

test("an honest database verifies, and every count is right", async () => {
  const database = await openLedgerDatabase(await sqliteStore(path));
  const { ok, problems, entries, releases } = await database.audit.verify();
  await database.close();
  expect({ ok, problems, entries, releases }).toEqual({ ok: true, problems: [], entries: 6, releases: 3 });
});

const one = "WHERE rowid = (SELECT max(rowid) FROM";
test.each([
  ["audit", `UPDATE audit SET actor = 'usr_eve' WHERE seq = 5`],
  ["audit", `UPDATE audit SET detail = '{}' ${one} audit)`],
  ["audit", `UPDATE audit SET hash = prev_hash WHERE seq = 7`],
  ["audit", `UPDATE audit SET detail = 'not JSON' WHERE seq = 5`],
  ["audit", `DELETE FROM audit WHERE seq = 3`],
  ["a lost tail", `DELETE FROM audit ${one} audit)`],
  ["principal", `UPDATE principal SET email = 'eve@example.org' ${one} principal)`],
  ["principal", `UPDATE principal SET disabled_at = NULL, name = 'Eve' ${one} principal)`],
  ["membership", `UPDATE membership SET principal_id = 'usr_system' ${one} membership)`],
  ["role_binding", `UPDATE role_binding SET role = 'platformAdmin', object_id = NULL ${one} role_binding)`],
  [
    "role_binding",
    `INSERT INTO role_binding SELECT 'rol_x', id, 'platformAdmin', NULL, 't', NULL FROM principal LIMIT 1`,
  ],
  ["credential", `UPDATE credential SET expires_at = '3999' ${one} credential)`],
  ["population", `UPDATE population SET adjacency = 'replace'`],
  ["dataset", `UPDATE dataset SET salt = salt || 'x'`],
  ["dataset_version", `UPDATE dataset_version SET declaration = '{"x":1}' ${one} dataset_version)`],
  ["dataset_version", `DELETE FROM dataset_version ${one} dataset_version)`],
  ["guarantee_version", `UPDATE guarantee_version SET sentence = 'safe'`],
  ["ledger", `UPDATE ledger SET state_delta = state_delta + 1`],
  ["ledger", `UPDATE ledger SET state_remaining_mu2 = state_remaining_mu2 + 1`],
  ["ledger", `UPDATE ledger SET cap_mu2 = cap_mu2 + 1`],
  ["ledger", `UPDATE ledger SET quota_epsilon = quota_epsilon + 1`],
  ["ledger", `UPDATE ledger SET allocated_epsilon = 0`],
  ["ledger", `UPDATE ledger SET active_rule = 'addition'`],
  ["ledger", `UPDATE ledger SET policy = 'auto'`],
  ["ledger", `UPDATE ledger SET entries = entries - 1`],
  ["ledger", `UPDATE ledger SET terms = replace(terms, '"delta"', '"gone"')`],
  ["account", `UPDATE account SET state_epsilon = 0 WHERE state_epsilon IS NULL`],
  ["account", "UPDATE account SET state_remaining_mu2 = cap_mu2 WHERE state_remaining_mu2 < cap_mu2"],
  ["account", `UPDATE account SET quota_epsilon = quota_epsilon + 1 ${one} account)`],
  ["account", `UPDATE account SET cap_epsilon = cap_epsilon + 1 ${one} account)`],
  ["account", `UPDATE account SET holder_id = 'usr_eve' ${one} account)`],
  ["transfer", `UPDATE transfer SET epsilon = epsilon + 1 ${one} transfer)`],
  ["transfer", `UPDATE transfer SET actor = 'usr_eve' ${one} transfer)`],
  ["entry", `UPDATE entry SET events = '[{"kind":"pure","epsilon":"0.01"}]' WHERE number = 2`],
  ["entry", `UPDATE entry SET price_epsilon = 1 WHERE number = 3`],
  ["entry", `UPDATE entry SET remaining_mu2_after = remaining_mu2_after + 1 WHERE number = 4`],
  ["entry", `UPDATE entry SET principal_id = 'usr_eve' WHERE number = 2`],
  ["entry", `UPDATE entry SET events = 'not JSON' WHERE number = 2`],
  ["entry", `DELETE FROM entry WHERE number = 3`],
  ["charge", `UPDATE lease SET status = 'released' WHERE status = 'charged'`],
  ["charge", `UPDATE lease SET status = 'charged' ${one} lease WHERE status = 'released')`],
  ["charge", `UPDATE entry SET request = '{"plan":"other"}' ${one} entry)`],
  ["charge", `UPDATE entry SET key = 'other' ${one} entry)`],
  ["charge", `UPDATE entry SET request = 'not JSON' ${one} entry)`],
  ["charge", `UPDATE entry SET request = '${"[".repeat(20_000)}${"]".repeat(20_000)}' ${one} entry)`],
  ["charge", `UPDATE entry SET request = '{"continues":[{"toString":1,"valueOf":1}]}' ${one} entry)`],
  ["charge", `UPDATE entry SET charge_id = replace(charge_id, 'chg_', 'chg_1') ${one} entry)`],
  ["charge", `DELETE FROM lease ${one} lease)`],
  ["release", `UPDATE release SET answers = '{"value":"0"}' ${one} release)`],
  ["release", `UPDATE release SET sentence = 'safe' ${one} release)`],
  ["release", `UPDATE release SET receipt = 'not JSON' ${one} release)`],
  ["release", `DELETE FROM release ${one} release)`],
])("an edit of %s is found: %s", async (table, sql) => {
  const name = `${table.replaceAll(" ", "-")}-${tests++}`;
  const { ok, problems } = await tampered(name, sql);
  expect(ok, JSON.stringify(problems)).toBe(false);
});
let tests = 0;

test("the newest charge cannot be taken back, even where the ledger's own chain forgot it", async () => {
  const gone = "DELETE FROM entry WHERE number = 6";
  const { problems } = await tampered("taken-back", gone, [
    "DELETE FROM lease WHERE status = 'charged'",
    "UPDATE ledger SET entries = 5, head_hash = (SELECT hash FROM entry WHERE number = 5)",
  ]);
  expect(problems.map(({ problem }) => problem)).toContain("vouches for an entry that is gone");
});

test("a rewritten entry whose hash was recomputed still disagrees with the audit chain", async () => {
  const { problems } = await tampered("rehashed", `UPDATE entry SET hash = '${"a".repeat(64)}' WHERE number = 6`);
  expect(problems.map(({ problem }) => problem)).toContain("has no audit line");
});

test("a migration that counts what was spent in fewer blocks than had begun is found, and blocks of a write-off that the audit does not say [M168] [M169]", async () => {
  const honest = join(folder, "blocks.sqlite");
  const { database, ledger, charge } = await buildFixture(await sqliteStore(honest), { rule: "addition" });
  const { charge: spent } = await charge("before", pure("0.1"));
  await database.releases.complete({ charge: spent.id, owner: "test", answers: [] });
  const blocks = { every: "month", zone: "UTC", through: "2090-12", reason: "grows" } as const;
  await database.ledgers.migrateLedger({ ledger: ledger.id, ...blocks, by });
  const kept = await database.audit.checkpoint();
  if (kept === null) throw new RangeError("no line");
  await database.audit.compareCheckpoint({ ...kept, seq: `${kept.seq}0` });
  await reopenByTwo(database, { ledger: ledger.id, epsilon: eps("0.1"), delta: del("0"), reason: "lost" });
  expect((await database.audit.verify()).problems).toEqual([]);
  await database.close();
  const shorter = (table: string) => `UPDATE ${table} SET terms = replace(terms, '"through":1451', '"through":600')`;
  const problemsOf = async (name: string, ...edits: readonly [string, ...string[]]) =>
    (await tampered(name, edits[0], edits.slice(1), honest)).problems.map(({ problem }) => problem);
  expect(await problemsOf("through", shorter("guarantee_version"), shorter("ledger"))).toContain(
    "counts what was spent before in fewer blocks than had begun",
  );
  expect(await problemsOf("written-off", "UPDATE charge_block SET block_to = block_to - 1")).toContain(
    "names other blocks than its audit line",
  );
});
