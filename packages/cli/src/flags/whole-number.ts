import { invalid } from "@dosimeter/core";

/** Parses an option that is a whole number. */
export function wholeNumber(option: string, text: string): number {
  if (!/^\d{1,15}$/.test(text)) invalid(option, text, "a whole number");
  return Number(text);
}
