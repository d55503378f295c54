// Attacks one server from many sides while an analyst works on it, and prints what the analyst felt:
// npm run hostile -- --minutes 5 --clients 50              all attacks mixed
// npm run hostile -- --only quotes --only releases         some of them
// npm run hostile -- --profile folder                      with a profile of the server's processor time
import { cpus, loadavg } from "node:os";
import { parseArgs } from "node:util";
import { type Felt, hostileHour, type Spread } from "../test/hostile/hour.kit.ts";

const { values } = parseArgs({
  options: {
    minutes: { type: "string", default: "3" },
    clients: { type: "string", default: "50" },
    only: { type: "string", multiple: true, default: [] },
    profile: { type: "string" },
  },
});
const minutes = Number(values.minutes);
const clients = Number(values.clients);
if (!(minutes > 0) || !Number.isInteger(clients) || clients < 0) {
  console.error("--minutes must be above 0, and --clients a whole number");
  process.exit(2);
}
const { profile } = values;
const nodeOptions = profile === undefined ? [] : ["--cpu-prof", `--cpu-prof-dir=${profile}`];
const hour = await hostileHour({ milliseconds: minutes * 60_000, clients, only: values.only, nodeOptions });

const row = ({ times, p50, p99, most }: Spread) => `${times} | ${p50.toFixed()} | ${p99.toFixed()} | ${most.toFixed()}`;
const load = loadavg()[0]?.toFixed(1);
console.log(`${cpus().length} × ${cpus()[0]?.model}, load ${load}, ${clients} clients, ${minutes} minutes\n`);
for (const [name, felt] of [
  ["quiet", hour.quiet],
  ["hostile", hour.hostile],
] as const satisfies readonly (readonly [string, Felt])[]) {
  console.log(`| ${name} | times | p50 ms | p99 ms | most |\n| --- | --- | --- | --- | --- |`);
  console.log(`| health | ${row(felt.health)} |`);
  for (const [what, each] of Object.entries(felt.analyst)) console.log(`| ${what} | ${row(each)} |`);
  const { stall, processor, failures } = felt.server;
  const stalls = [stall.p50, stall.p99, stall.most].map((ms) => ms.toFixed()).join(" | ");
  console.log(`| the server's event loop held up | | ${stalls} |`);
  console.log(
    `\n${processor.toFixed(1)} s of the processor; errors: ${[...felt.errors, ...failures].join("; ") || "none"}\n`,
  );
}
console.log(hour.answers);
console.log(
  `released ${hour.released.length} of ${hour.promised.length}; the ledgers ${hour.verified ? "hold" : "do not hold"} together`,
);
const isWhole = hour.verified && hour.released.length === hour.promised.length;
process.exit(isWhole ? 0 : 1);
