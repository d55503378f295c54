import { invalid } from "@dosimeter/core";
import { isRecord } from "@dosimeter/core/internal";
import { list, record, text } from "../input/check.ts";
import { numbersIn, unmeantAmong, withinQuotes } from "../input/meant.ts";
import { MAX_LETTERS } from "./code.ts";
import type { Column } from "./declaration.ts";

const MAX_CATEGORIES = 65_536;

/** The values of a category. What no one means as a value is refused, unless one of `labels` says that it is one. */
export function checkCategories(json: unknown, path: string, labels: unknown): readonly (string | number)[] {
  const values = list(json, path);
  if (values.length === 0) invalid(path, values, "at least one category");
  if (values.length > MAX_CATEGORIES) invalid(path, values.length, `at most ${MAX_CATEGORIES} categories`);
  const kind = typeof values[0];
  const seen = new Set<string | number>();
  const all = values.map((value, index) => {
    const at = `${path}[${index}]`;
    if (typeof value !== kind || (typeof value !== "string" && typeof value !== "number"))
      return invalid(at, value, "all texts or all numbers");
    if (typeof value === "number" && !Number.isFinite(value)) return invalid(at, value, "a finite number");
    const canonical = typeof value === "string" ? textOf(value, at) : value + 0;
    if (seen.has(canonical)) return invalid(at, value, "different from the categories before it");
    seen.add(canonical);
    return canonical;
  });
  const texts = all.filter((value) => typeof value === "string");
  const unmeant = unmeantAmong(texts);
  texts.forEach((value, index) => {
    const found = isRecord(labels) && Object.hasOwn(labels, value) ? null : unmeant(value);
    if (found !== null)
      invalid(
        `${path}[${index}]`,
        value,
        `${wanted[found](value)}; where it is itself a value, give it a label in valueLabels`,
      );
  });
  return all;
}

const MAX_SPELLINGS = 200;

/** What counts as a category of texts, by that category; each value of the table is one category, or missing, at most [M86]. */
export function checkSpellings(
  json: unknown,
  path: string,
  { categories = [], missing = [] }: Pick<Column, "categories" | "missing">,
): Column["spellings"] {
  if (json === undefined) return undefined;
  const taken = new Set<string | number>([...categories, ...missing]);
  const spellings: Record<string, readonly string[]> = Object.create(null);
  for (const [name, written] of Object.entries(record(json, path))) {
    const category = name.normalize("NFC");
    if (!categories.includes(category)) invalid(path, name, "a declared category, of texts");
    spellings[category] = list(written, `${path}.${name}`).map((one, index) => {
      const at = `${path}.${name}[${index}]`;
      const value = textOf(text(one, at, MAX_LETTERS), at);
      if (taken.has(value)) invalid(at, value, "no category, no mark of a missing value, and written once");
      taken.add(value);
      return value;
    });
  }
  const all = Object.values(spellings).flat().length;
  return all > MAX_SPELLINGS ? invalid(path, all, `at most ${MAX_SPELLINGS} values`) : spellings;
}

const wanted = {
  range: (value: string) => {
    const { from = 0, to = 0 } = numbersIn(value) ?? {};
    return `each number from ${from} to ${to} by itself`;
  },
  quotes: (value: string) => `${withinQuotes(value)} without quotes`,
  list: () => "an item of the list for each value",
} as const;

function textOf(value: string, path: string): string {
  const bare = value.replaceAll(/^ +| +$/g, "");
  if (bare === "") return invalid(path, value, "a text that is not empty: an empty field is a missing value");
  return bare === value
    ? value.normalize("NFC")
    : invalid(path, value, `${JSON.stringify(bare)}: spaces around a value of the table do not count`);
}
