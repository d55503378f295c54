import { profileDraft } from "@dosimeter/planner";
import { type Workbench, withRows } from "./workbench.ts";

/** A plan that describes every column, in place of an empty one. */
export const summarised = (bench: Workbench): Workbench =>
  withRows(bench, profileDraft(bench.draft, bench.declaration));
