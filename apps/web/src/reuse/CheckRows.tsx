import type { Dataset } from "@dosimeter/client";
import { readSchemaText } from "@dosimeter/query/schema";
import { uploadExtensions } from "@dosimeter/query/source";
import { Button, FileButton } from "@mantine/core";
import { useState } from "react";
import { useCheckUpload } from "../api/datasets.ts";
import { type Brought, useBring } from "../api/reuse.ts";
import { applySchema } from "../new-dataset/apply-schema.ts";
import { type Draft, draftOf } from "../new-dataset/draft.ts";
import { Findings } from "../new-dataset/Findings.tsx";
import { Fault, Loading } from "../parts/Pending.tsx";

/** A declared category in fewer rows is named. */
const FEWER = 10;

/** Shows the person who sends new rows, and nobody else, how they fit the declaration, before they are a version. */
export function CheckRows({
  dataset,
  isBusy,
  onAccept,
}: {
  dataset: Dataset;
  isBusy: boolean;
  onAccept: (file: string, done: () => void) => void;
}) {
  const bring = useBring(dataset.id);
  const check = useCheckUpload();
  const [brought, setBrought] = useState<Brought | null>(null);
  const run = ({ id: file, declaration }: Brought) => check.mutate({ file, declaration, fewerThan: FEWER });
  const leave = () => {
    setBrought(null);
    check.reset();
  };
  return (
    <div className="stack gap-12">
      <div className="page-actions">
        <FileButton
          onChange={(content) => {
            if (content === null) return;
            leave();
            bring.mutate(content, {
              onSuccess: (next) => {
                setBrought(next);
                run(next);
              },
            });
          }}
          accept={uploadExtensions.join()}
        >
          {(props) => (
            <Button {...props} variant="default" loading={bring.isPending || check.isPending}>
              Check new rows first
            </Button>
          )}
        </FileButton>
      </div>
      {bring.error === null ? null : <Fault error={bring.error} />}
      {check.isPending ? <Loading lines={4} /> : null}
      {check.error === null || brought === null ? null : <Fault error={check.error} retry={() => run(brought)} />}
      {check.data === undefined || brought === null ? null : (
        <section className="stack gap-12" aria-label={`How ${brought.name} fits`}>
          <p className="soft flush">
            Only you see this, and only here. From the next version on the dataset is marked as fitted to the data by its owner.
          </p>
          <Findings fit={check.data} fewerThan={FEWER} draft={draftFor(dataset)} />
          <div className="page-actions">
            <Button loading={isBusy} onClick={() => onAccept(brought.id, leave)}>
              Make {brought.name} the next version
            </Button>
            <Button variant="default" onClick={leave}>
              Leave it
            </Button>
          </div>
        </section>
      )}
    </div>
  );
}

/** The declaration in the fields of the page, whose words the findings use. */
function draftFor({ declaration, name }: Dataset): Draft {
  const columns = Object.keys((declaration.columns ?? {}) as object).map((each) => ({ name: each, type: "" }));
  const words = readSchemaText(JSON.stringify(declaration), JSON.parse);
  return applySchema(draftOf({ name, columns, sameAs: [] }), words).draft;
}
