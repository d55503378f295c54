import { Button, type ButtonProps } from "@mantine/core";
import { type ReactNode, useRef } from "react";
import { Fault } from "./Pending.tsx";
import { type Keeps, useTyped } from "./use-typed.tsx";

/** A change at the server, under way or refused. */
export interface Changing {
  readonly isPending: boolean;
  readonly error: unknown;
}

/** Fields, what went wrong, and the button that sends them; in one line where it `isRow`. What is typed is kept where it says so. */
export function Form({
  isRow = false,
  className = isRow ? "page-actions at-end" : "stack gap-12 narrow",
  action,
  isReady = true,
  change,
  isBusy = change?.isPending ?? false,
  error = change?.error,
  keeps,
  beside,
  onSubmit,
  children,
  "aria-label": label,
  ...look
}: Pick<ButtonProps, "size" | "variant" | "mt"> & {
  className?: string | undefined;
  action: string;
  isReady?: boolean;
  /** What the button begins. */
  change?: Changing;
  isBusy?: boolean;
  isRow?: boolean;
  error?: unknown;
  keeps?: Keeps;
  /** Next to the button. */
  beside?: ReactNode;
  onSubmit: () => void;
  children: ReactNode;
  "aria-label"?: string;
}) {
  const form = useRef<HTMLFormElement>(null);
  const back = useTyped(form, keeps, { isBusy, error });
  const button = (
    <Button type="submit" disabled={!isReady} loading={isBusy} {...look}>
      {action}
    </Button>
  );
  return (
    <form
      ref={form}
      className={className}
      aria-label={label}
      onSubmit={(event) => {
        event.preventDefault();
        if (isReady) onSubmit();
      }}
    >
      {back}
      {children}
      <Fault error={error} />
      {isRow ? (
        button
      ) : (
        <div className={beside === undefined ? undefined : "page-actions"}>
          {button}
          {beside}
        </div>
      )}
    </form>
  );
}
