import { Button, type ButtonProps } from "@mantine/core";
import type { ReactNode } from "react";
import { Fault } from "./Pending.tsx";

/** A change at the server, under way or refused. */
export interface Changing {
  readonly isPending: boolean;
  readonly error: unknown;
}

/** Fields, what went wrong, and the button that sends them; in one line where it `isRow`. */
export function Form({
  isRow = false,
  className = isRow ? "page-actions at-end" : "stack gap-12 narrow",
  action,
  isReady = true,
  change,
  isBusy = change?.isPending ?? false,
  error = change?.error,
  onSubmit,
  children,
  "aria-label": label,
  ...look
}: Pick<ButtonProps, "size" | "variant" | "mt"> & {
  className?: string | undefined;
  /** The label of the button. */
  action: string;
  isReady?: boolean;
  /** What the button begins. */
  change?: Changing;
  isBusy?: boolean;
  isRow?: boolean;
  error?: unknown;
  onSubmit: () => void;
  children: ReactNode;
  "aria-label"?: string;
}) {
  const button = (
    <Button type="submit" disabled={!isReady} loading={isBusy} {...look}>
      {action}
    </Button>
  );
  return (
    <form
      className={className}
      aria-label={label}
      onSubmit={(event) => {
        event.preventDefault();
        if (isReady) onSubmit();
      }}
    >
      {children}
      <Fault error={error} />
      {isRow ? button : <div>{button}</div>}
    </form>
  );
}
