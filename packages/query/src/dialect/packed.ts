import type { Range } from "../plan/task.ts";
import type { Dialect, Fragment } from "./dialect.ts";

/** What `v` of a row means where it is a period and a tick of it in one whole number. */
export interface Packed {
  /** How many different numbers there are. */
  readonly payloads: bigint;
  /** The column whose period is packed next to the value; null where `v` is a period alone. */
  readonly over: { readonly column: string; readonly range: Range } | null;
  readonly pack: (period: Fragment, tick: Fragment) => Fragment;
  readonly period: (dialect: Dialect) => Fragment;
  readonly tick: Fragment;
}
