const cases = new Intl.NumberFormat("en", { maximumSignificantDigits: 12 });

/**
 * A confidence as people read it: `in 95 of 100 cases`. The chance of a larger error has three significant digits, rounded up: of 2/3 it
 * is `in 66.6 of 100 cases`.
 */
export function casesText(confidence: number): string {
  const chance = Number((1 - confidence).toFixed(15)); // what a double keeps of it
  const near = Number(chance.toPrecision(3));
  const up = near < chance ? near + 10 ** (Math.floor(Math.log10(chance)) - 2) : near;
  return `in ${cases.format(100 - 100 * up)} of 100 cases`;
}

/** A count with its noun, without grouping of thousands: "1 row", "2000 rows". */
export const countText = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? "" : "s"}`;
