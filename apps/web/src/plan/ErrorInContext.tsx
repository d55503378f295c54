import { spanChart } from "@dosimeter/plot";
import { type Declaration, type QuotedStatistic, statisticOf } from "@dosimeter/query";
import { memo } from "react";
import { SceneView } from "../parts/SceneView.tsx";
import { boundIn, type WorkRow } from "./workbench.ts";

/** The error next to the range of possible answers: of a mean, the average bin, the ranks of a quantile. */
export const ErrorInContext = memo(function ErrorInContext({
  row: { quote, settings, target },
  declaration,
  people,
}: {
  row: WorkRow;
  declaration: Declaration;
  people: number | null;
}) {
  if (quote === null || quote.accuracy.halfWidth === null) return "–";
  const bound = (end: "lower" | "upper"): number | null => {
    const value = boundIn(settings[end], declaration.columns[settings.column ?? ""]?.[end]);
    return Number.isFinite(value) ? value : null;
  };
  const span = spanOf(quote, { lower: bound("lower"), upper: bound("upper"), people });
  if (span === null) return "–";
  const { scene, summary } = spanChart(
    { title: quote.label, ...span, error: quote.accuracy.halfWidth, ...(target === null ? {} : { target }) },
    { width: 200, height: 18 },
  );
  return (
    <span title={summary}>
      <SceneView scene={scene} label={summary} />
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
): { readonly lower: number; readonly upper: number } | null {
  const { errorScale } = statisticOf(quote.statistic);
  if (errorScale === "range" && lower !== null && upper !== null && lower < upper) return { lower, upper };
  if (people === null) return null;
  if (quote.noise === "selection") return { lower: 0, upper: people };
  if (errorScale === "bins") return { lower: 0, upper: (2 * people) / quote.cells };
  return null;
}
