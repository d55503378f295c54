import { Button, type ButtonProps } from "@mantine/core";
import { createLink } from "@tanstack/react-router";
import type { AnchorHTMLAttributes, Ref } from "react";

type Anchor = ButtonProps &
  Omit<AnchorHTMLAttributes<HTMLAnchorElement>, keyof ButtonProps> & { ref?: Ref<HTMLAnchorElement> };

export const ButtonLink = createLink((properties: Anchor) => <Button component="a" {...properties} />);

interface RowButtonProps {
  label: string;
  /** The accessible name. */
  name: string;
  isBusy?: boolean;
  onClick: () => void;
}

/** An action on one row of a table; its accessible name includes the row. */
export function RowButton({ label, name, isBusy = false, onClick }: RowButtonProps) {
  return (
    <Button size="xs" variant="default" aria-label={name} disabled={isBusy} onClick={onClick}>
      {label}
    </Button>
  );
}

/** Loads the next page of a list. */
export function More({
  of,
}: {
  of: {
    readonly hasNextPage: boolean;
    readonly isFetchingNextPage: boolean;
    readonly fetchNextPage: () => Promise<unknown>;
  };
}) {
  if (!of.hasNextPage) return null;
  return (
    <Button variant="default" size="sm" mt="md" loading={of.isFetchingNextPage} onClick={() => void of.fetchNextPage()}>
      Show more
    </Button>
  );
}
