import type { Dataset } from "@dosimeter/client";
import { uploadExtensions } from "@dosimeter/query";
import { Button, FileButton } from "@mantine/core";
import { useCreateVersion, useVersions } from "../api/reuse.ts";
import { DataTable } from "../parts/DataTable.tsx";
import { Card } from "../parts/Page.tsx";
import { Fault, Pending } from "../parts/Pending.tsx";
import { momentText } from "../parts/time.ts";

/** New rows of the same people: same ledger, and nothing is reused across versions. */
export function Versions({ dataset }: { dataset: Dataset }) {
  const versions = useVersions(dataset.id);
  const create = useCreateVersion(dataset.id);
  return (
    <Card title="Versions">
      <div className="stack" style={{ gap: 12 }}>
        <Pending of={versions}>
          {({ items }) => (
            <DataTable
              caption="Versions, newest first"
              isCaptionHidden
              isStacking
              rows={items.toReversed()}
              keyOf={({ version }) => String(version)}
              columns={[
                { name: "Version", isHead: true, cell: ({ version }) => version },
                { name: "Since", cell: ({ createdAt }) => momentText(createdAt) },
                { name: "By", cell: ({ createdByName }) => createdByName },
              ]}
            />
          )}
        </Pending>
        {dataset.myRoles.includes("datasetAdmin") ? (
          <div>
            <FileButton
              onChange={(file) => (file === null ? undefined : create.mutate(file))}
              accept={uploadExtensions.join()}
            >
              {(props) => (
                <Button {...props} variant="default" loading={create.isPending}>
                  Upload new rows of the same people
                </Button>
              )}
            </FileButton>
            <p className="small soft" style={{ margin: "6px 0 0" }}>
              The ledger stays, with everything spent on it. Answers of earlier versions are not offered any more,
              except to questions asked as of then.
            </p>
          </div>
        ) : null}
        {create.error ? <Fault error={create.error} /> : null}
      </div>
    </Card>
  );
}
