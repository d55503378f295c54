import {
  type ComparisonRow,
  type ComposedLoss,
  composedFacts,
  discreteLaplaceLoss,
  gaussianLoss,
  jointLoss,
  type LossFacts,
  laplaceLoss,
  publishedModel,
  simulationWeight,
} from "@dosimeter/risk";
import type { Chart, ChartSize } from "../../chart.ts";
import { formatNumber } from "../../scene/number.ts";
import { columnChart } from "../bar-chart.ts";
import { lineChart, type Series } from "../line-chart.ts";

/** Charts with long legends need more height than usual. */
export const tall = (size: ChartSize): ChartSize => ({ height: 390, ...size });

/** What noise protects, and how the difference of the neighbours lies. */
export type RiskNoise =
  | { readonly kind: "laplace"; readonly epsilon0: number; readonly k: number; readonly split: "one" | "even" }
  | { readonly kind: "count"; readonly epsilon0: number; readonly sensitivity: number }
  | { readonly kind: "gaussian"; readonly mu: number };

export function factsOf(noise: RiskNoise): (epsilon: number) => LossFacts {
  if (noise.kind === "gaussian") return (epsilon) => gaussianLoss({ mu: noise.mu, epsilon });
  if (noise.kind === "count") return (epsilon) => discreteLaplaceLoss({ ...noise, epsilon });
  const { epsilon0, k, split } = noise;
  if (split === "one" || k === 1) return (epsilon) => laplaceLoss({ epsilon0, epsilon });
  const loss = jointLoss({ levels: Array<number>(k).fill(epsilon0 / k) });
  return (epsilon) => composedFacts(loss, epsilon);
}

/** P(L > ε), 1 − P(|L| ≤ ε) and δ(ε) against ε, with the published risk where the model speaks of that noise. */
export function lossChart(spec: { readonly noise: RiskNoise; readonly marked?: number }, size: ChartSize): Chart {
  const { noise } = spec;
  const most = noise.kind === "gaussian" ? (noise.mu * noise.mu) / 2 + 5 * noise.mu : noise.epsilon0;
  const levels = Array.from({ length: 161 }, (_, i) => (most * i) / 160);
  const facts = factsOf(noise);
  const rows = levels.map((epsilon) => ({ epsilon, ...facts(epsilon) }));
  const line = (name: string, value: (row: (typeof rows)[number]) => number): Series => ({
    name,
    points: rows.map((row) => [row.epsilon, value(row)] as const),
  });
  const published = noise.kind === "laplace" ? publishedModel(noise) : undefined;
  const isScalar = noise.kind === "laplace" && (noise.k === 1 || noise.split === "one");
  return lineChart(
    {
      title: "The loss at each level: published and true",
      x: { label: "Level ε", domain: [0, most] },
      y: { label: "Probability", domain: [0, 1] },
      series: [
        ...(published === undefined ? [] : [line("published risk", (row) => published.risk(row.epsilon))]),
        line("true P(|L| > ε)", (row) => Math.max(0, 1 - row.within)),
        line("true P(L > ε): power of the attack", (row) => row.tail),
        line("exact δ(ε)", (row) => row.delta),
        ...(noise.kind === "laplace" && isScalar
          ? [
              line(
                "1 − simulation weight",
                (row) => 1 - simulationWeight({ epsilon0: noise.epsilon0, epsilon: row.epsilon }),
              ),
            ]
          : []),
      ],
      ...(spec.marked === undefined || spec.marked > most
        ? {}
        : { references: [{ axis: "x" as const, value: spec.marked, label: `ε = ${formatNumber(spec.marked)}` }] }),
    },
    tall(size),
  );
}

/** The law of a loss on a grid in at most `bars` columns; atoms stand out as they are. */
export function lossDistributionChart(
  spec: { readonly title: string; readonly loss: ComposedLoss; readonly bars?: number },
  size: ChartSize,
): Chart {
  const { loss, bars = 25 } = spec;
  const points = loss.probabilities.length;
  const width = Math.max(1, Math.ceil(points / bars));
  const sums: { middle: number; mass: number }[] = [];
  for (let from = 0; from < points; from += width) {
    let mass = 0;
    for (let i = from; i < Math.min(points, from + width); i++) mass += loss.probabilities[i] ?? 0;
    const to = Math.min(points, from + width) - 1;
    sums.push({ middle: ((from + to) / 2 - loss.reach) * loss.step, mass });
  }
  return columnChart(
    {
      title: spec.title,
      names: sums.map(({ middle }) => formatNumber(middle, 3)),
      nameLabel: "loss L",
      valueLabel: "probability",
      series: [{ name: "probability", values: sums.map(({ mass }) => ({ value: mass })) }],
    },
    size,
  );
}

/** Rows of the comparison, computed before they are drawn: the exact line costs a transform each. */
export interface CompositionSpec {
  readonly epsilon0: number;
  readonly delta: number;
  readonly rows: readonly ComparisonRow[];
}

const line = ({ rows }: CompositionSpec, name: string, value: (row: ComparisonRow) => number): Series => ({
  name,
  points: rows.map((row) => [row.count, value(row)] as const),
});

const axes = ({ rows }: CompositionSpec) => ({
  x: { label: "Releases", domain: [1, Math.max(2, rows.at(-1)?.count ?? 2)] as const },
  y: { label: "Total ε", includeZero: true },
});

/** The total ε of n releases: what holds for Laplace noise exactly, for every ε₀-DP mechanism, and by the textbook bounds. */
export function compositionChart(spec: CompositionSpec, size: ChartSize): Chart {
  const last = spec.rows.at(-1);
  return lineChart(
    {
      title: `Composition of releases at ε₀ = ${formatNumber(spec.epsilon0)}, δ = ${formatNumber(spec.delta)}`,
      ...axes(spec),
      series: [
        line(spec, "exact, Laplace noise", (row) => row.exact),
        line(spec, "optimal, any ε₀-DP", (row) => row.optimal),
        line(spec, "zCDP", (row) => row.zcdp),
        line(spec, "basic", (row) => row.basic),
        line(spec, "advanced", (row) => row.advanced),
      ],
      ...(last === undefined
        ? {}
        : {
            summary: `${last.count} releases total ε ${formatNumber(last.exact)} for Laplace noise and at most ${formatNumber(last.holds)} for any ε₀-DP mechanism; basic composition says ${formatNumber(last.basic)}, advanced ${formatNumber(last.advanced)}, zCDP ${formatNumber(last.zcdp)}.`,
          }),
    },
    tall(size),
  );
}

/** Figures 9 to 11 as published: theorem 3.1 and the plotted curve, false ones named so, and the exact value. */
export function replicationChart(spec: CompositionSpec, size: ChartSize): Chart {
  const last = spec.rows.at(-1);
  return lineChart(
    {
      title: `As published, ε₀ = ${formatNumber(spec.epsilon0)}`,
      ...axes(spec),
      series: [
        line(spec, "basic, as published", (row) => row.basic),
        line(spec, "advanced, as published", (row) => row.advanced),
        line(spec, "theorem 3.1, as published", (row) => row.published),
        line(spec, "theorem 3.1, ½ form (false)", (row) => row.publishedHalf),
        line(spec, "as plotted (not a bound)", (row) => row.asPlotted),
        line(spec, "exact, Laplace noise", (row) => row.exact),
      ],
      ...(last === undefined
        ? {}
        : {
            summary: `At ${last.count} releases theorem 3.1 says ${formatNumber(last.published)}, the plotted curve ${formatNumber(last.asPlotted)}, where the true δ is ${formatNumber(last.deltaAtPlotted)} instead of ${formatNumber(spec.delta)}; the exact total is ${formatNumber(last.exact)}.`,
          }),
    },
    tall(size),
  );
}
