import { Button, Modal } from "@mantine/core";
import { type ReactNode, useEffect } from "react";
import { ancestorsOf, focusBack } from "./browser.ts";
import { Fault } from "./Pending.tsx";

/** A dialog over the page, for as long as it is drawn. Closing it gives the focus back to what opened it. */
export function Dialog({
  title,
  size = "md",
  onClose,
  children,
}: {
  title: string;
  size?: "md" | "lg" | "xl";
  onClose: () => void;
  children: ReactNode;
}) {
  useEffect(() => {
    const opener = ancestorsOf(document.activeElement);
    return () => focusBack(opener);
  }, []);
  return (
    <Modal opened onClose={onClose} title={title} size={size} closeButtonProps={{ "aria-label": "Close" }}>
      {children}
    </Modal>
  );
}

/** A dialog with fields, a cancel button and a submit button; it opens on its first field or its selected choice. */
export function FormDialog({
  title,
  size = "md",
  action,
  isReady = true,
  isBusy,
  isFinal = false,
  error,
  onSubmit,
  onClose,
  children,
}: {
  title: string;
  size?: "md" | "lg" | "xl";
  /** The label of the submit button. */
  action: string;
  isReady?: boolean;
  isBusy: boolean;
  /** The action cannot be undone. */
  isFinal?: boolean;
  error: unknown;
  onSubmit: () => void;
  onClose: () => void;
  children: ReactNode;
}) {
  return (
    <Dialog title={title} size={size} onClose={onClose}>
      <form
        ref={openOnField}
        className="stack gap-16"
        onSubmit={(event) => {
          event.preventDefault();
          if (isReady) onSubmit();
        }}
      >
        {children}
        <Fault error={error} />
        <div className="page-actions to-end">
          <Button variant="default" onClick={onClose} disabled={isBusy}>
            Back
          </Button>
          <Button type="submit" disabled={!isReady} loading={isBusy} {...(isFinal ? { color: "red" } : {})}>
            {action}
          </Button>
        </div>
      </form>
    </Dialog>
  );
}

function openOnField(form: HTMLFormElement | null): void {
  const first = form?.querySelector("input, select, textarea");
  const chosen = first?.matches("[type=radio]") ? form?.querySelector("[type=radio]:checked") : first;
  chosen?.setAttribute("data-autofocus", "");
}

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
