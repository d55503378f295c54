import type { Column, Key } from "@dosimeter/query/declaration";
import { Checkbox } from "@mantine/core";
import { Choice, CommitInput } from "../../parts/fields.tsx";
import { boundText } from "../columns.ts";
import { choicesOf, holdsNumbers, keyOf, listOf, listText } from "./filter.ts";

interface Field {
  readonly label: string;
  readonly column: Column | undefined;
  readonly fault: string | undefined;
}
type OneValue = Field & { readonly value: Key; readonly onChange: (value: Key) => void };
type ManyValues = Field & { readonly value: readonly Key[]; readonly onChange: (values: readonly Key[]) => void };

/** One value: chosen where the column lists its values, typed where it does not. */
export function ConditionValue(field: OneValue) {
  const choices = choicesOf(field.column);
  return choices === null ? <TypedValue {...field} /> : <ChosenValue {...field} choices={choices} />;
}

/** Several values, in the same way. */
export function ConditionValues(field: ManyValues) {
  const choices = choicesOf(field.column);
  return choices === null ? <TypedList {...field} /> : <ChosenList {...field} choices={choices} />;
}

const wordOf = (column: Column | undefined, value: Key): string => {
  const label = column?.valueLabels?.[String(value)];
  return label === undefined || label === String(value) ? String(value) : `${label} (${value})`;
};

function TypedValue({ label, column, value, fault, onChange }: OneValue) {
  const named = column?.valueLabels?.[String(value)];
  const isNumber = holdsNumbers(column);
  return (
    <CommitInput
      aria-label={label}
      autoComplete="off"
      inputMode={isNumber ? "decimal" : "text"}
      placeholder={placeholderOf(column)}
      description={named}
      inputWrapperOrder={["label", "input", "description", "error"]}
      value={String(value)}
      error={fault}
      rightSection={
        isNumber && column?.unit !== undefined ? <span className="soft small">{column.unit}</span> : undefined
      }
      rightSectionWidth={isNumber && column?.unit !== undefined ? 10 + 8 * column.unit.length : undefined}
      onCommit={(text) => {
        onChange(keyOf(column, text));
        return undefined;
      }}
    />
  );
}

const placeholderOf = (column: Column | undefined): string =>
  column?.lower === undefined || column.upper === undefined
    ? "a value"
    : `${boundText(column.lower, column)} … ${boundText(column.upper, column)}`;

function TypedList({ label, column, value, fault, onChange }: ManyValues) {
  return (
    <CommitInput
      aria-label={label}
      autoComplete="off"
      placeholder="values, between commas"
      value={listText(value)}
      error={fault}
      onCommit={(text) => {
        onChange(listOf(column, text));
        return undefined;
      }}
    />
  );
}

function ChosenValue({
  label,
  column,
  value,
  fault,
  onChange,
  choices,
}: OneValue & { readonly choices: readonly Key[] }) {
  return (
    <Choice
      aria-label={label}
      value={String(value)}
      error={fault}
      data={[
        ...(choices.includes(value) ? [] : [{ value: String(value), label: value === "" ? "Choose…" : String(value) }]),
        ...choices.map((choice) => ({ value: String(choice), label: wordOf(column, choice) })),
      ]}
      onChange={(chosen) => onChange(keyOf(column, chosen))}
    />
  );
}

function ChosenList({
  label,
  column,
  value,
  fault,
  onChange,
  choices,
}: ManyValues & { readonly choices: readonly Key[] }) {
  return (
    <Checkbox.Group
      aria-label={label}
      value={value.map(String)}
      error={fault}
      onChange={(texts) => {
        const chosen = choices.filter((choice) => texts.includes(String(choice)));
        onChange(chosen.length === 0 ? [""] : chosen);
      }}
    >
      <div className="filter-choices">
        {choices.map((choice) => (
          <Checkbox key={String(choice)} value={String(choice)} label={wordOf(column, choice)} />
        ))}
      </div>
    </Checkbox.Group>
  );
}
