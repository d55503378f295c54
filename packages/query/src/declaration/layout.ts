import { invalid } from "@dosimeter/core";

/** How stored texts write dates: `DD.MM.YYYY`, read into what databases need. */
export interface Layout {
  /** Matches a whole text; its groups are numbered from 1. */
  readonly form: string;
  /** The groups of year, month and day; null where the texts have none: the first of the year or month. */
  readonly year: number;
  readonly month: number | null;
  readonly day: number | null;
  /** Whether months are named, and the groups of a quarter and of an ISO week. Only files are read by them. */
  readonly isNamed: boolean;
  readonly quarter: number | null;
  readonly week: number | null;
  /** Of years with two digits: the first of the hundred years that they stand for. */
  readonly pivot: number | null;
  /** The groups of a time of day: 0 where a text has none. */
  readonly hour: number | null;
  readonly minute: number | null;
  readonly second: number | null;
  /** The group of `Z` or of the hours and minutes ahead of UTC; null where texts have none: then they are the time in the zone. */
  readonly offset: number | null;
}

export const ISO_PATTERN = "YYYY-MM-DD";

/** How the names of months begin in English, German, French, Spanish, Italian, Dutch and Portuguese. */
export const MONTHS = [
  ...["jan|ene|gen", "feb|fév|fev", "mar|mär|mae|maa|mrt", "apr|avr|abr", "mai|may|mag|mei", "jun|juin|giu"],
  ...["jul|juil|lug", "aug|aoû|aou|ago", "sep|set", "oct|okt|ott|out", "nov", "dec|déc|dez|dic"],
] as const;

const FIELDS = [
  ["YYYY", "year", "([0-9]{4})"],
  ["YY", "year", "([0-9]{2})"],
  ["MMM", "month", "([\\p{L}]{3,12})[.]?"],
  ["MM", "month", "([0-9]{2})"],
  ["DD", "day", "([0-9]{2})"],
  ["M", "month", "([0-9]{1,2})"],
  ["D", "day", "([0-9]{1,2})"],
] as const;
const PERIODS = [
  ["Q", "quarter", "[QqKkTt]([1-4])"],
  ["WW", "week", "(?:[Ww]|[Kk][Ww])([0-5][0-9])"],
] as const;
/** A second may have parts, which are left out. */
const TIMES = [
  ["HH", "hour", "([01][0-9]|2[0-3])"],
  ["H", "hour", "([01]?[0-9]|2[0-3])"],
  ["mm", "minute", "([0-5][0-9])"],
  ["ss", "second", "([0-5][0-9])(?:[.,][0-9]{1,9})?"],
] as const;
const OFFSET = ["Z", "offset", "([Zz]|[+-](?:[01][0-9]|2[0-3])(?::?[0-5][0-9])?)"] as const;
const MAX_LENGTH = 40;
const TIME = "(?:[T ][0-9:.,+Z -]{1,40})?";

/** Texts of ISO 8601, with or without a time of day and an offset. */
export const ISO_TIME: Layout = {
  form: `([0-9]{4})-([0-9]{2})-([0-9]{2})(?:[T ]${TIMES[0][2]}:${TIMES[2][2]}(?::${TIMES[3][2]})?(?: ?${OFFSET[2]})?)?`,
  ...{ year: 1, month: 2, day: 3, hour: 4, minute: 5, second: 6, offset: 7, pivot: null },
  ...{ isNamed: false, quarter: null, week: null },
};

type Field = "year" | "quarter" | "week" | "month" | "day" | "hour" | "minute" | "second" | "offset";

interface Written {
  readonly form: string;
  readonly places: Readonly<Partial<Record<Field, number>>>;
  readonly isShort: boolean;
}

/**
 * Reads a pattern of YYYY, YY, MMM, MM, M, DD, D, Q, WW and separators; with a time of day also of HH, H, mm, ss and Z; without one `*` at the end:
 * a time may follow. Years with two digits need `pivot`, the first year that they may mean. Throws INVALID_PARAMETER with the path of the fault.
 */
export function readLayout(pattern: string, pivot: number | undefined, path: string, isTime = false): Layout {
  const refuse = (want: string): never => invalid(`${path}.pattern`, pattern, want);
  if (pattern.length > MAX_LENGTH) refuse(`at most ${MAX_LENGTH} characters`);
  const hasTime = !isTime && pattern.endsWith("*");
  const { form, places, isShort } = readFields(hasTime ? pattern.slice(0, -1) : pattern, isTime, refuse);
  const { year, month = null, day = null, hour = null, minute = null, second = null, offset = null } = places;
  const { quarter = null, week = null } = places;
  if (year === undefined) return refuse("a year: YYYY or YY");
  if (quarter !== null || week !== null) {
    if (month !== null || day !== null || (quarter !== null && week !== null))
      refuse("a quarter or a week alone with its year");
  }
  if (day !== null && month === null) refuse("a month, as it has a day");
  if (minute !== null && hour === null) refuse("an hour, as it has minutes");
  if (second !== null && minute === null) refuse("minutes, as it has seconds");
  if (isShort && pivot === undefined)
    return invalid(`${path}.pivot`, undefined, "given: the first of the hundred years that YY may mean, such as 1930");
  if (!isShort && pivot !== undefined) return invalid(`${path}.pivot`, pivot, "absent: the years have four digits");
  return {
    form: hasTime ? `${form}${TIME}` : form,
    ...{ year, month, day, hour, minute, second, offset, pivot: pivot ?? null },
    ...{ isNamed: pattern.includes("MMM"), quarter, week },
  };
}

function readFields(pattern: string, isTime: boolean, refuse: (want: string) => never): Written {
  const fields = isTime ? [...FIELDS, ...TIMES, OFFSET] : [...FIELDS, ...PERIODS];
  const separators = isTime ? /^[-/. ,:_T年月日時分秒]$/u : /^[-/. ,:_年月日]$/u;
  const tokens = isTime ? "YYYY, YY, MMM, MM, M, DD, D, HH, H, mm, ss, Z" : "YYYY, YY, MMM, MM, M, DD, D, Q, WW";
  const places: Partial<Record<Field, number>> = {};
  let [form, left, isShort] = ["", pattern, false];
  while (left !== "") {
    const field = fields.find(([token]) => left.startsWith(token));
    if (field === undefined) {
      const [sign = ""] = left;
      if (!separators.test(sign)) refuse(`${tokens} and separators such as . / -`);
      form += /[./]/.test(sign) ? `[${sign}]` : sign;
      left = left.slice(sign.length);
      continue;
    }
    const [token, name, digits] = field;
    if (places[name] !== undefined) refuse(`one ${name}`);
    // Digits that follow each other have a fixed number, or no one could tell where one ends.
    const isLoose = token === "M" || token === "D" || token === "H" || token === "ss";
    if (isLoose && /^[YMDHms]/.test(left.slice(token.length))) refuse(`a separator after ${token}`);
    if (isLoose && token !== "ss" && form.endsWith(")")) refuse(`a separator before ${token}`);
    places[name] = Object.keys(places).length + 1;
    isShort ||= token === "YY";
    form += digits;
    left = left.slice(token.length);
  }
  return { form, places, isShort };
}
