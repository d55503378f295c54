import type { ReactNode } from "react";
import { FormDialog } from "./Dialog.tsx";

/** Asks for confirmation and says what will happen. */
export function Confirm({
  title,
  children,
  action,
  onConfirm,
  onClose,
  isBusy,
  error,
}: {
  title: string;
  children: ReactNode;
  action: string;
  onConfirm: () => void;
  onClose: () => void;
  isBusy: boolean;
  error: unknown;
}) {
  return (
    <FormDialog title={title} action={action} isBusy={isBusy} error={error} onSubmit={onConfirm} onClose={onClose}>
      <div>{children}</div>
    </FormDialog>
  );
}
