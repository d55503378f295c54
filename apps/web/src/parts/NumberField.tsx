import { TextInput, type TextInputProps } from "@mantine/core";
import { CommitInput } from "./CommitInput.tsx";
import { readTyped, type Wish } from "./number-text.ts";

type Labels = Omit<TextInputProps, "value" | "defaultValue" | "onChange" | "error" | "inputMode" | "type">;

/**
 * The number field of every page. Its text stays as typed; what is no number, or is outside the range of `wish`, has the
 * reason below it. An empty field is not wrong yet.
 */
export function NumberField({
  wish,
  value,
  onChange,
  fault,
  description,
  ...rest
}: Labels & {
  /** Absent where the form reads the text itself. */
  wish?: Wish;
  value: string;
  onChange: (text: string) => void;
  /** Another reason, such as one of several fields together. */
  fault?: string | undefined;
}) {
  const read = wish === undefined || value.trim() === "" ? undefined : readTyped(value, wish);
  const note = read?.fault === undefined ? read?.note : undefined;
  return (
    <TextInput
      autoComplete="off"
      {...rest}
      inputMode={wish?.isWhole ? "numeric" : "decimal"}
      description={
        note === undefined ? (
          description
        ) : description === undefined ? (
          note
        ) : (
          <>
            {description} {note}
          </>
        )
      }
      value={value}
      error={read?.fault ?? fault}
      onChange={(event) => onChange(event.currentTarget.value)}
    />
  );
}

/** The same, where the number takes effect on Enter or blur. `onCommit` gets null for an empty field, where one may be empty. */
export function CommitNumber({
  wish,
  isOptional = false,
  value,
  onCommit,
  ...rest
}: Labels & {
  wish: Wish;
  isOptional?: boolean;
  value: string;
  onCommit: (number: { readonly plain: string; readonly value: number } | null) => string | undefined;
}) {
  return (
    <CommitInput
      autoComplete="off"
      {...rest}
      inputMode={wish.isWhole ? "numeric" : "decimal"}
      value={value}
      onCommit={(text) => {
        if (text === "" && isOptional) return onCommit(null);
        const read = readTyped(text, wish);
        return read.fault === undefined ? onCommit(read) : read.fault;
      }}
    />
  );
}
