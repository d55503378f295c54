// What 200 random trainings with DP-SGD cost here, with dp_accounting, with Opacus, and as sums of (ε, δ).
// Run: node --disable-warning=ExperimentalWarning bench/outside.bench.ts; bench/peers/dp-sgd.py writes what the others say.
import { planPrice } from "@dosimeter/core/accounting";
import { priceOf, stepsOf, sumOfChunks, type Training, trainings } from "../packages/core/src/accounting/dp-sgd.kit.ts";

const CHUNKS = [1, 5, 20, 100, 1000];

const quantile = (values: readonly number[], share: number): number =>
  [...values].sort((a, b) => a - b)[Math.round(share * (values.length - 1))] ?? Number.NaN;
const spread = (values: readonly number[], show: (x: number) => string): string =>
  [0, 0.5, 1].map((share) => show(quantile(values, share))).join(" | ");
const times = (x: number): string => x.toFixed(2);
const parts = (x: number): string => x.toExponential(1);

const start = process.cpuUsage();
const prices = trainings.map(priceOf);
const { user, system } = process.cpuUsage(start);
const against = (read: (training: Training) => number | undefined): readonly number[] =>
  trainings.flatMap((training, i) => {
    const theirs = read(training);
    return theirs === undefined ? [] : [(prices[i] ?? Number.NaN) / theirs - 1];
  });

console.log(`${trainings.length} trainings, ${((user + system) / 1000 / trainings.length).toFixed(0)} ms each\n`);
console.log("| ours ÷ theirs − 1 | least | median | most |\n|---|---|---|---|");
console.log(
  `| dp_accounting PLD, from above | ${spread(
    against(({ pld }) => pld),
    parts,
  )} |`,
);
console.log(
  `| Opacus PRV, from above | ${spread(
    against(({ prv }) => prv?.[1]),
    parts,
  )} |`,
);
console.log(
  `| Opacus PRV, from below | ${spread(
    against(({ prv }) => prv?.[0]),
    parts,
  )} |`,
);
console.log("\n| charged in chunks, (ε, δ) summed ÷ one plan | least | median | most |\n|---|---|---|---|");
for (const chunks of CHUNKS) {
  const able = trainings.flatMap((training, i) =>
    training.steps < chunks ? [] : [sumOfChunks(training, chunks) / (prices[i] ?? Number.NaN)],
  );
  console.log(`| ${chunks} (${able.length} trainings) | ${spread(able, times)} |`);
}
const everyStep = trainings.map((training, i) => sumOfChunks(training, training.steps) / (prices[i] ?? Number.NaN));
console.log(`| every step | ${spread(everyStep, times)} |`);

/** μ² that a tight ledger of μ² = 25 counts for `chunks` equal parts, each a plan at its share of η = 10⁻⁷ [M55]. */
function tightCost(training: Training, chunks: number): number {
  let left = 25;
  const part = [stepsOf(training, Math.ceil(training.steps / chunks))];
  for (let i = 0; i < chunks; i++) left -= planPrice(part, { mu2: left, eta: 1e-7 / chunks }).cost;
  return 25 - left;
}
const some = trainings.filter((_, i) => i % 50 === 0).filter((training) => tightCost(training, 1) < 10);
console.log("\n| charged in chunks under `tight`, μ² ÷ one plan | least | median | most |\n|---|---|---|---|");
for (const chunks of [5, 20]) {
  const whole = some.map((training) =>
    tightCost({ ...training, steps: chunks * Math.ceil(training.steps / chunks) }, 1),
  );
  const factors = some.map((training, i) => tightCost(training, chunks) / (whole[i] ?? Number.NaN));
  console.log(`| ${chunks} (${some.length} trainings) | ${spread(factors, (x) => x.toFixed(4))} |`);
}
