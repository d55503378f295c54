import type { Predicate } from "./predicate.ts";

type Row = Readonly<Record<string, string | number | boolean | null>>;

/** Whether a row counts; dates of one unit sort as texts. A comparison with a missing value is false, as in the engines [M86]. */
export function holds(predicate: Predicate, row: Row): boolean {
  switch (predicate.op) {
    case "and":
      return predicate.of.every((part) => holds(part, row));
    case "or":
      return predicate.of.some((part) => holds(part, row));
    case "not":
      return !holds(predicate.of, row);
    case "isNull":
      return row[predicate.column] === null;
    default: {
      const value = row[predicate.column];
      if (value === null || value === undefined) return false;
      switch (predicate.op) {
        case "in":
          return predicate.values.includes(value);
        case "between":
          return value >= predicate.lower && value <= predicate.upper;
        case "=":
          return value === predicate.value;
        case "!=":
          return value !== predicate.value;
        case "<":
          return value < predicate.value;
        case "<=":
          return value <= predicate.value;
        case ">":
          return value > predicate.value;
        case ">=":
          return value >= predicate.value;
        default:
          return predicate satisfies never;
      }
    }
  }
}
