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
export function nextText({ next, status }: Pick<ScheduleSummary, "next" | "status">): string {
  if (next === null) return status === "ended" ? "None: it has ended" : "None: all reports are there";
  if (status === "paused") return `Paused before ${next.block}`;
  if (next.waitsFor === "calendar") return `${next.block}, on ${momentText(next.at)}`;
  if (next.waitsFor === "report") return `Waiting for the report before ${next.block}`;
  if (next.waitsFor === "nothing") return `${next.block}, within a minute`;
  if (next.waitsFor === "closing") return `Waiting for ${next.block} to be closed`;
  return `Waiting for the data of ${next.block}`;
}
