import { type Calendar, parsePeriod, toDouble } from "@dosimeter/core";
import type { Key } from "../declaration/key.ts";
import type { Bin, Range, Ticks } from "../plan/task.ts";

/** A date of a practice row as the period that engines measure; any other value as it is. */
export const numberOf = (value: Key, calendar: Calendar | undefined): Key =>
  calendar === undefined || typeof value !== "string" ? value : (parsePeriod(value, calendar) ?? value);

/** The bin of a value; −1 where none has it. */
export const binAt = (bins: readonly Bin[], value: Key): number =>
  bins.findIndex((bin, index) => {
    if ("value" in bin) return bin.value === value;
    const next = bins[index + 1];
    return next === undefined || !("lower" in next) || Number(value) < next.lower;
  });

/** The step of a value's grid that it is clamped and rounded to, from the lower bound on. */
export function tickOf({ step, steps }: Ticks, { lower, upper }: Range = { lower: 0, upper: 0 }, value: Key): bigint {
  const clamped = Math.min(upper, Math.max(lower, Number(value)));
  const near = BigInt(Math.floor((clamped - lower) / toDouble(step, "down") + 0.5));
  return near > steps ? steps : near;
}
