import { invalid } from "@dosimeter/core";
import { isPrintable } from "@dosimeter/core/internal";
import { entries, type Fields, own, record, text } from "../input/check.ts";
import { withinQuotes } from "../input/meant.ts";
import type { Column, Declaration, UnitNoun } from "./declaration.ts";

const MAX_LENGTH = { label: 200, unit: 20, description: 500 } as const;
const MAX_VALUE_LABEL = 200;
/** A whole number has no list of its own that would bound it. */
const MAX_VALUE_LABELS = 1000;

export const WORD_KEYS = ["label", "unit", "description", "valueLabels"] as const;
type Words = Pick<Column, (typeof WORD_KEYS)[number]>;

/** What a column and its values are called. Only words: no plan, price or hash depends on them. */
export function checkWords(given: Fields, path: string, column: Pick<Column, "type" | "categories">): Words {
  const words = Object.entries(MAX_LENGTH).flatMap(([key, longest]) =>
    own(given, key) === undefined ? [] : [[key, text(own(given, key), `${path}.${key}`, longest)]],
  );
  const unit = own(given, "unit");
  const bare = typeof unit === "string" ? withinQuotes(unit) : null;
  if (bare !== null) invalid(`${path}.unit`, unit, `${bare} without quotes`);
  const labels = own(given, "valueLabels");
  return {
    ...Object.fromEntries(words),
    ...(labels === undefined ? {} : { valueLabels: checkValueLabels(labels, `${path}.valueLabels`, column) }),
  };
}

function checkValueLabels(json: unknown, path: string, { type, categories }: Pick<Column, "type" | "categories">) {
  if (type !== "category" && type !== "integer" && type !== "boolean")
    invalid(path, json, `absent: the column is ${type}`);
  const given = Object.entries(record(json, path));
  if (categories === undefined && given.length > MAX_VALUE_LABELS)
    invalid(path, given.length, `at most ${MAX_VALUE_LABELS} labels`);
  const known = type === "boolean" ? ["true", "false"] : categories?.map(String);
  const allowed = known === undefined ? null : new Set(known);
  const labels: Record<string, string> = Object.create(null);
  for (const [value, label] of given) {
    const key = value.normalize("NFC");
    if (allowed !== null && !allowed.has(key)) invalid(path, value, "labels of values that the column may have");
    if (allowed === null && String(Number.parseInt(key, 10)) !== key) invalid(path, value, "labels of whole numbers");
    labels[key] = text(label, `${path}.${value}`, MAX_VALUE_LABEL);
  }
  return labels;
}

export function checkUnitNoun(json: unknown): UnitNoun | undefined {
  if (json === undefined) return undefined;
  const given = record(json, "unitNoun");
  entries(given, "unitNoun", ["one", "many"]);
  return { one: text(own(given, "one"), "unitNoun.one", 40), many: text(own(given, "many"), "unitNoun.many", 40) };
}

/** Refuses words that are not shown as they are written: control characters, marks that turn the direction of text. */
export function refuseUnprintable({ unitNoun, columns }: Pick<Declaration, "unitNoun" | "columns">): void {
  const check = (path: string, text: string | undefined): void => {
    if (text !== undefined && !isPrintable(text)) invalid(path, text, "printable characters");
  };
  check("unitNoun.one", unitNoun?.one);
  check("unitNoun.many", unitNoun?.many);
  for (const [name, { label, unit, description, valueLabels = {} }] of Object.entries(columns)) {
    for (const [key, text] of Object.entries({ label, unit, description })) check(`columns.${name}.${key}`, text);
    for (const [value, text] of Object.entries(valueLabels)) check(`columns.${name}.valueLabels.${value}`, text);
  }
}

/** What one and several of the protected units are called: a person and people unless the owner says otherwise. */
export const unitNounOf = ({ unitNoun }: Pick<Declaration, "unitNoun">): UnitNoun =>
  unitNoun ?? { one: "person", many: "people" };

/**
 * A sentence about protected units in the owner's words: "a person" becomes "an aircraft", "people" becomes "aircraft". Names that
 * people gave to columns are put in afterwards. With the usual noun the sentence stays as it is.
 */
export function inNoun(sentence: string, noun: UnitNoun | undefined): string {
  if (noun === undefined) return sentence;
  return sentence.replaceAll(/\b(an? )?(people|person)\b/gi, (_, article: string | undefined, word: string) => {
    const said = word.toLowerCase() === "people" ? noun.many : noun.one;
    if (article !== undefined)
      return `${article.startsWith("A") ? "A" : "a"}${/^[aeiou]/i.test(said) ? "n" : ""} ${said}`;
    return /^[PA]/.test(word) ? said.charAt(0).toUpperCase() + said.slice(1) : said;
  });
}

/** The longest label that a sentence takes: a question of a code book is no name. */
const MAX_SPOKEN = 40;

/**
 * What a sentence calls a column: its label as its owner wrote it, for no rule tells "Income" from "Apgar" or a German noun. Its name
 * where it has no label, a long one, or one that another column is called too. Plans, filters and answers name columns by their names.
 */
export function spokenColumn(name: string, { columns }: Pick<Declaration, "columns">): string {
  const label = Object.hasOwn(columns, name) ? columns[name]?.label : undefined;
  if (label === undefined || label.length > MAX_SPOKEN) return name;
  const said = label.toLowerCase();
  const isOfAnother = Object.entries(columns).some(
    ([other, column]) => other !== name && [other, column.label].some((word) => word?.toLowerCase() === said),
  );
  return isOfAnother ? name : label;
}
