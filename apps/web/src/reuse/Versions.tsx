import type { Dataset } from "@dosimeter/client";
import { uploadExtensions } from "@dosimeter/query/source";
import { Button, FileButton } from "@mantine/core";
import { useState } from "react";
import { declarationOf } from "../api/declaration.ts";
import { useCreateVersion, useVersions } from "../api/reuse.ts";
import { DataTable } from "../parts/DataTable.tsx";
import { TextField } from "../parts/fields.tsx";
import { Notice } from "../parts/Notice.tsx";
import { Card } from "../parts/Page.tsx";
import { Fault, Pending } from "../parts/Pending.tsx";
import { momentText } from "../parts/time.ts";
import { CloseBlocks } from "./CloseBlocks.tsx";

/** New rows of the same people: same ledger, and nothing is reused across versions. */
export function Versions({ dataset }: { dataset: Dataset }) {
  const versions = useVersions(dataset.id);
  const create = useCreateVersion(dataset.id);
  const [block, setBlock] = useState("");
  const declaration = declarationOf(dataset);
  const every = declaration?.blocks?.every;
  const only = every === undefined || block.trim() === "" ? undefined : block.trim();
  return (
    <Card title="Versions">
      <div className="stack gap-12">
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
            {every === undefined ? null : (
              <TextField
                label={`Only more rows of one ${every}`}
                description={
                  <>
                    Its name, such as <span className="nowrap">2024-03</span>. Rows of other {every}s in the file are
                    dropped. Empty: the file has all rows.
                  </>
                }
                value={block}
                onChange={setBlock}
                mb={8}
                maw={680}
              />
            )}
            <FileButton
              onChange={(file) => (file === null ? undefined : create.mutate({ content: file, block: only }))}
              accept={uploadExtensions.join()}
            >
              {(props) => (
                <Button {...props} variant="default" loading={create.isPending}>
                  {only === undefined ? "Upload new rows of the same people" : `Upload rows of ${only}`}
                </Button>
              )}
            </FileButton>
            <p className="small soft flush below-8">
              The ledger stays, with everything spent on it.{" "}
              {only === undefined
                ? "Answers of earlier versions are not offered any more, except to questions asked as of then."
                : `Answers about other ${every}s are offered as before.`}
            </p>
          </div>
        ) : null}
        {create.data === undefined || create.data.added === null ? null : (
          <Notice tone="good" title={`Version ${create.data.version}`}>
            <p>
              Rows that came: {create.data.added}. Rows of other {every}s or without a date, dropped:{" "}
              {create.data.dropped}.
            </p>
          </Notice>
        )}
        <Fault error={create.error} />
        {dataset.myRoles.includes("datasetAdmin") &&
        every !== undefined &&
        declaration?.blocks?.closes !== undefined ? (
          <CloseBlocks dataset={dataset.id} declaration={declaration} every={every} />
        ) : null}
      </div>
    </Card>
  );
}
