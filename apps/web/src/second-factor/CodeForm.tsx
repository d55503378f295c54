import { useState } from "react";
import { Form } from "../parts/Form.tsx";
import { TextField } from "../parts/fields.tsx";

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
    <Form
      action={action}
      isReady={code.trim() !== ""}
      isBusy={isBusy}
      size="md"
      onSubmit={() => {
        onCode(code.trim());
        setCode("");
      }}
    >
      <TextField
        label="Code"
        description={isFirst ? "The six digits that the app shows." : "The six digits of the app, or a recovery code."}
        autoComplete="one-time-code"
        spellCheck={false}
        size="md"
        value={code}
        onChange={setCode}
      />
    </Form>
  );
}
