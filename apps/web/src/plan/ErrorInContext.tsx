import { present } from "@dosimeter/core/internal";
import { firstMeasure, measureText, type SpanChartSpec, spanChart } from "@dosimeter/plot";
import type { Column } from "@dosimeter/query/declaration";
import type { QuotedStatistic } from "@dosimeter/query/quote";
import { statisticOf } from "@dosimeter/query/statistics";
import { memo } from "react";
import { SceneView } from "../parts/SceneView.tsx";

const WIDTH = 200;

/** The error against the range of possible answers, with its ends: of a mean, the average bin, the ranks of a quantile. */
export const ErrorInContext = memo(function ErrorInContext({
  quote,
  lower,
  upper,
  calendar,
  unit,
  people,
  units,
  target,
}: {
  quote: QuotedStatistic;
  lower: number | null;
  upper: number | null;
  calendar: Column["calendar"];
  unit: Column["unit"];
  people: number | null;
  /** What several of the protected units are called. */
  units: string;
  target: number | null;
}) {
  const { halfWidth } = quote.accuracy;
  if (halfWidth === null) return null;
  const span = spanOf(quote, { lower, upper, calendar, unit, people, units });
  if (span === null) return null;
  const { scene, summary } = spanChart(
    { title: quote.label, ...span, error: halfWidth, ...(target === null ? {} : { target }) },
    { width: WIDTH, height: 18 },
  );
  return (
    <span className="error-range" title={summary}>
      <span aria-hidden="true">{measureText(span.lower, firstMeasure(span), 3)}</span>
      <SceneView scene={scene} label={summary} />
      <span aria-hidden="true">{measureText(span.upper, span, 3)}</span>
    </span>
  );
});

function spanOf(
  quote: QuotedStatistic,
  {
    lower,
    upper,
    calendar,
    unit,
    people,
    units,
  }: {
    readonly lower: number | null;
    readonly upper: number | null;
    readonly calendar: Column["calendar"];
    readonly unit: Column["unit"];
    readonly people: number | null;
    readonly units: string;
  },
): Pick<SpanChartSpec, "lower" | "upper" | "unit" | "calendar"> | null {
  const { errorScale } = statisticOf(quote.statistic);
  if (errorScale === "range" && lower !== null && upper !== null && lower < upper)
    return { lower, upper, ...present({ calendar, unit }) };
  if (people === null) return null;
  if (quote.noise === "selection") return { lower: 0, upper: people, unit: "ranks" };
  if (errorScale === "bins") return { lower: 0, upper: (2 * people) / quote.cells, unit: units };
  return null;
}
