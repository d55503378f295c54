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
/** 9999-12-31: nor after this. */
const LAST = 2_932_896;

export const isPeriod = (every: string): boolean => Object.hasOwn(periodOf, every);

const padded = (value: number, digits: number): string => String(value).padStart(digits, "0");
const yearOf = (months: number): number => 1970 + Math.floor(months / 12);

/** What windows call a period: 2024-03-15, 2024-W11, 2024-03, 2024-Q1 or 2024. */
const named: Readonly<Record<string, (period: number) => string>> = {
  day: (day) => new Date(DAY * Math.max(FIRST.days, Math.min(day, LAST))).toISOString().slice(0, 10),
  // A week belongs to the year that its Thursday is in.
  week: (week) => {
    const [year = "", month, day] = named.day?.(7 * week).split("-") ?? [];
    const ofYear = (Date.parse(`${year}-${month}-${day}`) - Date.parse(`${year}-01-01`)) / DAY;
    return `${year}-W${padded(Math.floor(ofYear / 7) + 1, 2)}`;
  },
  month: (month) => `${padded(yearOf(month), 4)}-${padded(month - 12 * Math.floor(month / 12) + 1, 2)}`,
  quarter: (quarter) => `${padded(yearOf(3 * quarter), 4)}-Q${quarter - 4 * Math.floor(quarter / 4) + 1}`,
  year: (year) => padded(1970 + year, 4),
};

/** How a window writes the periods from one to another. */
export function windowText(every: string, from: number, to: number): string {
  const [first, last] = [named[every]?.(from), named[every]?.(to)];
  return first === last ? String(first) : `${first} to ${last}`;
}

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
