import { useMe, useSignInWays } from "../api/session.ts";
import { Card, Facts, Page } from "../parts/Page.tsx";
import { Pending } from "../parts/Pending.tsx";
import { dayText } from "../parts/time.ts";
import { Agents } from "./Agents.tsx";
import { Connections } from "./Connections.tsx";
import { Health } from "./Health.tsx";
import { NotificationSettings } from "./NotificationSettings.tsx";
import { Password } from "./Password.tsx";
import { SecondFactor } from "./SecondFactor.tsx";
import { Secrets } from "./Secrets.tsx";
import { Sessions } from "./Sessions.tsx";
import { Tokens } from "./Tokens.tsx";

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
