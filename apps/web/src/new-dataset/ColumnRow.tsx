import { Button } from "@mantine/core";
import { memo } from "react";
import { type ColumnField, columnLabels, idOf, type Problem } from "./declare.ts";
import type { ColumnDraft } from "./draft.ts";
import { remarksOn } from "./remarks.ts";

export const types = {
  text: "Text",
  category: "Category",
  integer: "Whole number",
  number: "Number",
  decimal: "Decimal",
  date: "Date",
  timestamp: "Date and time",
  boolean: "Yes or no",
  leaveOut: "Leave out",
} as const satisfies Record<ColumnDraft["type"], string>;

export const provenances = {
  asserted: "I assert it",
  public: "It is public",
} as const;

/** The fields of a row in their order on the page, and what a screen reader calls each. */
export const gridFields: readonly { readonly field: ColumnField; readonly called: (column: ColumnDraft) => string }[] =
  [
    { field: "type", called: () => "Type of" },
    { field: "lower", called: () => "At least: lower bound of" },
    { field: "upper", called: () => "At most: upper bound of" },
    { field: "granularity", called: () => "In steps of: step of" },
    { field: "values", called: ({ type }) => (type === "category" ? "Categories of" : "Labels of the values of") },
    { field: "mostValues", called: () => "Most different values of" },
    { field: "unit", called: () => "Unit of" },
    { field: "zone", called: () => "Time zone of" },
    { field: "pattern", called: () => "Pattern: how texts are written in" },
    { field: "label", called: () => "Label of" },
    { field: "provenance", called: () => "Source of this range:" },
    { field: "within", called: () => "Lies in: the column and the value that each value lies in, of" },
    { field: "spellings", called: () => "Also written: what else counts as which category of" },
    { field: "isRequired", called: () => "Never missing:" },
    { field: "missing", called: () => "Missing if: markers of missing values of" },
    { field: "description", called: () => "Description of" },
  ];

function isUsed(field: ColumnField, type: ColumnDraft["type"]): boolean {
  const isNumeric = type === "integer" || type === "number" || type === "decimal";
  const isInTime = type === "date" || type === "timestamp";
  if (type === "leaveOut") return field === "type";
  if (field === "lower" || field === "upper" || field === "granularity") return isNumeric || isInTime;
  if (field === "zone") return type === "timestamp";
  if (field === "mostValues") return type === "text" || type === "integer";
  if (field === "unit") return isNumeric;
  if (field === "pattern") return isNumeric || isInTime || type === "boolean";
  if (field === "missing") return type !== "boolean";
  if (field === "within" || field === "spellings") return type === "category";
  if (field === "values") return type === "category" || type === "integer" || type === "boolean";
  return field === "provenance" ? isNumeric || isInTime || type === "category" : true;
}

type Change = (at: number, change: Partial<ColumnDraft>) => void;

/** One column of the table being declared; what is wrong with it stands below its cells. */
export const ColumnRow = memo(function ColumnRow({
  column,
  at,
  fields,
  isChosen,
  problems,
  onChange,
  onChoose,
}: {
  column: ColumnDraft;
  at: number;
  fields: typeof gridFields;
  isChosen: boolean;
  problems: readonly Problem[];
  onChange: Change;
  onChoose: (name: string, isChosen: boolean) => void;
}) {
  const remarks = remarksOn(column);
  return (
    <>
      <tr className={column.type === "leaveOut" ? "is-left-out" : undefined}>
        <td className="grid-choose">
          <input
            type="checkbox"
            aria-label={`Select ${column.name}`}
            checked={isChosen}
            onChange={(event) => onChoose(column.name, event.currentTarget.checked)}
          />
        </td>
        <th scope="row" className="code">
          {column.name}
          <Guessed {...column} />
        </th>
        {fields.map(({ field, called }) => (
          <td key={field} data-label={columnLabels[field]} data-field={field} data-unused={!isUsed(field, column.type)}>
            {isUsed(field, column.type) ? (
              <Cell
                {...{ field, column, at, onChange }}
                called={`${called(column)} ${column.name}`}
                isWrong={problems.some((problem) => problem.field === field)}
              />
            ) : null}
          </td>
        ))}
      </tr>
      {problems.length === 0 ? null : (
        <tr className="grid-faults">
          <td colSpan={2} />
          <td colSpan={fields.length} id={`cell-${at}-faults`}>
            {problems.map(({ field, fault }) => (
              <p key={`${field} ${fault}`}>{fault}</p>
            ))}
          </td>
        </tr>
      )}
      {remarks.length === 0 ? null : (
        <tr className="grid-remarks">
          <td colSpan={2} />
          <td colSpan={fields.length} role="status" aria-label={`How the values of ${column.name} are read`}>
            {remarks.map(({ text, instead }) => (
              <p key={text}>
                {text}{" "}
                {instead === undefined ? null : (
                  <Button size="compact-xs" variant="default" onClick={() => onChange(at, { values: instead.values })}>
                    {instead.label}
                  </Button>
                )}
              </p>
            ))}
          </td>
        </tr>
      )}
    </>
  );
});

/** What no one has said of a column yet. */
function Guessed({ guessed, unit }: ColumnDraft) {
  if (guessed === null) return null;
  const byName = unit === "" ? "type" : "type and unit";
  return (
    <span className="grid-guess">{guessed === "file" ? "type from the file" : `${byName} guessed from its name`}</span>
  );
}

const choicesOf: Readonly<Partial<Record<ColumnField, Readonly<Record<string, string>>>>> = {
  type: types,
  provenance: provenances,
};

const PERIODS = { week: "Weeks", month: "Months", quarter: "Quarters", year: "Years" } as const;
/** The steps of dates and times; a number's is typed. */
const stepsOf: Readonly<Partial<Record<ColumnDraft["type"], Readonly<Record<string, string>>>>> = {
  date: { "": "Days", ...PERIODS },
  timestamp: { "": "Seconds", minute: "Minutes", hour: "Hours", day: "Days", ...PERIODS },
};

/** Of the list of time zones that an input offers. */
export const ZONES_ID = "time-zones";

function placeholderOf(field: ColumnField, { type }: ColumnDraft, isBound: boolean): string | undefined {
  if (field === "zone") return "Europe/Berlin";
  if (type === "timestamp" && field === "pattern") return "YYYY-MM-DD HH:mm:ss";
  if (type === "date" || type === "timestamp") return isBound || field === "pattern" ? "YYYY-MM-DD" : undefined;
  if (field === "pattern") return type === "boolean" ? "yes/no" : "1.234,5";
  if (field !== "granularity") return undefined;
  return type === "integer" ? "1" : type === "decimal" ? "0.01" : undefined;
}

const placeholders: Readonly<Partial<Record<ColumnField, string>>> = {
  missing: "-9; NA",
  values: "0=no; 1=yes",
  within: "state: Fulton=Georgia; Napa=California",
  spellings: "m=M; male=M",
};

function Cell({
  field,
  column,
  at,
  called,
  isWrong,
  onChange,
}: {
  field: ColumnField;
  column: ColumnDraft;
  at: number;
  called: string;
  isWrong: boolean;
  onChange: Change;
}) {
  const shared = {
    id: idOf({ field, column: at }),
    "aria-label": called,
    "data-row": at,
    "data-cell": field,
    ...(isWrong ? { "aria-invalid": true, "aria-describedby": `cell-${at}-faults` } : {}),
  };
  const set = (value: string) => onChange(at, { [field]: value });
  if (field === "isRequired")
    return (
      <input
        {...shared}
        type="checkbox"
        checked={column.isRequired}
        onChange={(event) => onChange(at, { isRequired: event.currentTarget.checked })}
      />
    );
  const choices = field === "granularity" ? stepsOf[column.type] : choicesOf[field];
  if (choices !== undefined)
    return (
      <select {...shared} value={column[field]} onChange={(event) => set(event.currentTarget.value)}>
        {Object.entries(choices).map(([value, text]) => (
          <option key={value} value={value}>
            {text}
          </option>
        ))}
      </select>
    );
  if (
    field === "values" ||
    field === "within" ||
    field === "spellings" ||
    field === "missing" ||
    field === "label" ||
    field === "description"
  )
    return (
      <textarea
        {...shared}
        rows={Math.min(6, column[field].split("\n").length)}
        placeholder={field === "values" && column.type !== "category" ? undefined : placeholders[field]}
        value={column[field]}
        onChange={(event) => set(event.currentTarget.value)}
      />
    );
  const isBound = field === "lower" || field === "upper";
  const isNumber =
    field === "mostValues" || ((isBound || field === "granularity") && stepsOf[column.type] === undefined);
  return (
    <input
      {...shared}
      autoComplete="off"
      list={field === "zone" ? ZONES_ID : undefined}
      inputMode={isNumber ? "decimal" : undefined}
      placeholder={placeholderOf(field, column, isBound)}
      value={column[field]}
      onChange={(event) => set(event.currentTarget.value)}
    />
  );
}
