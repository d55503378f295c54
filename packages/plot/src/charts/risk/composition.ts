import type { ComparisonRow } from "@dosimeter/risk";
import type { Chart, ChartSize } from "../../chart.ts";
import { formatNumber } from "../../scene/number.ts";
import { lineChart, type Series } from "../line-chart.ts";
import { tall } from "./loss.ts";

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
