import type { Output } from "@dosimeter/client";
import { useState } from "react";
import { Form } from "../parts/Form.tsx";
import { TextField } from "../parts/fields.tsx";
import { Secret } from "../parts/Secret.tsx";

/** What an authenticator app reads: a QR code, and the key as text for one that cannot see it. */
export function AppSecret({ of: { svg, secret, url } }: { of: Output<"beginSecondFactor"> }) {
  return (
    <div className="stack gap-12">
      <p className="flush">
        Scan this with an authenticator app, or type the key into it. On this device, <a href={url}>open the app</a>.
      </p>
      <img
        src={`data:image/svg+xml,${encodeURIComponent(svg)}`}
        alt="QR code for the authenticator app; the key below says the same"
        width={200}
        height={200}
      />
      <p className="flush">
        Key: <span className="code anywhere">{secret.replace(/.{4}(?=.)/g, "$& ")}</span>
      </p>
    </div>
  );
}

interface CodeFormProps {
  action: string;
  isBusy: boolean;
  isFirst?: boolean;
  onCode: (code: string) => void;
}

/** Asks for a code of the authenticator app; where `isFirst`, no recovery code does. */
export function CodeForm({ action, isBusy, isFirst = false, onCode }: CodeFormProps) {
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

export function RecoveryCodes({ codes }: { codes: readonly string[] }) {
  return (
    <div className="stack gap-12">
      <p className="flush">
        Each of these codes signs you in once, with your password, when you do not have the app. Print them, or keep
        them where you keep passwords.
      </p>
      <ul className="code" aria-label="Recovery codes" style={{ margin: 0, paddingInlineStart: 20 }}>
        {codes.map((code) => (
          <li key={code}>{code}</li>
        ))}
      </ul>
      <Secret title="Keep them now" label="All recovery codes" value={codes.join(" ")} />
    </div>
  );
}
