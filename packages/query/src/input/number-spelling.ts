/** How stored texts write numbers: 1.234,5. */
export interface NumberSpelling {
  /** The forms of the sign between thousands; none where there is none. */
  readonly thousands: string;
  readonly decimal: "." | ",";
  /** What may stand around a number: a currency, a percent sign. */
  readonly before: string;
  readonly after: string;
}

const NUMBER = /^(?<before>[^\d\s]{0,5}) ?1(?<thousands>[., '’]?)234(?<decimal>[.,])5 ?(?<after>[^\d\s]{0,5})$/u;
const FORMS: Readonly<Record<string, string>> = { " ": " \u00a0\u2009\u202f", "'": "'’", "’": "'’" };

/** Reads `1.234,5`, `1 234,5 €`, `$1,234.5`; null for any other text. */
export function readNumberSpelling(pattern: string): NumberSpelling | null {
  const { before = "", thousands = "", decimal, after = "" } = NUMBER.exec(pattern)?.groups ?? {};
  if ((decimal !== "." && decimal !== ",") || thousands === decimal || /[-+−.,]/.test(before + after)) return null;
  return { thousands: FORMS[thousands] ?? thousands, decimal, before, after };
}

export const NUMBERS_WANTED = "1234.5 as the file writes it, such as 1234,5 or 1.234,5 or 1 234,5 € or $1,234.5";
