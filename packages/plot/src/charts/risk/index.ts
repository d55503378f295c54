import {
  budgetInterval,
  type CostModel,
  compensationBudget,
  composedFacts,
  costOptimum,
  jointLoss,
  laplaceLoss,
  publishedBothSources,
  publishedModel,
  sampleSize,
} from "@dosimeter/risk";
import type { Chart, ChartSize } from "../../chart.ts";
import type { Point } from "../../frame/marks.ts";
import { formatNumber } from "../../scene/number.ts";
import { lineChart, type Series } from "../line-chart.ts";
import { tall } from "./composition.ts";

export {
  compositionChart,
  factsOf,
  lossChart,
  lossDistributionChart,
  type RiskNoise,
  replicationChart,
} from "./composition.ts";
export { type RangeStep, rangeChart } from "./range.ts";

const POINTS = 101;

const spread = (from: number, to: number, points = POINTS): readonly number[] =>
  Array.from({ length: points }, (_, i) => from + ((to - from) * i) / (points - 1));

const along = (xs: readonly number[], f: (x: number) => number): readonly Point[] => xs.map((x) => [x, f(x)] as const);

/** Figures 1 and 2: the level ε against its risk as published, one line a setting; `exact` adds what is true (k = 1, worst pair). */
export function riskChart(
  spec: {
    readonly settings: readonly { readonly epsilon0: number; readonly k: number }[];
    /** Draws what is true as well: of the pair where one coordinate carries all of Δ, or of one split evenly over the k coordinates. */
    readonly exact?: boolean | "even";
    /** Draws what is true for the first setting only. */
    readonly exactFirst?: boolean;
    readonly marked?: number;
  },
  size: ChartSize,
): Chart {
  const published = spec.settings.map(({ epsilon0, k }): Series => {
    const model = publishedModel({ epsilon0, k });
    return {
      name: `published, ε₀ = ${formatNumber(epsilon0)}, k = ${k}`,
      points: spread(0, epsilon0).map((epsilon) => [model.risk(epsilon), epsilon] as const),
    };
  });
  const truth = trueSettings(spec).flatMap(({ epsilon0, k }): Series[] => {
    const name = `ε₀ = ${formatNumber(epsilon0)}${k > 1 ? `, split over ${k}` : ""}`;
    const loss = k > 1 ? jointLoss({ levels: Array<number>(k).fill(epsilon0 / k) }) : undefined;
    const facts = spread(0, epsilon0 * (1 - 1e-9)).map((epsilon) => ({
      epsilon,
      ...(loss === undefined ? laplaceLoss({ epsilon0, epsilon }) : composedFacts(loss, epsilon)),
    }));
    return [
      { name: `true P(|L| > ε), ${name}`, points: facts.map(({ epsilon, within }) => [1 - within, epsilon] as const) },
      { name: `exact δ(ε), ${name}`, points: facts.map(({ epsilon, delta }) => [delta, epsilon] as const) },
    ];
  });
  const first = spec.settings[0];
  return lineChart(
    {
      title: "What does ε mean? Level against risk",
      x: { label: "Risk: how often the loss is taken to pass the level", domain: [0, 1] },
      y: { label: "Level of privacy at risk, ε", includeZero: true },
      series: [...published, ...truth],
      ...(spec.marked === undefined || first === undefined
        ? {}
        : {
            markers: [
              {
                x: publishedModel(first).risk(spec.marked),
                y: spec.marked,
                label: `ε = ${formatNumber(spec.marked)}`,
              },
            ],
          }),
    },
    tall(size),
  );
}

function trueSettings(spec: {
  readonly settings: readonly { readonly epsilon0: number; readonly k: number }[];
  readonly exact?: boolean | "even";
  readonly exactFirst?: boolean;
}): readonly { readonly epsilon0: number; readonly k: number }[] {
  if (!spec.exact) return [];
  const settings = spec.settings
    .slice(0, spec.exactFirst ? 1 : undefined)
    .map(({ epsilon0, k }) => ({ epsilon0, k: spec.exact === "even" ? k : 1 }));
  return settings.filter(
    (one, i) => settings.findIndex(({ epsilon0, k }) => epsilon0 === one.epsilon0 && k === one.k) === i,
  );
}

/** Figure 4: samples that equation (5) asks for, against 1 − its factor, one line a half-width ρ. */
export function sampleSizeChart(spec: { readonly accuracies: readonly number[] }, size: ChartSize): Chart {
  const factors = spread(0, 1, 102).slice(1, -1);
  return lineChart(
    {
      title: "Samples for an empirical distribution",
      x: { label: "1 − α: the chance that the band fails", domain: [0, 1] },
      y: { label: "Samples", scale: "log" },
      series: spec.accuracies.map((accuracy) => ({
        name: `ρ = ${accuracy}`,
        points: along(factors, (miss) => sampleSize({ accuracy, factor: 1 - miss }).published),
      })),
    },
    tall(size),
  );
}

/** Figures 5 and 6: risk from both sources of randomness as published, one line a (ρ, n). */
export function bothSourcesChart(
  spec: {
    readonly epsilon0: number;
    readonly settings: readonly { readonly accuracy: number; readonly samples: number; readonly ratio: number }[];
  },
  size: ChartSize,
): Chart {
  const { epsilon0 } = spec;
  return lineChart(
    {
      title: "Both sources of randomness, as published",
      x: { label: "Risk", domain: [0, 1] },
      y: { label: "Level of privacy at risk, ε", includeZero: true },
      series: spec.settings.map(({ accuracy, samples, ratio }) => ({
        name: `ρ = ${accuracy}, n = ${formatNumber(samples)}`,
        points: spread(0, epsilon0).map(
          (epsilon) =>
            [publishedBothSources({ epsilon, epsilon0, k: 1, ratio, samples, accuracy }).risk, epsilon] as const,
        ),
      })),
    },
    tall(size),
  );
}

/** Figure 8: expected compensation against the level, its minimum marked; honest weights as further lines. */
export function compensationChart(
  spec: { readonly models: readonly (CostModel & { readonly label: string })[]; readonly budget?: number },
  size: ChartSize,
): Chart {
  const optima = spec.models.map((model) => ({ model, ...costOptimum(model) }));
  const [first] = optima;
  const interval =
    spec.budget === undefined || first === undefined
      ? undefined
      : budgetInterval({ ...first.model, budget: spec.budget });
  const bounds = spec.budget === undefined ? "" : describeInterval(spec.budget, interval);
  return lineChart(
    {
      title: "Expected compensation",
      x: { label: "Level of privacy at risk, ε", includeZero: true },
      y: { label: "Money due to everyone together", includeZero: true },
      series: spec.models.map((model) => ({
        name: model.label,
        points: along(spread(model.epsilon0 / 200, model.epsilon0, 200), (epsilon) =>
          compensationBudget({ ...model, epsilon }),
        ),
      })),
      markers: optima.map(({ epsilon, cost }) => ({ x: epsilon, y: cost, label: `ε* ${formatNumber(epsilon, 3)}` })),
      ...(spec.budget === undefined
        ? {}
        : { references: [{ axis: "y" as const, value: spec.budget, label: "budget" }] }),
      summary: `${optima
        .map(({ model, epsilon, cost, dpCost }) => {
          return `${model.label}: least ${formatNumber(cost)} at ε = ${formatNumber(epsilon)}, against ${formatNumber(dpCost)} at ε₀`;
        })
        .join(". ")}.${bounds}`,
    },
    tall(size),
  );
}

function describeInterval(budget: number, interval: readonly [number, number] | undefined): string {
  if (interval === undefined) return ` A budget of ${formatNumber(budget)} is below every level's cost.`;
  return ` A budget of ${formatNumber(budget)} affords ε from ${formatNumber(interval[0])} to ${formatNumber(interval[1])}.`;
}

/** The sampled distances so far as a distribution function, the chosen order statistic marked. */
export function distancesChart(
  spec: { readonly distances: readonly number[]; readonly level: number; readonly sensitivity: number },
  size: ChartSize,
): Chart {
  const sorted = Float64Array.from(spec.distances).sort();
  const step = Math.max(1, Math.floor(sorted.length / 400));
  const points: Point[] = [];
  for (let i = 0; i < sorted.length; i += step) points.push([sorted[i] ?? 0, (i + 1) / sorted.length]);
  points.push([sorted[sorted.length - 1] ?? 0, 1]);
  return lineChart(
    {
      title: "Sampled sensitivity",
      x: { label: "Distance between the answers of two neighbours", includeZero: true },
      y: { label: "Share of sampled pairs at or below", domain: [0, 1] },
      series: [{ name: `${sorted.length} pairs`, points }],
      markers: [
        {
          x: spec.sensitivity,
          y: spec.level,
          label: `${formatNumber(spec.sensitivity)} at ${formatNumber(spec.level)}`,
        },
      ],
      summary: `${sorted.length} pairs; ${formatNumber(spec.level)} of them lie at or below ${formatNumber(spec.sensitivity)}, the largest at ${formatNumber(sorted[sorted.length - 1] ?? 0)}.`,
    },
    tall(size),
  );
}
