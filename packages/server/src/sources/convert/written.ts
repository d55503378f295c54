const DAY_MS = 86_400_000;
/** Of 0001-01-01 and of 10000-01-01, in milliseconds from 1970 on. */
const FIRST_MS = -62_135_596_800_000;
const END_MS = 253_402_300_800_000;

/** The shortest decimal that is read as this number, without an exponent. */
export function numberText(value: number): string {
  const text = String(value);
  const found = /^(-?)(\d+)(?:\.(\d+))?e([+-]\d+)$/.exec(text);
  if (found === null) return text;
  const [, sign = "", whole = "", rest = "", power = ""] = found;
  const point = whole.length + Number(power);
  const digits = whole + rest;
  if (point <= 0) return `${sign}0.${"0".repeat(-point)}${digits}`;
  return sign + digits.padEnd(point, "0");
}

/** The day of an instant; "" outside the years 1 to 9999. */
export const dateText = (ms: number): string => (isWritable(ms) ? new Date(ms).toISOString().slice(0, 10) : "");

/** A day with a time, which has `fraction` behind its whole second, such as "250000000" in nanoseconds; "" outside the years 1 to 9999. */
export const momentText = (ms: number, fraction = ""): string =>
  isWritable(ms) ? `${new Date(ms).toISOString().slice(0, 19)}${fractionText(fraction)}` : "";

/** The time of day, `ms` after midnight. */
export const timeText = (ms: number, fraction = ""): string =>
  `${new Date(((ms % DAY_MS) + DAY_MS) % DAY_MS).toISOString().slice(11, 19)}${fractionText(fraction)}`;

const isWritable = (ms: number): boolean => ms >= FIRST_MS && ms < END_MS;

function fractionText(digits: string): string {
  const kept = digits.replace(/0+$/, "");
  return kept === "" ? "" : `.${kept}`;
}

/** A whole number of the last digit as a decimal. */
export function decimalText(units: bigint, scale: number): string {
  if (scale <= 0) return String(units * 10n ** BigInt(-scale));
  const digits = String(units < 0n ? -units : units).padStart(scale + 1, "0");
  return `${units < 0n ? "-" : ""}${digits.slice(0, -scale)}.${digits.slice(-scale)}`;
}
