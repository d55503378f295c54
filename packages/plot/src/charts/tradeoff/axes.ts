import { normalCdf, normalQuantile } from "@dosimeter/core/internal";
import type { TradeoffFunction, TradeoffPoint } from "@dosimeter/tradeoff";
import type { AxisSpec } from "../../frame/frame.ts";
import { linearScale, logScale, transformedScale } from "../../frame/scale.ts";
import { formatNumber } from "../../scene/number.ts";

/** "linear": type I against type II error. "log", "probit": false against true positives; Gaussian curves are straight on probit. */
export type TradeoffAxes = "linear" | "log" | "probit";

export interface AxesKind {
  readonly x: AxisSpec;
  readonly y: AxisSpec;
  value(curve: TradeoffFunction, alpha: number): number;
  /** What the vertical axis shows of one test. */
  ofPoint(point: { readonly alpha: number; readonly beta: number }): number;
  guess(alpha: number): number;
  /** Rates below `least` and above `most` are off the picture. */
  readonly least: number;
  readonly most: number;
}

const rates = [
  1e-12, 1e-9, 1e-6, 1e-5, 1e-4, 1e-3, 0.01, 0.05, 0.1, 0.25, 0.5, 0.75, 0.9, 0.95, 0.99, 0.999, 0.9999, 0.99999,
  0.999999,
];

/** The axes of a kind; `least` is where log and probit axes begin. */
export function axesOf(kind: TradeoffAxes, least: number): AxesKind {
  const isRates = kind !== "linear";
  const most = kind === "probit" ? 1 - least : 1;
  const scale: AxisSpec["scale"] = (range) => {
    if (kind === "linear") return linearScale({ domain: [0, 1], range });
    if (kind === "log") return logScale({ domain: [least, 1], range });
    const percent = (value: number) => (value < 0.001 ? formatNumber(value, 2) : String(value));
    return transformedScale({
      kind: "probit",
      domain: [least, most],
      range,
      transform: normalQuantile,
      inverse: normalCdf,
      values: rates,
      label: percent,
    });
  };
  return {
    x: { label: isRates ? "False positive rate (type I error α)" : "Type-I error α", scale },
    y: { label: isRates ? "True positive rate (1 − β)" : "Type-II error β", scale },
    value: (curve, alpha) => (isRates ? curve.power(alpha) : curve.beta(alpha)),
    ofPoint: ({ beta }) => (isRates ? 1 - beta : beta),
    guess: (alpha) => (isRates ? alpha : 1 - alpha),
    least: isRates ? least : 0,
    most,
  };
}

/** One entry of a plot, as plain data: a curve, or points and their lower hull. */
export interface TradeoffItem {
  readonly name: string;
  readonly curve: TradeoffFunction;
  /** Marks to draw; null for a line. */
  readonly points: readonly TradeoffPoint[] | null;
  readonly arePointsHidden: boolean;
  /** Whose colour and dashes it has; null for its own place in the list. */
  readonly place: number | null;
  /** Curves between which the truth lies, drawn as a band. */
  readonly band: { readonly lower: TradeoffFunction; readonly upper: TradeoffFunction } | null;
}

export interface TradeoffPlotOptions {
  readonly legend?: string;
  /** How far points may lie above 1 − α or off convex; default 2⁻²⁶. */
  readonly tolerance?: number;
  readonly title?: string;
  readonly axes?: TradeoffAxes;
  /** Where log and probit axes begin; default 1e-6. */
  readonly from?: number;
  /** Mark the largest gap between true and false positives of each curve. */
  readonly advantage?: boolean;
}
