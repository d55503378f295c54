import { present, readTable } from "@dosimeter/core/internal";
import type { ColumnWords } from "./schema-words.ts";

/** Headings as REDCap shows them, and as its interface writes them. */
const HEADINGS = {
  name: /^(?:variable \/ field name|field_name)$/,
  type: /^(?:field type|field_type)$/,
  label: /^(?:field label|field_label)$/,
  choices: /^(?:choices, calculations, or slider labels|select_choices_or_calculations)$/,
  note: /^(?:field note|field_note)$/,
  validation: /^(?:text validation type or show slider number|text_validation_type_or_show_slider_number)$/,
  lower: /^(?:text validation min|text_validation_min)$/,
  upper: /^(?:text validation max|text_validation_max)$/,
} as const;
type Field = Partial<Record<keyof typeof HEADINGS, string>>;

/** The fields of a data dictionary of REDCap; null where the text is none. */
export function readRedcap(text: string): readonly ColumnWords[] | null {
  const [first = ""] = text.split(/\r\n?|\n/, 1);
  if (!/^\W*(?:variable \/ field name|field_name)\W/i.test(first) || !/field.type/i.test(first)) return null;
  const { heading, rows } = readTable(text, "the data dictionary", { heading: "always", mayEndEarly: true });
  const keys = (heading ?? []).map((cell) =>
    (Object.keys(HEADINGS) as (keyof typeof HEADINGS)[]).find((key) => HEADINGS[key].test(cell.toLowerCase())),
  );
  return rows.flatMap(({ cells }) => {
    const field: Field = {};
    keys.forEach((key, at) => {
      if (key !== undefined && cells[at]) field[key] = cells[at];
    });
    return ofField(field);
  });
}

const plain = (label: string): string =>
  label
    .replaceAll(/<[^<>]*>/g, " ")
    .replaceAll(/\s+/g, " ")
    .trim();

/** The columns of one field in an export: a check box has one for each choice. What is required of a form may be left out of a row. */
function ofField({ name, type = "", label, note, choices = "", ...range }: Field): readonly ColumnWords[] {
  if (name === undefined) return [];
  const spoken = present({ label: label === undefined ? undefined : plain(label), description: note });
  const column: ColumnWords = { names: [name], ...spoken };
  const codes = choicesIn(choices);
  switch (type) {
    case "radio":
    case "dropdown":
      return [{ ...column, type: "category", values: codes.map(([code]) => code), labels: Object.fromEntries(codes) }];
    case "checkbox":
      return codes.map(([code, choice]) => ({
        names: [`${name}___${code.toLowerCase().replace("-", "_")}`],
        type: "boolean",
        label: [spoken.label, choice].filter((part) => part !== undefined).join(": "),
      }));
    case "yesno":
    case "truefalse":
      return [{ ...column, type: "boolean" }];
    case "calc":
      return [{ ...column, type: "number" }];
    case "slider":
      return [{ ...column, type: "integer", lower: range.lower ?? "0", upper: range.upper ?? "100" }];
    case "text":
      return [{ ...column, ...ofText(range) }];
    case "notes":
      return [{ ...column, type: "text" }];
    default:
      return [];
  }
}

function ofText({ validation = "", lower, upper }: Field): Partial<ColumnWords> {
  const type = validation.startsWith("datetime")
    ? "timestamp"
    : validation.startsWith("date")
      ? "date"
      : validation === "integer"
        ? "integer"
        : validation.startsWith("number")
          ? "number"
          : "text";
  // A bound may be another field, or today.
  const bound = (text: string | undefined): string | undefined =>
    type !== "text" && text !== undefined && /^[-+]?\d/.test(text) ? text : undefined;
  return present({ type, lower: bound(lower), upper: bound(upper) } as const);
}

/** `1, Male | 2, Female` */
const choicesIn = (text: string): readonly (readonly [string, string])[] =>
  text
    .split("|")
    .map((part) => part.trim())
    .filter((part) => part !== "")
    .map((part) => {
      const comma = part.indexOf(",");
      return comma < 0
        ? ([part, part] as const)
        : ([part.slice(0, comma).trim(), part.slice(comma + 1).trim()] as const);
    });
