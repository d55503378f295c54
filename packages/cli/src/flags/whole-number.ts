import { PrivacyError } from "@dosimeter/core";

/** What an option says in whole numbers. */
export function wholeNumber(option: string, text: string): number {
  if (!/^\d{1,15}$/.test(text))
    throw new PrivacyError("INVALID_PARAMETER", { name: option, got: text, want: "a whole number" });
  return Number(text);
}
