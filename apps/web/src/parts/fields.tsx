import {
  Checkbox,
  type CheckboxProps,
  NativeSelect,
  type NativeSelectProps,
  Textarea,
  type TextareaProps,
  TextInput,
  type TextInputProps,
} from "@mantine/core";
import { useEffect, useRef, useState } from "react";
import { readTyped, type Wish } from "./number-text.ts";

/** The properties of a field whose change is its value, instead of the event. */
type Valued<Properties, Value> = Omit<Properties, "onChange"> & { onChange: (value: Value) => void };

export function TextField({ onChange, ...rest }: Valued<TextInputProps, string>) {
  return <TextInput {...rest} onChange={(event) => onChange(event.currentTarget.value)} />;
}

export function LongText({ onChange, ...rest }: Valued<TextareaProps, string>) {
  return <Textarea autosize minRows={2} {...rest} onChange={(event) => onChange(event.currentTarget.value)} />;
}

export function Check({ onChange, ...rest }: Valued<CheckboxProps, boolean>) {
  return <Checkbox {...rest} onChange={(event) => onChange(event.currentTarget.checked)} />;
}

type List = NonNullable<NativeSelectProps["data"]>;
const isList = (data: List | Readonly<Record<string, string>>): data is List => Array.isArray(data);

/** One of few values. They are listed, or a record has the label of each. */
export function Choice<Value extends string>({
  value,
  data,
  onChange,
  ...rest
}: Omit<Valued<NativeSelectProps, Value>, "value" | "data"> & {
  value: Value;
  data: List | Readonly<Record<Value, string>>;
}) {
  const items = isList(data) ? data : Object.entries<string>(data).map(([of, label]) => ({ value: of, label }));
  return (
    <NativeSelect
      {...rest}
      value={value}
      data={items}
      // The browser offers no value but those of `data`.
      onChange={(event) => onChange(event.currentTarget.value as Value)}
    />
  );
}

interface ChoosePersonProps {
  label: string;
  people: readonly { readonly id: string; readonly name: string; readonly removedAt: string | null }[];
  value: string;
  onChange: (person: string) => void;
  /** What the empty choice is called. */
  empty?: string;
}

/** One of the people who were not removed, or the empty choice. */
export function ChoosePerson({ label, people, value, onChange, empty = "choose" }: ChoosePersonProps) {
  return (
    <Choice
      label={label}
      value={value}
      onChange={onChange}
      data={[
        { value: "", label: empty },
        ...people.filter(({ removedAt }) => removedAt === null).map(({ id, name }) => ({ value: id, label: name })),
      ]}
    />
  );
}

/**
 * A text that takes effect on Enter or blur; Escape restores the value. An invalid text stays as typed,
 * with the reason below it, and so does one that is being typed while the value changes.
 */
export function CommitInput({
  value,
  onCommit,
  error,
  ...rest
}: Omit<TextInputProps, "value" | "onChange" | "onBlur" | "onKeyDown"> & {
  value: string;
  /** The reason why the text cannot be taken, or undefined when it was. */
  onCommit: (text: string) => string | undefined;
}) {
  const [text, setText] = useState(value);
  const [refused, setRefused] = useState<string>();
  const isTyping = useRef(false);
  useEffect(() => {
    if (isTyping.current) return;
    setText(value);
    setRefused(undefined);
  }, [value]);

  const commit = () => {
    isTyping.current = false;
    if (text.trim() === value) {
      setText(value);
      setRefused(undefined);
    } else setRefused(onCommit(text.trim()));
  };

  return (
    <TextInput
      {...rest}
      value={text}
      error={refused ?? error}
      onChange={(event) => {
        isTyping.current = true;
        setText(event.currentTarget.value);
      }}
      onBlur={commit}
      onKeyDown={(event) => {
        if (event.key === "Enter") {
          event.preventDefault();
          commit();
        }
        if (event.key === "Escape") {
          isTyping.current = false;
          setText(value);
          setRefused(undefined);
        }
      }}
    />
  );
}

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
