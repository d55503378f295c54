import { type Calendar, periodText } from "@dosimeter/core";
import { intervalDigits, MAX_PLAIN, roundTowards } from "@dosimeter/core/internal";

const MINUS = "\u2212";
const superscripts: Readonly<Record<string, string>> = {
  "0": "⁰",
  "1": "¹",
  "2": "²",
  "3": "³",
  "4": "⁴",
  "5": "⁵",
  "6": "⁶",
  "7": "⁷",
  "8": "⁸",
  "9": "⁹",
  "-": "⁻",
};

/** A number for people: `digits` significant ones, thousands grouped, a true minus; powers of ten when tiny or huge. */
export function formatNumber(value: number, digits = 4): string {
  if (Number.isNaN(value)) return "not a number";
  if (value === Number.POSITIVE_INFINITY) return "∞";
  if (value === Number.NEGATIVE_INFINITY) return `${MINUS}∞`;
  if (value === 0) return "0";
  const size = Math.abs(value);
  if (size < 1e-4 || size >= MAX_PLAIN) return powerOfTen(value, digits);
  const decimals = Math.max(0, digits - 1 - Math.floor(Math.log10(size)));
  const fixed = trimZeros(value.toFixed(Math.min(decimals, 20)));
  return groupThousands(fixed).replace("-", MINUS);
}

/** A decimal string exactly as it is, thousands grouped and with a true minus: for amounts, which are never doubles. */
export const formatDecimal = (decimal: string): string => groupThousands(decimal).replace("-", MINUS);

/**
 * An exact decimal ≥ 0 in `digits` significant ones, by integers: `up` for what is paid, spent, promised or asked for, which is
 * never shown as less; `down` for what is left or free, which is never shown as more. Below 10⁻⁴ as a power of ten.
 */
export function formatAmount(decimal: string, towards: "up" | "down", digits = 3): string {
  const [whole = "", part = ""] = decimal.split(".");
  const all = `${whole}${part}`.replace(/^0+/, "");
  if (!/^\d+$/.test(all)) return all === "" ? "0" : formatDecimal(decimal);
  const kept = BigInt(all.slice(0, digits));
  const rest = all.slice(digits);
  const mantissa = String(towards === "up" && /[1-9]/.test(rest) ? kept + 1n : kept);
  const exponent = rest.length - part.length;
  // 1.24 × 10ˢ
  const size = mantissa.length - 1 + exponent;
  if (size < -4) {
    const shown = trimZeros(`${mantissa.slice(0, 1)}.${mantissa.slice(1)}`);
    const raised = [...String(size)].map((c) => superscripts[c] ?? c).join("");
    return shown === "1" ? `10${raised}` : `${shown}×10${raised}`;
  }
  if (exponent >= 0) return groupThousands(`${mantissa}${"0".repeat(exponent)}`);
  const padded = mantissa.padStart(1 - exponent, "0");
  return groupThousands(trimZeros(`${padded.slice(0, exponent)}.${padded.slice(exponent)}`));
}

/** A budget as it is written: amounts that add up to the total in the digits that are shown. */
export interface BudgetTexts {
  readonly total: string;
  readonly taken: readonly string[];
  readonly free: string;
}

/**
 * A budget and what was taken of it, as exact decimals, all with the same number of decimal places: enough for three digits of each. What
 * was taken is never shown as less, and what is free, which is the rest, never as more. Null where more was taken than there is.
 */
export function budgetTexts(total: string, taken: readonly string[]): BudgetTexts | null {
  const all = [total, ...taken];
  const exact = Math.max(...all.map((each) => placesIn(each)));
  const scaled = ([whole = "", part = ""]: readonly string[]): bigint => BigInt(whole + part.padEnd(exact, "0"));
  const [most = 0n, ...parts] = all.map((each) => scaled(each.split(".")));
  if (parts.some((part) => part < 0n) || parts.reduce((sum, part) => sum + part, 0n) > most) return null;
  const told = Math.min(Math.max(...all.map(placesOfThree)), Math.max(MAX_PLACES, placesOfThree(total)));
  for (let places = Math.min(told, exact); ; places++) {
    const unit = 10n ** BigInt(exact - places);
    const [least, ups] = [most / unit, parts.map((part) => (part + unit - 1n) / unit)];
    const free = least - ups.reduce((sum, up) => sum + up, 0n);
    // Roundings that are more than the rest take another digit; of all digits nothing is rounded.
    if (free < 0n && places < exact) continue;
    const text = (units: bigint): string => {
      const padded = String(units).padStart(places + 1, "0");
      const point = padded.length - places;
      return groupThousands(trimZeros(`${padded.slice(0, point)}.${padded.slice(point)}`));
    };
    return { total: text(least), taken: ups.map(text), free: text(free) };
  }
}

/** Below a millionth of ε three digits of an amount say no more. */
const MAX_PLACES = 6;
const placesIn = (decimal: string): number => decimal.split(".")[1]?.length ?? 0;

/** Decimal places with which an amount has three digits, or all of its own. */
function placesOfThree(decimal: string): number {
  const [whole = "", part = ""] = decimal.split(".");
  const leading = whole.replace(/^0+/, "").length;
  const needed = leading > 0 ? Math.max(0, 3 - leading) : part.search(/[1-9]/) + 3;
  return Math.min(needed, part.length);
}

/** Of a currency: it stands before the number. */
const isSymbol = (unit: string | null | undefined): boolean => unit != null && /^\p{Sc}$/u.test(unit);

/** A number with its unit: "$41,230", "41.2 years". */
function inUnit(text: string, unit: string | null | undefined): string {
  if (unit == null) return text;
  if (!isSymbol(unit)) return `${text} ${unit}`;
  return text.startsWith("\u2212") ? `\u2212${unit}${text.slice(1)}` : `${unit}${text}`;
}

/** What numbers of an answer are: in a unit, years ("year" as their unit), or dates that are counted in periods from 1970 on. */
export interface Measure {
  readonly unit?: string | null | undefined;
  readonly calendar?: Calendar | null | undefined;
}

/** Whether numbers name years, as 1974 does: no comma stands in them, and no unit behind them. How many they are is in "years". */
export const areYears = (unit: string | null | undefined): unit is "year" => unit === "year";

/** A year for people: "1974". */
export const yearText = (value: number, digits?: number): string => formatNumber(value, digits).replaceAll(",", "");

export function measureText(value: number, { unit, calendar }: Measure, digits?: number): string {
  if (calendar != null) return periodText(value, calendar);
  return areYears(unit) ? yearText(value, digits) : inUnit(formatNumber(value, digits), unit);
}

/** The ends of an interval as pages show them, rounded outwards: one interval reads the same in all places. */
export function intervalEnds(
  interval: readonly [number, number],
  { unit }: Measure,
  first: Measure = { unit },
): readonly [string, string] {
  const digits = intervalDigits(interval);
  const [from, to] = interval;
  return [
    measureText(roundTowards(from, "down", digits), { unit: first.unit }, digits),
    measureText(roundTowards(to, "up", digits), { unit }, digits),
  ];
}

/** An interval with its unit, ends rounded outwards; those of dates are whole days. */
export function intervalText(interval: readonly [number, number], measure: Measure): string {
  if (measure.calendar != null) return rangeText(interval, measure);
  return intervalEnds(interval, measure, firstMeasure(measure)).join(" to ");
}

/** The least and the largest: there may be more values than a call takes arguments. */
export const endsOf = (values: readonly number[]): readonly [least: number, most: number] =>
  values.reduce(([least, most], value) => [Math.min(least, value), Math.max(most, value)], [Infinity, -Infinity]);

/** A declared range with its unit, to 15 digits and not rounded outwards. */
export function rangeText([lower, upper]: readonly [number, number], measure: Measure): string {
  const { calendar } = measure;
  return calendar == null
    ? `${measureText(lower, firstMeasure(measure), 15)} to ${measureText(upper, measure, 15)}`
    : `${periodText(lower, calendar, "down")} to ${periodText(upper, calendar, "up")}`;
}

/** The measure of the first of two ends: “41 to 43 years”, but “$41 to $43” and “1974 to 1979”. */
export const firstMeasure = ({ unit, calendar }: Measure): Measure =>
  calendar != null || areYears(unit) || isSymbol(unit) ? { unit, calendar } : {};

function powerOfTen(value: number, digits: number): string {
  const [mantissa = "0", exponent = "0"] = value.toExponential(Math.max(0, digits - 1)).split("e");
  const raised = [...String(Number(exponent))].map((c) => superscripts[c] ?? c).join("");
  const shown = trimZeros(mantissa).replace("-", MINUS);
  return shown === "1" ? `10${raised}` : shown === `${MINUS}1` ? `${MINUS}10${raised}` : `${shown}×10${raised}`;
}

const trimZeros = (text: string): string => (text.includes(".") ? text.replace(/0+$/, "").replace(/\.$/, "") : text);

function groupThousands(text: string): string {
  const [whole = "", fraction] = text.split(".");
  const digits = whole.replace(/^-/, "");
  const grouped = digits.length > 3 ? whole.replace(/\B(?=(\d{3})+$)/g, ",") : whole;
  return fraction === undefined ? grouped : `${grouped}.${fraction}`;
}
