import { type Fields, isRecord } from "@dosimeter/core/internal";
import { parseValues, valuesText } from "./values.ts";

/** The column that categories lie in, and which of its own each lies in, as people write it: `state: Fulton=Georgia; Napa=California`. */
export function withinText(within: unknown): string | undefined {
  if (!isRecord(within) || !isRecord(within.of)) return undefined;
  return `${String(within.column)}: ${pairsText(within.of)}`;
}

function pairsText(of: Fields): string {
  const pairs = Object.entries(of).flatMap(([group, parts]) =>
    (Array.isArray(parts) ? parts : []).map((part) => [String(part), group] as const),
  );
  return valuesText({ values: pairs.map(([part]) => part), labels: Object.fromEntries(pairs) });
}

/** What else counts as which category, as people write it: `m=M; male=M`. */
export const spellingsText = (spellings: unknown): string | undefined =>
  isRecord(spellings) ? pairsText(spellings) : undefined;

/** The same as a declaration has it. */
export const readSpellings = (text: string) => groupsIn(text, (value) => value);

/** The same as a declaration has it; what names no group stands in one without a name, which is refused there. */
export function readWithin<Part>(text: string, partOf: (value: string) => Part) {
  const end = text.includes(":") ? text.indexOf(":") : text.length;
  return { column: text.slice(0, end).trim(), of: groupsIn(text.slice(end + 1), partOf) };
}

function groupsIn<Part>(text: string, partOf: (value: string) => Part): Readonly<Record<string, readonly Part[]>> {
  const { values, labels } = parseValues(text);
  const groups = new Map<string, Part[]>();
  for (const value of values) {
    const group = (Object.hasOwn(labels, value) ? labels[value] : undefined) ?? "";
    groups.set(group, [...(groups.get(group) ?? []), partOf(value)]);
  }
  return Object.fromEntries(groups);
}
