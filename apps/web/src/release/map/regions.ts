import { COUNTRIES, STATES } from "./codes.ts";

/** Which map has a column's values, and what each value is on it. */
export interface Regions {
  readonly map: "states" | "countries";
  readonly idOf: (value: unknown) => string | undefined;
}

/** Fewer places than this are no map, more are no places. */
const [MIN_PLACES, MAX_PLACES] = [3, 500];

const MAPS = {
  states: { called: /state/i, codes: STATES, names: null },
  countries: { called: /countr|nation/i, codes: COUNTRIES, names: new Intl.DisplayNames("en", { type: "region" }) },
} as const;

const keyOf = (text: string): string => text.trim().toUpperCase();

/** The map whose codes, or countries' English names, all values of a column are; null for others. A column says by its name which codes it has. */
export function regionsOf(names: readonly string[], values: readonly unknown[]): Regions | null {
  for (const [map, { called: pattern, codes, names: spoken }] of Object.entries(MAPS)) {
    if (!names.some((each) => pattern.test(each)) || values.length < MIN_PLACES || values.length > MAX_PLACES) continue;
    const ids = new Map<string, string>();
    for (const place of codes.split(";")) {
      const [, id = "", letters = "", called = ""] = /^(\d+)([A-Z]{2})(.+)$/.exec(place) ?? [];
      for (const each of [id, String(Number(id)), letters, called, spoken?.of(letters) ?? ""]) ids.set(keyOf(each), id);
    }
    const idOf = (value: unknown) => ids.get(keyOf(String(value)));
    const found = new Set(values.map(idOf));
    // Two spellings of one place are two values, which no map can show; digits alone may number anything.
    if (found.has(undefined) || found.size < values.length || values.every((value) => /^\s*\d\s*$/.test(String(value))))
      continue;
    return { map: map as Regions["map"], idOf };
  }
  return null;
}
