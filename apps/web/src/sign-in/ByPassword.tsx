import { Button } from "@mantine/core";
import { useState } from "react";
import { useChange } from "../api/change.ts";
import { Fault } from "../parts/Pending.tsx";
import { EmailField, isEmail, SecretField } from "./Fields.tsx";

export function ByPassword({
  isBusy,
  sendsMail,
  onEnter,
}: {
  isBusy: boolean;
  sendsMail: boolean;
  onEnter: (secret: { email: string; password: string }) => void;
}) {
  const [email, setEmail] = useState("");
  const [password, setPassword] = useState("");
  const mail = useChange((client) => client.requestSignInLink({ email: email.trim() }));
  const hasEmail = isEmail(email);
  return (
    <form
      className="stack gap-12"
      onSubmit={(event) => {
        event.preventDefault();
        if (hasEmail && password !== "") onEnter({ email: email.trim(), password });
      }}
    >
      <EmailField value={email} onChange={setEmail} />
      <SecretField value={password} onChange={setPassword} />
      <Button type="submit" size="md" loading={isBusy} disabled={!hasEmail || password === ""}>
        Sign in
      </Button>
      {sendsMail ? (
        <Button variant="default" disabled={!hasEmail} loading={mail.isPending} onClick={() => mail.mutate(undefined)}>
          Mail me a sign-in link instead
        </Button>
      ) : null}
      {mail.isSuccess ? (
        <p className="flush" role="status">
          If this address belongs to a person here, a link was sent to it.
        </p>
      ) : null}
      <Fault error={mail.error} />
    </form>
  );
}
