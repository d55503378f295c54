import { invalid } from "@dosimeter/core";
import { choiceOf, type Fields, isRecord, meantText } from "@dosimeter/core/internal";

export type { Fields };

export function record(json: unknown, name: string): Fields {
  return isRecord(json) ? json : invalid(name, json, "an object");
}

/** An own property: `__proto__` and `constructor` are names like any other. */
export const own = (fields: Fields, key: string): unknown => (Object.hasOwn(fields, key) ? fields[key] : undefined);

/** Refuses a field that no one reads: a misspelt bound must not be ignored. */
export function entries(fields: Fields, path: string, known: readonly string[]): void {
  for (const key of Object.keys(fields))
    if (!known.includes(key))
      invalid(
        path === "" ? key : `${path}.${key}`,
        fields[key],
        `absent; known are ${known.join(", ")}${meantText(key, known)}`,
      );
}

export function list(json: unknown, name: string): readonly unknown[] {
  return Array.isArray(json) ? json : invalid(name, json, "a list");
}

export function text(json: unknown, name: string, longest: number): string {
  if (typeof json !== "string" || json === "") return invalid(name, json, "a text that is not empty");
  if (json.length > longest) return invalid(name, json.length, `at most ${longest} characters`);
  return json;
}

/** `said` has other words for some of those that are allowed, for refusals. */
export function oneOf<const T extends string>(
  json: unknown,
  name: string,
  allowed: readonly T[],
  said?: Readonly<Record<string, readonly string[]>>,
): T {
  const found = allowed.find((value) => value === json);
  return found ?? invalid(name, json, choiceOf(json, allowed, said));
}

/** A number that a declaration may name: finite, and where `whole` one of those that doubles hold exactly. */
export function checkNumber(json: unknown, name: string, whole: boolean): number {
  const fits = typeof json === "number" && (whole ? Number.isSafeInteger(json) : Math.abs(json) <= 1e300);
  return fits ? json + 0 : invalid(name, json, whole ? "a whole number within ±2^53" : "a finite number within ±1e300");
}

/** The first name of a list that is an earlier one but for case, blanks around it and the way its letters are written: no one tells them apart. */
export function nameTwice(names: readonly string[]): string | undefined {
  const seen = new Set<string>();
  return names.find((name) => seen.size === seen.add(name.normalize("NFC").trim().toLowerCase()).size);
}
