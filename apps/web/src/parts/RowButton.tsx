import { Button } from "@mantine/core";

/** An act on one row of a table: its full name says on whom. */
export function RowButton({
  label,
  name,
  isBusy = false,
  onClick,
}: {
  label: string;
  /** As a screen reader says it. */
  name: string;
  isBusy?: boolean;
  onClick: () => void;
}) {
  return (
    <Button size="xs" variant="default" aria-label={name} disabled={isBusy} onClick={onClick}>
      {label}
    </Button>
  );
}
