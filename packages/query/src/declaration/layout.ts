import { invalid } from "@dosimeter/core";

/** How stored texts write dates: `DD.MM.YYYY`, read into what databases need. */
export interface Layout {
  /** Matches a whole text; its groups are numbered from 1. */
  readonly form: string;
  /** The groups of year, month and day; null where the texts have none: the first of the year or month. */
  readonly year: number;
  readonly month: number | null;
  readonly day: number | null;
  /** Of years with two digits: the first of the hundred years that they stand for. */
  readonly pivot: number | null;
}

export const ISO_PATTERN = "YYYY-MM-DD";

const FIELDS = [
  ["YYYY", "year", "([0-9]{4})"],
  ["YY", "year", "([0-9]{2})"],
  ["MM", "month", "([0-9]{2})"],
  ["DD", "day", "([0-9]{2})"],
  ["M", "month", "([0-9]{1,2})"],
  ["D", "day", "([0-9]{1,2})"],
] as const;
const MAX_LENGTH = 40;
const TIME = "(?:[T ][0-9:.,+Z -]{1,40})?";

/**
 * Reads a pattern of YYYY, YY, MM, M, DD, D and separators; `*` at the end: a time of day may follow. Years with two digits need `pivot`, the first year that they
 * may mean. Throws INVALID_PARAMETER with the path of the fault.
 */
export function readLayout(pattern: string, pivot: number | undefined, path: string): Layout {
  const at = `${path}.pattern`;
  const refuse = (want: string): never => invalid(at, pattern, want);
  if (pattern.length > MAX_LENGTH) refuse(`at most ${MAX_LENGTH} characters`);
  const places: Partial<Record<"year" | "month" | "day", number>> = {};
  let form = "";
  const hasTime = pattern.endsWith("*");
  let left = hasTime ? pattern.slice(0, -1) : pattern;
  let isShort = false;
  while (left !== "") {
    const field = FIELDS.find(([token]) => left.startsWith(token));
    if (field === undefined) {
      const [sign = ""] = left;
      if (!/^[-/. ,:_年月日]$/u.test(sign)) refuse("YYYY, YY, MM, M, DD, D and separators such as . / -");
      form += /[./]/.test(sign) ? `[${sign}]` : sign;
      left = left.slice(sign.length);
      continue;
    }
    const [token, name, digits] = field;
    if (places[name] !== undefined) refuse(`one ${name}`);
    // Digits that follow each other have a fixed number, or no one could tell where one ends.
    if (digits.includes(",") && /^[YMD]/.test(left.slice(token.length))) refuse(`a separator after ${token}`);
    if (digits.includes(",") && form.endsWith(")")) refuse(`a separator before ${token}`);
    places[name] = Object.keys(places).length + 1;
    isShort ||= token === "YY";
    form += digits;
    left = left.slice(token.length);
  }
  const { year, month = null, day = null } = places;
  if (year === undefined) return refuse("a year: YYYY or YY");
  if (day !== null && month === null) refuse("a month, as it has a day");
  if (isShort && pivot === undefined)
    return invalid(`${path}.pivot`, undefined, "given: the first of the hundred years that YY may mean, such as 1930");
  if (!isShort && pivot !== undefined) return invalid(`${path}.pivot`, pivot, "absent: the years have four digits");
  return { form: hasTime ? `${form}${TIME}` : form, year, month, day, pivot: pivot ?? null };
}
