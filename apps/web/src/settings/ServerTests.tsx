import type { Client } from "@dosimeter/client";
import { Button } from "@mantine/core";
import { useChange } from "../api/change.ts";
import { useSignInWays } from "../api/session.ts";
import { Notice } from "../parts/Notice.tsx";
import { Fault } from "../parts/Pending.tsx";

/** For admins of the platform: whether mail and each provider work, and what to do where one does not. */
export function ServerTests({ email }: { email: string | null }) {
  const ways = useSignInWays();
  const { mail = false, providers = [] } = ways.data ?? {};
  return (
    <div className="stack">
      {mail ? (
        <Test
          name="Mail"
          works={`A letter to ${email ?? "you"} is on its way.`}
          ask={(client) => client.testMail()}
          label="Send me a letter"
        />
      ) : (
        <p style={{ margin: 0 }}>
          This server sends no mail. Its operator sets DOSIMETER_MAIL_URL and DOSIMETER_MAIL_FROM.
        </p>
      )}
      {providers.map(({ id, name }) => (
        <Test
          key={id}
          name={`Sign-in with ${name}`}
          works="Address, certificate, issuer, clock, client and secret are right."
          ask={(client) => client.testProvider({ provider: id })}
          label={`Test ${name}`}
        />
      ))}
      {providers.length === 0 ? (
        <p style={{ margin: 0 }}>People sign in with no provider. Its operator names them by DOSIMETER_OIDC.</p>
      ) : null}
    </div>
  );
}

type Ask = (client: Client) => Promise<{ readonly problem: string | null }>;

function Test({ name, label, works, ask }: { name: string; label: string; works: string; ask: Ask }) {
  const test = useChange<void, Awaited<ReturnType<Ask>>>(ask);
  const { data } = test;
  return (
    <section aria-label={name} className="stack" style={{ gap: 8 }}>
      <div>
        <Button variant="default" loading={test.isPending} onClick={() => test.mutate()}>
          {label}
        </Button>
      </div>
      {test.error === null ? null : <Fault error={test.error} />}
      {data === undefined ? null : data.problem === null ? (
        <p role="status" style={{ margin: 0 }}>
          {works}
        </p>
      ) : (
        <Notice tone="warn">
          <p>{data.problem}</p>
        </Notice>
      )}
    </section>
  );
}
