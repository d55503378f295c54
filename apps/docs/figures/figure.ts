import type { Chart, ChartSize, Placed } from "@dosimeter/plot";

/** A slider over `stops`, in order; `start` is one of them and is what the still picture shows. */
interface Control {
  readonly label: string;
  readonly stops: readonly number[];
  readonly start: number;
}

/** A picture that its reader changes: pure, so that the build draws it once and the page draws it again. */
export interface Figure {
  readonly controls: readonly [Control, ...Control[]];
  /**
   * `values` are stops of the controls, in their order. The summary of the chart is read under the picture. Where the chart
   * has `xAt`, the picture can be dragged, which moves the first control.
   */
  readonly draw: (values: readonly number[], size: ChartSize) => Chart & Partial<Placed>;
}

/** Typical levels, in the steps that people compare. */
export const EPSILONS = [0.01, 0.02, 0.05, 0.1, 0.2, 0.3, 0.5, 0.75, 1, 1.5, 2, 3, 4, 5] as const;

export const whole = (from: number, to: number): readonly number[] =>
  Array.from({ length: to - from + 1 }, (_, index) => from + index);

/** `from`, `from + 1/per`, …, `to`, each the double nearest to its decimal. */
export const parts = (from: number, to: number, per: number): readonly number[] =>
  whole(Math.round(from * per), Math.round(to * per)).map((part) => part / per);

/** A sum of decimals with at most six places, without the dust of binary numbers. */
export const decimal = (value: number): number => Math.round(value * 1e6) / 1e6;
