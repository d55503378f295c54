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

/** The properties of a field whose change is told as its value, instead of the event. */
type Told<Properties, Value> = Omit<Properties, "onChange"> & { onChange: (value: Value) => void };

export function TextField({ onChange, ...rest }: Told<TextInputProps, string>) {
  return <TextInput {...rest} onChange={(event) => onChange(event.currentTarget.value)} />;
}

export function LongText({ onChange, ...rest }: Told<TextareaProps, string>) {
  return <Textarea autosize minRows={2} {...rest} onChange={(event) => onChange(event.currentTarget.value)} />;
}

export function Check({ onChange, ...rest }: Told<CheckboxProps, boolean>) {
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
}: Omit<Told<NativeSelectProps, Value>, "value" | "data"> & {
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
