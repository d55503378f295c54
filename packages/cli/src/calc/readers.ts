import { type DpEvent, invalid, parseEvent } from "@dosimeter/core";
import { type Fields, isRecord } from "@dosimeter/core/internal";
import type { Reader } from "./function.ts";

const nonFinite: Readonly<Record<string, number>> = {
  Infinity: Number.POSITIVE_INFINITY,
  "-Infinity": Number.NEGATIVE_INFINITY,
  NaN: Number.NaN,
};

export interface NumberRange {
  readonly min?: number;
  readonly max?: number;
  /** Excludes `min` itself. */
  readonly above?: number;
  /** Excludes `max` itself. */
  readonly below?: number;
  readonly integer?: boolean;
  readonly infinite?: boolean;
}

/** A number; the strings "Infinity", "-Infinity" and "NaN" where the range has them (NaN never, unless `infinite` and no bound). */
export function number(range: NumberRange = {}): Reader<number> {
  const type = numberType(range);
  return {
    type,
    read(value, path) {
      const x = typeof value === "string" && Object.hasOwn(nonFinite, value) ? nonFinite[value] : value;
      if (typeof x !== "number" || Number.isNaN(x)) return invalid(path, value, type);
      const isInside =
        (range.min === undefined || x >= range.min) &&
        (range.max === undefined || x <= range.max) &&
        (range.above === undefined || x > range.above) &&
        (range.below === undefined || x < range.below) &&
        (range.integer !== true || Number.isSafeInteger(x)) &&
        (range.infinite === true || Number.isFinite(x));
      return isInside ? x : invalid(path, value, type);
    },
  };
}

function numberType(range: NumberRange): string {
  const noun = range.integer ? "integer" : "number";
  const conditions = [
    range.min === undefined ? "" : `>= ${range.min}`,
    range.above === undefined ? "" : `> ${range.above}`,
    range.max === undefined ? "" : `<= ${range.max}`,
    range.below === undefined ? "" : `< ${range.below}`,
  ].filter((condition) => condition !== "");
  const infinite = range.infinite === true ? ', or "Infinity"' : "";
  return (conditions.length === 0 ? noun : `${noun} ${conditions.join(" and ")}`) + infinite;
}

/** ε ≥ 0 with Infinity; a probability; δ: the ranges that most functions share. */
export const epsilonNumber = number({ min: 0, infinite: true });
export const probability = number({ min: 0, max: 1 });
export const failureProbability = number({ above: 0, below: 1 });

/** A decimal that the ledger takes exactly: a JSON number means its shortest decimal, a string its digits. */
export const decimal: Reader<string | number> = {
  type: "decimal >= 0, as a number or a string",
  read(value, path) {
    if (typeof value === "number" || typeof value === "string") return value;
    return invalid(path, value, this.type);
  },
};

export function oneOf<const T extends readonly string[]>(names: T): Reader<T[number]> {
  const type = names.map((name) => JSON.stringify(name)).join(" | ");
  return { type, read: (value, path) => names.find((name) => name === value) ?? invalid(path, value, type) };
}

export const text: Reader<string> = {
  type: "string",
  read: (value, path) => (typeof value === "string" ? value : invalid(path, value, "a string")),
};

export const boolean: Reader<boolean> = {
  type: "true | false",
  read: (value, path) => (typeof value === "boolean" ? value : invalid(path, value, "true or false")),
};

export function array<T>(item: Reader<T>, what = `array of ${item.type}`): Reader<readonly T[]> {
  return {
    type: what,
    read: (value, path) =>
      Array.isArray(value) ? value.map((x, i) => item.read(x, `${path}[${i}]`)) : invalid(path, value, what),
  };
}

/** One value or an array of them: the answer has the same shape. */
export function oneOrMany<T>(item: Reader<T>): Reader<T | readonly T[]> {
  const many = array(item);
  return {
    type: `${item.type}, or an array of them`,
    read: (value, path) => (Array.isArray(value) ? many.read(value, path) : item.read(value, path)),
  };
}

/** The value as a JSON object; INVALID_PARAMETER for any other. */
export const recordAt = (value: unknown, path: string, want = "an object"): Fields =>
  isRecord(value) ? value : invalid(path, value, want);

export const record: Reader<Fields> = { type: "object", read: (value, path) => recordAt(value, path) };

/** A JSON object that the function itself parses, given its path. */
export function parsed<T>(type: string, parse: Reader<T>["read"]): Reader<T> {
  return { type, read: parse };
}

export const event: Reader<DpEvent> = {
  type: 'event {"kind": …}',
  read: (value, path) => parseEvent(value, path),
};

export const events: Reader<readonly DpEvent[]> = array(event, "array of events");
