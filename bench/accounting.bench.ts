// Compares the accountant with its peers: time, and error against the truth, in one run.
// Run: npx node --expose-gc bench/accounting.bench.ts [python with the peers installed]
import { spawnSync } from "node:child_process";
import { cpus } from "node:os";
import type { DpEvent } from "@dosimeter/core";
import { calibrate, runningTotal, totalLoss } from "@dosimeter/core/accounting";

const laplace = (epsilon: number): DpEvent => ({ kind: "laplace", noiseMultiplier: 1 / epsilon });
const gaussian = (mu: number): DpEvent => ({ kind: "gaussian", noiseMultiplier: 1 / mu });
const sampled = (rate: number, sigma: number): DpEvent => ({
  kind: "poissonSampled",
  rate,
  event: { kind: "gaussian", noiseMultiplier: sigma },
});
type Spend = readonly [number, DpEvent];
const listOf = (spends: readonly Spend[]): readonly DpEvent[] =>
  spends.map(([count, event]) => ({ kind: "repeated", count, event }));

/** 1,000 distinct events: 500 Laplace and 500 Gaussian, no two alike. */
const distinct: readonly Spend[] = Array.from(
  { length: 1000 },
  (_, i) => [1, i % 2 === 0 ? laplace(0.01 + i * 2e-5) : gaussian(0.01 + i * 2e-5)] as const,
);
const training: readonly Spend[] = [[10_000, sampled(0.004, 1.1)]];
const million: readonly Spend[] = [
  [500_000, laplace(0.0005)],
  [300_000, laplace(0.001)],
  [200_000, gaussian(0.001)],
];
const totals = [
  { name: "a", what: "1,000 distinct Laplace and Gaussian events", spends: distinct, delta: 1e-6, steps: [1e-3] },
  {
    name: "b",
    what: "10⁴ Poisson-sampled Gaussians (q = .004, σ = 1.1)",
    spends: training,
    delta: 1e-5,
    steps: [1e-4],
  },
  { name: "c", what: "10⁶ spends in three classes", spends: million, delta: 1e-6, steps: [1e-4] },
] as const;
const oneMore = {
  history: [
    [5000, laplace(0.01)],
    [3000, laplace(0.02)],
    [2000, gaussian(0.01)],
  ] as readonly Spend[],
  event: laplace(0.015),
  delta: 1e-6,
};
const calibration = { rate: 0.01, count: 1000, epsilon: 2, delta: 1e-5 };

const rows: {
  readonly case: string;
  readonly who: string;
  readonly ms: number;
  readonly value: number;
  readonly truth: number;
  readonly note: string;
}[] = [];

/** Median milliseconds of a run, after as many to warm up. */
function median<T>(repeats: number, run: (i: number) => T): { readonly ms: number; readonly value: T } {
  const times: number[] = [];
  let value = run(-1);
  for (let i = 0; i < repeats; i++) run(-2 - i);
  for (let i = 0; i < repeats; i++) {
    const start = process.hrtime.bigint();
    value = run(i);
    times.push(Number(process.hrtime.bigint() - start) / 1e6);
  }
  return { ms: times.sort((x, y) => x - y)[Math.floor(repeats / 2)] ?? Number.NaN, value };
}

const truths = new Map<string, number>();
for (const { name, spends, delta } of totals) {
  const events = listOf(spends);
  const before = process.memoryUsage().rss;
  const { ms, value } = median(9, () => totalLoss(events, { delta }, "pld"));
  const grown = (process.memoryUsage().rss - before) / 2 ** 20;
  const truth = (value.epsilon + (value.lower ?? value.epsilon)) / 2;
  truths.set(name, truth);
  rows.push({
    case: name,
    who: "dosimeter pld",
    ms,
    value: value.epsilon,
    truth,
    note: `width ${((value.epsilon - (value.lower ?? 0)) / truth).toExponential(1)}, +${grown.toFixed(0)} MB`,
  });
}

const single = Array.from({ length: 1_000_000 }, (_, i) =>
  (i < 500_000 ? laplaceA : i < 800_000 ? laplaceB : gaussianC)(),
);
const spelled = median(3, () => totalLoss(single, { delta: 1e-6 }, "pld").epsilon);
rows.push({
  case: "c",
  who: "dosimeter pld, one object a spend",
  ms: spelled.ms,
  value: spelled.value,
  truth: truths.get("c") ?? Number.NaN,
  note: "10⁶ events listed singly",
});

const running = runningTotal({ epsilon: 8, delta: oneMore.delta });
for (const [count, event] of oneMore.history) running.add(event, count);
const fresh = median(40, (i) => {
  running.add(laplace(0.015 + i * 1e-6));
  return running.epsilon(oneMore.delta);
});
const truthOneMore = totalLoss([...listOf(oneMore.history), oneMore.event], { delta: oneMore.delta }, "pld");
truths.set("d", truthOneMore.epsilon);
const settled = runningTotal({ epsilon: 8, delta: oneMore.delta });
for (const [count, event] of oneMore.history) settled.add(event, count);
settled.add(oneMore.event);
const exact = settled.epsilon(oneMore.delta);
rows.push({
  case: "d",
  who: "dosimeter running total, a new class each",
  ms: fresh.ms,
  value: exact,
  truth: truthOneMore.epsilon,
  note: "one more spend on 10⁴, and readout",
});
const cached = median(40, () => {
  running.add(oneMore.event);
  return running.epsilon(oneMore.delta);
});
rows.push({
  case: "d",
  who: "dosimeter running total, a known class",
  ms: cached.ms,
  value: exact,
  truth: truthOneMore.epsilon,
  note: "",
});

const template = {
  kind: "repeated",
  count: calibration.count,
  event: { kind: "poissonSampled", rate: calibration.rate, event: { kind: "gaussian" } },
};
const found = median(3, () => calibrate(template, calibration).value);
truths.set("e", found.value);
rows.push({
  case: "e",
  who: "dosimeter calibrate",
  ms: found.ms,
  value: found.value,
  truth: found.value,
  note: "certified at the returned double",
});

const question = JSON.stringify({ totals, oneMore, calibrate: calibration });
const python = process.argv[2] ?? "python3";
const peers = spawnSync(python, [new URL("peers/accountants.py", import.meta.url).pathname, question], {
  encoding: "utf8",
  maxBuffer: 2 ** 26,
});
if (peers.error !== undefined || peers.stdout === "")
  console.log(`peers skipped: ${peers.error?.message ?? peers.stderr.split("\n").at(-2)}`);
for (const line of (peers.stdout ?? "").split("\n").filter((text) => text.startsWith("{"))) {
  const row = JSON.parse(line.replaceAll(/\b(NaN|-?Infinity)\b/g, "null")) as {
    case: string;
    peer: string;
    ms?: number;
    value?: number;
    skipped?: string;
  };
  if (row.skipped !== undefined) console.log(`skipped: ${row.peer} on ${row.case}: ${row.skipped}`);
  else
    rows.push({
      case: row.case,
      who: row.peer,
      ms: row.ms ?? Number.NaN,
      value: row.value ?? Number.NaN,
      truth: truths.get(row.case) ?? Number.NaN,
      note: "",
    });
}

console.log(`\n${cpus()[0]?.model ?? "unknown processor"}, Node ${process.version}`);
console.log("| case | accountant | ms | value | error | |\n| --- | --- | --- | --- | --- | --- |");
for (const row of rows.sort((x, y) => x.case.localeCompare(y.case))) {
  const error = (row.value / row.truth - 1) * 100;
  console.log(
    `| ${row.case} | ${row.who} | ${row.ms.toFixed(row.ms < 10 ? 3 : 0)} | ${row.value.toPrecision(10)} | ${error >= 0 ? "+" : ""}${error.toPrecision(2)} % | ${row.note} |`,
  );
}

function laplaceA(): DpEvent {
  return laplace(0.0005);
}
function laplaceB(): DpEvent {
  return laplace(0.001);
}
function gaussianC(): DpEvent {
  return gaussian(0.001);
}
