import { spanChart } from "@dosimeter/plot";
import type { QuotedStatistic } from "@dosimeter/query";
import { SceneView } from "../parts/SceneView.tsx";

/** For a mean: how much of the possible range its error covers. */
export function ErrorInContext({
  quote,
  lower,
  upper,
}: {
  quote: QuotedStatistic;
  lower: number | null;
  upper: number | null;
}) {
  const { halfWidth } = quote.accuracy;
  if (quote.statistic !== "mean" || halfWidth === null || lower === null || upper === null || lower >= upper)
    return null;
  const { scene, summary } = spanChart(
    { title: quote.label, lower, upper, error: halfWidth },
    { width: 140, height: 18 },
  );
  return (
    <span title={summary}>
      <SceneView scene={scene} label={summary} />
    </span>
  );
}
