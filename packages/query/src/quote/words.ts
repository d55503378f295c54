const threeDigits = new Intl.NumberFormat("en", { maximumSignificantDigits: 3, roundingMode: "ceil" });
const cases = new Intl.NumberFormat("en", { maximumSignificantDigits: 6 });

/** An error for a sentence, rounded up: three digits, from 10 on a whole number. */
export const errorText = (halfWidth: number): string =>
  threeDigits.format(halfWidth < 10 ? halfWidth : Math.ceil(halfWidth));

/** `in 95 of 100 cases` */
export const casesText = (confidence: number): string => `in ${cases.format(100 * confidence)} of 100 cases`;
