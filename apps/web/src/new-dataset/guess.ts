import type { ColumnType } from "@dosimeter/query/declaration";
import { CATEGORY_WORDS, wordsOf } from "../parts/name-words.ts";

type Guessed = ColumnType | "timestamp";

const byStorage: readonly (readonly [RegExp, Guessed])[] = [
  [/^BOOL/i, "boolean"],
  [/^timestamp with time zone/i, "timestamp"],
  [/^(DATE$|TIMESTAMP(_|$)|timestamp without)/i, "date"],
  [/INT/i, "integer"],
  [/DOUBLE|FLOAT|REAL|DECIMAL|NUMERIC/i, "number"],
];

/** Words in a name that say what a column holds; the first line that fits decides. */
const byWord: readonly (readonly [RegExp, Guessed])[] = [
  [/^(?:id|uid|uuid|key|code|zip|postcode|phone|email|name|address|comment|text)$/, "text"],
  [/^(?:timestamp|datetime)$/, "timestamp"],
  [/^(?:date|dob|birthday|birthdate)$/, "date"],
  [/^(?:is|has|was|flag|married|divorced|employed|smoker|citizen|insured|disabled|retired|active)$/, "boolean"],
  [CATEGORY_WORDS, "category"],
  [
    /^(?:age|year|month|day|hour|minute|count|number|num|children|siblings|visits|size|persons|people|rooms)$/,
    "integer",
  ],
  [/^(?:years|months|days|hours|minutes|births|deaths|times)$/, "integer"],
  [/^(?:income|salary|wage|earnings|cost|price|amount|revenue|rent|tax|fee|expenses|debt|total)$/, "number"],
  [
    /^(?:weight|height|bmi|temperature|score|rate|ratio|share|percent|distance|length|width|speed|latitude|longitude)$/,
    "number",
  ],
];

/** The type of a column by the file's own type, or else by its name; a value decides nothing. */
export function guessType(name: string, storage: string): Guessed {
  const stored = byStorage.find(([pattern]) => pattern.test(storage))?.[1];
  if (stored !== undefined) return stored;
  const words = wordsOf(name);
  // A number that numbers things is a name: tail_number, accountNo.
  if (words.length > 1 && /^(?:number|num|no|nr)$/.test(words.at(-1) ?? "")) return "text";
  return byWord.find(([pattern]) => words.some((word) => pattern.test(word)))?.[1] ?? "text";
}
