import type { RowMode } from "@dosimeter/query";
import type { RowSettings } from "../workbench.ts";
import type { CellKey } from "./cells.ts";

/** What can be done to a row. Each text answers why it could not be taken, or undefined. */
export interface RowActions {
  readonly change: (settings: RowSettings) => string | undefined;
  readonly setShare: (text: string) => string | undefined;
  readonly setError: (text: string) => string | undefined;
  readonly setTarget: (text: string) => string | undefined;
  /** What a text that is being typed would lead to; "" where that says nothing. */
  readonly preview: (key: CellKey, text: string) => string;
  readonly hold: (mode: RowMode) => void;
  readonly move: (to: number) => void;
  readonly remove: () => void;
}
