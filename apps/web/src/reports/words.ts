import type { ScheduleSummary } from "@dosimeter/client";
import { blockWord } from "@dosimeter/core";
import { countText } from "@dosimeter/core/internal";
import { momentText } from "../parts/words.ts";

/** Which blocks a report is about: the latest 12 months, the latest 3 cohorts, or all so far of a running total. */
export const covered = (of: Pick<ScheduleSummary, "latest" | "horizon" | "every" | "protects">): string =>
  of.horizon === null
    ? `the latest ${countText(of.latest, blockWord(of))}`
    : `all ${of.every}s so far, of ${of.horizon} in all`;

/** When the next report comes, and what it waits for. */
export function nextText({ next, status, every }: Pick<ScheduleSummary, "next" | "status" | "every">): string {
  if (next === null) return status === "ended" ? "None: it has ended" : "None: all that can be made are there";
  if (status === "paused") return `${next.block}, when you take it up again`;
  if (next.waitsFor === "calendar") return `${next.block}, on ${momentText(next.at)}`;
  if (next.waitsFor === "report") return `${next.block}, when the report before it has its answers`;
  if (next.waitsFor === "nothing") return `${next.block}, within a minute`;
  if (next.waitsFor === "closing") return `${next.block}, when the dataset's admin closes it`;
  return `${next.block}, when its admin publishes a version of the dataset that has this ${every}`;
}
