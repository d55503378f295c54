// Trade-off functions: evaluation, hulls, estimates and composition, compared with the times that the R package `fdp` 1.0.0 was
// measured at elsewhere (R is not on this machine).
// Run: npx node bench/tradeoff.bench.ts
import { cpus } from "node:os";
import {
  compose,
  epsdelta,
  estEpsdelta,
  estGdp,
  fromPoints,
  gdp,
  lap,
  leastEpsilon,
  selfCompose,
  subsample,
  type TradeoffFunction,
} from "@dosimeter/tradeoff";
import { hullIndices } from "../packages/tradeoff/src/points.ts";

const ROUNDS = 5;

/** Processor time, in ms: it says the same on a machine that others use too. */
function median(run: () => unknown, rounds = ROUNDS): number {
  run();
  const times = Array.from({ length: rounds }, () => {
    const start = process.cpuUsage();
    run();
    const { user, system } = process.cpuUsage(start);
    return (user + system) / 1000;
  });
  return times.sort((a, b) => a - b)[times.length >> 1] ?? Number.NaN;
}

const ms = (value: number): string =>
  value < 0.1 ? `${(value * 1000).toPrecision(3)} µs` : `${value.toPrecision(3)} ms`;

const alphas = Array.from({ length: 1_000_000 }, (_, i) => (i + 0.5) / 1_000_000);
const evaluate = (curve: TradeoffFunction) => () => {
  let sum = 0;
  for (const alpha of alphas) sum += curve.beta(alpha);
  return sum;
};
const alpha = Float64Array.from({ length: 1_000_000 }, (_, i) => i / 999_999);
const beta = alpha.map((a, i) => (1 - a) * (1 - a) * (1 + 1e-3 * Math.sin(i)));
const shuffled = Float64Array.from(alpha, (_, i) => ((i * 7919) % 1_000_000) / 999_999);
const rows = Array.from({ length: 5001 }, (_, i) => [i / 5000, (1 - i / 5000) ** 2] as const);
const mixed = Array.from({ length: 1000 }, (_, i) => (i % 2 === 0 ? lap(0.02 + i / 20_000) : gdp(0.02 + i / 20_000)));
const classes = [selfCompose(400, lap(0.05)), selfCompose(300, gdp(0.05)), selfCompose(300, epsdelta(0.03))];

console.log(`Node ${process.versions.node}, ${cpus().length} × ${cpus()[0]?.model}`);
const table: (readonly [string, number, number?])[] = [
  ["10⁶ α of (1, 0.01)-DP", median(evaluate(epsdelta(1, 0.01)))],
  ["10⁶ α of 1-GDP", median(evaluate(gdp(1)))],
  ["10⁶ α of 1-Laplace", median(evaluate(lap(1)))],
  ["10⁶ α of 0.1-subsampled 1-GDP", median(evaluate(subsample(0.1, gdp(1))), 1)],
  ["lower hull of 10⁶ points, sorted", median(() => hullIndices(alpha, beta))],
  ["lower hull of 10⁶ points, in any order", median(() => hullIndices(shuffled, beta))],
  ["curve of 5,001 rows (R: fdp() of them, 8.9 s)", median(() => fromPoints(rows)), 8900],
  ["estGdp of 1-Laplace, 9 digits (R: 14.1 s)", median(() => estGdp(lap(1), { digits: 9 })), 14_100],
  ["estGdp of 5,001 rows, 9 digits", median(() => estGdp(rows, { digits: 9 }))],
  ["estGdp of a subsampled Gaussian, 9 digits", median(() => estGdp(subsample(0.1, lap(1)), { digits: 9 }))],
  ["estEpsdelta of 1-GDP, δ = 10⁻⁵, 9 digits", median(() => estEpsdelta(gdp(1), { delta: 1e-5, digits: 9 }))],
  [
    "1,000-fold composition: 500 distinct Laplace, 500 Gaussian, ε at δ = 10⁻⁶",
    median(() => leastEpsilon(compose(mixed), 1e-6), 3),
  ],
  ["the same, and the power at α = 10⁻⁵", median(() => compose(mixed).power(1e-5), 3)],
  ["1,000-fold composition: three classes, ε at δ = 10⁻⁶", median(() => leastEpsilon(compose(classes), 1e-6), 3)],
  ["1,000-fold (0.03, 0)-DP, exact", median(() => selfCompose(1000, epsdelta(0.03)), 1)],
];
for (const [name, time, theirs] of table) {
  console.log(
    `| ${name} | ${ms(time)} | ${theirs === undefined ? "" : `${Math.round(theirs / time).toLocaleString("en")}×`} |`,
  );
}
const whole = compose(mixed);
for (const delta of [1e-3, 1e-6]) {
  const [above, below] = [leastEpsilon(whole, delta), whole.upper === null ? 0 : leastEpsilon(whole.upper, delta)];
  console.log(`ε at δ = ${delta} of the mixed 1,000: between ${below.toPrecision(8)} and ${above.toPrecision(8)}`);
}
