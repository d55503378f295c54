// The `stores` mode of ledger.bench.ts: SQLite and a real PostgreSQL server, one process and four, behind long histories.
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { DatabaseSync } from "node:sqlite";
import { fileURLToPath } from "node:url";
import { openBooks } from "@dosimeter/ledger";
import { sql } from "kysely";
import pg from "pg";
import { openPlace, type Place } from "../packages/ledger/src/place.kit.ts";
import { openPostgres } from "../test/postgres.kit.ts";
import { type Bench, type BenchOptions, chargesOf, openBench } from "./ledger-books.ts";

const ROUNDS = 5;
/** Of one contender before the next has its turn. */
const TURN_MS = 1000;
const PROCESSES = 4;
const CALLERS = 64;
const usual: BenchOptions = { rule: "additionThenTight", event: { kind: "pure", epsilon: "0.000000001" } };

/** What one turn of a process is: how many callers, each waiting for its answer. */
interface Turn {
  readonly callers: number;
  readonly milliseconds: number;
}

/** What it does; latencies in ms. */
type Work = (key: string) => Promise<unknown>;

async function turn(work: Work, { callers, milliseconds }: Turn): Promise<readonly number[]> {
  const times: number[] = [];
  const end = performance.now() + milliseconds;
  await Promise.all(
    Array.from({ length: callers }, async () => {
      for (let start = performance.now(); start < end; start = performance.now()) {
        await work(crypto.randomUUID());
        times.push(performance.now() - start);
      }
    }),
  );
  return times;
}

interface Orders {
  readonly place: Place;
  /** Charges; bare inserts when absent. */
  readonly request?: Bench["request"];
}

/** One row with a unique key, one commit, one sync: the floor that any durable charge stands on. */
async function bareInserts(place: Place): Promise<Work> {
  const columns = "account TEXT NOT NULL, key TEXT NOT NULL UNIQUE, epsilon BIGINT NOT NULL";
  if (place.kind === "sqlite") {
    const database = new DatabaseSync(`${place.path}.bare`, { timeout: 30_000 });
    database.exec(
      `PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; CREATE TABLE IF NOT EXISTS spend (seq INTEGER PRIMARY KEY, ${columns})`,
    );
    const [begin, insert, commit] = [
      "BEGIN IMMEDIATE",
      "INSERT INTO spend (account, key, epsilon) VALUES (?, ?, ?)",
      "COMMIT",
    ].map((sql) => database.prepare(sql));
    return async (key) => {
      begin?.run();
      insert?.run("acc_0000000000000000", key, 1000);
      commit?.run();
    };
  }
  const client = new pg.Client({ connectionString: place.url });
  await client.connect();
  const table = `${place.schema}.bare`;
  await client
    .query(`CREATE TABLE IF NOT EXISTS ${table} (seq BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY, ${columns})`)
    .catch(() => undefined); // another process makes it too
  const text = `INSERT INTO ${table} (account, key, epsilon) VALUES ($1, $2, $3)`;
  return (key) => client.query({ name: "bare", text, values: ["acc_0000000000000000", key, 1000] });
}

/** A process that works when it is told to, and tells how long each piece took. */
class Worker {
  readonly child: ChildProcess;
  private readonly lines: AsyncIterator<string>;

  constructor(orders: Orders) {
    this.child = spawn(
      process.execPath,
      ["--conditions=@dosimeter/source", "--disable-warning=ExperimentalWarning", fileURLToPath(import.meta.url)],
      { stdio: ["pipe", "pipe", "inherit"], env: { ...process.env, LEDGER_BENCH: JSON.stringify(orders) } },
    );
    if (this.child.stdout === null) throw new Error("no output");
    this.lines = createInterface({ input: this.child.stdout })[Symbol.asyncIterator]();
  }

  async said(): Promise<string> {
    const { value, done } = await this.lines.next();
    if (done === true) throw new Error("a worker ended");
    return value;
  }

  async turn(orders: Turn): Promise<readonly number[]> {
    this.child.stdin?.write(`${JSON.stringify(orders)}\n`);
    return JSON.parse(await this.said()) as number[];
  }

  async close(): Promise<void> {
    this.child.stdin?.end();
    if (this.child.exitCode === null) await once(this.child, "exit");
  }
}

async function workerMain({ place, request }: Orders): Promise<void> {
  const work =
    request === undefined
      ? await bareInserts(place)
      : chargesOf(await openBooks(await openPlace(place)), request).charge;
  console.log("ready");
  for await (const line of createInterface({ input: process.stdin }))
    console.log(JSON.stringify(await turn(work, JSON.parse(line) as Turn)));
  process.exit(0);
}

const sorted = (values: readonly number[]): readonly number[] => values.toSorted((a, b) => a - b);
const quantile = (values: readonly number[], part: number): number =>
  sorted(values)[Math.floor(part * values.length)] ?? Number.NaN;

interface Contender {
  readonly name: string;
  readonly processes: number;
  readonly callers: number;
  readonly bare: boolean;
}

const contenders: readonly Contender[] = [
  { name: "bare insert", processes: 1, callers: 1, bare: true },
  { name: "charge, one caller", processes: 1, callers: 1, bare: false },
  { name: `charge, ${CALLERS} callers`, processes: 1, callers: CALLERS, bare: false },
  { name: "bare insert", processes: PROCESSES, callers: 1, bare: true },
  { name: "charge, one caller each", processes: PROCESSES, callers: 1, bare: false },
  {
    name: `charge, ${CALLERS / PROCESSES} callers each`,
    processes: PROCESSES,
    callers: CALLERS / PROCESSES,
    bare: false,
  },
];

/** The first charge again under other names: as many rows as real charges leave, in three statements. */
const COPIES = [
  `INSERT INTO entry (seq, ledger_id, number, kind, charge_id, account_id, principal_id, dataset_id, lane, events, price_epsilon,
    price_delta, residue_before, residue_after, key, request, request_hash, at, prev_hash, hash)
   SELECT seq + n, ledger_id, number + n, kind, 'chg_early_' || n, account_id, principal_id, dataset_id, lane, events,
    price_epsilon, price_delta, residue_before, residue_after, 'early-' || n, request, request_hash, at, prev_hash, hash FROM entry,
    (SELECT n FROM number) AS many WHERE kind = 'charge'`,
  `INSERT INTO lease (entry_seq, status, owner, until_at, tries)
   SELECT entry_seq + n, status, owner, until_at, tries FROM lease, (SELECT n FROM number) AS many`,
  `INSERT INTO audit (seq, at, actor, action, subject, ledger_id, detail, image, prev_hash, hash)
   SELECT last.seq + n, at, actor, action, 'chg_early_' || n, ledger_id, detail, image, prev_hash, hash
   FROM (SELECT * FROM audit ORDER BY seq DESC LIMIT 1) AS last, (SELECT n FROM number) AS many`,
] as const;

/** The books with so many events, copied in bulk: only their sums are those of one charge. */
async function grow(place: Place, size: number): Promise<Bench["request"]> {
  const store = await openPlace(place);
  const bench = await openBench(store, usual);
  await bench.charge("first");
  if (size > 0)
    await store.transact(async ({ db }) => {
      const numbers = `WITH RECURSIVE number(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM number WHERE n < ${size})`;
      for (const copy of COPIES) {
        const text = copy.replace("SELECT n FROM number", `${numbers} SELECT n FROM number`);
        await sql.raw(text).execute(db);
      }
      await sql.raw(`UPDATE ledger SET entries = entries + ${size}`).execute(db);
    });
  if (place.kind === "postgres") await sql`ANALYZE`.execute(store.read);
  await bench.books.close();
  return bench.request;
}

async function compare(name: string, place: Place, size: number): Promise<void> {
  const request = await grow(place, size);
  const start = (bare: boolean) =>
    Promise.all(
      Array.from({ length: PROCESSES }, async () => {
        const worker = new Worker(bare ? { place } : { place, request });
        await worker.said();
        return worker;
      }),
    );
  const [bare, charging] = [await start(true), await start(false)];
  const found = contenders.map(() => ({ rates: [] as number[], times: [] as number[] }));
  for (let round = -1; round < ROUNDS; round++) {
    for (const [index, contender] of contenders.entries()) {
      const workers = (contender.bare ? bare : charging).slice(0, contender.processes);
      const orders = { callers: contender.callers, milliseconds: TURN_MS };
      const begun = performance.now();
      const times = (await Promise.all(workers.map((worker) => worker.turn(orders)))).flat();
      const result = found[index];
      if (round < 0 || result === undefined) continue;
      result.rates.push((times.length / (performance.now() - begun)) * 1000);
      result.times.push(...times);
    }
  }
  for (const worker of [...bare, ...charging]) await worker.close();
  const rate = (index: number) => quantile(found[index]?.rates ?? [], 0.5);
  for (const [index, { name: what, processes }] of contenders.entries()) {
    const { times } = found[index] ?? { times: [] };
    const floor = rate(processes === 1 ? 0 : 3);
    console.log(
      [
        `${name} · ${size} events · ${processes} process${processes === 1 ? "" : "es"}`,
        what,
        `${Math.round(rate(index))}/s (${(rate(index) / floor).toFixed(2)}×)`,
        `p50 ${quantile(times, 0.5).toFixed(2)} ms`,
        `p99 ${quantile(times, 0.99).toFixed(1)} ms`,
      ].join(" · "),
    );
  }
}

/** Each size on a ledger of its own, SQLite then PostgreSQL, with `fsync` and `synchronous_commit` on. */
export async function stores(folder: string, sizes: readonly number[]): Promise<void> {
  const server = await openPostgres({ settings: { fsync: "on", shared_buffers: "256MB", autovacuum: "on" } });
  try {
    for (const size of sizes) {
      await compare("SQLite", { kind: "sqlite", path: join(folder, `stores-${size}.sqlite`) }, size);
      const { url, pidFile } = server;
      await compare("PostgreSQL", { kind: "postgres", url, schema: `stores_${size}`, pidFile }, size);
    }
  } finally {
    await server.close();
  }
}

const orders = process.env.LEDGER_BENCH;
if (orders !== undefined && process.argv[1] === fileURLToPath(import.meta.url)) await workerMain(JSON.parse(orders));
