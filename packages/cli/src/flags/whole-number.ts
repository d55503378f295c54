import { typedNumber } from "@dosimeter/core/internal";

/** Parses an option that is a whole number. */
export function wholeNumber(option: string, text: string): number {
  return typedNumber(text, { min: 0, isWhole: true }, option).value;
}
