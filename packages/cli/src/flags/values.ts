import { invalid } from "@dosimeter/core";
import { typedNumber } from "@dosimeter/core/internal";

/** Parses an option that is a number of any size, infinite ones included. */
export function anyNumber(text: string, name: string): number {
  const value = text.trim() === "" ? Number.NaN : Number(text);
  if (Number.isNaN(value)) invalid(name, text, "a number");
  return value;
}

export function wholeNumber(option: string, text: string): number {
  return typedNumber(text, { min: 0, isWhole: true }, option).value;
}

/** An option that may be given several times. */
export const collect = (value: string, before: readonly string[] = []): readonly string[] => [...before, value];

/** A port number from the command line; 0 is any free port. INVALID_PARAMETER for anything else. */
export function portNumber(text: string): number {
  if (/^\d{1,5}$/.test(text) && Number(text) < 65_536) return Number(text);
  invalid("port", text, "a whole number from 0 to 65535");
}
