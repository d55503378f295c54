import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { expect, test } from "vitest";
import { COUNTRIES, STATES } from "./codes.ts";
import { regionsOf } from "./regions.ts";

const require = createRequire(import.meta.url);
const idsIn = (file: string, map: string): readonly string[] => {
  const { objects } = JSON.parse(readFileSync(require.resolve(file), "utf8"));
  return objects[map].geometries.flatMap(({ id }: { readonly id?: string }) => id ?? []);
};

test("every place of a map that has a number has a code, and no code is without its place", () => {
  const coded = (codes: string) => codes.split(";").map((place) => /^\d+/.exec(place)?.[0] ?? place);
  expect(coded(STATES).toSorted()).toEqual(idsIn("us-atlas/states-albers-10m.json", "states").toSorted());
  expect(coded(COUNTRIES).toSorted()).toEqual(idsIn("world-atlas/countries-110m.json", "countries").toSorted());
});

test("a column is on a map by its name and by all of its values", () => {
  const of = (name: string, ...values: readonly unknown[]) => {
    const found = regionsOf([name], values);
    return found === null ? null : [found.map, ...values.map(found.idOf)];
  };
  expect(of("state", "CA", "Texas", " ny ", 1)).toEqual(["states", "06", "48", "36", "01"]);
  expect(of("Country of birth", "NO", "SWE", "Germany", 208)).toEqual(["countries", "578", "752", "276", "208"]);
  expect(of("country", "CA", "DE", "IN"), "codes of both are what the column is called").toEqual([
    ...["countries", "124", "276", "356"],
  ]);
  expect(of("region", "CA", "TX", "NY")).toBeNull();
  expect(of("state", "CA", "TX", "other")).toBeNull();
  expect(of("state", "CA", "TX"), "two places are no map").toBeNull();
  expect(of("state", "CA", "California", "TX"), "one place twice").toBeNull();
  expect(of("state of employment", 1, 2, 4), "codes of something else").toBeNull();
  expect(of("state", ...Array.from({ length: 100_000 }, (_, at) => at)), "no places").toBeNull();
  expect(of("marital state", "single", "married", "widowed")).toBeNull();
});
