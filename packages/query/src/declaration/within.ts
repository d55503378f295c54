import { invalid } from "@dosimeter/core";
import { entries, list, own, record, text } from "../input/check.ts";
import type { Column, Within } from "./declaration.ts";
import type { Key } from "./key.ts";

type Columns = Readonly<Record<string, Column>>;

/**
 * A column whose categories each lie in one of another: `{column: "state", of: {Georgia: ["Fulton", "DeKalb"], …}}`. What stands in two, in none or
 * nowhere is refused by `checkLevels`, when all columns are known.
 */
export function checkWithin(json: unknown, path: string): Within | undefined {
  if (json === undefined) return undefined;
  const given = record(json, path);
  entries(given, path, ["column", "of"]);
  const of: Record<string, readonly Key[]> = Object.create(null);
  for (const [name, parts] of Object.entries(record(own(given, "of"), `${path}.of`)))
    of[name.normalize("NFC")] = list(parts, `${path}.of.${name}`).map((part) =>
      typeof part === "string" ? part.normalize("NFC") : (part as Key),
    );
  return { column: text(own(given, "column"), `${path}.column`, 200), of };
}

/** Refuses levels that are no hierarchy: of the columns together, in the order of their names. */
export function checkLevels(columns: Columns): void {
  for (const [name, { within, categories = [] }] of Object.entries(columns)) {
    if (within === undefined) continue;
    const path = `columns.${name}.within`;
    const above = Object.hasOwn(columns, within.column) ? columns[within.column] : undefined;
    if (above?.type !== "category") invalid(`${path}.column`, within.column, "a declared category column");
    const passed = new Set([name]);
    for (let at: string | undefined = within.column; at !== undefined; at = columns[at]?.within?.column)
      if (passed.size === passed.add(at).size)
        invalid(
          `${path}.column`,
          within.column,
          `a coarser column: ${[...passed].join(" within ")} within ${at} is a circle`,
        );
    checkCodes(within, { name, categories, above: above?.categories ?? [] });
  }
}

function checkCodes(
  { column, of }: Within,
  {
    name,
    categories,
    above,
  }: { readonly name: string; readonly categories: readonly Key[]; readonly above: readonly Key[] },
): void {
  const path = `columns.${name}.within.of`;
  const placed = new Map<Key, string>();
  const known = new Set(categories);
  for (const [group, parts] of Object.entries(of)) {
    if (!above.some((each) => String(each) === group)) invalid(path, group, `a declared category of ${column}`);
    for (const part of parts) {
      const other = placed.get(part);
      if (!known.has(part)) invalid(`${path}.${group}`, part, `declared categories of ${name}`);
      if (other !== undefined)
        invalid(`${path}.${group}`, part, `categories of ${group} alone: ${part} is in ${other} too, and lies in one`);
      placed.set(part, group);
    }
  }
  const empty = above.find((each) => !Object.hasOwn(of, String(each)) || of[String(each)]?.length === 0);
  if (empty !== undefined)
    invalid(
      path,
      `without ${empty}`,
      `each category of ${column}, with at least one of ${name}: leave ${empty} out of ${column} if it has none`,
    );
  const lost = categories.find((each) => !placed.has(each));
  if (lost !== undefined) invalid(path, `without ${lost}`, `a place for each category of ${name}`);
  if (categories.length === above.length)
    invalid(path, `one ${name} for each ${column}`, "a finer column: as it is, both say the same");
}
