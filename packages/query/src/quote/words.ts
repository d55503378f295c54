const threeDigits = new Intl.NumberFormat("en", { maximumSignificantDigits: 3, roundingMode: "ceil" });

/** An error for a sentence, rounded up: three digits, from 10 on a whole number. With its unit, where it has one: "$340", "6 hours". */
export function errorText(halfWidth: number, unit?: string | null): string {
  const text = threeDigits.format(halfWidth < 10 ? halfWidth : Math.ceil(halfWidth));
  if (unit == null) return text;
  return /^\p{Sc}$/u.test(unit) ? `${unit}${text}` : `${text} ${unit}`;
}
