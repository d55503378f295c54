import { Checkbox, NativeSelect, Textarea, TextInput } from "@mantine/core";
import { useState } from "react";
import { NumberField } from "../parts/NumberField.tsx";
import { Card } from "../parts/Page.tsx";
import type { ColumnDraft } from "./draft.ts";

const types = {
  text: "Text",
  category: "Category",
  integer: "Whole number",
  number: "Number",
  boolean: "Yes or no",
  leaveOut: "Leave out",
} as const satisfies Record<ColumnDraft["type"], string>;

const provenances = {
  asserted: "I assert it",
  public: "It is public",
} as const;

const ANY = {} as const;
const STEP = { above: 0 } as const;

/** A table of at least this many columns has a filter. */
const MANY = 12;

/** What the owner declares of each column. Bounds and categories are public: they come from outside the data. */
export function Columns({
  columns,
  fault,
  onChange,
}: {
  columns: readonly ColumnDraft[];
  fault: { readonly name: string; readonly fault: string } | undefined;
  onChange: (columns: readonly ColumnDraft[]) => void;
}) {
  const [filter, setFilter] = useState("");
  const wanted = filter.trim().toLowerCase();
  const shown = columns.filter(({ name }) => name.toLowerCase().includes(wanted));
  return (
    <Card title="2 · Its columns">
      <div className="stack">
        <p className="soft" style={{ margin: 0 }}>
          Everyone who plans can read bounds and categories. Take them from the questionnaire, a code book or common
          sense, never from the rows. Values outside are clamped or left out.
        </p>
        {columns.length >= MANY ? (
          <TextInput
            label="Find a column"
            value={filter}
            onChange={(event) => setFilter(event.currentTarget.value)}
            description={`${shown.length} of ${columns.length}`}
          />
        ) : null}
        <div className="declared">
          {shown.map((column) => (
            <Column
              key={column.name}
              column={column}
              fault={isAt(fault?.name, `columns.${column.name}`) ? fault : undefined}
              onChange={(change) =>
                onChange(columns.map((other) => (other.name === column.name ? { ...other, ...change } : other)))
              }
            />
          ))}
        </div>
      </div>
    </Card>
  );
}

function Column({
  column,
  fault,
  onChange,
}: {
  column: ColumnDraft;
  fault: { readonly name: string; readonly fault: string } | undefined;
  onChange: (change: Partial<ColumnDraft>) => void;
}) {
  const { name, type, storage } = column;
  const isNumeric = type === "integer" || type === "number";
  const faultOf = (field: string) => (isAt(fault?.name, `columns.${name}.${field}`) ? fault?.fault : undefined);
  const own = fault !== undefined && !["lower", "upper", "granularity", "categories"].some((field) => faultOf(field));
  return (
    <fieldset className="declared-column">
      <legend className="code">{name}</legend>
      <NativeSelect
        label="Type"
        aria-label={`Type of ${name}`}
        description={storage === "VARCHAR" ? undefined : `type in the file: ${storage}`}
        inputWrapperOrder={["label", "input", "description", "error"]}
        value={type}
        onChange={(event) => onChange({ type: event.currentTarget.value as ColumnDraft["type"] })}
        data={Object.entries(types).map(([value, label]) => ({ value, label }))}
        error={own ? fault.fault : undefined}
      />
      {isNumeric ? (
        <>
          <NumberField
            label="At least"
            aria-label={`At least: lower bound of ${name}`}
            wish={ANY}
            value={column.lower}
            fault={faultOf("lower")}
            onChange={(lower) => onChange({ lower })}
          />
          <NumberField
            label="At most"
            aria-label={`At most: upper bound of ${name}`}
            wish={ANY}
            value={column.upper}
            fault={faultOf("upper")}
            onChange={(upper) => onChange({ upper })}
          />
          <NumberField
            label="In steps of"
            aria-label={`In steps of: step of ${name}`}
            placeholder={type === "integer" ? "1" : "optional"}
            wish={STEP}
            value={column.granularity}
            fault={faultOf("granularity")}
            onChange={(granularity) => onChange({ granularity })}
          />
        </>
      ) : null}
      {type === "category" ? (
        <Textarea
          className="declared-wide"
          label="Categories, one per line"
          aria-label={`Categories of ${name}`}
          autosize
          minRows={2}
          maxRows={8}
          value={column.categories}
          error={faultOf("categories")}
          onChange={(event) => onChange({ categories: event.currentTarget.value })}
        />
      ) : null}
      {isNumeric || type === "category" ? (
        <NativeSelect
          label="Source of this range"
          aria-label={`Source of this range: ${name}`}
          value={column.provenance}
          onChange={(event) => onChange({ provenance: event.currentTarget.value as ColumnDraft["provenance"] })}
          data={Object.entries(provenances).map(([value, label]) => ({ value, label }))}
        />
      ) : null}
      {type === "leaveOut" ? (
        <p className="soft small">It is not part of the dataset.</p>
      ) : (
        <Checkbox
          label="Never missing"
          aria-label={`Never missing: ${name}`}
          checked={column.isRequired}
          onChange={(event) => onChange({ isRequired: event.currentTarget.checked })}
        />
      )}
    </fieldset>
  );
}

/** Whether a path is this one or lies inside it: that of column `ab` is not inside column `a`. */
const isAt = (path: string | undefined, start: string): boolean =>
  path?.startsWith(start) === true && ["", ".", "["].includes(path.charAt(start.length));
