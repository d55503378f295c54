import { Button, TextInput } from "@mantine/core";
import { Link, useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { useChange } from "../api/change.ts";
import { useMe, useSignIn } from "../api/session.ts";
import { Notice } from "../parts/Notice.tsx";
import { Card, Page } from "../parts/Page.tsx";
import { Fault } from "../parts/Pending.tsx";

/** Accepts an invitation; its secret is in the fragment of the address, which no server logs. */
export function Join() {
  const me = useMe();
  const navigate = useNavigate();
  const [secret] = useState(() => decodeURIComponent(location.hash.replace(/^#/, "")));
  const [name, setName] = useState("");
  const signIn = useSignIn();
  const join = useChange((client) => client.acceptInvitation({ secret }));
  return (
    <Page title="Join a team" lead="An invitation works once.">
      <Card>
        {secret === "" ? (
          <Notice tone="warn" title="The link is incomplete">
            <p>Open the whole link, including everything after the #.</p>
          </Notice>
        ) : me.data === undefined ? (
          <form
            className="stack"
            style={{ maxWidth: 480 }}
            onSubmit={(event) => {
              event.preventDefault();
              signIn.mutateAsync({ invitation: secret, name: name.trim() }).then(
                () => navigate({ to: "/teams" }),
                () => undefined, // shown from `signIn.error`
              );
            }}
          >
            <p style={{ margin: 0 }}>
              Are you here already? <Link to="/sign-in">Sign in</Link> first, then open the link again.
            </p>
            <TextInput
              label="Your name"
              description="You are new here: an invitation that was mailed to you lets you in under this name."
              autoComplete="name"
              maxLength={200}
              value={name}
              onChange={(event) => setName(event.currentTarget.value)}
            />
            {signIn.error === null ? null : <Fault error={signIn.error} />}
            <div>
              <Button type="submit" disabled={name.trim() === ""} loading={signIn.isPending}>
                Join
              </Button>
            </div>
          </form>
        ) : (
          <div className="stack" style={{ maxWidth: 480 }}>
            <p style={{ margin: 0 }}>You join as {me.data.person.name}.</p>
            {join.error === null ? null : <Fault error={join.error} />}
            <div>
              <Button
                loading={join.isPending}
                onClick={() => {
                  join.mutateAsync(undefined).then(
                    ({ id }) => navigate({ to: "/teams/$team", params: { team: id } }),
                    () => undefined, // shown from `join.error`
                  );
                }}
              >
                Join the team
              </Button>
            </div>
          </div>
        )}
      </Card>
    </Page>
  );
}
