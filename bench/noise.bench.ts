// Draws per second of processor time (user + system: a busy machine does not change it), words from the operating system.
// Aim: 2 M discrete Laplace draws a second on one core.
// Run: npx node bench/noise.bench.ts
import { randomFillSync } from "node:crypto";
import { cpus } from "node:os";
import { parseRational, secureRandom } from "@dosimeter/core";
import { gaussianSampler, laplaceSampler } from "@dosimeter/core/internal";

const ROUNDS = 7;
const DRAWS = 500_000;
const random = secureRandom((words) => {
  randomFillSync(words);
});

const rows = [
  ...["10/3", "20", "1370000/3", "30000000000"].map((scale) => ({
    noise: "discrete Laplace",
    parameter: scale,
    sample: laplaceSampler(parseRational(scale)),
  })),
  ...["10/3", "1370000/3"].map((sigma) => ({
    noise: "rounded Gaussian",
    parameter: sigma,
    sample: gaussianSampler(parseRational(sigma)),
  })),
];

console.log(
  `${cpus()[0]?.model ?? "unknown processor"}, Node ${process.version}, median of ${ROUNDS} × ${DRAWS} draws`,
);
for (const { noise, parameter, sample } of rows) {
  const rates: number[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    const start = process.cpuUsage();
    for (let i = 0; i < DRAWS; i++) sample(random);
    const { user, system } = process.cpuUsage(start);
    rates.push(DRAWS / (user + system));
  }
  rates.sort((a, b) => a - b);
  console.log(`${noise} ${parameter}: ${(rates[ROUNDS >> 1] ?? Number.NaN).toFixed(2)} M/s`);
}
