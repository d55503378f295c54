import { type EpsilonAmount, parseRational, type Random } from "@dosimeter/core";
import { below, gaussianSampler, laplaceSampler } from "@dosimeter/core/internal";
import { seededRandom } from "@dosimeter/core/testing";
import { gaussianNoise, laplaceNoise } from "../../noise/noise-at.ts";
import type { Noise } from "../../plan/bounded.ts";
import type { Design } from "../../plan/task.ts";
import { designOf, integersOf, powersOf, rowOf } from "./design.ts";
import { linearHalfWidth, readLinear } from "./linear.ts";
import {
  correlationHalfWidth,
  covarianceHalfWidth,
  pairForms,
  readCorrelation,
  readCovariance,
  readSlope,
  slopeHalfWidth,
} from "./moments.ts";

const PEOPLE = 10_000;
const columns = (count: number): { column: string; lower: number; upper: number }[] =>
  Array.from({ length: count }, (_, i) => ({ column: `c${i}`, lower: 0, upper: 1 }));
const own = new Array<bigint>(6).fill(1n << 20n);

const noiseFor = (design: Design, price: { epsilon: number } | { rho: number }): Noise => {
  const { l1, l2Squared, linf } = rowOf(design);
  return "epsilon" in price
    ? laplaceNoise(BigInt(Math.round(price.epsilon * 1e12)) as EpsilonAmount, { l1, l2Squared, linf })
    : gaussianNoise(BigInt(Math.round(price.rho * 2e12)) as never, { l1, l2Squared, linf });
};

/** Positions in [0, 1]: the first is the outcome; those of the predictors are within `spread` of one another. */
function people(
  random: Random,
  predictors: number,
  slope: number,
  { count = PEOPLE, spread = 1 }: { readonly count?: number; readonly spread?: number } = {},
): readonly (readonly number[])[] {
  const uniform = (): number => below(2 ** 30, random) / 2 ** 30;
  return Array.from({ length: count }, () => {
    const xs = Array.from({ length: predictors }, () => 0.5 + spread * (uniform() - 0.5));
    const line = xs.reduce((sum, x, i) => sum + (slope / (i + 1)) * (x - 0.5), 0.5);
    return [Math.min(1, Math.max(0, line + 0.2 * (uniform() - 0.5))), ...xs];
  });
}

interface Table {
  readonly exact: readonly bigint[];
  /** Rows on the scale of the bounds, [−1, 1], as on the grid. */
  readonly scaled: readonly (readonly number[])[];
}
function tableOf(design: Design, rows: readonly (readonly number[])[]): Table {
  const ticks = rows.map((row) => row.map((x, i) => BigInt(Math.round(x * Number(design.axes[i]?.steps ?? 1n)))));
  const sums = powersOf(design).map((powers) =>
    ticks.reduce((sum, row) => sum + row.reduce((product, t, at) => product * t ** BigInt(powers[at] ?? 0), 1n), 0n),
  );
  return {
    exact: integersOf(design, sums),
    scaled: ticks.map((row) => row.map((t, i) => (2 * Number(t)) / Number(design.axes[i]?.steps ?? 1n) - 1)),
  };
}

const drawn = (exact: readonly bigint[], noise: Noise, random: Random): readonly number[] => {
  const draw = noise.kind === "laplace" ? laplaceSampler(noise.scale) : gaussianSampler(noise.sigma);
  return exact.map((value) => Number(value + draw(random)));
};
const mean = (values: readonly number[]): number => values.reduce((a, b) => a + b, 0) / values.length;
const product = (rows: readonly (readonly number[])[], i: number, j: number): number => {
  const [a, b] = [mean(rows.map((row) => row[i] ?? 0)), mean(rows.map((row) => row[j] ?? 0))];
  return mean(rows.map((row) => ((row[i] ?? 0) - a) * ((row[j] ?? 0) - b)));
};

const drawsOf = (family: "laplace" | "gaussian"): { readonly epsilon: number } | { readonly rho: number } =>
  family === "laplace" ? { epsilon: 0.2 } : { rho: 0.02 };

interface Coverage {
  readonly name: "covariance" | "correlation" | "slope";
  readonly missed: number;
  readonly width: number;
  readonly quoted: number;
}

/** How often the 90 % intervals of two columns of 10,000 people miss the true value. */
export function coverageOf(family: "laplace" | "gaussian", draws: number, seed = 121): readonly Coverage[] {
  const design = designOf(columns(2), own, family);
  const noise = noiseFor(design, drawsOf(family));
  const random = seededRandom(seed);
  const { exact, scaled } = tableOf(design, people(random, 1, 0.6));
  const truth = {
    covariance: product(scaled, 0, 1),
    correlation: product(scaled, 0, 1) / Math.sqrt(product(scaled, 0, 0) * product(scaled, 1, 1)),
    slope: product(scaled, 0, 1) / product(scaled, 1, 1),
  };
  const readers = {
    covariance: (s: readonly number[]) => readCovariance(s, design, noise, 0.1),
    correlation: (s: readonly number[]) => readCorrelation(s, design, noise, 0.1),
    slope: (s: readonly number[]) => readSlope(s, design, noise, 0.1, 1000),
  };
  const quotes = {
    covariance: covarianceHalfWidth(design, noise, PEOPLE, 0.1),
    correlation: correlationHalfWidth(design, noise, PEOPLE, 0.1),
    slope: slopeHalfWidth(design, noise, PEOPLE, 0.1, 1000),
  };
  return (["covariance", "correlation", "slope"] as const).map((name) => {
    let [missed, width] = [0, 0];
    for (let i = 0; i < draws; i++) {
      const { interval } = readers[name](drawn(exact, noise, random));
      if (truth[name] < interval[0] || truth[name] > interval[1]) missed += 1;
      width += (interval[1] - interval[0]) / draws;
    }
    return { name, missed, width, quoted: quotes[name] };
  });
}

interface LineCoverage {
  readonly name: string;
  readonly missed: number;
  readonly reliable: number;
  readonly quoted: number;
  /** The largest half-width. */
  readonly largest: number;
}

/** Least squares on the rows themselves, by the same reader without noise. */
export function lineCoverage(
  family: "laplace" | "gaussian",
  predictors: number,
  draws: number,
  { seed = 122, spread = 1 }: { readonly seed?: number; readonly spread?: number } = {},
): readonly LineCoverage[] {
  const design = designOf(columns(predictors + 1), own, family);
  // More integers need more noise: a price that keeps the answers useful.
  const noise = noiseFor(design, family === "laplace" ? { epsilon: predictors } : { rho: 0.05 * predictors });
  const random = seededRandom(seed);
  const { exact } = tableOf(design, people(random, predictors, 0.5, { spread }));
  const unit = Array.from({ length: predictors + 1 }, (_, i) =>
    Array.from({ length: predictors + 1 }, (_, j) => Number(i === j)),
  );
  const silent: Noise = { kind: "laplace", epsilon: 1n as EpsilonAmount, scale: parseRational("0.000001") };
  const truth = readLinear(exact.map(Number), design, silent, 0.1, unit).coefficients.map(({ value }) => value);
  const counts = truth.map(() => ({ missed: 0, largest: 0 }));
  let [missedAny, missedMarked] = [0, 0];
  let reliable = 0;
  for (let i = 0; i < draws; i++) {
    const fit = readLinear(drawn(exact, noise, random), design, noise, 0.1, unit);
    const isBounded = fit.coefficients.every(({ halfWidth }) => Number.isFinite(halfWidth));
    if (isBounded) reliable += 1;
    const misses = fit.coefficients.map(({ value, halfWidth }, at) => Math.abs(value - (truth[at] ?? 0)) > halfWidth);
    if (misses.includes(true)) missedAny += 1;
    if (isBounded && misses.includes(true)) missedMarked += 1;
    fit.coefficients.forEach(({ halfWidth }, at) => {
      const count = counts[at];
      if (count === undefined) return;
      if (misses[at] === true) count.missed += 1;
      count.largest = Math.max(count.largest, halfWidth);
    });
  }
  const quoted = linearHalfWidth(design, noise, PEOPLE, 0.1, 2);
  const rows = counts.map((count, at) => ({
    name: at === 0 ? "intercept" : `slope ${at}`,
    ...count,
    reliable,
    quoted,
  }));
  const all = { largest: 0, reliable, quoted };
  return [
    ...rows,
    { name: "all at once", missed: missedAny, ...all },
    { name: "all at once where marked reliable", missed: missedMarked, ...all },
  ];
}

interface Errors {
  readonly slope: number;
  readonly correlation: number;
}

/** Root mean squared errors at ε = 1 of one tensor release and of six centred sums that pay ε/6 each. */
export function errorsOf(draws: number): { readonly tensor: Errors; readonly split: Errors } {
  const design = designOf(columns(2), own, "laplace");
  const noise = noiseFor(design, { epsilon: 1 });
  const random = seededRandom(26);
  const { exact, scaled } = tableOf(design, people(random, 1, 0.6));
  const variance = (at: number): number => product(scaled, at, at);
  const slope = product(scaled, 0, 1) / variance(1);
  const correlation = product(scaled, 0, 1) / Math.sqrt(variance(0) * variance(1));
  const sums = [
    PEOPLE,
    ...[0, 1].map((at) => scaled.reduce((sum, row) => sum + (row[at] ?? 0), 0)),
    ...[
      [0, 0],
      [1, 1],
      [0, 1],
    ].map(([i = 0, j = 0]) => scaled.reduce((sum, row) => sum + (row[i] ?? 0) * (row[j] ?? 0), 0)),
  ];
  // Each sum is of numbers within ±1; on a grid of a thousandth its noise is nearly continuous.
  const shared = laplaceSampler(parseRational(String(1000 * sums.length)));
  const square = { tensor: { slope: 0, correlation: 0 }, split: { slope: 0, correlation: 0 } };
  const add = (to: { slope: number; correlation: number }, b: number, r: number): void => {
    to.slope += (b - slope) ** 2 / draws;
    to.correlation += (r - correlation) ** 2 / draws;
  };
  for (let i = 0; i < draws; i++) {
    const released = drawn(exact, noise, random);
    const forms = pairForms(design, 0, 1);
    const of = (weights: readonly number[]): number => weights.reduce((sum, w, at) => sum + w * (released[at] ?? 0), 0);
    const ratio = ([n, x, y, xx, yy, xy]: readonly number[], to: { slope: number; correlation: number }): void => {
      if (
        n === undefined ||
        x === undefined ||
        y === undefined ||
        xx === undefined ||
        yy === undefined ||
        xy === undefined
      )
        return;
      const [vx, vy, c] = [xx / n - (x / n) ** 2, yy / n - (y / n) ** 2, xy / n - (x * y) / n ** 2];
      add(to, c / vy, c / Math.sqrt(vx * vy));
    };
    ratio([forms.one, forms.x, forms.y, forms.xx, forms.yy, forms.xy].map(of), square.tensor);
    ratio(
      sums.map((sum) => sum + Number(shared(random)) / 1000),
      square.split,
    );
  }
  const root = ({ slope: b, correlation: r }: Errors): Errors => ({ slope: Math.sqrt(b), correlation: Math.sqrt(r) });
  return { tensor: root(square.tensor), split: root(square.split) };
}

/** Root mean squared errors of a variance at ε = 1, by n·ε, from one triple and from three centred sums that pay ε/3 each. */
export function varianceErrors(
  middle: number,
  width: number,
  draws: number,
): { readonly triple: number; readonly split: number } {
  const steps = 1000n;
  const random = seededRandom(25);
  const ticks = Array.from({ length: PEOPLE }, () => {
    const y = middle + width * (below(2 ** 30, random) / 2 ** 30 - 0.5);
    return BigInt(Math.round(Math.min(1, Math.max(0, y)) * Number(steps)));
  });
  const total = ticks.reduce((a, b) => a + b, 0n);
  const squares = ticks.reduce((a, b) => a + b * b, 0n);
  const count = BigInt(PEOPLE);
  const row = steps * steps;
  const exact = [count * row - 2n * steps * total + squares, 2n * (steps * total - squares), squares];
  const y = ticks.map((t) => Number(t) / Number(steps));
  const truth = mean(y.map((each) => each * each)) - mean(y) ** 2;
  const noise = laplaceNoise((10n ** 12n) as EpsilonAmount, { l1: row, l2Squared: row * row, linf: row });
  // Of 1, y − ½ and (y − ½)², at most 1, ½ and ¼ in size.
  const sums = [
    PEOPLE,
    ...[(x: number) => x - 0.5, (x: number) => (x - 0.5) ** 2].map((f) => y.reduce((sum, x) => sum + f(x), 0)),
  ];
  const scales = [3, 1.5, 0.75].map((scale) => laplaceSampler(parseRational(String(scale * 1000))));
  const square = { triple: 0, split: 0 };
  for (let i = 0; i < draws; i++) {
    const [a = 0, b = 0, c = 0] = drawn(exact, noise, random);
    const all = a + b + c;
    square.triple += (c / all - ((b / 2 + c) / all) ** 2 - truth) ** 2 / draws;
    const [n = 1, first = 0, second = 0] = sums.map((sum, at) => sum + Number(scales[at]?.(random) ?? 0n) / 1000);
    square.split += (second / n - (first / n) ** 2 - truth) ** 2 / draws;
  }
  return { triple: Math.sqrt(square.triple) * PEOPLE, split: Math.sqrt(square.split) * PEOPLE };
}
