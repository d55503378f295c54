import { Button, TextInput } from "@mantine/core";
import { useState } from "react";
import { Notice } from "./Notice.tsx";

/** A secret or a link, shown this once, to be copied. */
export function Secret({ title, label, value }: { title: string; label: string; value: string }) {
  const [isCopied, setCopied] = useState(false);
  return (
    <Notice tone="good" title={title}>
      <div className="page-actions" style={{ alignItems: "end" }}>
        <TextInput
          label={label}
          description="It is not shown again."
          value={value}
          readOnly
          style={{ flex: "1 1 260px" }}
          onFocus={(event) => event.currentTarget.select()}
        />
        <Button
          variant="default"
          onClick={() =>
            void navigator.clipboard?.writeText(value).then(
              () => setCopied(true),
              () => undefined, // it can still be selected
            )
          }
        >
          {isCopied ? "Copied" : "Copy"}
        </Button>
      </div>
    </Notice>
  );
}
