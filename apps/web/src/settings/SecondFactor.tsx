import { useState } from "react";
import { useChange } from "../api/connection.ts";
import { useSecondFactor } from "../api/people.ts";
import { Form } from "../parts/Form.tsx";
import { Card } from "../parts/Page.tsx";
import { Fault, Pending } from "../parts/Pending.tsx";
import { dayText } from "../parts/words.ts";
import { AppSecret, CodeForm, RecoveryCodes } from "../second-factor/codes.tsx";
import { SecretField } from "../sign-in/Fields.tsx";

/** Whether my password needs a code of an authenticator app as well: set up, or given up with a code. */
export function SecondFactor() {
  const factor = useSecondFactor();
  const confirm = useChange((client, code: string) => client.confirmSecondFactor({ code }));
  return (
    <Card title="Second factor">
      <Pending of={factor} lines={2}>
        {({ since, recoveryLeft, required }) => (
          <div className="stack gap-16">
            {confirm.data === undefined ? null : <RecoveryCodes codes={confirm.data.recoveryCodes} />}
            {since === null ? (
              <SetUp confirm={confirm} />
            ) : (
              <GiveUp since={since} recoveryLeft={recoveryLeft} required={required} />
            )}
          </div>
        )}
      </Pending>
    </Card>
  );
}

interface Confirm {
  readonly mutate: (code: string) => void;
  readonly isPending: boolean;
  readonly error: unknown;
}

function SetUp({ confirm }: { confirm: Confirm }) {
  const [password, setPassword] = useState("");
  const begin = useChange((client) => client.beginSecondFactor({ password }));
  if (begin.data !== undefined)
    return (
      <>
        <AppSecret of={begin.data} />
        <Fault error={confirm.error} />
        <CodeForm action="Confirm" isFirst isBusy={confirm.isPending} onCode={confirm.mutate} />
      </>
    );
  return (
    <Form
      action="Set up an authenticator app"
      isReady={password !== ""}
      change={begin}
      onSubmit={() => begin.mutate(undefined, { onSuccess: () => setPassword("") })}
    >
      <p className="flush">
        With an authenticator app, someone who learns your password cannot sign in with it. Every other browser is
        signed out.
      </p>
      <SecretField label="Your password" value={password} onChange={setPassword} />
    </Form>
  );
}

function GiveUp({ since, recoveryLeft, required }: { since: string; recoveryLeft: number; required: boolean }) {
  const end = useChange((client, code: string) => client.endSecondFactor({ code }));
  return (
    <>
      <p className="flush">
        Since {dayText(since)}, your password needs a code of your app. {recoveryLeft} recovery codes are left.
      </p>
      <details>
        <summary>Give it up, or move to another app</summary>
        <div className="stack gap-12 below-12">
          <p className="flush">
            {required
              ? "This server asks for one: at your next sign-in by password you set it up again."
              : "Your password alone is enough then. Set it up again for other recovery codes."}
          </p>
          <Fault error={end.error} />
          <CodeForm action="Give up the second factor" isBusy={end.isPending} onCode={(code) => end.mutate(code)} />
        </div>
      </details>
    </>
  );
}
