/** Periods are counted from 1970 on: the one that holds 1970-01-01 is 0, weeks begin on Monday. */
const periodOf: Readonly<Record<string, (days: number, months: number) => number>> = {
  day: (days) => days,
  week: (days) => Math.floor((days + 3) / 7),
  month: (_, months) => months,
  quarter: (_, months) => Math.floor(months / 3),
  year: (_, months) => Math.floor(months / 12),
};

const DAY = 86_400_000;
/** 0001-01-01: no date lies before it. */
const FIRST = { days: -719_162, months: -1969 * 12 };

export const isPeriod = (every: string): boolean => Object.hasOwn(periodOf, every);

/** The first period that a date can lie in. */
export const firstPeriod = (every: string): number => periodOf[every]?.(FIRST.days, FIRST.months) ?? Number.NaN;

/** The period that lasts at an instant by the clocks of a zone; NaN for a zone, an instant or a period that does not exist. */
export function periodAt(every: string, zone: string, at: string): number {
  try {
    const clock = new Intl.DateTimeFormat("en-u-ca-iso8601-nu-latn", {
      timeZone: zone,
      year: "numeric",
      month: "numeric",
      day: "numeric",
    });
    const parts = new Map(clock.formatToParts(new Date(at)).map(({ type, value }) => [type, Number(value)]));
    const [year = Number.NaN, month = Number.NaN, day = Number.NaN] = [
      parts.get("year"),
      parts.get("month"),
      parts.get("day"),
    ];
    return periodOf[every]?.(Date.UTC(year, month - 1, day) / DAY, 12 * (year - 1970) + month - 1) ?? Number.NaN;
  } catch {
    return Number.NaN;
  }
}
