import { spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect } from "vitest";
import type { StepLabel } from "./context.ts";
import { openBooks } from "./open.ts";
import { sqliteStore } from "./sqlite.ts";
import { buildTown, eps } from "./town.kit.ts";
import type { Orders } from "./worker.kit.ts";

const worker = fileURLToPath(new URL("./worker.kit.ts", import.meta.url));

export interface Ended {
  readonly lines: readonly (readonly string[])[];
  readonly signal: NodeJS.Signals | null;
  readonly complaint: string;
}

/** Runs a worker process to its end, however it ends. */
export function run(orders: Orders): Promise<Ended> {
  const child = spawn(process.execPath, [
    "--conditions=@dosimeter/source",
    "--no-warnings",
    worker,
    JSON.stringify(orders),
  ]);
  let said = "";
  let complaint = "";
  child.stdout.on("data", (data) => {
    said += String(data);
  });
  child.stderr.on("data", (data) => {
    complaint += String(data);
  });
  return new Promise((resolve, reject) => {
    child.on("error", reject);
    child.on("close", (_, signal) => {
      const lines = said.split("\n").filter((line) => line !== "");
      resolve({ lines: lines.map((line) => line.split(" ")), signal, complaint });
    });
  });
}

export interface Kill {
  readonly label: StepLabel;
  /** Dies when it comes to the label for the n-th time. */
  readonly hit: number;
}

const EPSILON = "0.001";
const CALLERS = 4;

/**
 * Kills one worker after another on one database, each going on where the last one died. After each death: every
 * acknowledged charge and answer is there, nothing is charged twice, and everything verifies. Returns the deaths.
 */
export async function killAgainAndAgain(kills: readonly Kill[]): Promise<number> {
  const folder = mkdtempSync(join(tmpdir(), "ledger-"));
  const path = join(folder, "ledger.sqlite");
  const { books, ada, adas, dataset } = await buildTown(await sqliteStore(path), { quota: "4", share: "2" });
  await books.close();
  const charged = new Map<string, string>();
  const released = new Map<string, string>();
  let [deaths, next] = [0, 0];
  try {
    for (const die of [...kills, undefined]) {
      const fresh = Array.from({ length: 12 }, () => `key-${next++}`);
      const keys = [...[...charged.keys()].slice(-4), ...fresh.slice(0, 2), ...pendingKeys(next), ...fresh.slice(2)];
      const orders = {
        path,
        principal: ada.id,
        account: adas.id,
        dataset: dataset.id,
        keys,
        epsilon: EPSILON,
        callers: CALLERS,
        release: true,
      };
      const { lines, signal, complaint } = await run(die === undefined ? orders : { ...orders, die });
      if (signal === "SIGKILL") deaths += 1;
      else expect({ die, complaint, last: lines.at(-1) }).toEqual({ die, complaint: "", last: ["done"] });
      for (const [what, key = "", id = "", answers = ""] of lines) {
        expect(what, `${key} ${id} ${answers}`).not.toBe("refused");
        if (what === "charged") expect(remember(charged, key, id), key).toBe(id);
        if (what === "released") expect(remember(released, key, answers), key).toBe(answers);
      }
      await checkSurvivors(path, { account: adas.id, charged, released });
    }
  } finally {
    rmSync(folder, { recursive: true });
  }
  return deaths;
}

/** The keys of the run before: one that died unheard must be found under its key, not charged again. */
const pendingKeys = (next: number): string[] =>
  Array.from({ length: 4 }, (_, i) => `key-${Math.max(0, next - 13 - i)}`);

function remember(all: Map<string, string>, key: string, value: string): string {
  const known = all.get(key) ?? value;
  all.set(key, known);
  return known;
}

interface Survivors {
  readonly account: string;
  readonly charged: ReadonlyMap<string, string>;
  readonly released: ReadonlyMap<string, string>;
}

async function checkSurvivors(path: string, { account, charged, released }: Survivors): Promise<void> {
  const store = await sqliteStore(path);
  const books = await openBooks(store);
  const rows = await store.read
    .selectFrom("charge")
    .leftJoin("release", "release.charge_id", "charge.id")
    .select(["charge.id", "charge.key", "release.answers"])
    .execute();
  const byKey = new Map(rows.map((row) => [row.key, row]));
  for (const [key, id] of charged) expect(byKey.get(key)?.id, `acknowledged charge ${key}`).toBe(id);
  for (const [key, answers] of released)
    expect(byKey.get(key)?.answers, `acknowledged answers ${key}`).toBe(JSON.stringify(answers));
  expect(byKey.size).toBe(rows.length);
  const spent = (await books.ledgers.balance(account as never)).state.epsilon;
  expect(spent, "one price per key").toBe(eps(EPSILON) * BigInt(rows.length));
  expect((await books.audit.verify()).problems).toEqual([]);
  await books.close();
}
