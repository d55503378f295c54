// How long plans over a table of Iceberg take that has very many partitions, a file each, on one node of Trino.
// Run: TEST_TRINO=1 npx node bench/partitions.bench.ts [partitions], after `npm run test:trino` fetched a server.
import { loadavg } from "node:os";
import { boundPlan } from "@dosimeter/query/bind";
import { checkDeclaration } from "@dosimeter/query/declaration";
import type { Plan } from "@dosimeter/query/statistics";
import { trinoEngine } from "../packages/engines/src/trino/engine.ts";
import { noTrino, openTrino } from "../test/trino.kit.ts";

const partitions = Number(process.argv[2] ?? 100_000);
if (noTrino !== null) throw new Error(noTrino);

const EACH = 1000;
const salt = "5e".repeat(32);
const declaration = checkDeclaration({
  name: "visits",
  source: { trino: { connection: "lake", schema: "lake", table: "visits" } },
  privacyUnit: { column: "person" },
  mostRows: 2 ** 40,
  contribution: { rows: 4 },
  columns: {
    person: { type: "integer" },
    part: { type: "integer", lower: 0, upper: 100_000 },
    pay: { type: "number", lower: 0, upper: 100, granularity: 1 },
  },
});
const sum: Plan = { statistics: [{ statistic: "sum", column: "pay", epsilon: 1 }] };
const plans: readonly (readonly [string, Plan])[] = [
  ["count", { statistics: [{ statistic: "count", epsilon: 1 }] }],
  ["sum", sum],
  ["count where part < 1000", { statistics: [{ statistic: "count", where: "part < 1000", epsilon: 1 }] }],
];

const server = await openTrino({
  hasIceberg: true,
  files: {
    "jvm.config": [
      "-server",
      "-Xmx2G",
      "-XX:+UseG1GC",
      "-XX:+ExitOnOutOfMemoryError",
      "-XX:ReservedCodeCacheSize=256M",
      "-Djdk.attach.allowAttachSelf=true",
    ],
  },
});

async function timed<T>(what: string, job: () => Promise<T>): Promise<T> {
  const began = performance.now();
  try {
    return await job();
  } finally {
    console.log(`| ${what} | ${((performance.now() - began) / 1000).toFixed(1)} | ${loadavg()[0]?.toFixed(1)} |`);
  }
}

try {
  await server.query("CREATE SCHEMA iceberg.lake");
  const columns = "person bigint, part bigint, pay double";
  await server.query(`CREATE TABLE iceberg.lake.visits (${columns}) WITH (partitioning = ARRAY['part'])`);
  const rows = `UNNEST(sequence(0, ${EACH - 1})) AS t(p) CROSS JOIN UNNEST(sequence(1, 3)) AS q(r)`;
  console.log("| step | wall s | load |\n| --- | --- | --- |");
  await timed(`${partitions} partitions are written`, async () => {
    for (let first = 0; first < partitions; first += EACH)
      await server.query(
        `INSERT INTO iceberg.lake.visits SELECT (p * 7 + r) % 50000, ${first} + p, CAST((p * 13 + r) % 100 AS double) FROM ${rows}`,
      );
  });
  const url = server.address("reader", "iceberg");
  const engine = await trinoEngine({ connections: { lake: { url } } });
  const version = await timed("check", () => engine.check(declaration, { salt }));
  for (const [what, plan] of plans) await timed(what, () => engine.run(boundPlan(plan, declaration), version));
  const hurried = await trinoEngine({ connections: { lake: { url, timeout: 5000 } } });
  const refused = await timed("sum, with a limit of 5 s", () =>
    hurried.run(boundPlan(sum, declaration), version).then(
      () => "answered",
      (error: unknown) => String(error),
    ),
  );
  console.log(refused);
} finally {
  await server.close();
}
