import { useState } from "react";
import { useResetPassword } from "../api/session.ts";
import { ButtonLink } from "../parts/ButtonLink.tsx";
import { Form } from "../parts/Form.tsx";
import { Doorway } from "./Doorway.tsx";
import { PASSWORD_RULE, passwordFault, SecretField } from "./Fields.tsx";

/** Sets a new password by a link of an admin, whose secret was behind the #, which no server logs. */
export function NewPassword({ link }: { link: string }) {
  const [password, setPassword] = useState("");
  const reset = useResetPassword();
  if (reset.isSuccess)
    return (
      <Doorway title="Your password is set" lead="You were signed out everywhere, and your tokens ended.">
        <ButtonLink to="/sign-in">Sign in</ButtonLink>
      </Doorway>
    );
  return (
    <Doorway
      title="Set a new password"
      lead="The link works once. Afterwards you are signed out everywhere, and your tokens end."
    >
      <Form
        className="stack gap-12"
        action="Set the password"
        isRow
        isReady={password !== "" && passwordFault(password) === undefined}
        isBusy={reset.isPending}
        error={reset.error}
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
