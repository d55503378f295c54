import { invalid } from "@dosimeter/core";

/** Parses an option that is a number of any size, infinite ones included. */
export function anyNumber(text: string, name: string): number {
  const value = text.trim() === "" ? Number.NaN : Number(text);
  if (Number.isNaN(value)) invalid(name, text, "a number");
  return value;
}
