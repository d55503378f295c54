import type { Dataset } from "@dosimeter/client";
import { readSchemaText } from "@dosimeter/query/schema";
import { uploadExtensions } from "@dosimeter/query/source";
import { Button, FileButton } from "@mantine/core";
import { useState } from "react";
import { useCheckUpload } from "../api/datasets.ts";
import { type Brought, useBring, useCreateVersion } from "../api/reuse.ts";
import { applySchema } from "../new-dataset/apply-schema.ts";
import { type Draft, draftOf } from "../new-dataset/draft.ts";
import { Findings } from "../new-dataset/Findings.tsx";
import { Card } from "../parts/Page.tsx";
import { Fault, Loading } from "../parts/Pending.tsx";

/** A declared category in fewer rows is named. */
const FEWER = 10;

/** Shows the person who sends new rows alone how they fit the declaration, before they are a version. */
export function CheckRows({ dataset }: { dataset: Dataset }) {
  const bring = useBring(dataset.id);
  const create = useCreateVersion(dataset.id);
  const check = useCheckUpload();
  const [brought, setBrought] = useState<Brought | null>(null);
  const run = ({ id: file, declaration }: Brought) => check.mutate({ file, declaration, fewerThan: FEWER });
  const leave = () => {
    setBrought(null);
    check.reset();
  };
  const send = (content: File | null) => {
    if (content === null) return;
    leave();
    bring.mutate(content, {
      onSuccess: (next) => {
        setBrought(next);
        run(next);
      },
    });
  };
  return (
    <Card title="Check new rows first">
      <div className="stack gap-12">
        <p className="soft flush">
          Only you see how they fit, in this browser session, and nothing of it is stored. Versions that you make of
          these rows are marked as fitted to the data by their owner, and so are later ones.
        </p>
        <div>
          <FileButton onChange={send} accept={uploadExtensions.join()}>
            {(props) => (
              <Button {...props} variant="default" loading={bring.isPending || check.isPending}>
                Upload and check
              </Button>
            )}
          </FileButton>
        </div>
        <Fault error={bring.error} />
        {check.isPending ? <Loading lines={4} /> : null}
        {check.error === null || brought === null ? null : <Fault error={check.error} retry={() => run(brought)} />}
        {check.data === undefined || brought === null ? null : (
          <section className="stack gap-12" aria-label={`How ${brought.name} fits`} aria-live="polite">
            <Findings fit={check.data} fewerThan={FEWER} draft={draftFor(dataset)} />
            <div className="page-actions">
              <Button
                loading={create.isPending}
                onClick={() => create.mutate({ content: brought.id, block: undefined }, { onSuccess: leave })}
              >
                Make {brought.name} the next version
              </Button>
              <Button variant="default" onClick={leave}>
                Leave it
              </Button>
            </div>
          </section>
        )}
        <Fault error={create.error} />
      </div>
    </Card>
  );
}

/** The declaration in the fields of the page, whose words the findings use. */
function draftFor({ declaration, name }: Dataset): Draft {
  const columns = Object.keys((declaration.columns ?? {}) as object).map((each) => ({ name: each, type: "" }));
  const words = readSchemaText(JSON.stringify(declaration), JSON.parse);
  return applySchema(draftOf({ name, columns, sameAs: [] }), words).draft;
}
