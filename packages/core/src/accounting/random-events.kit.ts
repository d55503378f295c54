import type { DpEvent } from "../event.ts";
import { seededRandom } from "../noise/seeded-random.ts";

type Draw = () => number;

/** A number of `digits` significant digits between two powers of ten: short in a report, and no double of its own. */
const power = (unit: Draw, from: number, to: number, digits = 4): number =>
  Number((10 ** (from + (to - from) * unit())).toPrecision(digits));

const pick = <T>(unit: Draw, among: readonly T[]): T => among[Math.floor(among.length * unit())] as T;

const noise: readonly ((unit: Draw) => DpEvent)[] = [
  (unit) => ({ kind: "gaussian", noiseMultiplier: power(unit, -1, 2.5) }),
  (unit) => ({ kind: "laplace", noiseMultiplier: power(unit, -1, 2.5) }),
];

const leaves: readonly ((unit: Draw) => DpEvent)[] = [
  ...noise,
  (unit) => ({ kind: "pure", epsilon: power(unit, -3, 0.7) }),
  (unit) => ({ kind: "approximate", epsilon: power(unit, -3, 0.5), delta: power(unit, -12, -1) }),
  (unit) => ({ kind: "discreteLaplace", scale: power(unit, -0.5, 2.5), sensitivity: Math.ceil(power(unit, 0, 1.3)) }),
  (unit) => ({ kind: "discreteGaussian", sigma: power(unit, -0.3, 2), sensitivity: Math.ceil(power(unit, 0, 0.7)) }),
  (unit) => ({ kind: "randomizedResponse", epsilon: power(unit, -2, 0.7), categories: 2 + Math.floor(5 * unit()) }),
  (unit) => ({ kind: "exponential", epsilon: power(unit, -2, 0.5) }),
  (unit) => ({ kind: "gdp", mu: power(unit, -2, 0.7) }),
];

const poisson = (unit: Draw): DpEvent => ({
  kind: "poissonSampled",
  rate: power(unit, -4, -0.1),
  event: pick(unit, unit() < 0.7 ? noise : leaves.slice(0, 5))(unit),
});

const withoutReplacement = (unit: Draw): DpEvent => {
  const population = Math.ceil(power(unit, 2, 6));
  return {
    kind: "sampledWithoutReplacement",
    size: Math.max(1, Math.ceil(population * power(unit, -3, -0.2))),
    population,
    event: pick(unit, noise)(unit),
  };
};

/** Lists that an exact engine can compose: at most 40 pure and approximate events of at most three kinds. */
export function randomPairs(seed: number): readonly DpEvent[] {
  const random = seededRandom(seed);
  const unit: Draw = () => random.uint32() / 2 ** 32;
  return Array.from({ length: 1 + Math.floor(3 * unit()) }, () => ({
    kind: "repeated",
    count: Math.ceil(12 * unit()),
    event: (pick(unit, leaves.slice(2, 4)) as (typeof leaves)[number])(unit),
  }));
}

/** One to four events of mixed kinds, most of them repeated; a list has one relation between neighbours only. */
export function randomEvents(seed: number): readonly DpEvent[] {
  const random = seededRandom(seed);
  const unit: Draw = () => random.uint32() / 2 ** 32;
  const sampled = unit() < 0.6 ? poisson : withoutReplacement;
  const shared = unit() < 0.7 ? [sampled] : [];
  return Array.from({ length: 1 + Math.floor(4 * unit()) }, () => {
    const event = (unit() < 0.4 && shared.length > 0 ? sampled : pick(unit, leaves))(unit);
    return unit() < 0.35 ? event : { kind: "repeated", count: Math.ceil(power(unit, 0, 3.3)), event };
  });
}

/** Lists whose δ is an integral of a closed form: Gaussians, and in two of three lists a Laplace mechanism or a sampled Gaussian. */
export function randomNoise(seed: number): readonly DpEvent[] {
  const random = seededRandom(seed);
  const unit: Draw = () => random.uint32() / 2 ** 32;
  const gaussian = (): DpEvent => ({ kind: "gaussian", noiseMultiplier: power(unit, -0.3, 1.5) });
  const others: readonly ((unit: Draw) => readonly DpEvent[])[] = [
    () => [],
    () => [{ kind: "laplace", noiseMultiplier: power(unit, -0.3, 1.5) }],
    () => [{ kind: "poissonSampled", rate: power(unit, -3, -0.1), event: gaussian() }],
  ];
  const other = others[seed % 3]?.(unit) ?? [];
  return [{ kind: "repeated", count: Math.ceil(power(unit, 0, 2)), event: gaussian() }, ...other];
}
