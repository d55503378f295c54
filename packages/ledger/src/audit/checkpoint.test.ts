import { copyFileSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { type LedgerDatabase, openLedgerDatabase } from "../ledger-database.ts";
import { sqliteStore } from "../stores/sqlite/sqlite.ts";
import { buildTown, by, codeOf, del, eps, gaussian, pure, type Town } from "../testing/fixture.kit.ts";
import type { Checkpoint } from "./checkpoint.ts";

const folder = mkdtempSync(join(tmpdir(), "checkpoint-"));
let files = 0;
afterAll(() => rmSync(folder, { recursive: true }));

interface Restored {
  readonly books: LedgerDatabase;
  readonly town: Town;
  readonly kept: Checkpoint;
}

/** Goes back to a copy made before `later` and compares it with the checkpoint made after it. */
async function restored(
  options: Parameters<typeof buildTown>[1],
  before: (town: Town) => Promise<unknown>,
  later: (town: Town) => Promise<unknown>,
): Promise<Restored> {
  const path = join(folder, `${files++}.sqlite`);
  const first = await buildTown(await sqliteStore(path), options);
  await before(first);
  await first.books.close();
  const backup = join(folder, `${files++}.sqlite`);
  copyFileSync(path, backup);
  const books = await openLedgerDatabase(await sqliteStore(path));
  const charge: Town["charge"] = (key, events, account = first.adas) =>
    books.ledgers.charge({
      principal: first.ada.id,
      account: account.id,
      dataset: first.dataset.id,
      key,
      request: { plan: key },
      events,
      adjacency: "addRemove",
      lease: { owner: "test", seconds: 60 },
    });
  await later({ ...first, books, charge });
  const kept = await books.audit.checkpoint();
  await books.close();
  if (kept === null) throw new Error("nothing was kept");
  return { books: await openLedgerDatabase(await sqliteStore(backup)), town: first, kept };
}

const reason = "restored";

test("Gaussian noise behind a switch that was forgotten is written off by residue, and the rule is kept", async () => {
  const { books, town, kept } = await restored(
    { rule: "additionThenTight" },
    ({ charge }) => charge("a", pure("0.1")),
    async ({ books: now, ledger, charge }) => {
      await now.ledgers.switchRule({ ledger: ledger.id, by });
      for (let n = 0; n < 5; n += 1) await charge(`g${n}`, gaussian("20"));
    },
  );
  const ledger = town.ledger.id;
  expect(await books.audit.compareCheckpoint(kept)).toEqual([ledger]);
  const reopen = (epsilon: string) =>
    codeOf(books.ledgers.reopenLedger({ ledger, epsilon: eps(epsilon), delta: del("0"), reason, by }));
  expect(await reopen("0")).toBe("INVALID_PARAMETER");
  expect(await reopen("0.01")).toBe("INVALID_PARAMETER");
  expect(await reopen("0.15")).toBe("nothing was thrown");
  const open = await books.ledgers.ledger(ledger);
  expect(open).toMatchObject({ status: "open", lane: "tight" });
  expect(open.state.residue).toBeLessThanOrEqual(BigInt(kept.ledgers[ledger]?.residue ?? 0));
  expect((await books.audit.verify()).problems).toEqual([]);
  await books.close();
});

test("a ledger that was frozen when the backup was made does not escape, and a gap that was not paid adds up", async () => {
  const { books, town, kept } = await restored(
    { rule: "addition" },
    ({ books: now, ledger }) => now.ledgers.freezeLedger({ ledger: ledger.id, reason, by }),
    async ({ books: now, ledger, charge }) => {
      await now.ledgers.reopenLedger({ ledger: ledger.id, epsilon: eps("0"), delta: del("0"), reason, by });
      await charge("a", pure("0.4"));
    },
  );
  const ledger = town.ledger.id;
  expect(await books.audit.compareCheckpoint(kept)).toEqual([ledger]);
  // What is kept now knows of the gap, so that restoring once more does not lose it.
  expect((await books.audit.checkpoint())?.ledgers[ledger]?.epsilon).toBe(String(eps("0.4")));
  expect(await codeOf(books.ledgers.setLedger({ ledger, status: "open", by }))).toBe("CONFLICT");
  const less = { ledger, epsilon: eps("0.3"), delta: del("0"), reason, by };
  expect(await codeOf(books.ledgers.reopenLedger(less))).toBe("INVALID_PARAMETER");
  await books.ledgers.reopenLedger({ ...less, epsilon: eps("0.4") });
  expect((await books.ledgers.ledger(ledger)).state.epsilon).toBe(eps("0.4"));
  await books.ledgers.freezeLedger({ ledger, reason, by });
  await books.ledgers.setLedger({ ledger, status: "open", by });
  await books.close();
});

test("books that go on from the checkpoint, and other books, are left alone", async () => {
  const { books, town, kept } = await restored(
    {},
    async () => undefined,
    async () => undefined,
  );
  expect(await books.audit.compareCheckpoint(kept)).toEqual([]);
  expect(await books.audit.compareCheckpoint({ ...kept, books: "0".repeat(64), hash: "0".repeat(64) })).toEqual([]);
  expect((await books.ledgers.ledger(town.ledger.id)).status).toBe("open");
  await books.close();
});
