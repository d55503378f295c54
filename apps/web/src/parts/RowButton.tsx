import { Button } from "@mantine/core";

/** An action on one row of a table; its accessible name includes the row. */
export function RowButton({
  label,
  name,
  isBusy = false,
  onClick,
}: {
  label: string;
  /** The accessible name. */
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
