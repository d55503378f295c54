// The `stores` mode of ledger.bench.ts: SQLite and a real PostgreSQL server, one process and four, behind long histories.
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { DatabaseSync, type StatementSync } from "node:sqlite";
import { fileURLToPath } from "node:url";
import { openLedgerDatabase } from "@dosimeter/ledger";
import { sql } from "kysely";
import pg from "pg";
import { senderTo } from "../packages/ledger/src/stores/postgres/sender.ts";
import type { Value } from "../packages/ledger/src/stores/store.ts";
import { openPlace, type Place } from "../packages/ledger/src/testing/place.kit.ts";
import { openPostgres } from "../test/postgres.kit.ts";
import { type Bench, type BenchOptions, chargesOf, MAX_CHARGES, openBench } from "./ledger-fixture.ts";

const ROUNDS = 5;
/** Time of one contender before the next one runs. */
const TURN_MS = 1000;
const PROCESSES = 4;
const CALLERS = 64;
const usual: BenchOptions = { rule: "additionThenTight", event: { kind: "pure", epsilon: "0.000000001" } };

/** One turn of a process: how many callers, each waiting for its answer. */
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

type Floor = "bare" | "same rows";

interface Orders {
  readonly place: Place;
  /** Charges of this kind, or one of the two floors. */
  readonly work: Bench["request"] | Floor;
}

type Values = (string | number)[];

/** What both floors need of a database. */
interface Floored {
  execute(text: string): Promise<unknown>;
  /** One transaction; resolves when it is durable. Its statements are prepared and, on a server, sent without waiting. */
  commit(statements: readonly (readonly [string, ...Values])[]): Promise<unknown>;
}

async function openFloor(place: Place): Promise<Floored> {
  if (place.kind === "sqlite") {
    const database = new DatabaseSync(`${place.path}.bare`, { timeout: 30_000 });
    database.exec("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA wal_autocheckpoint = 4096");
    const prepared = new Map<string, StatementSync>();
    const run = (text: string, values: readonly (string | number)[] = []) => {
      const statement = prepared.get(text) ?? database.prepare(text);
      prepared.set(text, statement);
      statement.run(...values);
    };
    return {
      execute: async (text) => database.exec(text),
      commit: async (statements) => {
        run("BEGIN IMMEDIATE");
        for (const [text, ...values] of statements) run(text, values);
        run("COMMIT");
      },
    };
  }
  const client = new pg.Client({
    connectionString: place.url,
    options: `-c search_path=${place.schema}_bare`,
    pipeline: true,
  });
  await client.connect();
  await client.query(`CREATE SCHEMA IF NOT EXISTS ${place.schema}_bare`).catch(() => undefined); // another process creates it too
  const sender = senderTo(client);
  return {
    execute: (text) => client.query(text),
    commit: async (statements) => {
      const [[only, ...values] = [""]] = statements;
      if (statements.length === 1) return sender.ask(only, values as Value[]);
      sender.begin();
      void sender.send("BEGIN");
      for (const [text, ...more] of statements) await sender.write(text, more as Value[]);
      return sender.ask("COMMIT");
    },
  };
}

/** One row with a unique key, one commit, one sync: the floor that any durable charge stands on. */
async function bareInserts(place: Place): Promise<Work> {
  const { execute, commit } = await openFloor(place);
  const serial = place.kind === "sqlite" ? "INTEGER" : "BIGINT GENERATED ALWAYS AS IDENTITY";
  await execute(
    `CREATE TABLE IF NOT EXISTS spend (seq ${serial} PRIMARY KEY, account TEXT NOT NULL, key TEXT NOT NULL UNIQUE, epsilon BIGINT NOT NULL)`,
  ).catch(() => undefined); // another process creates it too
  const insert = "INSERT INTO spend (account, key, epsilon) VALUES (?, ?, ?)";
  return (key) => commit([[insert, "acc_0000000000000000", key, 1000]]);
}

/** Bytes of the rows that a charge of this bench writes, without what their indexes hold. */
const BYTES = { entry: 400, lease: 20, audit: 400, ledger: 520, account: 210 } as const;

/**
 * What a charge writes to the disk, without a ledger: the same number of bytes, tables and indexes, three rows updated in
 * two tables, one commit. Nothing is decided, hashed, looked up or referred to.
 */
async function sameRows(place: Place): Promise<Work> {
  const { execute, commit } = await openFloor(place);
  const id = (name: string) => `${name}_00000000000000000000`;
  const rest = (name: keyof typeof BYTES) => "x".repeat(BYTES[name]);
  for (const text of [
    `CREATE TABLE IF NOT EXISTS entry (seq BIGINT PRIMARY KEY, ledger TEXT NOT NULL, principal TEXT NOT NULL, account TEXT NOT NULL,
      key TEXT NOT NULL, rest TEXT NOT NULL, UNIQUE (ledger, seq), UNIQUE (principal, key))`,
    "CREATE INDEX IF NOT EXISTS entry_account ON entry (account, seq)",
    "CREATE TABLE IF NOT EXISTS lease (seq BIGINT PRIMARY KEY, rest TEXT NOT NULL, status TEXT NOT NULL)",
    "CREATE INDEX IF NOT EXISTS lease_pending ON lease (seq) WHERE status = 'charged'",
    "CREATE TABLE IF NOT EXISTS audit (seq BIGINT PRIMARY KEY, rest TEXT NOT NULL)",
    ...(["ledger", "account"] as const).flatMap((name) => [
      `CREATE TABLE IF NOT EXISTS ${name} (id TEXT PRIMARY KEY, state BIGINT NOT NULL, rest TEXT NOT NULL)`,
      `INSERT INTO ${name} VALUES ('${id(name)}', 0, '${rest(name)}'), ('${id("above")}', 0, '${rest(name)}')
        ON CONFLICT DO NOTHING`,
    ]),
  ])
    await execute(place.kind === "sqlite" ? text.replace("seq BIGINT", "seq INTEGER") : text).catch(() => undefined);
  const update = (name: string) => `UPDATE ${name} SET state = ? WHERE id = ?`;
  let seq = process.pid * 2 ** 24;
  return (key) => {
    seq += 1;
    return commit([
      [update("ledger"), seq, id("ledger")],
      [
        "INSERT INTO entry (seq, ledger, principal, account, key, rest) VALUES (?, ?, ?, ?, ?, ?)",
        seq,
        id("led"),
        id("usr"),
        id("acc"),
        key,
        rest("entry"),
      ],
      ["INSERT INTO lease (seq, rest, status) VALUES (?, ?, ?)", seq, rest("lease"), "charged"],
      ["INSERT INTO audit (seq, rest) VALUES (?, ?)", seq, rest("audit")],
      [update("account"), seq, id("above")],
      [update("account"), seq, id("account")],
    ]);
  };
}

/** A process that works on command, and reports how long each piece took. */
class Worker {
  readonly child: ChildProcess;
  private readonly lines: AsyncIterator<string>;

  constructor(orders: Orders) {
    this.child = spawn(process.execPath, ["--disable-warning=ExperimentalWarning", fileURLToPath(import.meta.url)], {
      stdio: ["pipe", "pipe", "inherit"],
      env: { ...process.env, LEDGER_BENCH: JSON.stringify(orders) },
    });
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

async function workOf({ place, work }: Orders): Promise<Work> {
  if (work === "bare") return bareInserts(place);
  if (work === "same rows") return sameRows(place);
  return chargesOf(await openLedgerDatabase(await openPlace(place), { mostCharges: MAX_CHARGES }), work).charge;
}

async function workerMain(orders: Orders): Promise<void> {
  const work = await workOf(orders);
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
  readonly floor?: Floor;
}

const contenders: readonly Contender[] = [1, PROCESSES].flatMap((processes): readonly Contender[] => {
  const callers = CALLERS / processes;
  return [
    { name: "bare insert", processes, callers: 1, floor: "bare" },
    { name: "same rows, no ledger", processes, callers: 1, floor: "same rows" },
    { name: "charge, one caller each", processes, callers: 1 },
    { name: `charge, ${callers} callers each`, processes, callers },
  ];
});

/** Copies the first charge under other names: the same number of rows as real charges leave, in three statements. */
const COPIES = [
  `INSERT INTO entry (seq, ledger_id, number, kind, charge_id, account_id, principal_id, dataset_id, active_rule, events, price_epsilon,
    price_delta, remaining_mu2_before, remaining_mu2_after, key, request, request_hash, at, prev_hash, hash)
   SELECT seq + n, ledger_id, number + n, kind, 'chg_early_' || n, account_id, principal_id, dataset_id, active_rule, events,
    price_epsilon, price_delta, remaining_mu2_before, remaining_mu2_after, 'early-' || n, request, request_hash, at, prev_hash, hash FROM entry,
    NUMBERS AS many WHERE kind = 'charge'`,
  `INSERT INTO lease (entry_seq, status, owner, until_at, tries)
   SELECT entry_seq + n, status, owner, until_at, tries FROM lease, NUMBERS AS many`,
  `INSERT INTO audit (seq, at, actor, action, subject, ledger_id, detail, image, prev_hash, hash)
   SELECT last.seq + n, at, actor, action, 'chg_early_' || n, ledger_id, detail, image, prev_hash, hash
   FROM (SELECT * FROM audit ORDER BY seq DESC LIMIT 1) AS last, NUMBERS AS many`,
] as const;

/** The ledger database with this number of events, copied in bulk: only their sums are those of one charge. */
async function grow(place: Place, size: number): Promise<Bench["request"]> {
  const store = await openPlace(place);
  const bench = await openBench(store, usual);
  await bench.charge("first");
  if (size > 0)
    await store.transact(async ({ db }) => {
      // PostgreSQL would look up each row's four references: they are those of the row that is copied
      if (place.kind === "postgres") await sql`SET LOCAL session_replication_role = replica`.execute(db);
      const numbers =
        place.kind === "postgres"
          ? `generate_series(1, ${size})`
          : `(WITH RECURSIVE number(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM number WHERE n < ${size}) SELECT n FROM number)`;
      for (const copy of COPIES) {
        const named = place.kind === "postgres" ? "many (n)" : "many";
        await sql.raw(copy.replace("NUMBERS AS many", `${numbers} AS ${named}`)).execute(db);
      }
      await sql.raw(`UPDATE ledger SET entries = entries + ${size}`).execute(db);
    });
  // the server's work after a bulk insert does not count as time of the charges
  if (place.kind === "postgres")
    for (const text of ["VACUUM ANALYZE", "CHECKPOINT"]) await sql.raw(text).execute(store.read);
  await bench.database.close();
  return bench.request;
}

async function compare(name: string, place: Place, size: number): Promise<void> {
  const request = await grow(place, size);
  const start = (work: Orders["work"]) =>
    Promise.all(
      Array.from({ length: PROCESSES }, async () => {
        const worker = new Worker({ place, work });
        await worker.said();
        return worker;
      }),
    );
  const workers = { bare: await start("bare"), "same rows": await start("same rows"), charges: await start(request) };
  const found = contenders.map(() => ({ rates: [] as number[], times: [] as number[] }));
  for (let round = -1; round < ROUNDS; round++) {
    for (const [index, contender] of contenders.entries()) {
      const working = workers[contender.floor ?? "charges"].slice(0, contender.processes);
      const orders = { callers: contender.callers, milliseconds: TURN_MS };
      const begun = performance.now();
      const times = (await Promise.all(working.map((worker) => worker.turn(orders)))).flat();
      const result = found[index];
      if (round < 0 || result === undefined) continue;
      result.rates.push((times.length / (performance.now() - begun)) * 1000);
      result.times.push(...times);
    }
  }
  for (const worker of Object.values(workers).flat()) await worker.close();
  const rate = (index: number) => quantile(found[index]?.rates ?? [], 0.5);
  for (const [index, { name: what, processes }] of contenders.entries()) {
    const { times } = found[index] ?? { times: [] };
    const first = contenders.findIndex((each) => each.processes === processes);
    console.log(
      [
        `${name} · ${size} events · ${processes} process${processes === 1 ? "" : "es"}`,
        what,
        `${Math.round(rate(index))}/s (${(rate(index) / rate(first)).toFixed(2)}× bare, ${(rate(index) / rate(first + 1)).toFixed(2)}× same rows)`,
        `p50 ${quantile(times, 0.5).toFixed(2)} ms`,
        `p99 ${quantile(times, 0.99).toFixed(1)} ms`,
      ].join(" · "),
    );
  }
}

/** Each size on a ledger of its own, SQLite then PostgreSQL, with `fsync` and `synchronous_commit` on. */
export async function stores(folder: string, sizes: readonly number[]): Promise<void> {
  const server = await openPostgres({
    settings: { fsync: "on", shared_buffers: "256MB", max_wal_size: "4GB", autovacuum: "on" },
  });
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
