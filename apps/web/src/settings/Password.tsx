import { PasswordInput } from "@mantine/core";
import { useState } from "react";
import { useChange } from "../api/connection.ts";
import { Form } from "../parts/Form.tsx";
import { Notice } from "../parts/Notice.tsx";
import { Card } from "../parts/Page.tsx";
import { Fault } from "../parts/Pending.tsx";

const MIN = 12;

/** Sets or changes the password; all other browsers are signed out. */
export function Password({ hasPassword, email }: { hasPassword: boolean; email: string | null }) {
  const [current, setCurrent] = useState("");
  const [next, setNext] = useState("");
  const set = useChange((client) => client.setPassword({ password: next, ...(hasPassword ? { current } : {}) }));
  const isReady = next.length >= MIN && (!hasPassword || current !== "");
  return (
    <Card title="Password">
      <Form
        action={hasPassword ? "Change the password" : "Set a password"}
        isReady={isReady}
        isBusy={set.isPending}
        onSubmit={() =>
          set.mutate(undefined, {
            onSuccess: () => {
              setCurrent("");
              setNext("");
            },
          })
        }
      >
        {email === null && !hasPassword ? (
          <Notice tone="plain">
            <p>A password needs an e-mail address. You have none here: ask an admin of the platform.</p>
          </Notice>
        ) : null}
        {hasPassword ? (
          <PasswordInput
            label="Current password"
            autoComplete="current-password"
            value={current}
            onChange={(event) => setCurrent(event.currentTarget.value)}
            visibilityToggleButtonProps={{ "aria-label": "Show the current password" }}
          />
        ) : null}
        <PasswordInput
          label="New password"
          description={`At least ${MIN} characters. Every other browser is signed out.`}
          autoComplete="new-password"
          value={next}
          onChange={(event) => setNext(event.currentTarget.value)}
          visibilityToggleButtonProps={{ "aria-label": "Show the new password" }}
        />
        <Fault error={set.error} />
        {set.isSuccess ? (
          <p className="flush" role="status">
            The password is set.
          </p>
        ) : null}
      </Form>
    </Card>
  );
}
