import type { Rational } from "@dosimeter/core";

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
    }
  /** A category of whole numbers: missing unless it is one of them. */
  | { readonly do: "member"; readonly column: string; readonly values: readonly number[] }
  | { readonly do: "truth" | "text"; readonly column: string }
  | {
      readonly do: "constant";
      readonly value: bigint | boolean | string | null;
      readonly type: "number" | "boolean" | "text";
    }
  /** Missing when either is. */
  | { readonly do: "add" | "multiply"; readonly a: Code; readonly b: Code }
  | { readonly do: "within"; readonly a: Code; readonly least: bigint; readonly largest: bigint }
  /** Largest whole number at most a/by, for a ≥ least and by > 0. */
  | { readonly do: "floor"; readonly a: Code; readonly by: bigint; readonly least: bigint }
  /** a·times/b to the nearest whole number, halves away from 0; missing when b is 0. */
  | { readonly do: "quotient"; readonly a: Code; readonly b: Code; readonly times: bigint }
  /** False when either is missing. */
  | { readonly do: "compare"; readonly op: "=" | "!=" | "<" | "<=" | ">" | ">="; readonly a: Code; readonly b: Code }
  | { readonly do: "missing"; readonly a: Code }
  /** A missing truth value counts as false. */
  | { readonly do: "and" | "or"; readonly of: readonly Code[] }
  | { readonly do: "not"; readonly a: Code }
  | { readonly do: "if"; readonly condition: Code; readonly yes: Code; readonly no: Code }
  | { readonly do: "first"; readonly of: readonly Code[] }
  /** A whole number, this many times as large, in digits. */
  | { readonly do: "digits"; readonly a: Code; readonly times: bigint }
  /** A text as a part of a joined one: `partOf`. */
  | { readonly do: "part"; readonly a: Code }
  /** Parts with `JOINT` between them; missing when any is. */
  | { readonly do: "join"; readonly of: readonly Code[] };

/** Begins and ends with a character that never merges with a neighbour, so that texts in NFC stay so when they are joined. */
export const JOINT = " | ";

/** Stands alone in `JOINT` only: within parts it is doubled, so that different parts never make the same text. */
export const BAR = "|";
/** Letters (code points) of a stored text, and of a part of a joined one: however long a row's texts are, formulas work on short ones. */
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
