import type { RowMode } from "@dosimeter/planner";
import type { RowSettings } from "./workbench.ts";

export type CellKey =
  | "column"
  | "type"
  | "statistic"
  | "upper"
  | "lower"
  | "granularity"
  | "bins"
  | "settings"
  | "target"
  | "error"
  | "beta"
  | "share"
  | "hold"
  | "fitness"
  | "remove";

/** The actions on a row. Each returns why it was refused, or undefined. */
export interface RowActions {
  readonly change: (settings: RowSettings) => string | undefined;
  readonly setShare: (text: string) => string | undefined;
  readonly setError: (text: string) => string | undefined;
  readonly setTarget: (text: string) => string | undefined;
  /** The effect of a text that is being typed; "" where there is none to show. */
  readonly preview: (key: CellKey, text: string) => string;
  readonly hold: (mode: RowMode) => void;
  /** Another type of the row's variable, or other values of a category, between commas; absent where an owner declared them. */
  readonly retype?: ((type: string, values?: string) => string | undefined) | undefined;
  readonly move: (to: number) => void;
  readonly remove: () => void;
}
