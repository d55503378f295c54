import { invalid } from "@dosimeter/core";

/** What an option says in whole numbers. */
export function wholeNumber(option: string, text: string): number {
  if (!/^\d{1,15}$/.test(text)) invalid(option, text, "a whole number");
  return Number(text);
}
