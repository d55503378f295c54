import { IconSearch } from "@tabler/icons-react";
import { TextField } from "./fields.tsx";

/** Narrows a list to the rows that hold a text. */
export function Filter({
  label,
  isInRow = false,
  value,
  onChange,
}: {
  label: string;
  /** In a row with other fields, not above the list. */
  isInRow?: boolean;
  value: string;
  onChange: (text: string) => void;
}) {
  return (
    <TextField
      type="search"
      aria-label={label}
      placeholder={label}
      leftSection={<IconSearch size={16} aria-hidden />}
      value={value}
      onChange={onChange}
      style={{ maxWidth: 360, marginBottom: isInRow ? 0 : 12 }}
    />
  );
}

/** Whether any of the texts contains the filter. */
export const holdsText = (typed: string, ...texts: readonly (string | null | undefined)[]): boolean =>
  texts.some((text) => text?.toLowerCase().includes(typed.trim().toLowerCase()));
