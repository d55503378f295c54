import type { Check, PermitCheck } from "@dosimeter/verify";
import { Button, FileButton } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import { Outcome } from "../../audit/Outcome.tsx";
import { Amount } from "../../parts/Amount.tsx";
import { LongText } from "../../parts/fields.tsx";
import { Notice } from "../../parts/Notice.tsx";
import { Card, Facts, Page } from "../../parts/Page.tsx";
import { momentText } from "../../parts/words.ts";
import { openWorker } from "../../worker/open-worker.ts";

type Read = { readonly export: Check } | { readonly permit: PermitCheck };

/** Explore → Check a certificate: an export or a permit, checked by code that shares nothing with what wrote it. */
export function Certificate() {
  const [text, setText] = useState("");
  const read = useMutation({ mutationFn: readCertificate });
  /** A verdict is about the text above it, or about a file and none. */
  const type = (typed: string) => {
    setText(typed);
    read.reset();
  };
  return (
    <Page
      title="Check a certificate"
      lead="Someone showed you the export of a ledger, or a permit. Your browser checks it here; nothing is sent anywhere, and the server that wrote it is not asked."
      crumbs="Explore"
    >
      <div className="stack">
        <Card>
          <LongText
            label="Export or permit"
            description="Lines of JSON, as Dosimeter wrote them: a changed letter is found."
            placeholder='{"format":"dosimeter-ledger", …   or   {"format":"dosimeter-permit", …'
            value={text}
            onChange={type}
            minRows={4}
            maxRows={10}
            spellCheck={false}
            styles={{ input: { fontFamily: "monospace", fontSize: 12 } }}
          />
          <div className="page-actions below-12">
            <Button loading={read.isPending} disabled={text.trim() === ""} onClick={() => read.mutate(text)}>
              Check it
            </Button>
            <FileButton
              accept=".jsonl,.json,.ndjson,.txt"
              onChange={(file) => {
                type("");
                void file?.text().then((taken) => read.mutate(taken));
              }}
              inputProps={{ "aria-label": "File to check" }}
            >
              {(button) => (
                <Button {...button} variant="default">
                  Open a file
                </Button>
              )}
            </FileButton>
          </div>
        </Card>
        <div aria-live="polite">
          {read.error === null ? null : (
            <Notice tone="danger" title="This is neither an export nor a permit">
              <p>Where it goes wrong: {read.error.message}. Paste the whole file, from its first line to the last.</p>
            </Notice>
          )}
          {read.data === undefined ? null : (
            <Card title={"export" in read.data ? "Export of a ledger" : "Permit"}>
              {"export" in read.data ? <Outcome check={read.data.export} /> : <OfPermit of={read.data.permit} />}
              <p className="soft small below-12">
                Anyone can sign with a key of their own. Compare the key above with the one that the server's operator
                gave you in another way.
              </p>
            </Card>
          )}
        </div>
      </div>
    </Page>
  );
}

function OfPermit({ of: { ok, problems, permit, signedBy } }: { readonly of: PermitCheck }) {
  const { price, entry } = permit;
  return (
    <div className="stack">
      <Notice
        tone={ok ? "good" : "danger"}
        title={ok ? "The signature fits, and it has not expired" : "Do not accept it"}
      >
        {ok ? <p>Whether it was used before, only the server knows.</p> : null}
        {problems.map((problem) => (
          <p key={problem}>It {problem}.</p>
        ))}
      </Notice>
      <Facts
        of={{
          Job: permit.key,
          Purpose: permit.purpose,
          Dataset: `${permit.dataset}, version ${permit.version}`,
          Charged: momentText(permit.at),
          "Good until": momentText(permit.expiresAt),
          Paid: price.epsilon === null ? <Amount of={price.mu2} unit="μ²" /> : <Amount of={price.epsilon} unit="ε" />,
          "Chance that it fails": <Amount of={price.delta} unit="δ" />,
          "Line of the ledger": entry.number,
          "Signed by": <span className="code">{signedBy}</span>,
        }}
      />
    </div>
  );
}

async function readCertificate(text: string): Promise<Read> {
  const worker = openWorker();
  try {
    return /^\s*\{\s*"format"\s*:\s*"dosimeter-ledger"/.test(text)
      ? { export: await worker.run("check", text) }
      : { permit: await worker.run("permit", text) };
  } finally {
    worker.close();
  }
}
