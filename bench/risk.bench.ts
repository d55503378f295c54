// Risk evaluations at k = 10 per second of processor time, and the time of an exact composition of 300 Laplace releases.
// Aims: 10⁶ evaluations a second or better; below 50 ms a composition.
// Run: npx node bench/risk.bench.ts
import { cpus } from "node:os";
import { composedEpsilon, composedLaplaceEpsilon, composedLoss, costOptimum, publishedModel } from "@dosimeter/risk";

const ROUNDS = 9;
const EVALUATIONS = 300_000;

const median = (values: number[]): number => values.sort((a, b) => a - b)[values.length >> 1] ?? Number.NaN;
/** Seconds of user and system time: a busy machine does not change it. */
const seconds = (run: () => void): number => {
  const start = process.cpuUsage();
  run();
  const { user, system } = process.cpuUsage(start);
  return (user + system) / 1e6;
};

console.log(`${cpus()[0]?.model ?? "unknown processor"}, Node ${process.version}, medians of ${ROUNDS} rounds`);
for (const [k, epsilon0] of [
  [1, 1],
  [10, 0.5],
  [10, 1],
  [10, 5],
] as const) {
  const model = publishedModel({ epsilon0, k });
  let sum = 0;
  const times = Array.from({ length: ROUNDS }, () =>
    seconds(() => {
      for (let i = 1; i <= EVALUATIONS; i++) sum += model.risk((epsilon0 * i) / (EVALUATIONS + 1));
    }),
  );
  if (!(sum > 0)) throw new Error("nothing was computed");
  console.log(`risk, k = ${k}, ε₀ = ${epsilon0}: ${(EVALUATIONS / median(times) / 1e6).toFixed(2)} M/s`);
}
for (const [what, run] of [
  [
    "loss of 300 Laplace releases and its ε at δ = 1e-5",
    () => composedEpsilon(composedLoss({ epsilon0: 0.5, count: 300 }), 1e-5),
  ],
  ["the same extrapolated from two grids", () => composedLaplaceEpsilon({ epsilon0: 0.5, count: 300, delta: 1e-5 })],
  ["cost optimum, k = 10", () => costOptimum({ epsilon0: 0.5, k: 10 }).epsilon],
] as const) {
  run();
  let value = 0;
  const times = Array.from({ length: ROUNDS }, () =>
    seconds(() => {
      value = run();
    }),
  );
  console.log(`${what}: ${(1000 * median(times)).toFixed(1)} ms (${value.toPrecision(8)})`);
}
