/** Numbers from here on are shown as powers of ten. */
export const MAX_PLAIN = 1e15;

function placesOf(value: number, digits: number): number {
  const decimals = digits - 1 - Math.floor(Math.log10(Math.abs(value)));
  return Math.min(Math.abs(value) < 1e-4 ? decimals : Math.max(0, decimals), 100);
}

/** A number in this many significant digits, whole ones kept as pages show it, moved to the next such number where that lies on the wrong side: an end of an interval. */
export function roundTowards(value: number, towards: "up" | "down", digits = 4): number {
  if (!Number.isFinite(value) || value === 0) return value;
  if (Math.abs(value) >= MAX_PLAIN) return mantissaTowards(value, towards, digits);
  const places = placesOf(value, digits);
  const near = Number(value.toFixed(places));
  if (near === value || near > value === (towards === "up")) return near;
  return Number((near + (towards === "up" ? 1 : -1) * 10 ** -places).toFixed(places));
}

/** The same of a number that is shown as a power of ten. */
function mantissaTowards(value: number, towards: "up" | "down", digits: number): number {
  const near = value.toExponential(digits - 1);
  if (Number(near) === value || Number(near) > value === (towards === "up")) return Number(near);
  const [mantissa = "0", exponent = "0"] = near.split("e");
  const step = towards === "up" ? 1n : -1n;
  return Number(`${BigInt(mantissa.replace(".", "")) + step}e${Number(exponent) - digits + 1}`);
}

/** Digits of a value and of both ends of its interval: four, or as many as tell its width. */
export function intervalDigits([from, to]: readonly [number, number]): number {
  const needed = Math.ceil(Math.log10(Math.max(Math.abs(from), Math.abs(to)) / (to - from))) + 2;
  return Number.isFinite(needed) ? Math.min(15, Math.max(4, needed)) : 4;
}

/** Six digits of a quantile, whose error is in rows. */
const RANKED = 6;

/** The digits with which a value is shown: those that its interval tells. */
export const meaningfulDigits = ({ interval, rank }: Stated): number =>
  rank === undefined ? intervalDigits(interval) : RANKED;

interface Stated {
  readonly value: number;
  readonly interval: readonly [number, number];
  readonly rank?: number | undefined;
}

/** A value and its interval in the digits that mean something, as pages show them; the ends move outwards. */
export function meaningful(cell: Stated): { readonly value: number; readonly interval: readonly [number, number] } {
  const { value, interval } = cell;
  const digits = intervalDigits(interval);
  const isPlain = Number.isFinite(value) && value !== 0 && Math.abs(value) < MAX_PLAIN;
  return {
    value: isPlain ? Number(value.toFixed(placesOf(value, meaningfulDigits(cell)))) : value,
    interval: [roundTowards(interval[0], "down", digits), roundTowards(interval[1], "up", digits)],
  };
}

const threeDigits = {
  up: new Intl.NumberFormat("en", { maximumSignificantDigits: 3, roundingMode: "ceil" }),
  down: new Intl.NumberFormat("en", { maximumSignificantDigits: 3, roundingMode: "floor" }),
};

/**
 * Every error that is stated before or next to an answer, rounded up, or down where it is a least one: three digits, from 10 on a whole number.
 * With its unit, where it has one: "$340", "6 hours".
 */
export function errorText(halfWidth: number, unit?: string | null, towards: "up" | "down" = "up"): string {
  const whole = towards === "up" ? Math.ceil(halfWidth) : Math.floor(halfWidth);
  const text = threeDigits[towards].format(halfWidth < 10 ? halfWidth : whole);
  if (unit == null) return text;
  return /^\p{Sc}$/u.test(unit) ? `${unit}${text}` : `${text} ${unit}`;
}
