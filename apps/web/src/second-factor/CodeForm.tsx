import { Button, TextInput } from "@mantine/core";
import { useState } from "react";

/** Asks for a code of the authenticator app; where `isFirst`, no recovery code does. */
export function CodeForm({
  action,
  isBusy,
  isFirst = false,
  onCode,
}: {
  action: string;
  isBusy: boolean;
  isFirst?: boolean;
  onCode: (code: string) => void;
}) {
  const [code, setCode] = useState("");
  return (
    <form
      className="stack gap-12 narrow"
      onSubmit={(event) => {
        event.preventDefault();
        if (code.trim() === "") return;
        onCode(code.trim());
        setCode("");
      }}
    >
      <TextInput
        label="Code"
        description={isFirst ? "The six digits that the app shows." : "The six digits of the app, or a recovery code."}
        autoComplete="one-time-code"
        spellCheck={false}
        size="md"
        value={code}
        onChange={(event) => setCode(event.currentTarget.value)}
      />
      <div>
        <Button type="submit" size="md" loading={isBusy} disabled={code.trim() === ""}>
          {action}
        </Button>
      </div>
    </form>
  );
}
