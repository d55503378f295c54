import { Button, Modal } from "@mantine/core";
import type { ReactNode } from "react";
import { Fault } from "./Pending.tsx";

/** Says what will happen before it does. */
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
    <Modal opened onClose={onClose} title={title} closeButtonProps={{ "aria-label": "Close" }} returnFocus>
      <div className="stack" style={{ gap: 14 }}>
        <div>{children}</div>
        {error === null ? null : <Fault error={error} />}
        <div className="page-actions" style={{ justifyContent: "flex-end" }}>
          <Button variant="default" onClick={onClose} disabled={isBusy}>
            Back
          </Button>
          <Button onClick={onConfirm} loading={isBusy}>
            {action}
          </Button>
        </div>
      </div>
    </Modal>
  );
}
