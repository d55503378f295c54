import { invalid, PrivacyError } from "@dosimeter/core";
import { type NumberWish, plainNumber, typedNumber } from "@dosimeter/core/internal";
import { faultText } from "../../parts/number-text.ts";

/** A field: its initial text and its parser. `read` throws a PrivacyError whose `want` is shown. */
export interface Field<T> {
  readonly initial: string;
  readonly read: (text: string) => T;
}

const readNumber = (text: string, range: NumberWish): number => typedNumber(text, range).value;

export const numberField = (initial: string, range: NumberWish = {}): Field<number> => ({
  initial,
  read: (text) => readNumber(text, range),
});

/** Empty means left out. */
export const optionalField = (range: NumberWish = {}): Field<number | undefined> => ({
  initial: "",
  read: (text) => (text.trim() === "" ? undefined : readNumber(text, range)),
});

/** Numbers separated by commas, at most `most` of them. */
export const listField = (initial: string, range: NumberWish, most = 6): Field<readonly number[]> => ({
  initial,
  read(text) {
    // “1,500” may be one number or two.
    if (text.includes(",") && plainNumber(text) !== null)
      return invalid("value", text, "several numbers with a comma and a space between them, or one without commas");
    const values = text.split(",").map((part) => readNumber(part, range));
    if (values.length > most) invalid("value", text, `at most ${most} numbers`);
    return values;
  },
});

export const choiceField = <const T extends readonly string[]>(names: T, initial: T[number]): Field<T[number]> => ({
  initial,
  read(text) {
    const found = names.find((name) => name === text);
    if (found === undefined) invalid("value", text, `one of ${names.join(", ")}`);
    return found;
  },
});

export type Fields = Readonly<Record<string, Field<unknown>>>;
export type ValuesOf<F extends Fields> = { readonly [K in keyof F]: ReturnType<F[K]["read"]> };

export interface FieldState<F extends Fields> {
  readonly texts: { readonly [K in keyof F]: string };
  readonly faults: { readonly [K in keyof F]?: string };
  /** All values, or undefined while one is invalid. */
  readonly values: ValuesOf<F> | undefined;
  readonly set: (change: { readonly [K in keyof F]?: string }) => void;
}

/** The address after a change. Initial values are left out; plain numbers are written as numbers. */
export function changed(
  before: Readonly<Record<string, unknown>>,
  change: Readonly<Record<string, string | undefined>>,
  fields: Fields,
): Record<string, unknown> {
  const after: Record<string, unknown> = { ...before };
  for (const [name, text] of Object.entries(change)) {
    if (text === undefined || text === fields[name]?.initial) delete after[name];
    else after[name] = String(Number(text)) === text ? Number(text) : text;
  }
  return after;
}

export function readAll<F extends Fields>(
  fields: F,
  search: Readonly<Record<string, unknown>>,
): Omit<FieldState<F>, "set"> {
  const texts: Record<string, string> = {};
  const faults: Record<string, string> = {};
  const values: Record<string, unknown> = {};
  for (const [name, field] of Object.entries(fields)) {
    const given = Object.hasOwn(search, name) ? search[name] : undefined;
    const text = typeof given === "string" || typeof given === "number" ? String(given) : field.initial;
    texts[name] = text;
    try {
      values[name] = field.read(text);
    } catch (error) {
      faults[name] =
        error instanceof PrivacyError ? faultText(text, error.details.want ?? "a number") : "Cannot be read.";
    }
  }
  const isGood = Object.keys(faults).length === 0;
  return {
    texts: texts as FieldState<F>["texts"],
    faults: faults as FieldState<F>["faults"],
    values: isGood ? (values as ValuesOf<F>) : undefined,
  };
}
