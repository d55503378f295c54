import { formatNumber } from "@dosimeter/plot";
import type { TradeoffFunction } from "@dosimeter/tradeoff";

/** The most kinks in one cell. */
const MAX_KINKS = 3;

/** Where a piecewise-linear curve bends, as pairs of type I and type II error. */
export function kinksText(curve: TradeoffFunction): string {
  if (curve.atoms === null) return "none, it is smooth";
  const kinks = curve().filter(({ alpha, beta }) => alpha > 0 && beta > 0);
  const shown = kinks
    .slice(0, MAX_KINKS)
    .map(({ alpha, beta }) => `(${formatNumber(alpha, 4)}, ${formatNumber(beta, 4)})`);
  const more = kinks.length - shown.length;
  return shown.length === 0 ? "none" : `${shown.join(" ")}${more > 0 ? ` and ${more} more` : ""}`;
}
