// Charges per second against bare inserts into the same kind of file at the same durability, in one run, and what
// group commit gains. Run: npx node bench/ledger.bench.ts
// Or, how long a charge takes on top of a long history: … bench/ledger.bench.ts history [events …]
// Or both databases, one process and four, on top of histories: … bench/ledger.bench.ts stores [events …]
import { mkdtempSync, rmSync } from "node:fs";
import { cpus, loadavg, tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import type { DpEvent, Rule } from "@dosimeter/core";
import { sqliteStore } from "@dosimeter/ledger/sqlite";
import { type Bench, openBench } from "./ledger-fixture.ts";
import { stores } from "./ledger-stores.ts";

/** Contenders take turns every few dozen milliseconds, so that a busy machine slows all of them equally. */
const ROUNDS = 25;
const CALLERS = 64;
const folder = mkdtempSync(join(tmpdir(), "dosimeter-bench-"));
let files = 0;

const seconds = (start: bigint): number => Number(process.hrtime.bigint() - start) / 1e9;
const median = (values: readonly number[]): number =>
  [...values].sort((a, b) => a - b)[values.length >> 1] ?? Number.NaN;

/** Runs `count` more operations and says how long they took. */
interface Contender {
  run(count: number): Promise<number>;
  close(): Promise<void> | void;
}

/** One insert, one commit, one sync: the floor that any durable charge stands on. */
function bareInserts(): Contender {
  const database = new DatabaseSync(join(folder, `${files++}.sqlite`));
  database.exec("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL");
  database.exec(
    "CREATE TABLE spend (seq INTEGER PRIMARY KEY, account TEXT NOT NULL, key TEXT NOT NULL UNIQUE, epsilon INTEGER NOT NULL) STRICT",
  );
  const begin = database.prepare("BEGIN IMMEDIATE");
  const insert = database.prepare("INSERT INTO spend (account, key, epsilon) VALUES (?, ?, ?)");
  const commit = database.prepare("COMMIT");
  let next = 0;
  return {
    run: async (count) => {
      const start = process.hrtime.bigint();
      for (let i = 0; i < count; i++) {
        begin.run();
        insert.run("acc_0000000000000000", `key-${next++}`, 1000);
        commit.run();
      }
      return seconds(start);
    },
    close: () => database.close(),
  };
}

const open = async (rule: Rule, event: DpEvent, commitGroup?: number): Promise<Bench> =>
  openBench(await sqliteStore(join(folder, `${files++}.sqlite`)), {
    rule,
    event,
    ...(commitGroup === undefined ? {} : { commitGroup }),
  });

/** Requests each charge when the previous one is durable, or `callers` of them at once. */
function charges({ database, charge }: Bench, callers: number): Contender {
  let next = 0;
  return {
    run: async (count) => {
      let left = count;
      const start = process.hrtime.bigint();
      await Promise.all(
        Array.from({ length: callers }, async () => {
          while (left-- > 0) await charge(`key-${next++}`);
        }),
      );
      return seconds(start);
    },
    close: () => database.close(),
  };
}

const pure: DpEvent = { kind: "pure", epsilon: "0.00001" };
const noise: DpEvent = { kind: "gaussian", noiseMultiplier: 1000 };
const cases: readonly (readonly [string, Rule, DpEvent])[] = [
  ["addition, pure ε", "addition", pure],
  ["additionThenTight, pure ε", "additionThenTight", pure],
  ["tight, Gaussian", "tight", noise],
];

async function throughput(): Promise<void> {
  for (const [name, rule, event] of cases) {
    const contenders = {
      bare: { many: 100, contender: bareInserts() },
      single: { many: 100, contender: charges(await open(rule, event), 1) },
      ungrouped: { many: 128, contender: charges(await open(rule, event, 1), CALLERS) },
      grouped: { many: 1280, contender: charges(await open(rule, event), CALLERS) },
    };
    for (const { many, contender } of Object.values(contenders)) await contender.run(many);
    const rounds: Record<keyof typeof contenders, number>[] = [];
    for (let round = 0; round < ROUNDS; round++) {
      const rate = async ({ many, contender }: { many: number; contender: Contender }) =>
        many / (await contender.run(many));
      rounds.push({
        bare: await rate(contenders.bare),
        single: await rate(contenders.single),
        ungrouped: await rate(contenders.ungrouped),
        grouped: await rate(contenders.grouped),
      });
    }
    for (const { contender } of Object.values(contenders)) await contender.close();
    const of = (pick: (round: (typeof rounds)[number]) => number) => median(rounds.map(pick));
    const per = (pick: (round: (typeof rounds)[number]) => number) => `${Math.round(of(pick))}/s`;
    console.log(
      [
        name,
        `bare insert ${per(({ bare }) => bare)}`,
        `charge ${per(({ single }) => single)} (${of(({ single, bare }) => single / bare).toFixed(2)}×)`,
        `${CALLERS} callers, a commit each ${per(({ ungrouped }) => ungrouped)}`,
        `grouped ${per(({ grouped }) => grouped)} (${of(({ grouped, ungrouped }) => grouped / ungrouped).toFixed(1)}×)`,
      ].join(" · "),
    );
  }
}

/** Enough charges that the slowest percent is not a single stray sync. */
const SINGLES = 60;

/** Single charges, one after another, on ledgers with these many events; they take turns. */
async function histories(sizes: readonly number[]): Promise<void> {
  const ledgers: { size: number; bench: Bench; next: number; times: number[]; rounds: number[] }[] = [];
  for (const size of sizes) {
    const bench = await open("additionThenTight", { kind: "pure", epsilon: "0.000000001" });
    await charges(bench, 256).run(size);
    ledgers.push({ size, bench, next: 0, times: [], rounds: [] });
  }
  const turn = async (ledger: (typeof ledgers)[number]): Promise<number[]> => {
    const times: number[] = [];
    for (let i = 0; i < SINGLES; i++) {
      const start = process.hrtime.bigint();
      await ledger.bench.charge(`late-${ledger.next++}`);
      times.push(seconds(start) * 1e3);
    }
    return times;
  };
  for (let round = -4; round < ROUNDS; round++) {
    for (const ledger of ledgers) {
      const times = await turn(ledger);
      if (round < 0) continue;
      ledger.times.push(...times);
      ledger.rounds.push(median(times));
    }
  }
  for (const { size, bench, times, rounds } of ledgers) {
    const sorted = times.sort((a, b) => a - b);
    const at = (part: number) => `${sorted[Math.floor(part * sorted.length)]?.toFixed(2)} ms`;
    const ratio = median(rounds.map((each, round) => each / (ledgers[0]?.rounds[round] ?? Number.NaN)));
    console.log(`${size} events · p50 ${at(0.5)} · p99 ${at(0.99)} · ${ratio.toFixed(2)}× of the first`);
    await bench.database.close();
  }
}

console.log(
  `${cpus()[0]?.model ?? "unknown processor"}, ${cpus().length} cores, load ${loadavg()[0]?.toFixed(1)}, Node ${process.version}; median of ${ROUNDS} rounds`,
);
const [mode, ...sizes] = process.argv.slice(2);
if (mode === "history") await histories(sizes.length > 0 ? sizes.map(Number) : [0, 10_000, 1_000_000]);
else if (mode === "stores") await stores(folder, sizes.length > 0 ? sizes.map(Number) : [0, 10_000, 1_000_000]);
else await throughput();
rmSync(folder, { recursive: true });
