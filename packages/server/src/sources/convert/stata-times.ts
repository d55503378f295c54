import type { ColumnWords } from "@dosimeter/query/schema";
import { unread } from "./unread.ts";
import { dateText, momentText } from "./written.ts";

interface Time {
  readonly words: Pick<ColumnWords, "type" | "granularity" | "unit">;
  readonly text: (value: number) => string;
}

const DAY_MS = 86_400_000;
/** From 1960-01-01, where Stata and SAS begin to count, to 1970-01-01. */
export const FROM_1960_MS = 3653 * DAY_MS;

const day = (value: number): string => dateText(Math.floor(value) * DAY_MS - FROM_1960_MS);
/** The first day of a part of a year, of which there are `parts`. */
const firstDay = (value: number, parts: number): string => {
  const months = (Math.floor(value) * 12) / parts;
  return dateText(Date.UTC(1960, months, 1));
};

const TIMES: Readonly<Record<string, Time>> = {
  d: { words: { type: "date" }, text: day },
  // A week of Stata is the next seven days from the first of January on, and the last of a year is longer.
  w: {
    words: { type: "date" },
    text: (value) => dateText(Date.UTC(1960 + Math.floor(value / 52), 0, 1 + 7 * (((value % 52) + 52) % 52))),
  },
  m: { words: { type: "date", granularity: "month" }, text: (value) => firstDay(value, 12) },
  q: { words: { type: "date", granularity: "quarter" }, text: (value) => firstDay(value, 4) },
  // No calendar here counts half-years: as quarters, half of them would never come.
  h: { words: { type: "text" }, text: (value) => `${1960 + Math.floor(value / 2)}h${(Math.floor(value) & 1) + 1}` },
  y: { words: { type: "integer", unit: "year" }, text: (value) => String(Math.floor(value)) },
  c: { words: { type: "timestamp" }, text: millisecond },
};

function millisecond(value: number): string {
  const [ms, rest] = [Math.floor(value / 1000) * 1000, Math.floor(value) % 1000];
  return momentText(ms - FROM_1960_MS, rest === 0 ? "" : String((rest + 1000) % 1000).padStart(3, "0"));
}

/** What a display format says of a column that counts time; null of any other number. */
export function stataTime(format: string, name: string): Time | null {
  const [, unit = "d"] = /^%-?(?:t([dwmqhyc])|d)/.exec(format) ?? [null, ""];
  if (/^%-?tC/.test(format))
    throw unread(`a file without times that count leap seconds: generate double ${name}2 = cofC(${name})`, name);
  return TIMES[unit] ?? null;
}
