import { PasswordInput, TextInput } from "@mantine/core";

interface Field {
  readonly value: string;
  readonly onChange: (value: string) => void;
  readonly description?: string;
}

/** Whether it can be an address at all; who gets mail there, only mail tells. */
export const isEmail = (text: string): boolean => /^[^\s@]+@[^\s@]+$/.test(text.trim());

export const EmailField = ({ onChange, ...field }: Field) => (
  <TextInput
    {...field}
    label="E-mail"
    type="email"
    autoComplete="username"
    size="md"
    onChange={(event) => onChange(event.currentTarget.value)}
  />
);

/** A text that no one next to you should read, with an eye to show it. */
export const SecretField = ({
  label = "Password",
  autoComplete = "current-password",
  onChange,
  ...field
}: Field & { readonly label?: string; readonly autoComplete?: string }) => (
  <PasswordInput
    {...field}
    label={label}
    autoComplete={autoComplete}
    spellCheck={false}
    size="md"
    onChange={(event) => onChange(event.currentTarget.value)}
    visibilityToggleButtonProps={{ "aria-label": `Show the ${label.toLowerCase()}` }}
  />
);
