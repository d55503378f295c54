import { Button, TextInput } from "@mantine/core";
import { useState } from "react";
import { toClipboard } from "./browser.ts";
import { Notice } from "./Notice.tsx";

/** A secret or a link that is shown only once, with a button to copy it. */
export function Secret({ title, label, value }: { title: string; label: string; value: string }) {
  const [isCopied, setCopied] = useState<boolean | null>(null);
  return (
    <Notice tone="good" title={title}>
      <div className="page-actions at-end">
        <TextInput
          label={label}
          description="It is not shown again."
          value={value}
          readOnly
          style={{ flex: "1 1 260px" }}
          onFocus={(event) => event.currentTarget.select()}
        />
        <Button variant="default" onClick={() => void toClipboard(value).then(setCopied)}>
          {isCopied === null ? "Copy" : isCopied ? "Copied" : "Select it and copy"}
        </Button>
      </div>
    </Notice>
  );
}
