// Runs the tests many times and says how often they passed, how long they took and what failed:
// npm run test:repeat -- --times 20 --load            the quick suite, every second run next to a load on every core
// npm run test:repeat -- --times 100 --at-once 2 test/words.test.ts
// npm run test:repeat -- --times 5 --long --slow test/web.long.test.ts    files and answers come late to the browser
import { type ChildProcess, spawn } from "node:child_process";
import { createWriteStream, mkdirSync, readFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import { join, relative } from "node:path";
import { parseArgs } from "node:util";

const root = join(import.meta.dirname, "..");
const { values, positionals: files } = parseArgs({
  allowPositionals: true,
  options: {
    times: { type: "string", default: "10" },
    "at-once": { type: "string", default: "1" },
    workers: { type: "string" },
    minutes: { type: "string", default: "30" },
    load: { type: "boolean", default: false },
    slow: { type: "boolean", default: false },
    long: { type: "boolean", default: false },
  },
});

function positive(name: "times" | "at-once" | "workers" | "minutes", text: string): number {
  const value = Number(text);
  if (Number.isInteger(value) && value > 0) return value;
  console.error(`--${name} is ${text}, must be a whole number of at least 1`);
  process.exit(2);
}

const times = positive("times", values.times);
const atOnce = positive("at-once", values["at-once"]);
const minutes = positive("minutes", values.minutes);
const workers = values.workers === undefined ? [] : [`--maxWorkers=${positive("workers", values.workers)}`];
const folder = join(root, "node_modules/.cache/repeat", new Date().toISOString().replace(/\W/g, "-"));
mkdirSync(folder, { recursive: true });

interface Run {
  readonly number: number;
  readonly isLoaded: boolean;
  readonly seconds: number;
  /** Names of the tests that failed, or why the run failed without one. */
  readonly failures: readonly string[];
  readonly log: string;
}

const running = new Set<ChildProcess>();
process.on("exit", () => running.forEach(end));
for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, () => process.exit(130));

/** Ends a process with everything that it started. */
function end({ pid }: ChildProcess): void {
  try {
    if (pid !== undefined) process.kill(-pid, "SIGKILL");
  } catch {} // it has ended already
}

/** With --slow, everything that a browser asks for comes up to 600 ms late, in each run by another seed unless one is given. */
const env = values.slow ? { TEST_SEED: "fresh", ...process.env, TEST_SLOW_PAGES: "600" } : process.env;

function start(args: readonly string[]): ChildProcess {
  const child = spawn(process.execPath, args, { cwd: root, detached: true, stdio: ["ignore", "pipe", "pipe"], env });
  running.add(child);
  child.once("exit", () => running.delete(child));
  return child;
}

function startLoad(): () => void {
  const busy = Array.from({ length: availableParallelism() }, () => start(["-e", "for (;;) Math.random();"]));
  return () => busy.forEach(end);
}

interface Report {
  readonly testResults: readonly {
    readonly name: string;
    readonly status: string;
    readonly message?: string;
    readonly assertionResults: readonly { readonly status: string; readonly fullName: string }[];
  }[];
}

/** The failed tests of a report; for a file that failed without one, its first line of complaint. */
function failuresIn(file: string): readonly string[] {
  const { testResults }: Report = JSON.parse(readFileSync(file, "utf8"));
  return testResults
    .filter(({ status }) => status === "failed")
    .flatMap(({ name, message = "", assertionResults }) => {
      const failed = assertionResults.filter(({ status }) => status === "failed").map(({ fullName }) => fullName);
      return (failed.length > 0 ? failed : [message.split("\n")[0]]).map((text) => `${relative(root, name)} › ${text}`);
    });
}

function runOnce(number: number, isLoaded: boolean): Promise<Run> {
  const log = join(folder, `${String(number).padStart(3, "0")}.log`);
  const report = log.replace(/log$/, "json");
  const vitest = join(root, "node_modules/vitest/vitest.mjs");
  const config = values.long ? ["--config", "vitest.long.config.ts"] : [];
  const reporters = ["--reporter=default", "--reporter=json", `--outputFile.json=${report}`];
  const began = performance.now();
  const child = start([vitest, "run", ...config, ...workers, ...reporters, ...files]);
  const written = createWriteStream(log);
  child.stdout?.pipe(written, { end: false });
  child.stderr?.pipe(written, { end: false });
  let isLate = false;
  const limit = setTimeout(() => {
    isLate = true;
    end(child);
  }, minutes * 60_000);
  return new Promise((resolve) => {
    child.once("close", (code, signal) => {
      clearTimeout(limit);
      written.end();
      const failures = (() => {
        if (isLate) return [`did not end within ${minutes} minutes`];
        try {
          const found = failuresIn(report);
          return found.length > 0 || code === 0 ? found : [`no test failed, but the run ended with ${code ?? signal}`];
        } catch {
          return [`ended with ${code ?? signal} and no report`];
        }
      })();
      resolve({ number, isLoaded, seconds: (performance.now() - began) / 1000, failures, log });
    });
  });
}

function summary(name: string, runs: readonly Run[]): string {
  const seconds = runs.map((run) => run.seconds).sort((a, b) => a - b);
  const at = (share: number) => (seconds[Math.round(share * (seconds.length - 1))] ?? Number.NaN).toFixed(1);
  const passed = runs.filter(({ failures }) => failures.length === 0).length;
  return `${name}: ${passed} of ${runs.length} passed; seconds min ${at(0)}, median ${at(0.5)}, max ${at(1)}`;
}

const runs: Run[] = [];
for (let batch = 0; runs.length < times; batch++) {
  const isLoaded = values.load && batch % 2 === 1;
  const endLoad = isLoaded ? startLoad() : () => undefined;
  const numbers = Array.from({ length: Math.min(atOnce, times - runs.length) }, (_, index) => runs.length + index + 1);
  const done = await Promise.all(numbers.map((number) => runOnce(number, isLoaded)));
  endLoad();
  for (const { number, seconds, failures, log } of done) {
    const how = `${failures.length === 0 ? "passed" : "FAILED"} in ${seconds.toFixed(1)} s`;
    console.log(`${number} of ${times}${isLoaded ? ", beside a load" : ""}: ${how}`);
    for (const failure of failures) console.log(`    ${failure}\n    ${relative(root, log)}`);
  }
  runs.push(...done);
}

console.log(summary(`\nAll runs`, runs));
if (values.load) {
  console.log(
    summary(
      "Alone",
      runs.filter(({ isLoaded }) => !isLoaded),
    ),
  );
  console.log(
    summary(
      "Beside a load",
      runs.filter(({ isLoaded }) => isLoaded),
    ),
  );
}
const counts = Map.groupBy(
  runs.flatMap(({ failures }) => failures),
  (failure) => failure,
);
for (const [failure, { length }] of counts) console.log(`failed ${length} ×: ${failure}`);
console.log(`Logs: ${relative(root, folder)}`);
process.exitCode = counts.size === 0 ? 0 : 1;
