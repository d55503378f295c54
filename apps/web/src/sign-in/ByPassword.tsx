import { Button } from "@mantine/core";
import { useState } from "react";
import { useChange } from "../api/connection.ts";
import { useResetPassword } from "../api/session.ts";
import { ButtonLink } from "../parts/buttons.tsx";
import { Form } from "../parts/Form.tsx";
import { Fault } from "../parts/Pending.tsx";
import { Doorway } from "./Doorway.tsx";
import { EmailField, isEmail, PASSWORD_RULE, passwordFault, SecretField } from "./Fields.tsx";

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

/** Sets a new password by a link of an admin, whose secret was behind the #, which no server logs. */
export function NewPassword({ link }: { link: string }) {
  const [password, setPassword] = useState("");
  const reset = useResetPassword();
  if (reset.isSuccess)
    return (
      <Doorway
        title="Your password is set"
        lead="You were signed out everywhere, and your tokens and those of your AI agents ended."
      >
        <ButtonLink to="/sign-in">Sign in</ButtonLink>
      </Doorway>
    );
  return (
    <Doorway
      title="Set a new password"
      lead="The link works once. Afterwards you are signed out everywhere, and your tokens and those of your AI agents end."
    >
      <Form
        className="stack gap-12"
        action="Set the password"
        isRow
        isReady={password !== "" && passwordFault(password) === undefined}
        change={reset}
        size="md"
        onSubmit={() => reset.mutate({ link, password })}
      >
        <SecretField
          label="New password"
          description={PASSWORD_RULE}
          faultOf={passwordFault}
          autoComplete="new-password"
          value={password}
          onChange={setPassword}
        />
      </Form>
    </Doorway>
  );
}
