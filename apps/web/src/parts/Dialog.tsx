import { Button, Modal } from "@mantine/core";
import { type ReactNode, useEffect } from "react";
import { ancestorsOf, focusBack } from "./browser.ts";
import type { Changing } from "./Form.tsx";
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
  isFinal = false,
  change,
  error = change?.error,
  onSubmit,
  onClose,
  children,
}: {
  title: string;
  size?: "md" | "lg" | "xl";
  /** The label of the submit button. */
  action: string;
  isReady?: boolean;
  /** The action cannot be undone. */
  isFinal?: boolean;
  /** What the action begins. */
  change?: Changing;
  error?: unknown;
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
          <Button variant="default" onClick={onClose} disabled={change?.isPending ?? false}>
            Back
          </Button>
          <Button
            type="submit"
            disabled={!isReady}
            loading={change?.isPending ?? false}
            {...(isFinal ? { color: "red" } : {})}
          >
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
  children,
  onConfirm,
  ...dialog
}: Pick<Parameters<typeof FormDialog>[0], "title" | "action" | "change" | "onClose" | "children"> & {
  onConfirm: () => void;
}) {
  return (
    <FormDialog {...dialog} onSubmit={onConfirm}>
      <div>{children}</div>
    </FormDialog>
  );
}
