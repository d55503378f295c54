import { isRecord } from "@dosimeter/core/internal";
import { parseValues, valuesText } from "./values.ts";

/** The column that categories lie in, and which of its own each lies in, as people write it: `state: Fulton=Georgia; Napa=California`. */
export function withinText(within: unknown): string | undefined {
  if (!isRecord(within) || !isRecord(within.of)) return undefined;
  const pairs = Object.entries(within.of).flatMap(([group, parts]) =>
    (Array.isArray(parts) ? parts : []).map((part) => [String(part), group] as const),
  );
  return `${String(within.column)}: ${valuesText({ values: pairs.map(([part]) => part), labels: Object.fromEntries(pairs) })}`;
}

/** The same as a declaration has it; what names no group stands in one without a name, which is refused there. */
export function readWithin<Part>(text: string, partOf: (value: string) => Part) {
  const end = text.includes(":") ? text.indexOf(":") : text.length;
  const { values, labels } = parseValues(text.slice(end + 1));
  const groups = new Map<string, Part[]>();
  for (const value of values) {
    const group = (Object.hasOwn(labels, value) ? labels[value] : undefined) ?? "";
    groups.set(group, [...(groups.get(group) ?? []), partOf(value)]);
  }
  return { column: text.slice(0, end).trim(), of: Object.fromEntries(groups) };
}
