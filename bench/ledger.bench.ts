// Charges per second against bare inserts into the same kind of file at the same durability, in one run, and what
// group commit gains. Run: npx node --conditions=@dosimeter/source bench/ledger.bench.ts
import { mkdtempSync, rmSync } from "node:fs";
import { cpus, tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { type DpEvent, deltaAmount, epsilonAmount, type Rule } from "@dosimeter/core";
import { type Books, systemPrincipal as by, openBooks } from "@dosimeter/ledger";
import { sqliteStore } from "@dosimeter/ledger/sqlite";

const ROUNDS = 5;
const CALLERS = 64;
const folder = mkdtempSync(join(tmpdir(), "dosimeter-bench-"));
let files = 0;

const seconds = (start: bigint): number => Number(process.hrtime.bigint() - start) / 1e9;
const median = (values: readonly number[]): number =>
  [...values].sort((a, b) => a - b)[values.length >> 1] ?? Number.NaN;

/** One insert, one commit, one sync: the floor that any durable charge stands on. */
function bareInserts(count: number): number {
  const database = new DatabaseSync(join(folder, `${files++}.sqlite`));
  database.exec("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL");
  database.exec(
    "CREATE TABLE spend (seq INTEGER PRIMARY KEY, account TEXT NOT NULL, key TEXT NOT NULL UNIQUE, epsilon INTEGER NOT NULL) STRICT",
  );
  const insert = database.prepare("INSERT INTO spend (account, key, epsilon) VALUES (?, ?, ?)");
  const start = process.hrtime.bigint();
  for (let i = 0; i < count; i++) {
    database.exec("BEGIN IMMEDIATE");
    insert.run("acc_0000000000000000", `key-${i}`, 1000);
    database.exec("COMMIT");
  }
  const rate = count / seconds(start);
  database.close();
  return rate;
}

interface Bench {
  readonly books: Books;
  charge(key: string): Promise<unknown>;
}

/** A ledger, a team and a member: three filters on the path of every charge. */
async function open(rule: Rule, event: DpEvent, commitGroup?: number): Promise<Bench> {
  const store = await sqliteStore(join(folder, `${files++}.sqlite`));
  const books = await openBooks(store, commitGroup === undefined ? {} : { commitGroup });
  const quota = (epsilon: string) => ({ epsilon: epsilonAmount(epsilon, "down"), by });
  const population = await books.catalog.createPopulation({
    name: "p",
    privacyUnit: "person",
    adjacency: "addRemove",
    by,
  });
  const dataset = await books.catalog.createDataset({
    population: population.id,
    name: "d",
    declaration: {},
    source: {},
    by,
  });
  const ledger = await books.ledgers.open({
    population: population.id,
    rule,
    delta: deltaAmount("1e-6", "down"),
    ...quota("5"),
  });
  const team = await books.people.createTeam({ name: "t", by });
  const person = await books.people.createPrincipal({ kind: "user", name: "a", by });
  await books.people.addMember({ team: team.id, principal: person.id, by });
  const above = await books.ledgers.openAccount({
    ledger: ledger.id,
    parent: null,
    holder: { kind: "team", id: team.id },
    ...quota("4"),
  });
  const account = await books.ledgers.openAccount({
    ledger: ledger.id,
    parent: above.id,
    holder: { kind: "principal", id: person.id },
    ...quota("3"),
  });
  const request = {
    principal: person.id,
    account: account.id,
    dataset: dataset.id,
    events: [event],
    adjacency: "addRemove",
    lease: { owner: "b", seconds: 60 },
  } as const;
  return {
    books,
    charge: (key) =>
      books.ledgers.charge({ ...request, key, request: { statistics: [{ statistic: "count", epsilon: 0.00001 }] } }),
  };
}

async function oneByOne({ books, charge }: Bench, count: number): Promise<number> {
  await charge("warm");
  const start = process.hrtime.bigint();
  for (let i = 0; i < count; i++) await charge(`key-${i}`);
  const rate = count / seconds(start);
  await books.close();
  return rate;
}

async function together({ books, charge }: Bench, count: number): Promise<number> {
  await charge("warm");
  let next = 0;
  const start = process.hrtime.bigint();
  await Promise.all(
    Array.from({ length: CALLERS }, async () => {
      while (next < count) await charge(`key-${next++}`);
    }),
  );
  const rate = count / seconds(start);
  await books.close();
  return rate;
}

const pure: DpEvent = { kind: "pure", epsilon: "0.00001" };
const noise: DpEvent = { kind: "gaussian", noiseMultiplier: 1000 };
const cases: readonly (readonly [string, Rule, DpEvent])[] = [
  ["addition, pure ε", "addition", pure],
  ["additionThenTight, pure ε", "additionThenTight", pure],
  ["tight, Gaussian", "tight", noise],
];

bareInserts(200);
console.log(
  `# ${cpus()[0]?.model ?? "unknown processor"}, ${cpus().length} cores, Node ${process.version}; median of ${ROUNDS} rounds`,
);
for (const [name, rule, event] of cases) {
  const rounds: { bare: number; single: number; ungrouped: number; grouped: number }[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    rounds.push({
      bare: bareInserts(1500),
      single: await oneByOne(await open(rule, event), 1500),
      ungrouped: await together(await open(rule, event, 1), 1500),
      grouped: await together(await open(rule, event), 15_000),
    });
  }
  const [bare, single, ungrouped, grouped] = (["bare", "single", "ungrouped", "grouped"] as const).map((key) =>
    median(rounds.map((each) => each[key])),
  );
  const per = (rate = Number.NaN) => `${Math.round(rate)}/s`;
  const ratio = median(rounds.map((each) => each.single / each.bare)).toFixed(2);
  const gain = median(rounds.map((each) => each.grouped / each.ungrouped)).toFixed(1);
  console.log(
    `${name}: bare insert ${per(bare)} · charge ${per(single)} (${ratio}×) · ${CALLERS} callers, a commit each ${per(ungrouped)} · grouped ${per(grouped)} (${gain}×)`,
  );
}
rmSync(folder, { recursive: true });
