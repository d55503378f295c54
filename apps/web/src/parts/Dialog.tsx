import { Button, Modal } from "@mantine/core";
import { type ReactNode, useEffect, useLayoutEffect, useRef } from "react";
import { ancestorsOf, focusBack } from "./browser.ts";
import type { Changing } from "./Form.tsx";
import { Fault } from "./Pending.tsx";
import { type Keeps, useTyped } from "./use-typed.tsx";

interface DialogProps {
  title: string;
  size?: "md" | "lg" | "xl";
  onClose: () => void;
  children: ReactNode;
}

/** A dialog over the page, for as long as it is drawn. Closing it gives the focus back to what opened it. */
export function Dialog({ title, size = "md", onClose, children }: DialogProps) {
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

interface FormOfDialog {
  /** The label of the submit button. */
  readonly action: string;
  readonly isReady?: boolean;
  /** The action cannot be undone. */
  readonly isFinal?: boolean;
  /** What the action begins. */
  readonly change?: Changing;
  readonly error?: unknown;
  readonly keeps?: Keeps;
  readonly onSubmit: () => void;
  readonly onClose: () => void;
  readonly children: ReactNode;
}

/**
 * A dialog with fields, a cancel button and a submit button; it opens on its first field or its selected choice. What is typed is kept where
 * it says so.
 */
export function FormDialog({
  title,
  size = "md",
  ...form
}: FormOfDialog & { readonly title: string; readonly size?: "md" | "lg" | "xl" }) {
  return (
    <Dialog title={title} size={size} onClose={form.onClose}>
      <FormInside {...form} />
    </Dialog>
  );
}

/** Drawn once the dialog is on the page. */
function FormInside({
  action,
  isReady = true,
  isFinal = false,
  change,
  error = change?.error,
  keeps,
  onSubmit,
  onClose,
  children,
}: FormOfDialog) {
  const form = useRef<HTMLFormElement>(null);
  const isBusy = change?.isPending ?? false;
  const back = useTyped(form, keeps, { isBusy, error });
  useLayoutEffect(() => openOnField(form.current), []);
  return (
    <form
      ref={form}
      className="stack gap-16"
      onSubmit={(event) => {
        event.preventDefault();
        if (isReady) onSubmit();
      }}
    >
      {back}
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
