import { Button, SegmentedControl } from "@mantine/core";
import { IconCopy } from "@tabler/icons-react";
import { useState } from "react";
import { toClipboard } from "../parts/clipboard.ts";
import { Dialog } from "../parts/Dialog.tsx";
import type { CopyForm } from "./copy-as.ts";

const forms = [
  { value: "cli", label: "Command line" },
  { value: "curl", label: "curl" },
  { value: "typescript", label: "TypeScript" },
] as const;

/** The present plan for a shell or a program. */
export function CopyAs({ texts }: { texts: () => Readonly<Record<CopyForm, string>> }) {
  const [shown, setShown] = useState<Readonly<Record<CopyForm, string>> | null>(null);
  const [form, setForm] = useState<CopyForm>("cli");
  const [isCopied, setCopied] = useState<boolean | null>(null);
  const text = shown?.[form] ?? "";
  return (
    <>
      <button
        type="button"
        className="tool"
        onClick={() => {
          setShown(texts());
          setCopied(null);
        }}
      >
        <IconCopy size={16} aria-hidden /> Copy as…
      </button>
      {shown === null ? null : (
        <Dialog onClose={() => setShown(null)} title="This plan elsewhere" size="xl">
          <div className="stack">
            <SegmentedControl
              aria-label="Form"
              value={form}
              data={[...forms]}
              onChange={(value) => {
                setForm(value as CopyForm);
                setCopied(null);
              }}
            />
            <textarea className="copy-text" readOnly rows={14} aria-label="Text to copy" value={text} />
            <div className="page-actions" style={{ alignItems: "center" }}>
              <Button onClick={() => void toClipboard(text).then(setCopied)}>Copy</Button>
              <span role="status" className="soft small">
                {isCopied === null
                  ? "It costs and does the same as on this page."
                  : isCopied
                    ? "Copied."
                    : "Your browser does not let this page copy: select the text."}
              </span>
            </div>
          </div>
        </Dialog>
      )}
    </>
  );
}
