import type { HistoryPoint } from "@dosimeter/core/accounting";
import type { Chart, ChartSize } from "../chart.ts";
import { countScale } from "../frame/scale.ts";
import { formatNumber } from "../scene/number.ts";
import { lineChart } from "./line-chart.ts";

/** One accountant's total at several δ. */
export interface AccountantCurve {
  readonly label: string;
  readonly points: readonly { readonly delta: number; readonly epsilon: number }[];
}

const counted = (domain: readonly [number, number], range: readonly [number, number]) => countScale({ domain, range });

const isDrawn = ({ epsilon }: { readonly epsilon: number }): boolean => Number.isFinite(epsilon);

/** ε against δ, one line an accountant: all at once, so that none has to be believed. */
export function accountantsChart(
  spec: { readonly curves: readonly AccountantCurve[]; readonly delta?: number },
  size: ChartSize,
): Chart {
  return lineChart(
    {
      title: "Total ε of the list at each δ",
      x: { label: "δ", scale: "log" },
      y: { label: "ε", includeZero: true },
      series: spec.curves.flatMap(({ label, points }) => {
        const drawn = points.filter(isDrawn).map(({ delta, epsilon }) => [delta, epsilon] as const);
        return drawn.length === 0 ? [] : [{ name: label, points: drawn }];
      }),
      ...(spec.delta === undefined
        ? {}
        : { references: [{ axis: "x" as const, value: spec.delta, label: `δ = ${formatNumber(spec.delta)}` }] }),
      legend: "always",
    },
    size,
  );
}

/** ε at one δ after each spend, one line an accountant: the list over time. */
export function lossHistoryChart(
  spec: {
    readonly delta: number;
    readonly histories: readonly { readonly label: string; readonly points: readonly HistoryPoint[] }[];
    readonly budget?: number;
  },
  size: ChartSize,
): Chart {
  return lineChart(
    {
      title: "Total ε over time",
      x: { label: "spends so far" },
      y: { label: `ε at δ = ${formatNumber(spec.delta)}`, includeZero: true },
      series: spec.histories.flatMap(({ label, points }) => {
        const drawn = points.filter(isDrawn).map(({ spends, epsilon }) => [spends, epsilon] as const);
        return drawn.length === 0 ? [] : [{ name: label, points: drawn }];
      }),
      ...(spec.budget === undefined
        ? {}
        : {
            references: [{ axis: "y" as const, value: spec.budget, label: `budget ε = ${formatNumber(spec.budget)}` }],
          }),
      legend: "always",
    },
    size,
  );
}

/** What of a ledger's or account's report a chart needs; ε null where nothing finite holds. */
export interface ReportLines {
  readonly delta: string;
  readonly series: readonly {
    readonly label: string;
    readonly points: readonly { readonly charges: number; readonly epsilon: number | null }[];
  }[];
}

/** Every accountant's total after each of some charges: a ledger or an account over time. */
export const reportChart = ({ delta, series }: ReportLines, size: ChartSize): Chart =>
  lineChart(
    {
      title: "Every accountant’s total over time",
      x: { label: "charges so far", scale: counted },
      y: { label: `ε at δ = ${formatNumber(Number(delta))}`, includeZero: true },
      series: series.flatMap(({ label, points }) => {
        const drawn = points.flatMap(({ charges, epsilon }) => (epsilon === null ? [] : [[charges, epsilon] as const]));
        return drawn.length === 0 ? [] : [{ name: label, points: [[0, 0] as const, ...drawn] }];
      }),
      legend: "always",
    },
    size,
  );

/** AGENT's own warning as a picture: the reported ε climbs as the δ that is left is used up. Null is infinite. */
export function agentReportChart(
  {
    curve,
    tightest,
  }: {
    readonly curve: readonly { readonly deltaLeft: number; readonly epsilon: number | null }[];
    readonly tightest: number | null | undefined;
  },
  size: ChartSize,
): Chart {
  const points = curve.flatMap(({ deltaLeft, epsilon }) =>
    deltaLeft > 0 && epsilon !== null && Number.isFinite(epsilon) ? [[deltaLeft, epsilon] as const] : [],
  );
  const last = curve.at(-1);
  return lineChart(
    {
      title: "The ε that AGENT reports, against the δ that is left",
      x: { label: "δ left", scale: "log" },
      y: { label: "reported ε", includeZero: true },
      series: [{ name: "as AGENT reports it", points }],
      ...(tightest === undefined || tightest === null
        ? {}
        : { references: [{ axis: "y" as const, value: tightest, label: "true of this list" }] }),
      summary: `The reported ε is ${formatNumber(points[0]?.[1] ?? 0)} while all of δ is left and ${formatNumber(last?.epsilon ?? 0)} when none is.`,
    },
    size,
  );
}

/** What is left of a budget after each of some charges: ε under addition, μ² under tight. */
export function burnDownChart(
  {
    unit,
    left,
  }: {
    readonly unit: "epsilon" | "mu2";
    readonly left: readonly { readonly charges: number; readonly left: string | null }[];
  },
  size: ChartSize,
): Chart {
  const name = unit === "epsilon" ? "ε left" : "μ² left";
  const points = left.flatMap((point) => (point.left === null ? [] : [[point.charges, Number(point.left)] as const]));
  const [first, last] = [points[0]?.[1] ?? 0, points.at(-1)?.[1] ?? 0];
  return lineChart(
    {
      title: "What is left over time",
      x: { label: "charges so far", scale: counted },
      y: { label: name, includeZero: true },
      series: [{ name, points }],
      summary: `${formatNumber(first)} at first, ${formatNumber(last)} now, after ${formatNumber(left.at(-1)?.charges ?? 0)} charges.`,
    },
    size,
  );
}
