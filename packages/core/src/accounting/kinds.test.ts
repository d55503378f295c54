import { expect, test } from "vitest";
import { mechanismCurve } from "../../../tradeoff/src/mechanism.ts";
import type { DpEvent } from "../event.ts";
import { seededRandom } from "../noise/seeded-random.ts";
import { logGamma, normalCdf } from "../numeric/special.ts";
import { workBudget } from "../work.ts";
import { calibrate } from "./calibrate.ts";
import { lossDistribution } from "./loss-distribution.ts";
import { bandedSquare, treeSquare } from "./matrix.ts";
import { privacyLossDistribution } from "./pld.ts";
import { totalLoss } from "./report.ts";

const times = (count: number, event: DpEvent): readonly DpEvent[] => [{ kind: "repeated", count, event }];
const deltaAt = (event: DpEvent, epsilon: number) => privacyLossDistribution([event]).delta(epsilon);
const epsilonAt = (events: readonly DpEvent[], delta: number): readonly [number, number] => {
  const { epsilon, lower = 0 } = totalLoss(events, { delta }, "pld");
  return [lower, epsilon];
};

type Masses = Map<string, number>;
/** Σ (p − e^ε·q)₊. */
function hockeyStick(p: Masses, q: Masses, epsilon: number): number {
  let sum = 0;
  for (const [key, mass] of p) sum += Math.max(0, mass - Math.exp(epsilon) * (q.get(key) ?? 0));
  return sum;
}

/** How often each answer is given by people with these distributions over answers, all orders being one. */
function shuffledBy(people: readonly (readonly number[])[]): Masses {
  let counts: Masses = new Map([[people[0]?.map(() => 0).join() ?? "", 1]]);
  for (const answers of people) {
    const next: Masses = new Map();
    for (const [key, mass] of counts) {
      answers.forEach((chance, i) => {
        const more = key
          .split(",")
          .map((n, j) => Number(n) + (i === j ? 1 : 0))
          .join();
        next.set(more, (next.get(more) ?? 0) + mass * chance);
      });
    }
    counts = next;
  }
  return counts;
}

/** ε₀-DP reports: k-ary randomised response, and one that is silent most of the time. */
function reports(epsilon: number): readonly (readonly (readonly number[])[])[] {
  const e = Math.exp(epsilon);
  const response = (k: number) =>
    Array.from({ length: k }, (_, x) => Array.from({ length: k }, (_, y) => (x === y ? e : 1) / (e + k - 1)));
  const rare = 0.3;
  const silent = [
    [(rare * e) / (e + 1), rare / (e + 1), 1 - rare],
    [rare / (e + 1), (rare * e) / (e + 1), 1 - rare],
    [rare / (e + 1), rare / (e + 1), 1 - (2 * rare) / (e + 1)],
  ];
  return [response(2), response(3), response(4), silent];
}

test("no shuffled ε₀-DP report among few people loses more than the bound from above", () => {
  for (const epsilon of [0.5, 1, 2]) {
    for (const rows of reports(epsilon)) {
      for (const people of [2, 3, 6]) {
        const event = { kind: "shuffled", epsilon, people } as const;
        for (const other of rows) {
          const all = (own: readonly number[]) => shuffledBy([own, ...Array.from({ length: people - 1 }, () => other)]);
          const [p, q] = [all(rows[0] as number[]), all(rows[1] as number[])];
          for (const share of [0, 0.1, 0.4, 0.8]) {
            const { upper } = deltaAt(event, share * epsilon);
            expect(hockeyStick(p, q, share * epsilon)).toBeLessThanOrEqual(upper);
            expect(hockeyStick(q, p, share * epsilon)).toBeLessThanOrEqual(upper);
          }
        }
      }
    }
  }
});

/** δ of the pair of clones by its definition. */
function clones(epsilon: number, people: number, at: number): number {
  const [p, q]: [Masses, Masses] = [new Map(), new Map()];
  const put = (to: Masses, heads: number, tails: number, mass: number) =>
    to.set(`${heads}/${tails}`, (to.get(`${heads}/${tails}`) ?? 0) + mass);
  const rate = Math.exp(-epsilon);
  const keep = 1 / (1 + rate);
  for (let c = 0; c < people; c++) {
    for (let heads = 0; heads <= c; heads++) {
      const mass = choose(people - 1, c) * rate ** c * (1 - rate) ** (people - 1 - c) * choose(c, heads) * 0.5 ** c;
      put(p, heads + 1, c - heads, mass * keep);
      put(p, heads, c - heads + 1, mass * (1 - keep));
      put(q, heads + 1, c - heads, mass * (1 - keep));
      put(q, heads, c - heads + 1, mass * keep);
    }
  }
  return hockeyStick(p, q, at);
}

function choose(n: number, k: number): number {
  let product = 1;
  for (let i = 1; i <= k; i++) product *= (n - k + i) / i;
  return product;
}

test("shuffled reports lose as much as their clones, and binary randomised response no more", () => {
  for (const [epsilon, people] of [
    [0.2, 40],
    [1, 40],
    [1, 7],
    [3, 60],
  ] as const) {
    const binary = reports(epsilon)[0] as readonly (readonly number[])[];
    const others = Array.from({ length: people - 1 }, () => binary[0] as readonly number[]);
    const [p, q] = [shuffledBy([binary[1] as number[], ...others]), shuffledBy([binary[0] as number[], ...others])];
    for (const share of [0, 0.05, 0.2, 0.5, 0.9]) {
      const { lower, upper } = deltaAt({ kind: "shuffled", epsilon, people }, share * epsilon);
      const truth = clones(epsilon, people, share * epsilon);
      expect(upper).toBeGreaterThanOrEqual(truth);
      expect(upper).toBeLessThanOrEqual(truth * 1.001 + 1e-12);
      expect(lower).toBeLessThanOrEqual(hockeyStick(p, q, share * epsilon));
      expect(lower).toBeGreaterThan(hockeyStick(p, q, share * epsilon) * (1 - 1e-9) - 1e-15);
    }
  }
});

const logChoose = (n: number, k: number): number => logGamma(n + 1) - logGamma(k + 1) - logGamma(n - k + 1);

test("clones beyond 1,024 that are taken together lie closely above the plain sum", () => {
  const [epsilon, people] = [0.3, 6000];
  const rate = Math.exp(-epsilon);
  const e = Math.exp(epsilon);
  const others = people - 1;
  const middle = others * rate;
  for (const at of [0, 0.01, 0.02, 0.04]) {
    let truth = 0;
    for (let c = Math.floor(middle - 400); c <= middle + 400; c++) {
      const weight = logChoose(others, c) + c * Math.log(rate) + (others - c) * Math.log1p(-rate);
      const all = c + 1;
      for (let k = Math.floor(all / 2); k <= all / 2 + 600; k++) {
        const mass = Math.exp(weight + logChoose(all, k) - c * Math.LN2) / (all * (e + 1));
        truth += Math.max(0, mass * (e * k + all - k - Math.exp(at) * (k + e * (all - k))));
      }
    }
    const { upper } = deltaAt({ kind: "shuffled", epsilon, people }, at);
    expect(upper).toBeGreaterThanOrEqual(truth * (1 - 1e-9));
    expect(upper).toBeLessThanOrEqual(truth * 1.02);
  }
});

test("shuffled reports of up to 10⁹ people, on both sides of 2,000", () => {
  let before = Number.POSITIVE_INFINITY;
  for (const people of [1000, 1999, 2000, 2001, 2500, 1e4, 1e5, 1e6, 1e8, 1e9, 2e9]) {
    const [lower, upper] = epsilonAt([{ kind: "shuffled", epsilon: 1, people }], 1e-6);
    expect(upper).toBeLessThanOrEqual(before);
    expect(upper).toBeLessThan(1.75 * (lower > 0 ? lower : 1));
    // The amplification of many is that of a Gaussian: it falls with the root of their number.
    if (people >= 1e4 && people <= 1e6) expect(upper * Math.sqrt(people)).toBeCloseTo(4.3, -0.5);
    before = upper;
  }
  expect(epsilonAt([{ kind: "shuffled", epsilon: 1, people: 100 }], 0)[1]).toBeCloseTo(1, 12);
});

/** δ of two mixtures in the plane, summed on a fine grid. */
function planar(
  p: readonly (readonly [number, number, number])[],
  q: readonly (readonly [number, number, number])[],
  epsilon: number,
): number {
  const step = 0.05;
  const density = (parts: typeof p, x: number, y: number): number =>
    parts.reduce((sum, [w, a, b]) => sum + (w * Math.exp(-((x - a) ** 2 + (y - b) ** 2) / 2)) / (2 * Math.PI), 0);
  let sum = 0;
  for (let x = -7; x <= 7; x += step)
    for (let y = -7; y <= 7; y += step)
      sum += Math.max(0, density(p, x, y) - Math.exp(epsilon) * density(q, x, y)) * step * step;
  return sum;
}

test("a person replaced in a Poisson sample loses most where the two are opposite", () => {
  const rate = 0.3;
  for (const epsilon of [0, 0.2, 1]) {
    const { upper, lower } = deltaAt({ kind: "poissonReplaced", rate, noiseMultiplier: 1 }, epsilon);
    for (const [length, angle] of [
      [1, Math.PI],
      [1, 2.5],
      [1, 1.6],
      [0.5, Math.PI],
      [0, 0],
    ] as const) {
      const other = [rate, length * Math.cos(angle), length * Math.sin(angle)] as const;
      const [p, q] = [
        [
          [1 - rate, 0, 0],
          [rate, 1, 0],
        ],
        [[1 - rate, 0, 0], other],
      ] as const;
      const found = Math.max(planar(p, q, epsilon), planar(q, p, epsilon));
      expect(found).toBeLessThanOrEqual(upper * (1 + 1e-3));
      if (length === 1 && angle === Math.PI) expect(found).toBeGreaterThanOrEqual(lower * (1 - 1e-3));
    }
  }
});

/**
 * dp_accounting (google/differential-privacy b5b0286e, privacy_loss_distribution_test.py,
 * test_gaussian_varying_standard_deviation_and_sensitivity, REPLACE_ONE): masses of losses rounded up
 * to whole numbers from 0 on, but for the least and the largest, in which theirs gathers what it cuts.
 */
const roundedUp = [
  [1, 1, 0.8, [0.14467727, 0.23519769, 0.26750658]],
  [5, 5, 0.6, [undefined, 0.35647862]],
  [1, 2, 0.4, [undefined, 0.36921424, 0.13256016, 0.08727219]],
  [3, 6, 0.2, [undefined, 0.47280851, 0.06563991]],
] as const;

test.each(roundedUp)(
  "a replaced person's losses are dp_accounting's: σ %d, Δ %d, rate %d",
  (sigma, norm, rate, masses) => {
    const event = { kind: "poissonReplaced", rate, noiseMultiplier: sigma / norm } as const;
    const [piece] = lossDistribution(event, "remove")?.pieces ?? [];
    const below = (loss: number): number => {
      const x = piece?.inverse(loss) ?? Number.NaN;
      return rate * normalCdf(x) + (1 - rate) * normalCdf(x + norm / sigma);
    };
    for (const [loss, mass] of masses.entries())
      if (mass !== undefined) expect(Math.abs(below(loss) - below(loss - 1) - mass)).toBeLessThan(5e-8);
  },
);

test("mixtures in the plane lose no more than those on a line", () => {
  const event = {
    kind: "gaussianMixture",
    noiseMultiplier: 1,
    sensitivities: [0, 1, 2],
    probabilities: [0.5, 0.3, 0.2],
  } as const;
  for (const epsilon of [0, 0.3, 1]) {
    const { upper } = deltaAt(event, epsilon);
    for (const angle of [0, 1, 2, Math.PI]) {
      const p = [
        [0.5, 0, 0],
        [0.3, 1, 0],
        [0.2, 2 * Math.cos(angle), 2 * Math.sin(angle)],
      ] as const;
      const found = Math.max(planar(p, [[1, 0, 0]], epsilon), planar([[1, 0, 0]], p, epsilon));
      expect(found).toBeLessThanOrEqual(upper * (1 + 1e-3));
    }
  }
});

test("kinds agree where one is another", () => {
  const gaussian = { kind: "gaussian", noiseMultiplier: 1.3 } as const;
  const pairs: readonly (readonly [DpEvent, DpEvent])[] = [
    [
      { kind: "gaussianMixture", noiseMultiplier: 1.3, sensitivities: [0, 1], probabilities: [0.98, 0.02] },
      { kind: "poissonSampled", rate: 0.02, event: gaussian },
    ],
    [{ kind: "poissonReplaced", rate: 1, noiseMultiplier: 2.6 }, gaussian],
    [
      { kind: "truncatedPoisson", rate: 0.02, noiseMultiplier: 1.3, batch: 1000, population: 1000 },
      { kind: "poissonSampled", rate: 0.02, event: gaussian },
    ],
    [
      { kind: "bandedMatrix", noiseMultiplier: 1.3, coefficients: [1], steps: 9, participations: 1, separation: 1 },
      gaussian,
    ],
    [{ kind: "treeAggregation", noiseMultiplier: 2.6, steps: 8, participations: 1, separation: 1 }, gaussian],
  ];
  for (const [row, known] of pairs) {
    for (const count of [1, 50]) {
      const [[lower, upper], [least, most]] = [
        epsilonAt(times(count, row), 1e-6),
        epsilonAt(times(count, known), 1e-6),
      ];
      expect(upper / most).toBeCloseTo(1, 9);
      expect(lower / least).toBeCloseTo(1, 9);
    }
  }
});

test("a lower noise, a higher rate or a smaller batch never loses less", () => {
  const truncated = (batch: number): DpEvent => ({
    kind: "truncatedPoisson",
    rate: 0.1,
    noiseMultiplier: 3,
    batch,
    population: 100,
  });
  const [few, some, many] = [10, 25, 60].map((batch) => epsilonAt(times(10, truncated(batch)), 1e-6)[1]) as [
    number,
    number,
    number,
  ];
  expect(few).toBeGreaterThan(some);
  expect(some).toBeGreaterThan(many);
});

/** δ of a truncated sum of parts ±1 or 0 with unit noise, with the last person and without, by summing the density. */
function truncated(parts: readonly number[], rate: number, batch: number): ReadonlyMap<number, number> {
  const sums = new Map<number, number>();
  const put = (sum: number, mass: number) => sums.set(sum, (sums.get(sum) ?? 0) + mass);
  for (let set = 0; set < 2 ** parts.length; set++) {
    const drawn = parts.filter((_, i) => (set >> i) & 1);
    const mass = rate ** drawn.length * (1 - rate) ** (parts.length - drawn.length);
    const kept = subsets(drawn, Math.min(batch, drawn.length));
    for (const some of kept)
      put(
        some.reduce((a, b) => a + b, 0),
        mass / kept.length,
      );
  }
  return sums;
}

function subsets(items: readonly number[], size: number): readonly (readonly number[])[] {
  if (size === 0) return [[]];
  return items.flatMap((item, i) => subsets(items.slice(i + 1), size - 1).map((rest) => [item, ...rest]));
}

function linear(
  p: ReadonlyMap<number, number>,
  q: ReadonlyMap<number, number>,
  epsilon: number,
  sigma: number,
): number {
  const density = (of: ReadonlyMap<number, number>, x: number): number => {
    let sum = 0;
    for (const [mean, mass] of of)
      sum += (mass * Math.exp(-(((x - mean) / sigma) ** 2) / 2)) / (sigma * Math.sqrt(2 * Math.PI));
    return sum;
  };
  let sum = 0;
  for (let x = -14; x <= 14; x += 0.002) sum += Math.max(0, density(p, x) - Math.exp(epsilon) * density(q, x)) * 0.002;
  return sum;
}

test("no truncated sample of few people loses more than the bound from above", () => {
  const [rate, noiseMultiplier] = [0.4, 0.8];
  for (const batch of [1, 2]) {
    const event = { kind: "truncatedPoisson", rate, noiseMultiplier, batch, population: 4 } as const;
    for (const epsilon of [0, 0.5, 1.5]) {
      const { upper, lower } = deltaAt(event, epsilon);
      let most = 0;
      for (const others of [[-1, -1, -1], [1, -1, -1], [1, 1, 1], [0, 0, 0], [-1], []]) {
        const [p, q] = [truncated([...others, 1], rate, batch), truncated(others, rate, batch)];
        most = Math.max(most, linear(p, q, epsilon, noiseMultiplier), linear(q, p, epsilon, noiseMultiplier));
      }
      expect(most).toBeLessThanOrEqual(upper * (1 + 1e-7));
      expect(lower).toBeLessThanOrEqual(most * (1 + 1e-7));
    }
  }
});

/** Permute and flip by its definition: candidates in random order, each accepted by its own coin. */
function permuteAndFlip(scores: readonly number[], epsilon: number): Masses {
  const best = Math.max(...scores);
  const visit = (left: readonly number[]): Masses => {
    const out: Masses = new Map();
    for (const i of left) {
      const accept = Math.exp((epsilon * ((scores[i] as number) - best)) / 2);
      out.set(`${i}`, (out.get(`${i}`) ?? 0) + accept / left.length);
      if (accept < 1)
        for (const [key, mass] of visit(left.filter((j) => j !== i)))
          out.set(key, (out.get(key) ?? 0) + (mass * (1 - accept)) / left.length);
    }
    return out;
  };
  return visit(scores.map((_, i) => i));
}

test("permute and flip by its definition lies in its bracket, which its instance attains", () => {
  for (const epsilon of [0.1, 1, 3]) {
    const event = { kind: "permuteAndFlip", epsilon } as const;
    for (const at of [0, 0.3 * epsilon, 0.8 * epsilon]) {
      const { upper, lower } = deltaAt(event, at);
      for (const [a, b] of [
        [
          [1, 0],
          [0, 1],
        ],
        [
          [0, 0, 0],
          [1, -1, -1],
        ],
        [
          [2, 1, 0],
          [1, 2, 1],
        ],
        [
          [0, 0],
          [1, -1],
        ],
      ] as const)
        expect(hockeyStick(permuteAndFlip(a, epsilon), permuteAndFlip(b, epsilon), at)).toBeLessThanOrEqual(
          upper * (1 + 1e-12),
        );
      const attained = hockeyStick(permuteAndFlip([1, 0], epsilon), permuteAndFlip([0, 1], epsilon), at);
      expect(lower).toBeLessThanOrEqual(attained + 1e-15);
      expect(lower).toBeGreaterThanOrEqual(attained * (1 - 1e-12) - 1e-15);
    }
  }
});

/** The largest |Σ ±(column)|² over all patterns of participation, columns by their entries. */
function largest(columns: readonly (readonly number[])[], participations: number, separation: number): number {
  let most = 0;
  const visit = (from: number, left: number, sum: readonly number[]): void => {
    most = Math.max(
      most,
      sum.reduce((total, x) => total + x * x, 0),
    );
    if (left === 0) return;
    for (let i = from; i < columns.length; i++)
      for (const sign of [1, -1])
        visit(
          i + separation,
          left - 1,
          sum.map((x, r) => x + sign * (columns[i]?.[r] ?? 0)),
        );
  };
  visit(
    0,
    participations,
    (columns[0] as readonly number[]).map(() => 0),
  );
  return most;
}

test("sensitivities of matrices and trees against all patterns", () => {
  const steps = 8;
  for (const coefficients of [[1], [1, 0.5], [1, -0.5, 0.25], [1, 0.5, 0.375, 0.3125, 0.273]]) {
    for (const [participations, separation] of [
      [1, 1],
      [2, 2],
      [2, 4],
      [3, 3],
      [2, 5],
      [3, 1],
    ] as const) {
      const columns = Array.from({ length: steps }, (_, j) =>
        Array.from({ length: steps }, (_, i) => coefficients[i - j] ?? 0),
      );
      const event = {
        kind: "bandedMatrix",
        noiseMultiplier: 1,
        coefficients,
        steps,
        participations,
        separation,
      } as const;
      const { upper, lower } = bandedSquare(event);
      const truth = largest(columns, participations, separation);
      expect(upper).toBeGreaterThanOrEqual(truth * (1 - 1e-14));
      expect(lower).toBeLessThanOrEqual(truth);
      const isExact =
        coefficients.length <= separation && (participations - 1) * separation + coefficients.length <= steps;
      if (isExact) expect(upper).toBeCloseTo(lower, 12);
    }
  }
  for (const size of [1, 5, 7, 8]) {
    for (const [participations, separation] of [
      [1, 1],
      [2, 2],
      [3, 1],
      [2, 4],
    ] as const) {
      const nodes: (readonly [number, number])[] = [];
      for (let width = 1; width <= size; width *= 2)
        for (let at = 0; at + width <= size; at += width) nodes.push([at, at + width]);
      const columns = Array.from({ length: size }, (_, j) => nodes.map(([a, b]) => (j >= a && j < b ? 1 : 0)));
      const { upper, lower } = treeSquare({
        kind: "treeAggregation",
        noiseMultiplier: 1,
        steps: size,
        participations,
        separation,
      });
      const truth = largest(columns, participations, separation);
      expect(upper).toBeGreaterThanOrEqual(truth);
      expect(lower).toBeLessThanOrEqual(truth);
      if (participations === 1) expect(upper).toBeCloseTo(Math.floor(Math.log2(size)) + 1, 10);
    }
  }
});

test("random allocation to one step is the Gaussian mechanism, to two a mixture in the plane", () => {
  for (const [noiseMultiplier, epsilon] of [
    [0.5, 3],
    [1, 0.5],
    [3, 0.2],
    [20, 0.01],
  ] as const) {
    const { upper, lower } = deltaAt({ kind: "randomAllocation", noiseMultiplier, steps: 1 }, epsilon);
    const mu = 1 / noiseMultiplier;
    const truth = normalCdf(mu / 2 - epsilon / mu) - Math.exp(epsilon) * normalCdf(-mu / 2 - epsilon / mu);
    expect(lower).toBeLessThanOrEqual(truth);
    expect(upper).toBeGreaterThanOrEqual(truth);
    expect(upper).toBeLessThan(lower * 1.003);
  }
  for (const epsilon of [0, 0.3, 1]) {
    const { upper, lower } = deltaAt({ kind: "randomAllocation", noiseMultiplier: 1, steps: 2 }, epsilon);
    const p = [
      [0.5, 1, 0],
      [0.5, 0, 1],
    ] as const;
    const truth = Math.max(planar(p, [[1, 0, 0]], epsilon), planar([[1, 0, 0]], p, epsilon));
    expect(lower).toBeLessThanOrEqual(truth * (1 + 1e-3));
    expect(upper).toBeGreaterThanOrEqual(truth * (1 - 1e-3));
    expect(upper).toBeLessThan(lower * 1.003);
  }
});

test("a Monte Carlo audit of random allocation, false alarm below 10⁻⁹", () => {
  const [steps, mu, runs] = [12, 1.25, 200_000];
  const random = seededRandom(20_261_129);
  const unit = (): number => (random.uint32() + 0.5) / 2 ** 32;
  const normal = (): number => Math.sqrt(-2 * Math.log(unit())) * Math.cos(2 * Math.PI * unit());
  const losses = (isIn: boolean): readonly number[] =>
    Array.from({ length: runs }, () => {
      let sum = 0;
      for (let i = 0; i < steps; i++) sum += Math.exp(mu * (normal() + (isIn && i === 0 ? mu : 0)) - (mu * mu) / 2);
      return Math.log(sum / steps);
    });
  const [p, q] = [losses(true), losses(false).map((l) => -l)];
  // Each value lies in [0, 1]: Hoeffding's bound on the mean, for six of them on two sides.
  const room = Math.sqrt(Math.log(12 / 1e-9) / (2 * runs));
  for (const epsilon of [0.1, 0.5, 1.5]) {
    const mean = (of: readonly number[]): number =>
      of.reduce((sum, l) => sum + Math.max(0, -Math.expm1(epsilon - l)), 0) / runs;
    const { lower, upper } = deltaAt({ kind: "randomAllocation", noiseMultiplier: 1 / mu, steps }, epsilon);
    const most = Math.max(mean(p), mean(q));
    expect(most).toBeLessThanOrEqual(upper + room);
    expect(most).toBeGreaterThanOrEqual(lower - room);
  }
});

test("epochs of random allocation lie below as many Gaussians, and their bracket is narrow", () => {
  for (const [steps, epochs] of [
    [1000, 10],
    [300, 3],
  ] as const) {
    const [lower, upper] = epsilonAt(times(epochs, { kind: "randomAllocation", noiseMultiplier: 0.8, steps }), 1e-6);
    expect(upper).toBeLessThan(epsilonAt(times(epochs, { kind: "gaussian", noiseMultiplier: 0.8 }), 1e-6)[1]);
    expect(upper / lower).toBeLessThan(1.02);
  }
});

test("kinds of the table have a curve, a total with other events, and a relation", () => {
  const replaced: DpEvent = { kind: "poissonReplaced", rate: 0.1, noiseMultiplier: 1 };
  const sampled: DpEvent = { kind: "poissonSampled", rate: 0.1, event: { kind: "gaussian", noiseMultiplier: 1 } };
  expect(() => totalLoss([replaced, sampled], { delta: 1e-6 }, "pld")).toThrow(/^events\[1\] is "addRemove"/);
  const list: readonly DpEvent[] = [
    replaced,
    { kind: "shuffled", epsilon: 1, people: 500 },
    { kind: "laplace", noiseMultiplier: 4 },
  ];
  const [lower, upper] = epsilonAt(list, 1e-6);
  expect(lower).toBeGreaterThan(0.8);
  expect(upper).toBeGreaterThan(lower);
  const { epsilon: renyi } = totalLoss(list, { delta: 1e-6 }, "rdp");
  expect(renyi).toBeGreaterThan(upper);
  for (const event of [...list, { kind: "randomAllocation", noiseMultiplier: 1, steps: 20 } as const]) {
    const curve = mechanismCurve(event);
    for (const epsilon of [0, 0.2]) {
      const { upper: most, lower: least } = deltaAt(event, epsilon);
      const read = Math.max(curve.divergence(epsilon), curve.inverted().divergence(epsilon));
      expect(read).toBeGreaterThanOrEqual(least * (1 - 1e-9));
      expect(read).toBeLessThanOrEqual(most * 1.01 + 1e-9);
    }
  }
});

test("on a sample a kind counts as its simple event, with nothing from below", () => {
  const flips: DpEvent = { kind: "poissonSampled", rate: 0.1, event: { kind: "permuteAndFlip", epsilon: 1 } };
  const pure: DpEvent = { kind: "poissonSampled", rate: 0.1, event: { kind: "pure", epsilon: 1 } };
  expect(epsilonAt([flips], 1e-6)).toEqual([0, epsilonAt([pure], 1e-6)[1]]);
  const drawn = (event: DpEvent): DpEvent => ({ kind: "sampledWithoutReplacement", size: 1, population: 10, event });
  const replaced = drawn({ kind: "poissonReplaced", rate: 0.5, noiseMultiplier: 4 });
  const [lower, upper] = epsilonAt([replaced], 1e-6);
  expect(lower).toBe(0);
  expect(upper).toBeCloseTo(epsilonAt([drawn({ kind: "gdp", mu: 0.5 })], 1e-6)[1], 12);
  expect(mechanismCurve(flips).divergence(0.05)).toBeCloseTo(deltaAt(pure, 0.05).upper, 12);
});

test("a long list of dear kinds is refused on a budget of work", () => {
  const list = Array.from(
    { length: 40 },
    (_, i): DpEvent => ({ kind: "shuffled", epsilon: 1 + i / 100, people: 50_000 }),
  );
  expect(() => totalLoss(list, { delta: 1e-6 }, "pld", { work: workBudget(1e9) })).toThrow(/^work is "more than/);
});

test("kinds are calibrated to a target that they then meet", () => {
  for (const mechanism of [
    { kind: "repeated", count: 100, event: { kind: "poissonReplaced", rate: 0.01 } },
    { kind: "bandedMatrix", coefficients: [1, 0.5], steps: 50, participations: 4, separation: 10 },
    { kind: "permuteAndFlip" },
  ]) {
    const { event, reached } = calibrate(mechanism, { epsilon: 1, delta: 1e-6 });
    expect(reached).toBeLessThanOrEqual(1e-6);
    expect(epsilonAt([event], 1e-6)[1]).toBeCloseTo(1, 6);
  }
});

test.each([
  [1e-17, 1, 1, 1e-18],
  [1e-15, 1, 1, 1e-17],
  [1e-6, 300, 1, 1e-10],
  [1e-6, 300, 1e12, 1e-6],
  [1e-8, 30, 1e12, 1e-6],
] as const)(
  "a mixture at rate %d, noise %d, %d times keeps the digits that 1 − rate loses [M241]",
  (rate, noiseMultiplier, count, delta) => {
    const gaussian = { kind: "gaussian", noiseMultiplier } as const;
    const [least, most] = epsilonAt(times(count, { kind: "poissonSampled", rate, event: gaussian }), delta);
    for (const event of [
      { kind: "gaussianMixture", noiseMultiplier, sensitivities: [0, 1], probabilities: [1 - rate, rate] },
      { kind: "truncatedPoisson", rate, noiseMultiplier, batch: 1, population: 1 },
    ] as const) {
      const [low, high] = epsilonAt(times(count, event), delta);
      expect(high).toBeGreaterThanOrEqual(least);
      expect(low).toBeLessThanOrEqual(most);
      expect(high).toBeLessThanOrEqual(most * (1 + 1e-7));
    }
  },
);

test.each([
  [1 / 36, 2],
  [1 / 32, 2],
  [0.04, 2],
  [0.05, 1_000],
  [0.1, 2],
  [0.2, 1_000],
] as const)(
  "random allocation at noise %d to one of %d steps loses no less than what its own step shows [M245]",
  (noiseMultiplier, steps) => {
    const mu = 1 / noiseMultiplier;
    const pld = privacyLossDistribution([{ kind: "randomAllocation", noiseMultiplier, steps }]);
    const gaussian = privacyLossDistribution([{ kind: "gaussian", noiseMultiplier }]);
    // The mean of all ratios is at least that of the person's own step, over the steps.
    for (let x = mu / 2 + noiseMultiplier * Math.log(steps); x < 39; x += 0.25) {
      const own = mu * (x - mu / 2);
      const epsilon = Math.max(0, own - Math.log(steps));
      const { upper, lower } = pld.delta(epsilon);
      expect(upper).toBeGreaterThanOrEqual(gaussian.delta(epsilon + Math.log(steps)).lower);
      expect(lower).toBeLessThanOrEqual(gaussian.delta(epsilon).upper);
    }
  },
);

test.each([1e-12, 1e-6, 0.3, 1])("a person replaced at rate %d under very much noise [M241]", (rate) => {
  for (const noiseMultiplier of [1e6, 1e9, 1e12]) {
    const { upper, lower } = deltaAt({ kind: "poissonReplaced", rate, noiseMultiplier }, 0);
    // γ(2Φ(μ) − 1), and 1 − μ²/6 is 1.
    const truth = (rate / noiseMultiplier) * Math.sqrt(2 / Math.PI);
    expect(upper).toBeGreaterThanOrEqual(truth * (1 - 1e-12));
    expect(lower).toBeLessThanOrEqual(truth * (1 + 1e-12));
  }
});
