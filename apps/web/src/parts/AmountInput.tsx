import { TextInput } from "@mantine/core";
import type { ReactNode } from "react";
import { amountFault, isAmount } from "./amount-text.ts";

/** An exact amount above 0, digit by digit. An empty field is not wrong yet. */
export function AmountInput({
  label,
  description,
  value,
  onChange,
  fault = value.trim() === "" || isAmount(value) ? undefined : amountFault(value),
}: {
  label: string;
  description?: ReactNode;
  value: string;
  onChange: (text: string) => void;
  fault?: string | undefined;
}) {
  return (
    <TextInput
      label={label}
      description={description}
      inputMode="decimal"
      value={value}
      onChange={(event) => onChange(event.currentTarget.value)}
      error={fault}
    />
  );
}
