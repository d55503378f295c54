import { Button } from "@mantine/core";
import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { useJoin, useJoinAsNewcomer, useOpenInvitation } from "../api/people.ts";
import { useSession } from "../api/session.ts";
import { ButtonLink } from "../parts/buttons.tsx";
import { Form } from "../parts/Form.tsx";
import { TextField } from "../parts/fields.tsx";
import { Notice } from "../parts/Notice.tsx";
import { Card, Page } from "../parts/Page.tsx";
import { Fault, Loading, Pending } from "../parts/Pending.tsx";
import { dayText } from "../parts/words.ts";
import { EmailField, isEmail, PASSWORD_RULE, passwordFault, SecretField } from "./Fields.tsx";

/** Accepts an invitation; its secret is in the fragment of the address, which no server logs. */
export function Join() {
  const [secret] = useState(() => decodeURIComponent(location.hash.replace(/^#/, "")));
  const session = useSession();
  const invitation = useOpenInvitation(secret);
  return (
    <Page title="Join a team" lead="An invitation works once.">
      <Card>
        {secret === "" ? (
          <Notice tone="warn" title="The link is incomplete">
            <p>Open the whole link, including everything after the #.</p>
          </Notice>
        ) : session.isLoading ? (
          <Loading lines={3} />
        ) : (
          <Pending of={invitation} lines={3}>
            {({ invitation: open }) =>
              open === null ? (
                <Notice tone="warn" title="This invitation no longer works">
                  <p>It was used, taken back, or has expired. Ask the team’s admin for a new one.</p>
                </Notice>
              ) : (
                <div className="stack narrow">
                  <p className="flush">
                    {open.by} invites you to <strong>{open.team}</strong>
                    {open.role === "teamAdmin" ? " as a team admin" : ""}, until {dayText(open.expiresAt)}.
                  </p>
                  {session.data?.me ? (
                    <AsMe secret={secret} name={session.data.me.person.name} />
                  ) : open.newcomer ? (
                    <Newcomer secret={secret} isMailed={open.isMailed} />
                  ) : (
                    <SignInFirst />
                  )}
                </div>
              )
            }
          </Pending>
        )}
      </Card>
    </Page>
  );
}

function AsMe({ secret, name }: { secret: string; name: string }) {
  const navigate = useNavigate();
  const join = useJoin();
  return (
    <>
      <p className="flush">You join as {name}.</p>
      <Fault error={join.error} />
      <div>
        <Button
          loading={join.isPending}
          onClick={() => {
            join.mutateAsync(secret).then(navigate, () => undefined); // shown from `join.error`
          }}
        >
          Join the team
        </Button>
      </div>
    </>
  );
}

function SignInFirst() {
  return (
    <>
      <p className="flush">
        This link is for people with an account. Sign in, then open it again. Without one, ask the team’s admin to allow
        people without an account.
      </p>
      <div>
        <ButtonLink to="/sign-in">Sign in</ButtonLink>
      </div>
    </>
  );
}

function Newcomer({ secret, isMailed }: { secret: string; isMailed: boolean }) {
  const session = useSession();
  const navigate = useNavigate();
  const join = useJoinAsNewcomer();
  const [name, setName] = useState("");
  const [email, setEmail] = useState("");
  const [password, setPassword] = useState("");
  const isReady =
    name.trim() !== "" && (isMailed || isEmail(email)) && password !== "" && passwordFault(password) === undefined;
  return (
    <Form
      className="stack"
      action="Join"
      isReady={isReady}
      change={join}
      onSubmit={() => {
        const given = { name: name.trim(), password, ...(isMailed ? {} : { email: email.trim() }) };
        join.mutateAsync({ invitation: secret, ...given }).then(navigate, () => undefined); // shown from `join.error`
      }}
    >
      {session.data?.demo === "on" ? (
        <Notice tone="warn" title="You end the demo’s sign-in">
          <p>You are the first real person here. The people of the demo cannot sign in any more when you join.</p>
        </Notice>
      ) : null}
      <TextField label="Your name" autoComplete="name" maxLength={200} size="md" value={name} onChange={setName} />
      {isMailed ? null : <EmailField value={email} onChange={setEmail} />}
      <SecretField
        faultOf={passwordFault}
        description={`${PASSWORD_RULE} With your e-mail, it signs you in next time.${isMailed ? "" : " No mail goes to the address before an admin of the platform adds it."}`}
        autoComplete="new-password"
        value={password}
        onChange={setPassword}
      />
    </Form>
  );
}
