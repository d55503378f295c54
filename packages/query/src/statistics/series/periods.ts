import { type BlockRange, dayPeriod, firstDayOf, invalid, PrivacyError } from "@dosimeter/core";
import { present } from "@dosimeter/core/internal";
import { isByCohort } from "../../declaration/blocks.ts";
import { unitOfDates } from "../../declaration/dates.ts";
import type { Column, Declaration } from "../../declaration/declaration.ts";
import { isOrdered } from "../../declaration/predicate.ts";
import type { Bin, Range } from "../../plan/task.ts";
import { MAX_MIXED } from "../curve/factor.ts";
import { histogramBins } from "../histogram/bins.ts";
import type { CheckedRow } from "../statistic.ts";

/** The column whose values put rows in order, with its bounds. */
export interface Order {
  readonly name: string;
  readonly column: Column;
  readonly range: Range | null;
  /** The field of the request that names it. */
  readonly path: string;
}

/** Periods in order, and the range between the first and the last; values beyond it count in those. */
export interface Periods {
  readonly bins: readonly Bin[];
  readonly range: Range;
}

/**
 * The periods of a series: bins as a histogram has them. Where the column is that of blocks that are periods, they are those of the plan's
 * window, blocks unless something else is asked for; people of a cohort have rows in later periods too. INVALID_PARAMETER for more than
 * 500, UNSUPPORTED_QUERY for a column without an order.
 */
export function periodsOf({ given, path, declaration, window }: CheckedRow, order: Order): Periods {
  const { name, column, range } = order;
  if (!isOrdered(column))
    throw new PrivacyError("UNSUPPORTED_QUERY", {
      name: order.path,
      got: name,
      want: `a date, integer or number column, which puts rows in order; it is ${column.type}`,
    });
  const { blocks } = declaration;
  const isOfBlocks = blocks?.column === name && !isByCohort(declaration);
  const held = window !== null && isOfBlocks ? rangesOf(window, column, blocks.every) : null;
  const within = held === null || range === null ? range : overlap(range, held, path);
  const all = histogramBins(column, given.bins ?? (held === null ? undefined : blocks?.every), within, path);
  const bins = held === null ? all : all.filter((bin) => held.some((part) => meets(bin, part)));
  if (bins.length > MAX_MIXED) return invalid(`${path}.bins`, bins.length, `at most ${MAX_MIXED} periods`);
  const [first, last] = [bins[0], bins.at(-1)];
  if (first === undefined || last === undefined || !("lower" in first && "upper" in last))
    return invalid(`${path}.bins`, given.bins, "at least one period within the window");
  const { calendar } = within ?? {};
  return {
    bins,
    range: { lower: first.lower, upper: last.upper, ...present({ calendar }) },
  };
}

interface Part {
  readonly lower: number;
  readonly upper: number;
}

function rangesOf(
  window: readonly BlockRange[],
  column: Column,
  every: NonNullable<Declaration["blocks"]>["every"],
): readonly Part[] {
  const unit = unitOfDates(column);
  return window.map(({ from, to }) => ({
    lower: dayPeriod(firstDayOf(from, every), unit),
    upper: dayPeriod(firstDayOf(to + 1, every), unit) - 1,
  }));
}

function overlap(range: Range, parts: readonly Part[], path: string): Range {
  const lower = Math.max(range.lower, parts[0]?.lower ?? range.lower);
  const upper = Math.min(range.upper, parts.at(-1)?.upper ?? range.upper);
  return lower <= upper ? { ...range, lower, upper } : invalid(`${path}.lower`, range.lower, "within the window");
}

const meets = (bin: Bin, { lower, upper }: Part): boolean =>
  !("lower" in bin) || (bin.lower <= upper && bin.upper >= lower);
