import { invalid, PrivacyError } from "@dosimeter/core";
import { isPrintable, printableText } from "@dosimeter/core/internal";

const MAX_NAME_LENGTH = 200;

/** A visible character. */
const VISIBLE = /[^\p{Cf}\p{Z}\p{M}\p{Default_Ignorable_Code_Point}\u2800]/u;

/** Trimmed, 1 to 200 characters that can be seen. */
export function checkName(value: string, name: string): string {
  const text = value.trim().normalize("NFC");
  if (text.length > MAX_NAME_LENGTH || !isPrintable(text) || !VISIBLE.test(text)) {
    invalid(name, value, "1 to 200 printable characters");
  }
  return text;
}

const MAX_NOTE_LENGTH = 2000;

/** Trimmed; at most 2000 printable characters, line breaks and tabs. */
export function checkNote(value: string): string {
  const text = value.trim().normalize("NFC");
  if (text.length > MAX_NOTE_LENGTH || !isPrintable(text.replace(/[\n\r\t]/g, "")))
    invalid("note", undefined, "at most 2000 printable characters");
  return text;
}

/** The part of a name from outside that checkName accepts, cut to its length; null when nothing visible is left. */
export function nameFrom(text: string): string | null {
  const printable = printableText(text).trim().normalize("NFC");
  let name = "";
  for (const character of printable) {
    if (name.length + character.length > MAX_NAME_LENGTH) break;
    name += character;
  }
  return VISIBLE.test(name) ? name.trim() : null;
}

/** NOT_FOUND when it is undefined. */
export function found<T>(thing: T | undefined, name: string, id: string): T {
  if (thing === undefined)
    throw new PrivacyError("NOT_FOUND", { name, got: id, want: "the id of something you may see" });
  return thing;
}

export const usedKey = (got: string): PrivacyError =>
  new PrivacyError("IDEMPOTENCY_CONFLICT", { name: "key", got, want: "a key not used for another request" });

/** Of a population that is not in use. */
export const ONE_LEDGER = "not in use: these people have a ledger already, which all their datasets share";

/** CONFLICT when one exists already. */
export function vacant(thing: unknown, name: string, got: string, want = "not in use"): void {
  if (thing !== undefined) throw new PrivacyError("CONFLICT", { name, got, want });
}

/** The last instant with a year of four digits: the store compares instants as text. */
const YEAR_10000 = Date.UTC(10_000, 0);

/** An ISO 8601 UTC instant, as the store writes them. */
export function checkInstant(value: string, name: string): string {
  const time = Date.parse(value);
  const [day] = /^\d{4}-\d\d-\d\d/.exec(value) ?? [];
  const isNoDay = day !== undefined && !new Date(Date.parse(day) || 0).toISOString().startsWith(day); // 30 February is not 2 March
  if (Number.isNaN(time) || Math.abs(time) >= YEAR_10000 || isNoDay)
    invalid(name, value, "an ISO 8601 time before the year 10000");
  return new Date(time).toISOString();
}
