const threeDigits = new Intl.NumberFormat("en", { maximumSignificantDigits: 3, roundingMode: "ceil" });

/** An error for a sentence, rounded up: three digits, from 10 on a whole number. */
export const errorText = (halfWidth: number): string =>
  threeDigits.format(halfWidth < 10 ? halfWidth : Math.ceil(halfWidth));
