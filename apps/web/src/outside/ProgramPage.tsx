import type { DeclaredCharge } from "@dosimeter/client";
import { Button, FileButton } from "@mantine/core";
import { getRouteApi } from "@tanstack/react-router";
import { useState } from "react";
import { useChange } from "../api/connection.ts";
import { useDataset } from "../api/datasets.ts";
import { useCharge } from "../api/ledgers.ts";
import { useMe } from "../api/session.ts";
import { Form } from "../parts/Form.tsx";
import { TextField } from "../parts/fields.tsx";
import { Card, DatasetCrumbs, Facts, Page, Tag } from "../parts/Page.tsx";
import { Fault, PendingPage } from "../parts/Pending.tsx";
import { momentText } from "../parts/words.ts";
import { CostText } from "./CostText.tsx";
import { toolText } from "./words.ts";

const route = getRouteApi("/charges/$charge");

/** One charge of a program outside: what it states, who vouches for it, and what shows that it ran so. */
export function ProgramPage() {
  const charge = useCharge(route.useParams().charge);
  return (
    <PendingPage of={charge} name="A program outside">
      {(data) => <Shown of={data} />}
    </PendingPage>
  );
}

function Shown({ of }: { of: DeclaredCharge }) {
  const dataset = useDataset(of.dataset);
  const { data: me } = useMe();
  const { tool, published, evidence, redeemed } = of;
  const isMine = me?.person.id === of.person;
  const isAdmin = dataset.data?.myRoles.includes("datasetAdmin") === true;
  return (
    <Page
      title={of.key}
      crumbs={<DatasetCrumbs id={of.dataset} name={dataset.data?.name} />}
      lead="Made outside: it may be cited, and nothing here is derived from it."
    >
      <div className="stack">
        <Card title="What was charged" aside={<Tag>made outside</Tag>}>
          <p className="as-typed">{of.purpose}</p>
          <Facts
            of={{
              "Who vouches": of.personName,
              Price: <CostText of={of.price} />,
              Tool: toolText(tool),
              Charged: momentText(of.at),
              "Proof is for": of.relation === "replace-one" ? "one record replaced" : "one record added or removed",
              ...(of.rowsPerUnit === null ? {} : { "Rows of one person": String(of.rowsPerUnit) }),
              ...(of.from === undefined ? {} : { Periods: `${of.from} to ${of.to}` }),
              ...(published === null ? {} : { "Published before": `${published.on}, ${published.where}` }),
              Permit: redeemed === null ? "not used yet" : `used ${momentText(redeemed.at)}`,
            }}
          />
          <details className="small">
            <summary>Events</summary>
            <pre className="code as-typed anywhere">{JSON.stringify(of.events, null, 1)}</pre>
          </details>
        </Card>
        <Card title="Evidence">
          {evidence !== null ? (
            <Evidence of={of} isAdmin={isAdmin} />
          ) : isMine ? (
            <Attach charge={of.id} />
          ) : (
            <p className="soft flush">{of.personName} has attached none yet.</p>
          )}
        </Card>
        <Card title="How to cite it">
          <p className="as-typed anywhere flush">{of.citation}</p>
        </Card>
      </div>
    </Page>
  );
}

function Evidence({ of: { id, evidence }, isAdmin }: { of: DeclaredCharge; isAdmin: boolean }) {
  const publish = useChange((client) => client.publishEvidence({ charge: id }));
  if (evidence === null) return null;
  const { commit, container, sha256, address, report, publishedAt } = evidence;
  return (
    <div className="stack gap-12">
      <Facts
        of={Object.fromEntries(
          (
            [
              ["Commit", commit],
              ["Container", container],
              ["SHA-256 of the result", sha256],
              ["Address", address],
            ] as const
          ).flatMap(([name, text]) =>
            text === undefined
              ? []
              : [
                  [
                    name,
                    <span className="code anywhere" key={name}>
                      {text}
                    </span>,
                  ],
                ],
          ),
        )}
      />
      {report === null ? null : <pre className="code as-typed anywhere">{report}</pre>}
      {publishedAt !== null ? (
        <p className="soft small flush">Published {momentText(publishedAt)}.</p>
      ) : isAdmin && evidence.reportSha256 !== undefined ? (
        <div>
          <p className="soft small">Only admins read the report: it may hold rows. Look before you publish it.</p>
          <Button variant="default" loading={publish.isPending} onClick={() => publish.mutate(undefined)}>
            Publish the report
          </Button>
        </div>
      ) : null}
      <Fault error={publish.error} />
    </div>
  );
}

const fields = {
  commit: ["Commit", "Of the program that ran"],
  container: ["Container", "Its digest, sha256:…"],
  sha256: ["SHA-256 of the result", "64 hexadecimal digits, or choose the file below"],
  address: ["Address", "Where the notebook or the report is"],
} as const;
type Field = keyof typeof fields;

/** Computed here: the file itself stays. Browsers do so only over TLS, or on this machine. */
async function hashOf(file: File): Promise<string> {
  const digest = await crypto.subtle.digest("SHA-256", await file.arrayBuffer());
  return Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, "0")).join("");
}

function Attach({ charge }: { charge: string }) {
  const [typed, setTyped] = useState<Readonly<Record<Field, string>>>({
    commit: "",
    container: "",
    sha256: "",
    address: "",
  });
  const given = Object.fromEntries(
    Object.entries(typed).flatMap(([name, text]) => (text.trim() === "" ? [] : [[name, text.trim()]])),
  );
  const isHash = typed.sha256.trim() === "" || /^[0-9a-f]{64}$/.test(typed.sha256.trim());
  const attach = useChange((client) => client.attachEvidence({ charge, ...given }));
  const set = (name: Field) => (text: string) => setTyped((now) => ({ ...now, [name]: text }));
  return (
    <Form
      className="stack gap-12 measured"
      action="Attach the evidence"
      isReady={Object.keys(given).length > 0 && isHash}
      change={attach}
      keeps={{ of: `evidence ${charge}` }}
      onSubmit={() => attach.mutate(undefined)}
    >
      <p className="soft flush">What shows that it ran as declared. You give it once; it is not changed afterwards.</p>
      {(Object.keys(fields) as Field[]).map((name) => (
        <TextField
          key={name}
          label={fields[name][0]}
          description={fields[name][1]}
          error={name === "sha256" && !isHash ? "This is no SHA-256, must be 64 hexadecimal digits." : undefined}
          value={typed[name]}
          onChange={set(name)}
        />
      ))}
      {isSecureContext ? (
        <div>
          <FileButton onChange={(file) => void (file && hashOf(file).then(set("sha256")))}>
            {(properties) => (
              <Button {...properties} variant="default">
                Compute it from a file
              </Button>
            )}
          </FileButton>
          <p className="soft small below-8">The file is read here and sent nowhere.</p>
        </div>
      ) : null}
    </Form>
  );
}
