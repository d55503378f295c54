import type { Client } from "@dosimeter/client";
import { Button } from "@mantine/core";
import { useChange } from "../api/connection.ts";
import { useSignInWays } from "../api/session.ts";
import { Notice } from "../parts/Notice.tsx";
import { Fault } from "../parts/Pending.tsx";
import { Secret } from "../parts/Secret.tsx";

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
        <p className="flush">
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
      {providers.map((provider) => (
        <ProviderToken key={provider.id} {...provider} />
      ))}
      {providers.length === 0 ? (
        <p className="flush">People sign in with no provider. Its operator names them by DOSIMETER_OIDC.</p>
      ) : null}
    </div>
  );
}

/** A token with which a provider keeps its people and groups here. */
function ProviderToken({ id, name }: { id: string; name: string }) {
  const create = useChange((client) => client.createProviderToken({ provider: id }));
  return (
    <section aria-label={`People and groups of ${name}`} className="stack gap-8">
      <div>
        <Button variant="default" loading={create.isPending} onClick={() => create.mutate(undefined)}>
          Create a SCIM token for {name}
        </Button>
      </div>
      <Fault error={create.error} />
      {create.data === undefined ? null : (
        <>
          <p className="flush">
            Give {name} the address <span className="code anywhere">{create.data.url}</span> and this token. Revoke it
            on <em>People</em>, at the service of {name}.
          </p>
          <Secret title={`The SCIM token for ${name}`} label="Token" value={create.data.secret} />
        </>
      )}
    </section>
  );
}

type Ask = (client: Client) => Promise<{ readonly problem: string | null }>;

function Test({ name, label, works, ask }: { name: string; label: string; works: string; ask: Ask }) {
  const test = useChange<void, Awaited<ReturnType<Ask>>>(ask);
  const { data } = test;
  return (
    <section aria-label={name} className="stack gap-8">
      <div>
        <Button variant="default" loading={test.isPending} onClick={() => test.mutate()}>
          {label}
        </Button>
      </div>
      <Fault error={test.error} />
      {data === undefined ? null : data.problem === null ? (
        <p className="flush" role="status">
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
