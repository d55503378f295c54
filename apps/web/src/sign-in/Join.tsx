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
        This link is for people who are here already. Sign in, then open it again. Are you new? Ask the team’s admin
        whether its links may let newcomers in, or an admin of the platform to add you.
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
  return (
    <Form
      className="stack"
      action="Join"
      isReady={name.trim() !== ""}
      change={join}
      onSubmit={() => {
        join.mutateAsync({ invitation: secret, name: name.trim() }).then(navigate, () => undefined); // shown from `join.error`
      }}
    >
      {session.data?.demo === "on" ? (
        <Notice tone="warn" title="You end the demo’s sign-in">
          <p>You are the first real person here. The people of the demo cannot sign in any more when you join.</p>
        </Notice>
      ) : null}
      <TextField
        label="Your name"
        description={
          isMailed
            ? "You are new here: the invitation lets you in under this name."
            : "You are new here: the link lets you in under this name. To come back another day, have an admin of the platform add your e-mail address."
        }
        autoComplete="name"
        maxLength={200}
        value={name}
        onChange={setName}
      />
    </Form>
  );
}
