import { PasswordInput } from "@mantine/core";
import { type FocusEvent, useState } from "react";
import { TextField } from "../parts/fields.tsx";

interface Field {
  readonly value: string;
  readonly onChange: (value: string) => void;
  readonly description?: string;
  /** What is wrong with it, where the form knows more than the field. */
  readonly error?: string | undefined;
}

/** Whether it can be an address at all; who gets mail there, only mail tells. */
export const isEmail = (text: string): boolean => /^[^\s@]+@[^\s@]+$/.test(text.trim());

/** A fault of a text that is still being typed is shown when the field is left. */
function useLeft(value: string, faultOf: (text: string) => string | undefined) {
  const [isLeft, setLeft] = useState(false);
  return {
    fault: isLeft ? faultOf(value) : undefined,
    onBlur: ({ relatedTarget }: FocusEvent) => {
      // A line that appears while a button is pressed would move the button away.
      if (!(relatedTarget instanceof HTMLButtonElement)) setLeft(true);
    },
  };
}

export const emailFault = (text: string): string | undefined =>
  text.trim() === "" || isEmail(text) ? undefined : "This is not an e-mail address: write name@example.org";

const MIN_PASSWORD = 12;
export const PASSWORD_RULE = `At least ${MIN_PASSWORD} characters.`;
export const passwordFault = (text: string): string | undefined =>
  text === "" || text.length >= MIN_PASSWORD ? undefined : `${text.length} of at least ${MIN_PASSWORD} characters`;

export function EmailField({ onChange, error, ...field }: Field) {
  const { fault, onBlur } = useLeft(field.value, emailFault);
  return (
    <TextField
      {...field}
      label="E-mail"
      type="email"
      autoComplete="username"
      size="md"
      error={fault ?? error}
      onBlur={onBlur}
      onChange={onChange}
    />
  );
}

/** A text that no one next to you should read, with an eye to show it. */
export function SecretField({
  label = "Password",
  autoComplete = "current-password",
  onChange,
  error,
  faultOf = () => undefined,
  ...field
}: Field & {
  readonly label?: string;
  readonly autoComplete?: string;
  readonly faultOf?: (text: string) => string | undefined;
}) {
  const { fault, onBlur } = useLeft(field.value, faultOf);
  return (
    <PasswordInput
      {...field}
      label={label}
      autoComplete={autoComplete}
      spellCheck={false}
      size="md"
      error={fault ?? error}
      onBlur={onBlur}
      onChange={(event) => onChange(event.currentTarget.value)}
      visibilityToggleButtonProps={{ "aria-label": `Show the ${label.toLowerCase()}` }}
    />
  );
}
