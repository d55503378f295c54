const percent = new Intl.NumberFormat("en", { style: "percent", maximumSignificantDigits: 2 });

/** A share of all rows for people: "2.5%". */
export const shareOfRows = (share: number): string => percent.format(share);
