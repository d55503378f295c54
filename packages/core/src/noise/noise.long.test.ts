import { randomInt } from "node:crypto";
import { expect, test } from "vitest";
import { parseRational } from "../amounts/rational.ts";
import { chiSquarePValue, SIGNIFICANCE } from "./chi-square.kit.ts";
import { gaussianPmf, gaussianSampler } from "./gaussian.ts";
import { laplacePmf, laplaceSampler } from "./laplace.ts";
import { seededRandom } from "./seeded-random.ts";

const DRAWS = 2_000_000;

/** Fresh seeds on every run; each test fails a correct sampler once in a million runs. */
test.each([
  ["laplace", "1/3"],
  ["laplace", "1"],
  ["laplace", "77/10"],
  ["gaussian", "2/5"],
  ["gaussian", "1"],
  ["gaussian", "77/10"],
] as const)("%s noise of scale %s over two million draws and a fresh seed", (noise, text) => {
  const seed = randomInt(2 ** 31);
  const random = seededRandom(seed);
  const scale = parseRational(text);
  const value = Number(scale.numerator) / Number(scale.denominator);
  const sample = noise === "laplace" ? laplaceSampler(scale) : gaussianSampler(scale);
  const pmf = noise === "laplace" ? laplacePmf : gaussianPmf;
  const draws = Array.from({ length: DRAWS }, () => sample(random));
  expect(
    chiSquarePValue(draws, (k) => pmf(value, k)),
    `seed ${seed}`,
  ).toBeGreaterThan(SIGNIFICANCE);
});
