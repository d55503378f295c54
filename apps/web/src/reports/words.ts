import type { Ledger, ScheduleSummary } from "@dosimeter/client";
import { blockWord } from "@dosimeter/core";
import { momentText } from "../parts/time.ts";

export const periods = (count: number, every: string): string => `${count} ${every}${count === 1 ? "" : "s"}`;

/** What each report is about: the latest 12 months, or the latest 3 cohorts. */
export const latestText = (latest: number, blocks: Pick<NonNullable<Ledger["blocks"]>, "every" | "protects">): string =>
  `the latest ${periods(latest, blockWord(blocks))}`;

/** Which blocks a report is about: the latest ones, or all so far of a running total. */
export const covered = (
  { latest, horizon, every }: Pick<ScheduleSummary, "latest" | "horizon" | "every">,
  blocks: Parameters<typeof latestText>[1],
): string => (horizon === null ? latestText(latest, blocks) : `all ${every}s so far, of ${horizon} in all`);

/** When the next report comes, and what it waits for. */
export function nextText({ next, status, every }: Pick<ScheduleSummary, "next" | "status" | "every">): string {
  if (next === null) return "None: it has ended";
  if (status === "paused") return `${next.block}, when you take it up again`;
  if (next.waitsFor === "calendar") return `${next.block}, on ${momentText(next.at)}`;
  if (next.waitsFor === "report") return `${next.block}, when the report before it has its answers`;
  if (next.waitsFor === "nothing") return `${next.block}, within a minute`;
  if (next.waitsFor === "closing") return `${next.block}, when the dataset's admin closes it`;
  return `${next.block}, when its admin publishes a version of the dataset that has this ${every}`;
}
