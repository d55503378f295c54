import { present } from "@dosimeter/core/internal";
import type { ColumnWords } from "./schema-words.ts";
import { parseValues } from "./values.ts";
import { readSpellings, readWithin } from "./within-text.ts";

const isNumeric = ({ type }: ColumnWords): boolean => type === "integer" || type === "number" || type === "decimal";
const isNumber = (text: string): boolean => String(Number(text)) === text;

/** What a schema says, as the columns of a declaration in JSON: what it does not say is absent, for someone to write. */
export const columnsJson = (columns: readonly ColumnWords[]): Readonly<Record<string, object>> =>
  Object.fromEntries(columns.map((column) => [column.names[0] ?? "", columnJson(column)]));

function columnJson(column: ColumnWords): object {
  const { type, values = [], labels = {}, lower, upper, granularity, missing } = column;
  const bound = (text: string | undefined) => (text !== undefined && isNumeric(column) ? Number(text) : text);
  const areNumbers = values.length > 0 && values.every(isNumber);
  const isLabelled = type === "category" || type === "integer" || type === "boolean";
  const digits = type === "decimal" ? (granularity?.split(".")[1]?.length ?? 0) : undefined;
  return present({
    type,
    lower: bound(lower),
    upper: bound(upper),
    granularity: bound(granularity),
    scale: digits,
    zone: column.zone,
    pattern: column.pattern,
    categories: type !== "category" ? undefined : areNumbers ? values.map(Number) : values,
    valueLabels: isLabelled && Object.keys(labels).length > 0 ? { ...labels } : undefined,
    missing: missing === undefined || type === "boolean" ? undefined : parseValues(missing).values,
    required: column.required,
    within:
      column.within === undefined
        ? undefined
        : readWithin(column.within, (value) => (areNumbers ? Number(value) : value)),
    spellings: column.spellings === undefined ? undefined : readSpellings(column.spellings),
    label: column.label,
    unit: isNumeric(column) ? column.unit : undefined,
    description: column.description,
  });
}
