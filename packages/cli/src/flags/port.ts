import { invalid } from "@dosimeter/core";

/** A port number from the command line; 0 is any free port. INVALID_PARAMETER for anything else. */
export function portNumber(text: string): number {
  if (/^\d{1,5}$/.test(text) && Number(text) < 65_536) return Number(text);
  invalid("port", text, "a whole number from 0 to 65535");
}
