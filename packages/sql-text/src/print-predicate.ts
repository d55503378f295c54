import type { Key, Predicate } from "@dosimeter/query/declaration";
import { sqlName, sqlText } from "./language.ts";

export const literal = (value: Key): string => (typeof value === "string" ? sqlText(value) : String(value));

/** `not` of a filter is true where a value is missing: IS NOT TRUE of SQL. */
export function predicateSql(predicate: Predicate): string {
  switch (predicate.op) {
    case "not":
      return predicate.of.op === "isNull"
        ? `${sqlName(predicate.of.column)} IS NOT NULL`
        : `(${predicateSql(predicate.of)}) IS NOT TRUE`;
    case "and":
    case "or":
      return predicate.of
        .map((part) => (part.op === "and" || part.op === "or" ? `(${predicateSql(part)})` : predicateSql(part)))
        .join(predicate.op === "and" ? " AND " : " OR ");
    case "isNull":
      return `${sqlName(predicate.column)} IS NULL`;
    case "in":
      return `${sqlName(predicate.column)} IN (${predicate.values.map(literal).join(", ")})`;
    case "between":
      return `${sqlName(predicate.column)} BETWEEN ${literal(predicate.lower)} AND ${literal(predicate.upper)}`;
    default:
      return `${sqlName(predicate.column)} ${predicate.op === "!=" ? "<>" : predicate.op} ${literal(predicate.value)}`;
  }
}
