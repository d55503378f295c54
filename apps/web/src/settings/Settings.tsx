import type { KnownSecret } from "@dosimeter/client";
import { PasswordInput } from "@mantine/core";
import { useState } from "react";
import { useChange } from "../api/connection.ts";
import { useSessions } from "../api/people.ts";
import { useSecrets } from "../api/service.ts";
import { useMe, useSignInWays } from "../api/session.ts";
import { RowButton } from "../parts/buttons.tsx";
import { DataTable } from "../parts/DataTable.tsx";
import { Form } from "../parts/Form.tsx";
import { Notice } from "../parts/Notice.tsx";
import { Card, Facts, Page, Tag } from "../parts/Page.tsx";
import { Fault, Pending } from "../parts/Pending.tsx";
import { dayText, momentText } from "../parts/words.ts";
import { Agents } from "./Agents.tsx";
import { Connections } from "./Connections.tsx";
import { Health } from "./Health.tsx";
import { NotificationSettings } from "./NotificationSettings.tsx";
import { SecondFactor } from "./SecondFactor.tsx";
import { Tokens } from "./Tokens.tsx";

const MIN = 12;

/** Sets or changes the password; all other browsers are signed out. */
function Password({ hasPassword, email }: { hasPassword: boolean; email: string | null }) {
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

const servers: Readonly<Record<KnownSecret["servers"], string>> = {
  running: "may run",
  restarted: "start again afterwards",
  stopped: "must be stopped",
};

/** For admins of the platform: the keys and secrets of this installation, how old each is, and the command that replaces it. Never a value. */
export function Secrets() {
  const secrets = useSecrets();
  return (
    <div className="stack">
      <p className="flush">
        Run a command on the server, as its operator. Replace a secret on a schedule of yours, and at once when someone
        may have seen it.
      </p>
      <Pending of={secrets} lines={6}>
        {({ items }) => (
          <DataTable
            caption="Keys and secrets"
            isCaptionHidden
            isStacking
            rows={items}
            keyOf={({ name }) => name}
            columns={[
              { name: "Secret", isHead: true, cell: ({ name }) => name },
              {
                name: "Last replaced",
                cell: ({ replacedAt }) => (replacedAt === null ? "not known here" : dayText(replacedAt)),
              },
              { name: "To replace it", cell: ({ command }) => <span className="code anywhere">{command}</span> },
              { name: "Servers", cell: (secret) => servers[secret.servers] },
            ]}
          />
        )}
      </Pending>
    </div>
  );
}

export function Sessions() {
  const sessions = useSessions();
  const end = useChange((client, session: string) => client.revokeSession({ session }));
  return (
    <Pending of={sessions} lines={2}>
      {(all) => (
        <>
          <DataTable
            caption="Sessions"
            isCaptionHidden
            isStacking
            rows={all}
            keyOf={({ id }) => id}
            columns={[
              {
                name: "How",
                isHead: true,
                cell: ({ name, current }) => (
                  <>
                    {name === "" ? "signed in" : name} {current ? <Tag tone="good">this one</Tag> : null}
                  </>
                ),
              },
              { name: "Since", cell: ({ createdAt }) => momentText(createdAt) },
              { name: "Until", cell: ({ expiresAt }) => momentText(expiresAt) },
              {
                name: "Change",
                cell: ({ id, current, createdAt }) =>
                  current ? null : (
                    <RowButton
                      label="Sign out"
                      name={`Sign out the browser of ${momentText(createdAt)}`}
                      isBusy={end.isPending}
                      onClick={() => end.mutate(id)}
                    />
                  ),
              },
            ]}
          />
          <Fault error={end.error} />
        </>
      )}
    </Pending>
  );
}

/** My profile, password, agents, tokens, sessions and notifications. */
export function Settings() {
  const me = useMe();
  const ways = useSignInWays();
  return (
    <Page title="Settings" lead="Only you can see and change them.">
      <Pending of={me}>
        {({ person, roles, hasPassword }) => (
          <div className="stack">
            <Card title="Profile">
              <Facts of={{ Name: person.name, "E-mail": person.email ?? "none", Since: dayText(person.createdAt) }} />
              <p className="soft small flush-bottom">
                Your name and address are shown with what you spent; an admin of the platform can change them.
              </p>
            </Card>
            {ways.data?.password === false ? null : <Password hasPassword={hasPassword} email={person.email} />}
            {ways.data?.password !== false && hasPassword ? <SecondFactor /> : null}
            <Card title="Browsers I am signed in with">
              <Sessions />
            </Card>
            <Card title="AI agents that act for me">
              <Agents />
            </Card>
            <Card title="Tokens for programs">
              <Tokens />
            </Card>
            {roles.some(({ role }) => role === "platformAdmin") ? (
              <>
                <Card title="Health of this server">
                  <Health email={person.email} />
                </Card>
                <Card title="Databases that this server reads">
                  <Connections />
                </Card>
                <Card title="Keys and secrets of this server">
                  <Secrets />
                </Card>
              </>
            ) : null}
            <Card title="Notifications">
              <NotificationSettings />
            </Card>
          </div>
        )}
      </Pending>
    </Page>
  );
}
