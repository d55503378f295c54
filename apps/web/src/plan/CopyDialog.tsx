import { Button, SegmentedControl } from "@mantine/core";
import { useState } from "react";
import { toClipboard } from "../parts/browser.ts";
import { Dialog } from "../parts/Dialog.tsx";
import type { CopyForm } from "./copy-as.ts";

const forms = [
  { value: "cli", label: "Command line" },
  { value: "curl", label: "curl" },
  { value: "typescript", label: "TypeScript" },
  { value: "python", label: "Python" },
  { value: "r", label: "R" },
] as const;

export function CopyDialog({ texts, onClose }: { texts: Readonly<Record<CopyForm, string>>; onClose: () => void }) {
  const [form, setForm] = useState<CopyForm>("cli");
  const [isCopied, setCopied] = useState<boolean | null>(null);
  const text = texts[form];
  return (
    <Dialog onClose={onClose} title="This plan elsewhere" size="xl">
      <div className="stack">
        <div className="sideways">
          <SegmentedControl
            aria-label="Form"
            value={form}
            data={[...forms]}
            onChange={(value) => {
              setForm(value as CopyForm);
              setCopied(null);
            }}
          />
        </div>
        <textarea className="copy-text" readOnly rows={14} aria-label="Text to copy" value={text} />
        <div className="page-actions at-middle">
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
  );
}
