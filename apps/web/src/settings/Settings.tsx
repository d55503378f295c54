import { useMe } from "../api/session.ts";
import { Card, Facts, Page } from "../parts/Page.tsx";
import { Pending } from "../parts/Pending.tsx";
import { dayText } from "../parts/time.ts";
import { NotificationSettings } from "./NotificationSettings.tsx";
import { Password } from "./Password.tsx";
import { Sessions } from "./Sessions.tsx";
import { Tokens } from "./Tokens.tsx";

/** Who I am here, how I get in, and what I am told. */
export function Settings() {
  const me = useMe();
  return (
    <Page title="Settings" lead="Yours alone: nobody else sees or changes them.">
      <Pending of={me}>
        {({ person, hasPassword }) => (
          <div className="stack">
            <Card title="Profile">
              <Facts of={{ Name: person.name, "E-mail": person.email ?? "none", Since: dayText(person.createdAt) }} />
              <p className="soft small" style={{ marginBottom: 0 }}>
                Name and address stand beside what you spent; an admin of the platform changes them.
              </p>
            </Card>
            <Password hasPassword={hasPassword} email={person.email} />
            <Card title="Browsers I am signed in with">
              <Sessions />
            </Card>
            <Card title="Tokens for programs">
              <Tokens />
            </Card>
            <Card title="What I am told">
              <NotificationSettings />
            </Card>
          </div>
        )}
      </Pending>
    </Page>
  );
}
