import { TextInput } from "@mantine/core";

/** A δ that may be left out: it then goes in proportion to ε. */
export function DeltaInput({
  value,
  onChange,
  description = "Empty: in proportion to ε.",
}: {
  value: string;
  onChange: (text: string) => void;
  description?: string;
}) {
  return (
    <TextInput
      label="δ (optional)"
      description={description}
      inputMode="decimal"
      value={value}
      onChange={(event) => onChange(event.currentTarget.value)}
      error={
        isDeltaOrEmpty(value)
          ? undefined
          : `This is “${value.trim().slice(0, 24)}”, must be a number from 0 to 1, or empty.`
      }
    />
  );
}

export const isDeltaOrEmpty = (text: string): boolean =>
  text.trim() === "" || (/^\d*\.?\d+(e-?\d+)?$/i.test(text.trim()) && Number(text) <= 1);

/** The field of a change, absent where nothing was typed. */
export const deltaField = (text: string): { delta?: string } => (text.trim() === "" ? {} : { delta: text.trim() });
