import type { CalendarUnit, DatePart, Rational, ZoneOffsets } from "@dosimeter/core";

/**
 * A bound formula: total operations on whole numbers, truth values and texts, any of which may be
 * missing (null). Static bounds keep every number and every intermediate product below 2⁶³, so none can fail [M123].
 */
export type Code =
  /** A number as a whole number of steps from 0: an integer column clamped, or a number column on its grid. */
  | { readonly do: "whole"; readonly column: string; readonly lower: number; readonly upper: number }
  | {
      readonly do: "grid";
      readonly column: string;
      readonly lower: number;
      readonly upper: number;
      readonly step: Rational;
      readonly first: bigint;
      readonly steps: bigint;
      /** Of a decimal column: its digits behind the point. */
      readonly scale?: number;
    }
  /** A whole-number category: missing unless it is one of `values`. */
  | { readonly do: "member"; readonly column: string; readonly values: readonly number[] }
  | { readonly do: "truth" | "text"; readonly column: string }
  | {
      readonly do: "constant";
      readonly value: bigint | boolean | string | null;
      readonly type: "number" | "boolean" | "text";
    }
  /** Missing when either part is missing. */
  | { readonly do: "add" | "multiply"; readonly a: Code; readonly b: Code }
  | { readonly do: "within"; readonly a: Code; readonly least: bigint; readonly largest: bigint }
  /** Largest whole number at most a/by, for a ≥ least and by > 0. */
  | { readonly do: "floor"; readonly a: Code; readonly by: bigint; readonly least: bigint }
  /** a·times/b to the nearest whole number, halves away from 0; missing when b is 0. */
  | { readonly do: "quotient"; readonly a: Code; readonly b: Code; readonly times: bigint }
  /** A part of a day, or the period that holds it; the day is a number of days within years 1 to 9999. */
  | { readonly do: "dayPart"; readonly part: DatePart; readonly a: Code }
  | { readonly do: "period"; readonly unit: CalendarUnit; readonly a: Code }
  /** The time on clocks at a second of UTC, in seconds from their own 1970-01-01 on. */
  | { readonly do: "local"; readonly offsets: ZoneOffsets; readonly a: Code }
  /** What is left of a after whole multiples of by, from 0 on, for a ≥ least and by > 0. */
  | { readonly do: "rest"; readonly a: Code; readonly by: bigint; readonly least: bigint }
  /** False when either part is missing. */
  | { readonly do: "compare"; readonly op: "=" | "!=" | "<" | "<=" | ">" | ">="; readonly a: Code; readonly b: Code }
  | { readonly do: "missing"; readonly a: Code }
  /** A missing truth value counts as false. */
  | { readonly do: "and" | "or"; readonly of: readonly Code[] }
  | { readonly do: "not"; readonly a: Code }
  | { readonly do: "if"; readonly condition: Code; readonly yes: Code; readonly no: Code }
  | { readonly do: "first"; readonly of: readonly Code[] }
  /** A whole number multiplied by `times`, as decimal digits. */
  | { readonly do: "digits"; readonly a: Code; readonly times: bigint }
  /** A text as a part of a joined one: `partOf`. */
  | { readonly do: "part"; readonly a: Code }
  /** Parts with `JOINT` between them; missing when any part is missing. */
  | { readonly do: "join"; readonly of: readonly Code[] };

/**
 * The separator of joined texts. Its first and last character never merge with a neighbour, so that texts in NFC stay
 * in NFC.
 */
export const JOINT = " | ";

/** A single bar occurs in `JOINT` only: parts double it, so that different parts never make the same text. */
export const BAR = "|";
/** Formulas read at most this number of letters (code points) of a stored text or of a part of a joined one. */
export const MAX_LETTERS = 1000;

export function beginningOf(text: string): string {
  let [end, letters] = [0, 0];
  for (const letter of text) {
    if (letters === MAX_LETTERS) break;
    letters += 1;
    end += letter.length;
  }
  return text.slice(0, end);
}

export const partOf = (text: string): string => beginningOf(text).replaceAll(BAR, BAR + BAR);

export type CodeValue = bigint | boolean | string | null;
