import type { Dataset } from "@dosimeter/client";
import { type CalendarUnit, formatDate } from "@dosimeter/core";
import { blockCalendar, lastToClose } from "@dosimeter/query/bind";
import type { Declaration } from "@dosimeter/query/declaration";
import { uploadExtensions } from "@dosimeter/query/source";
import { Button, FileButton } from "@mantine/core";
import { useState } from "react";
import { declarationOf } from "../api/declaration.ts";
import { useCloseBlocks, useCreateVersion, useVersions } from "../api/reuse.ts";
import { DataTable } from "../parts/DataTable.tsx";
import { TextField } from "../parts/fields.tsx";
import { Notice } from "../parts/Notice.tsx";
import { Card } from "../parts/Page.tsx";
import { Fault, Pending } from "../parts/Pending.tsx";
import { momentText } from "../parts/words.ts";

interface CloseBlocksProps {
  dataset: string;
  declaration: Declaration;
  every: CalendarUnit;
}

/** Closes blocks by hand: the last one that is over and all before it, or up to an earlier one. */
function CloseBlocks({ dataset, declaration, every }: CloseBlocksProps) {
  const close = useCloseBlocks(dataset);
  const [typed, setTyped] = useState<string | null>(null);
  const now = Date.now() / 1000;
  const { closed } = blockCalendar(declaration, now);
  const last = lastToClose(declaration, now);
  const upTo = typed ?? (last === null ? "" : formatDate(last, every));
  const said = closed === null ? `No ${every} is closed yet.` : `Closed up to ${formatDate(closed, every)}.`;
  if (last === null || last === closed) return <p className="small flush">{`${said} No other ${every} is over.`}</p>;
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        close.mutate(upTo.trim(), { onSuccess: () => setTyped(null) });
      }}
    >
      <TextField
        label={`Close ${every}s up to`}
        description={`${said} Reports and “latest” take closed ${every}s. What is closed stays closed.`}
        value={upTo}
        onChange={setTyped}
        mb={8}
        maw={680}
      />
      <Button type="submit" variant="default" loading={close.isPending} disabled={upTo.trim() === ""}>
        {`Close up to ${upTo.trim()}`}
      </Button>
      <Fault error={close.error} />
    </form>
  );
}

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
