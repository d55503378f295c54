import { type Chart, type ChartSize, chart, table } from "../chart.ts";
import { ink } from "../scene/ink.ts";
import { formatNumber } from "../scene/number.ts";
import { coordinate as c, node } from "../scene/scene.ts";

export interface OddsGridSpec {
  readonly title: string;
  /** How often, of 100 times, at most. */
  readonly times: number;
  /** What happens so often, in words that follow "of 100 times". */
  readonly event: string;
}

/** A hundred small squares, some of them filled: a chance as a count. */
export function oddsGrid({ title, times, event }: OddsGridSpec, { width }: ChartSize): Chart {
  const filled = Math.max(0, Math.min(100, Math.round(times)));
  const cell = Math.min(14, Math.floor(width / 20.5));
  const nodes = Array.from({ length: 100 }, (_, index) => {
    const isFilled = index < filled;
    return node("rect", {
      x: c((index % 20) * cell + 1),
      y: c(Math.floor(index / 20) * cell + 1),
      width: cell - 2,
      height: cell - 2,
      rx: 2,
      fill: isFilled ? ink("series1") : "none",
      stroke: ink(isFilled ? "series1" : "axis"),
    });
  });
  const summary = `At most ${formatNumber(times, 3)} of 100 times ${event}.`;
  const facts = table(
    ["Outcome", "Of 100 times, at most"],
    [
      [event, times],
      ["otherwise, at least", 100 - times],
    ],
  );
  return chart({ title, summary }, { width, height: 5 * cell + 2, nodes }, facts);
}
