const cases = new Intl.NumberFormat("en", { maximumSignificantDigits: 12 });

/** A confidence as people read it: `in 95 of 100 cases`. */
export const casesText = (confidence: number): string => `in ${cases.format(100 * confidence)} of 100 cases`;
