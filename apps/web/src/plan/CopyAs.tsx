import { Button, Modal, SegmentedControl } from "@mantine/core";
import { IconCopy } from "@tabler/icons-react";
import { useState } from "react";
import type { CopyForm } from "./copy-as.ts";

const forms = [
  { value: "cli", label: "Command line" },
  { value: "curl", label: "curl" },
  { value: "typescript", label: "TypeScript" },
] as const;

/** The plan as it stands, for a shell or a program. */
export function CopyAs({ texts }: { texts: () => Readonly<Record<CopyForm, string>> }) {
  const [shown, setShown] = useState<Readonly<Record<CopyForm, string>> | null>(null);
  const [form, setForm] = useState<CopyForm>("cli");
  const [isCopied, setCopied] = useState(false);
  const text = shown?.[form] ?? "";
  return (
    <>
      <button type="button" className="tool" onClick={() => setShown(texts())}>
        <IconCopy size={16} aria-hidden /> Copy as…
      </button>
      <Modal
        opened={shown !== null}
        onClose={() => setShown(null)}
        title="This plan elsewhere"
        size="xl"
        closeButtonProps={{ "aria-label": "Close" }}
      >
        <div className="stack">
          <SegmentedControl
            aria-label="Form"
            value={form}
            data={[...forms]}
            onChange={(value) => {
              setForm(value as CopyForm);
              setCopied(false);
            }}
          />
          <textarea className="copy-text" readOnly rows={14} aria-label="Text to copy" value={text} />
          <div className="page-actions">
            <Button
              onClick={() =>
                void navigator.clipboard.writeText(text).then(
                  () => setCopied(true),
                  () => setCopied(false),
                )
              }
            >
              Copy
            </Button>
            <span role="status" className="soft small">
              {isCopied ? "Copied." : "It costs and does the same as on this page."}
            </span>
          </div>
        </div>
      </Modal>
    </>
  );
}
