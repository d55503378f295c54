// What one server needs: charges a second, processor time, memory and growth of the ledger database behind 1, 10 and 100 people who ask at
// once. npx node bench/sizing.bench.ts [charges of each] [postgres]

import { cpus, loadavg } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import {
  buildFixture,
  clientOf,
  countPlan,
  openTestInstance,
  temporaryFolder,
  tokenFor,
} from "../packages/server/src/instance.kit.ts";
import { openPostgres } from "../test/postgres.kit.ts";

const CHARGES = Number(process.argv[2] ?? 300);
const CROWDS = [1, 10, 100] as const;
const EPSILON = "0.0005";

const place = await temporaryFolder();
const folder = join(place.folder, "data");
const postgres = process.argv[3] === "postgres" ? await openPostgres({ settings: { fsync: "on" } }) : null;
const instance = await openTestInstance({ folder, ...(postgres === null ? {} : { database: postgres.url }) });
const { as, ledger, dataset } = await buildFixture(instance);
const operator = clientOf(instance, instance.operatorToken);

/** Bytes of the ledger database; of a SQLite file without what is free in it. */
async function bytes(): Promise<number> {
  if (postgres !== null) {
    const [row] = await postgres.query("SELECT pg_database_size(current_database()) AS size");
    return Number(row?.size);
  }
  const database = new DatabaseSync(join(folder, "ledger.sqlite"), { readOnly: true });
  try {
    const of = (pragma: string) => Number(Object.values(database.prepare(`PRAGMA ${pragma}`).get() ?? {})[0]);
    return (of("page_count") - of("freelist_count")) * of("page_size");
  } finally {
    database.close();
  }
}

/** Someone with an account of their own, who asks one release after another. */
async function asker(name: string) {
  const { id } = await operator.createPerson({ name });
  const client = clientOf(instance, await tokenFor(instance, id));
  const holder = { kind: "person", id } as const;
  const { id: account } = await as.datasetAdmin.createAccount({ ledger, holder, epsilon: "0.004", kind: "share" });
  return () => client.releaseAndWait({ plan: countPlan(EPSILON), dataset, account });
}

console.log(
  `${postgres === null ? "SQLite" : "PostgreSQL"}, ${CHARGES} charges each; ${cpus().length} × ${cpus()[0]?.model}, load ${loadavg()[0]?.toFixed(1)}`,
);
console.log(
  "| people at once | charges a second | processor ms a charge | longest wait of 95 % in ms | memory MB | kB a charge |",
);
console.log("|---|---|---|---|---|---|");
for (const crowd of CROWDS) {
  // An account holds eight charges, so each person of a crowd is followed by others.
  const askers = await Promise.all(Array.from({ length: Math.ceil(CHARGES / 6) }, (_, n) => asker(`${crowd} ${n}`)));
  const before = { bytes: await bytes(), cpu: process.cpuUsage(), at: performance.now() };
  const waits: number[] = [];
  let next = 0;
  await Promise.all(
    Array.from({ length: crowd }, async () => {
      while (next < CHARGES) {
        const ask = askers[next % askers.length];
        next += 1;
        const begun = performance.now();
        await ask?.();
        waits.push(performance.now() - begun);
      }
    }),
  );
  const seconds = (performance.now() - before.at) / 1000;
  const { user, system } = process.cpuUsage(before.cpu);
  const wait = waits.toSorted((a, b) => a - b)[Math.floor(waits.length * 0.95)] ?? 0;
  const row = [
    crowd,
    (CHARGES / seconds).toFixed(1),
    ((user + system) / 1000 / CHARGES).toFixed(1),
    wait.toFixed(0),
    (process.memoryUsage.rss() / 2 ** 20).toFixed(0),
    (((await bytes()) - before.bytes) / 1024 / CHARGES).toFixed(1),
  ];
  console.log(`| ${row.join(" | ")} |`);
}
await instance.close();
await postgres?.close();
await place.remove();
