// Processor time of the installed command: its version, a quote of a server that runs, a quote of a folder that it opens.
// npm run build && npx node bench/command.bench.ts
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { loadavg, tmpdir } from "node:os";
import { join } from "node:path";
import { install, output, packAll, runIn, started, stopped } from "../test/packages.kit.ts";

const RUNS = 11;
const folder = mkdtempSync(join(tmpdir(), "dosimeter-bench-"));
const consumer = join(folder, "consumer");
const command = [process.execPath, "--require", "./time.cjs", "node_modules/dosimeter/bin/dosimeter.cjs"] as const;
const data = ["--data", join(folder, "data")];
const quote = [...data, "plan", "quote", "adults", "-s", "count epsilon=0.01", "--account", "Public health/Ana Silva"];
const packed = await packAll(join(folder, "tarballs"));
await install(consumer, Object.fromEntries([...packed].map(([name, { tarball }]) => [name, `file:${tarball}`])));
writeFileSync(
  join(consumer, "time.cjs"),
  `process.on("exit", () => { const { user, system } = process.cpuUsage(); console.error("cpu " + (user + system)); });`,
);

/** The median, in milliseconds of the processor, after two runs to warm up. */
async function median(args: readonly string[]): Promise<string> {
  const times: number[] = [];
  for (let run = -2; run < RUNS; run++) {
    const { code, out, err } = await runIn(consumer, [...command, ...args]);
    if (code !== 0) throw new Error(out + err);
    if (run >= 0) times.push(Number(/cpu (\d+)/.exec(err)?.[1]) / 1000);
  }
  return times.toSorted((a, b) => a - b)[(RUNS - 1) / 2]?.toFixed(0) ?? "";
}

const load = () => `load ${loadavg()[0]?.toFixed(1)}`;
const bare = await output(consumer, [
  process.execPath,
  "-e",
  "const c = process.cpuUsage(); console.log(c.user + c.system)",
]);
console.log(`Node alone: ${(Number(bare) / 1000).toFixed(0)} ms (${load()})`);
console.log(`--version: ${await median(["--version"])} ms (${load()}), aim ≤ 150`);
const { child } = await started(consumer, [...command, ...data, "serve", "--demo", "--port", "0"], {
  ready: /is at http/,
});
console.log(`quote of a server: ${await median(quote)} ms (${load()}), aim ≤ 300`);
await stopped(child);
console.log(`quote of a folder: ${await median(quote)} ms (${load()})`);
rmSync(folder, { recursive: true, force: true });
