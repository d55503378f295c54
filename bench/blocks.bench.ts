// Budgets of periods: charges over many blocks, balances, quotes over fragmented histories, verification; seconds of the processor, in one run.
// Run: npx node bench/blocks.bench.ts [verify [charges]]
import { mkdtempSync, rmSync } from "node:fs";
import { cpus, loadavg, tmpdir } from "node:os";
import { join } from "node:path";
import { type DpEvent, epsilonAmount, type Rule } from "@dosimeter/core";
import { systemPrincipal as by, type Ledger } from "@dosimeter/ledger";
import { sqliteStore } from "@dosimeter/ledger/sqlite";
import { type Bench, openBench } from "./ledger-fixture.ts";

const DAYS = 3650;
const daily: NonNullable<Ledger["blocks"]> = { every: "day", zone: "UTC" };
const folder = mkdtempSync(join(tmpdir(), "dosimeter-bench-"));
let files = 0;

const whole = [{ from: 0, to: DAYS - 1 }] as const;
const pure = (epsilon: string): DpEvent => ({ kind: "pure", epsilon });

const open = async (rule: Rule, event: DpEvent, blocks?: NonNullable<Ledger["blocks"]>) => {
  const store = await sqliteStore(join(folder, `${files++}.sqlite`));
  return { store, ...(await openBench(store, { rule, event, ...(blocks === undefined ? {} : { blocks }) })) };
};

/** Milliseconds of the processor that the work took. */
async function processorOf(work: () => Promise<unknown>): Promise<number> {
  const start = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(start);
  return (user + system) / 1000;
}

/** The median of several runs, after two that warm up. */
async function usual(rounds: number, work: (round: number) => Promise<unknown>): Promise<number> {
  const times: number[] = [];
  for (let round = 0; round < rounds + 2; round++) times.push(await processorOf(() => work(round)));
  return times.slice(2).sort((a, b) => a - b)[rounds >> 1] ?? Number.NaN;
}

const say = (what: string, ...figures: readonly string[]): void => console.log(`${what}: ${figures.join("; ")}`);
const ms = (value: number): string => `${value.toFixed(value < 10 ? 2 : 0)} ms`;

let keys = 0;
const charge = ({ database, request }: Bench, more: object): Promise<unknown> =>
  database.ledgers.charge({ ...request, ...more, key: `k${keys++}`, request: { plan: 1 } });

/** One charge over ten years of days that have all spent the same and one on a ledger without blocks; by turns. */
async function equalStates(rule: Rule): Promise<void> {
  const event = pure("0.0000001");
  const [plain, blocked] = [await open(rule, event), await open(rule, event, daily)];
  const [without, over] = [[] as number[], [] as number[]];
  for (let round = 0; round < 300; round++) {
    without.push(await processorOf(() => charge(plain, {})));
    over.push(await processorOf(() => charge(blocked, { window: whole })));
  }
  const mean = (times: readonly number[]) => times.slice(50).reduce((sum, each) => sum + each, 0) / (times.length - 50);
  say(
    `a charge over ${DAYS} days with equal states, ${rule}`,
    `${ms(mean(over))}, without blocks ${ms(mean(without))}`,
    `${(mean(over) / mean(without)).toFixed(2)} times`,
  );
  await Promise.all([plain.database.close(), blocked.database.close()]);
}

/** Every block has spent something else: written straight into the store, three nodes on the path. */
async function fragmented(rule: Rule, blocks: number): Promise<void> {
  const bench = await open(rule, pure("0.0001"), daily);
  const { store, database, request } = bench;
  await charge(bench, { window: [{ from: 0, to: blocks - 1 }] });
  const [path] = [await database.ledgers.account(request.account)];
  const nodes = [path.ledger, path.parent, path.id].filter((id) => id !== null);
  await store.transact(async (tx) => {
    for (const node of nodes) {
      const row = await tx.get("SELECT * FROM block_run WHERE node_id = ?", [node]);
      if (row === undefined) throw new Error("no run");
      await tx.run("DELETE FROM block_run WHERE node_id = ?", [node]);
      const { state_epsilon: epsilon, state_remaining_mu2: mu2 } = row as Readonly<Record<string, bigint | null>>;
      await tx.many(
        "INSERT INTO block_run (node_id, block_from, block_to, state_epsilon, state_delta, state_remaining_mu2) VALUES (?, ?, ?, ?, ?, ?)",
        Array.from({ length: blocks }, (_, block) => {
          const more = BigInt(block) * 1000n;
          return [
            node,
            BigInt(block),
            BigInt(block),
            (epsilon ?? 0n) + more,
            0n,
            typeof mu2 === "bigint" ? mu2 - more : null,
          ];
        }),
      );
    }
  });
  const window = [{ from: 0, to: blocks - 1 }];
  const quote = (epsilon: string) => () =>
    database.ledgers.quote({ account: request.account, events: [pure(epsilon)], window });
  const fits = await usual(5, quote("0.0001"));
  const refused = await usual(5, quote("4"));
  const paid = await usual(3, () => charge(bench, { window }));
  say(
    `a window of ${blocks} days that have all spent something else, ${rule}`,
    `quote that fits ${ms(fits)}`,
    `refused ${ms(refused)}`,
    `charge ${ms(paid)}`,
    `a thousand (state, event) pairs ${ms((fits * 1000) / (blocks * nodes.length))}`,
  );
  await database.close();
}

/** The balances of all blocks of 100 accounts, as the heat strip reads them. */
async function balances(): Promise<void> {
  const bench = await open("addition", pure("0.0001"), daily);
  const { database, request } = bench;
  const { ledger } = await database.ledgers.account(request.account);
  const accounts: Bench["request"]["account"][] = [];
  for (let index = 0; index < 100; index++) {
    const holder = { kind: "purpose", id: `p${index}` } as const;
    const account = { ledger, parent: request.account, holder, epsilon: epsilonAmount("0.001", "down"), by };
    accounts.push((await database.ledgers.openAccount(account)).id);
  }
  for (const account of accounts)
    for (let from = 0; from < DAYS; from += 1000)
      await charge(bench, { account, window: [{ from, to: Math.min(DAYS, from + 900) - 1 }] });
  const read = await usual(15, async () => {
    for (const account of accounts) await database.ledgers.blockBalances(account);
  });
  say(`balances of 100 accounts × ${DAYS} days, four runs each`, ms(read));
  await database.close();
}

/** Charges over weeks of a year of days. */
async function verified(rule: Rule, charges: number): Promise<void> {
  const bench = await open(rule, pure("0.000001"), daily);
  let left = charges;
  await Promise.all(
    Array.from({ length: 64 }, async () => {
      while (left-- > 0) {
        const from = (left * 37) % 359;
        await charge(bench, { window: [{ from, to: from + 6 }] });
      }
    }),
  );
  const start = performance.now();
  const spent = await processorOf(async () => {
    const { problems } = await bench.database.audit.verify();
    if (problems.length > 0) throw new Error(JSON.stringify(problems.slice(0, 3)));
  });
  say(`${charges} charges over 365 days verified, ${rule}`, ms(spent), `${ms(performance.now() - start)} on the clock`);
  await bench.database.close();
}

console.log(`${cpus()[0]?.model ?? "unknown processor"}, Node ${process.version}, load ${loadavg()[0]?.toFixed(1)}`);
try {
  if (process.argv[2] === "verify")
    for (const rule of ["addition", "tight"] as const) await verified(rule, Number(process.argv[3] ?? 100_000));
  else {
    for (const rule of ["addition", "tight"] as const) await equalStates(rule);
    for (const rule of ["addition", "tight"] as const)
      for (const blocks of [4000, 10_000]) await fragmented(rule, blocks);
    await balances();
  }
  console.log(`load ${loadavg()[0]?.toFixed(1)}`);
} finally {
  rmSync(folder, { recursive: true, force: true });
}
