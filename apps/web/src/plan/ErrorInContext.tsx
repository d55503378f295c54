import { formatNumber, spanChart } from "@dosimeter/plot";
import { type QuotedStatistic, statisticOf } from "@dosimeter/query";
import { memo } from "react";
import { SceneView } from "../parts/SceneView.tsx";

const WIDTH = 200;

/** The error against the range of possible answers, with its ends: of a mean, the average bin, the ranks of a quantile. */
export const ErrorInContext = memo(function ErrorInContext({
  quote,
  lower,
  upper,
  people,
  target,
}: {
  quote: QuotedStatistic;
  lower: number | null;
  upper: number | null;
  people: number | null;
  target: number | null;
}) {
  const { halfWidth } = quote.accuracy;
  if (halfWidth === null) return null;
  const span = spanOf(quote, { lower, upper, people });
  if (span === null) return null;
  const { scene, summary } = spanChart(
    { title: quote.label, ...span, error: halfWidth, ...(target === null ? {} : { target }) },
    { width: WIDTH, height: 18 },
  );
  return (
    <span className="error-range" title={summary}>
      <span aria-hidden="true">{formatNumber(span.lower, 3)}</span>
      <SceneView scene={scene} label={summary} />
      <span aria-hidden="true">
        {formatNumber(span.upper, 3)}
        {span.unit === undefined ? "" : ` ${span.unit}`}
      </span>
    </span>
  );
});

function spanOf(
  quote: QuotedStatistic,
  {
    lower,
    upper,
    people,
  }: { readonly lower: number | null; readonly upper: number | null; readonly people: number | null },
): { readonly lower: number; readonly upper: number; readonly unit?: string } | null {
  const { errorScale } = statisticOf(quote.statistic);
  if (errorScale === "range" && lower !== null && upper !== null && lower < upper) return { lower, upper };
  if (people === null) return null;
  if (quote.noise === "selection") return { lower: 0, upper: people, unit: "ranks" };
  if (errorScale === "bins") return { lower: 0, upper: (2 * people) / quote.cells, unit: "people" };
  return null;
}
