import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { killAgainAndAgain, run } from "./crash.kit.ts";
import { openBooks } from "./open.ts";
import { sqliteStore } from "./sqlite.ts";
import { buildTown, eps } from "./town.kit.ts";

test("kill −9 on both sides of each commit loses and repeats nothing (all labels: crash.long.test.ts)", {
  timeout: 120_000,
}, async () => {
  const kills = [
    { label: "charge.settled", hit: 2 },
    { label: "charge.committed", hit: 1 },
    { label: "release.written", hit: 3 },
    { label: "release.committed", hit: 2 },
  ] as const;
  expect(await killAgainAndAgain(kills)).toBe(kills.length);
});

test("four processes and 200 callers on room for 37 are 37 charges", { timeout: 120_000 }, async () => {
  const folder = mkdtempSync(join(tmpdir(), "ledger-"));
  const path = join(folder, "ledger.sqlite");
  const { books, ada, adas, dataset } = await buildTown(await sqliteStore(path), { share: "0.37" });
  await books.close();
  const keys = (worker: number) => Array.from({ length: 50 }, (_, i) => `${worker}-${i}`);
  const orders = {
    path,
    principal: ada.id,
    account: adas.id,
    dataset: dataset.id,
    epsilon: "0.01",
    callers: 50,
    release: false,
  };
  const ended = await Promise.all([0, 1, 2, 3].map((worker) => run({ ...orders, keys: keys(worker) })));
  const lines = ended.flatMap(({ lines }) => lines);
  expect(ended.map(({ complaint }) => complaint)).toEqual(["", "", "", ""]);
  expect(lines.filter(([what]) => what === "charged")).toHaveLength(37);
  expect(lines.filter(([what, , code]) => what === "refused" && code === "QUOTA_EXHAUSTED")).toHaveLength(163);
  const again = await openBooks(await sqliteStore(path));
  expect((await again.ledgers.balance(adas.id)).state.epsilon).toBe(eps("0.37"));
  expect((await again.audit.verify()).problems).toEqual([]);
  await again.close();
  rmSync(folder, { recursive: true });
});

test("two processes with the same keys charge each key once", { timeout: 120_000 }, async () => {
  const folder = mkdtempSync(join(tmpdir(), "ledger-"));
  const path = join(folder, "ledger.sqlite");
  const { books, ada, adas, dataset } = await buildTown(await sqliteStore(path));
  await books.close();
  const keys = Array.from({ length: 40 }, (_, i) => `${i}`);
  const orders = {
    path,
    principal: ada.id,
    account: adas.id,
    dataset: dataset.id,
    epsilon: "0.01",
    callers: 8,
    release: true,
    keys,
  };
  const ended = await Promise.all([run(orders), run(orders)]);
  const lines = ended.flatMap(({ lines }) => lines);
  expect(ended.map(({ complaint }) => complaint)).toEqual(["", ""]);
  expect(lines.filter(([what, , , how]) => what === "charged" && how === "new")).toHaveLength(40);
  const answers = new Set(lines.filter(([what]) => what === "released").map(([, key, , value]) => `${key} ${value}`));
  expect(answers.size).toBe(40);
  rmSync(folder, { recursive: true });
});
