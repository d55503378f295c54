import { parseValues, valuesText } from "@dosimeter/query/schema";
import type { ColumnDraft } from "./draft.ts";

/** How the values of a column were read where that is not how they stand there, and what may be one value. */
export interface Remark {
  readonly text: string;
  /** What the field becomes where someone agrees. */
  readonly instead?: { readonly label: string; readonly values: string };
}

const MAX_SHOWN = 3;
const folded = (value: string): string => value.trim().toLowerCase().replaceAll(/\s+/g, " ");

export function remarksOn({ type, values: text }: Pick<ColumnDraft, "type" | "values">): readonly Remark[] {
  if (type !== "category" || text === "") return [];
  const { values, labels, ranges, bared } = parseValues(text);
  const alike = [...Map.groupBy(values, folded).values()].filter((same) => new Set(same).size > 1);
  const parts = values.length === 1 ? (values[0] ?? "").split(",").map((part) => part.trim()) : [];
  return [
    ...(parts.length > 2
      ? [
          {
            text: `“${values[0]}” is one value with commas in it: values are separated by “;” or stand on lines of their own.`,
            instead: { label: `Make it ${parts.length} values`, values: valuesText({ values: parts, labels }) },
          },
        ]
      : []),
    ...ranges.map((range) => ({
      text: `“${range}” is read as ${values.length.toLocaleString("en")} values, ${values.at(0)} to ${values.at(-1)}. Where it is itself a value, write "${range}" in double quotes.`,
    })),
    ...bared.slice(0, MAX_SHOWN).map((value) => ({
      text: `“${value}” is read without its quotes. Where they are part of the value, write it in double quotes as well.`,
    })),
    ...alike.slice(0, MAX_SHOWN).map((same) => ({
      text: `${same.map((value) => `“${value}”`).join(" and ")} are ${same.length} values here: each counts only rows that are written like it.`,
      instead: {
        label: `Keep “${same[0]}” only`,
        values: valuesText({ values: values.filter((value) => value === same[0] || !same.includes(value)), labels }),
      },
    })),
  ];
}
