import type { Output } from "@dosimeter/client";
import { Button } from "@mantine/core";
import { useChange } from "../api/connection.ts";
import { useSignInWays } from "../api/session.ts";
import { DataTable } from "../parts/DataTable.tsx";
import { Notice } from "../parts/Notice.tsx";
import { Tag } from "../parts/Page.tsx";
import { Fault, sentence } from "../parts/Pending.tsx";
import { Secret } from "../parts/Secret.tsx";

/** For admins of the platform: all that the server needs, tried; what to do where it does not work, and what other programs need to know. */
export function Health({ email }: { email: string | null }) {
  const ways = useSignInWays();
  const { mail = false, providers = [] } = ways.data ?? {};
  const diagnose = useChange((client, _: undefined) => client.diagnose());
  return (
    <div className="stack">
      <p className="flush">
        Tries what this server uses of folders, disks, memory, database, mail, providers, connections, witness, audit
        lines, certificate and clocks, as <span className="code">dosimeter doctor</span> does on the server. Nothing is
        sent or kept.
      </p>
      <div>
        <Button variant="default" loading={diagnose.isPending} onClick={() => diagnose.mutate(undefined)}>
          Try everything
        </Button>
      </div>
      <Fault error={diagnose.error} />
      {diagnose.data === undefined ? null : <Diagnosis {...diagnose.data} />}
      {mail ? (
        <Letter to={email ?? "you"} />
      ) : (
        <p className="flush">
          This server sends no mail. Its operator sets DOSIMETER_MAIL_URL and DOSIMETER_MAIL_FROM.
        </p>
      )}
      {providers.map((provider) => (
        <ProviderToken key={provider.id} {...provider} />
      ))}
      {providers.length === 0 ? (
        <p className="flush">People sign in with no provider. Its operator names them by DOSIMETER_OIDC.</p>
      ) : null}
    </div>
  );
}

type Finding = Output<"diagnose">["findings"][number];

const states = [
  { tone: "warn", words: "does not work" },
  { tone: "plain", words: "advice" },
  { tone: "good", words: "works" },
] as const;
const rank = ({ problem, isAdvice }: Finding): 0 | 1 | 2 => (problem === null ? 2 : isAdvice ? 1 : 0);

/** What does not work stands first. */
function Diagnosis({ problems, findings, elsewhere }: Output<"diagnose">) {
  const faults = problems.length + findings.filter((finding) => rank(finding) === 0).length;
  return (
    <>
      <p className="flush" role="status">
        {faults === 0
          ? "Everything works."
          : faults === 1
            ? "One thing does not work."
            : `${faults} things do not work.`}
      </p>
      {problems.map((problem) => (
        <Notice key={problem} tone="warn">
          <p>{sentence(problem)}</p>
        </Notice>
      ))}
      <DataTable
        caption="What the server needs"
        isCaptionHidden
        isStacking
        rows={findings.toSorted((a, b) => rank(a) - rank(b))}
        keyOf={({ what }) => what}
        columns={[
          { name: "Tried", isHead: true, cell: ({ what }) => <span className="anywhere">{what}</span> },
          {
            name: "State",
            cell: (finding) => <Tag tone={states[rank(finding)].tone}>{states[rank(finding)].words}</Tag>,
          },
          {
            name: "What to do",
            cell: ({ problem }) => <span className="anywhere">{problem === null ? "nothing" : sentence(problem)}</span>,
          },
        ]}
      />
      {elsewhere.length === 0 ? null : (
        <details className="small">
          <summary>To paste into other programs</summary>
          {elsewhere.map(({ where, text }) => (
            <section key={where}>
              <h3>{where}</h3>
              <pre className="code anywhere as-typed">{text}</pre>
            </section>
          ))}
        </details>
      )}
    </>
  );
}

function Letter({ to }: { to: string }) {
  const test = useChange((client, _: undefined) => client.testMail());
  const { data } = test;
  return (
    <section aria-label="Mail" className="stack gap-8">
      <div>
        <Button variant="default" loading={test.isPending} onClick={() => test.mutate(undefined)}>
          Send me a letter
        </Button>
      </div>
      <Fault error={test.error} />
      {data === undefined ? null : data.problem === null ? (
        <p className="flush" role="status">
          A letter to {to} is on its way.
        </p>
      ) : (
        <Notice tone="warn">
          <p>{data.problem}</p>
        </Notice>
      )}
    </section>
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
