import { numberOf } from "../parts/number-text.ts";
import type { ColumnDraft } from "./draft.ts";

interface Bounds {
  readonly lower: string;
  readonly upper: string;
}

/**
 * Bounds that hold the least and the most value, rounded outwards so that they name neither: numbers to 1, 2 or 5 and zeros, dates to whole years.
 * Never narrower than declared; null where there are none.
 */
export function roundOut(
  range: Bounds,
  column: Pick<ColumnDraft, "type" | "lower" | "upper" | "granularity">,
): Bounds | null {
  if (column.type === "date" || column.type === "timestamp") return wholeYears(range, column);
  const [least, most] = [Number(range.lower), Number(range.upper)];
  const [lower, upper] = [numberOf(column.lower), numberOf(column.upper)];
  if (![least, most, lower, upper].every(Number.isFinite)) return null;
  const isWhole = column.type === "integer";
  const step = column.granularity.trim() === "" ? (isWhole ? 1 : 0) : numberOf(column.granularity);
  return {
    lower: least < lower ? text(outwards(least, step, "down")) : column.lower,
    upper: most > upper ? text(outwards(most, step, "up")) : column.upper,
  };
}

/** The next 1, 2 or 5 with zeros that is no nearer to 0 upwards, or no further downwards, and a multiple of the step. */
function outwards(value: number, step: number, way: "up" | "down"): number {
  if (value === 0) return 0;
  const isAway = value > 0 === (way === "up");
  const size = Math.abs(value);
  const power = 10 ** Math.floor(Math.log10(size));
  const steps = [1, 2, 5, 10].map((each) => each * power);
  const round = isAway ? steps.find((each) => each >= size) : steps.findLast((each) => each <= size);
  const signed = Math.sign(value) * (round ?? size);
  if (!(step > 0)) return signed;
  const whole = signed / step;
  const near = Math.round(whole);
  const isNear = Math.abs(whole - near) < 1e-9 * Math.max(1, Math.abs(whole));
  return (isNear ? near : way === "up" ? Math.ceil(whole) : Math.floor(whole)) * step;
}

const text = (value: number): string => String(Number(value.toPrecision(12)));

/** In every granularity a day stands for the period that holds it. */
function wholeYears({ lower, upper }: Bounds, declared: Bounds): Bounds | null {
  const year = (of: string): string | undefined => /^\d{4}/.exec(of.trim())?.[0];
  const [first, last, low, high] = [lower, upper, declared.lower, declared.upper].map(year);
  if (first === undefined || last === undefined || low === undefined || high === undefined) return null;
  return {
    lower: first < low || lower < declared.lower ? `${first}-01-01` : declared.lower,
    upper: last > high || upper > declared.upper ? `${last}-12-31` : declared.upper,
  };
}
