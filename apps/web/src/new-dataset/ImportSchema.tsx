import { type ColumnWords, readSchemaText } from "@dosimeter/query/schema";
import { Button, FileButton, Textarea } from "@mantine/core";
import { useId, useState } from "react";
import { readCodeBook } from "../api/datasets.ts";
import { FormDialog } from "../parts/Dialog.tsx";
import { sentence } from "../parts/Pending.tsx";
import { type Applied, applySchema } from "./apply-schema.ts";
import type { Draft } from "./draft.ts";

async function read(given: string | File, draft: Draft): Promise<Applied> {
  if (typeof given !== "string") {
    const { columns, declaration } = await readCodeBook(given);
    return applySchema(draft, { columns: columns as readonly ColumnWords[], about: declaration });
  }
  const { parse } = await import("yaml");
  return applySchema(
    draft,
    readSchemaText(given, (yaml) => parse(yaml, { maxAliasCount: 100 })),
  );
}

/** Fills the columns from a code book or a schema: one that is pasted is read here, a file by the server, which keeps nothing of it. */
export function ImportSchema({ draft, onApply }: { draft: Draft; onApply: (next: Draft) => void }) {
  const [isOpen, setOpen] = useState(false);
  const [done, setDone] = useState<Applied | null>(null);
  return (
    // A dialog is inside this form for React, though not on the page: its submit is its own.
    <div className="page-actions grid-import" onSubmit={(event) => event.stopPropagation()}>
      {done === null ? null : (
        <p className="soft small" role="status">
          {done.found.length} of {done.draft.columns.length} columns filled
          {done.unknown.length === 0 ? "" : `; not in the table: ${done.unknown.slice(0, 5).join(", ")}`}
        </p>
      )}
      <Button size="xs" variant="default" onClick={() => setOpen(true)}>
        Paste a code book …
      </Button>
      {isOpen ? (
        <Dialog
          draft={draft}
          onClose={() => setOpen(false)}
          onApply={(applied) => {
            setDone(applied);
            onApply(applied.draft);
            setOpen(false);
          }}
        />
      ) : null}
    </div>
  );
}

function Dialog({
  draft,
  onClose,
  onApply,
}: {
  draft: Draft;
  onClose: () => void;
  onApply: (applied: Applied) => void;
}) {
  const [text, setText] = useState("");
  const [fault, setFault] = useState<string | undefined>();
  const example = useId();
  const fill = (given: string | File) =>
    read(given, draft).then(
      (applied) =>
        applied.found.length === 0
          ? setFault(`None of its columns is in this table: ${applied.unknown.slice(0, 5).join(", ")}`)
          : onApply(applied),
      (error: unknown) => setFault(sentence(error instanceof Error ? error.message : String(error))),
    );
  return (
    <FormDialog
      title="Code book or schema"
      action="Fill the columns"
      isReady={text.trim() !== ""}
      size="lg"
      onClose={onClose}
      onSubmit={() => void fill(text)}
    >
      <p className="soft small flush" id={example}>
        A table copied from a spreadsheet with a line of headings; or a line for each column, such as “age Age 0-120
        years” and “sex Sex 0=female; 1=male”; or DDI, a Table Schema, CSVW, a data dictionary of REDCap, a JSON Schema
        or a declaration.
      </p>
      <Textarea
        label="Code book or schema"
        aria-describedby={example}
        data-autofocus
        minRows={8}
        maxRows={16}
        autosize
        value={text}
        error={fault}
        onChange={(event) => {
          setFault(undefined);
          setText(event.currentTarget.value);
        }}
      />
      <div className="page-actions">
        <FileButton
          accept=".txt,.csv,.tsv,.json,.yaml,.yml,.xml"
          inputProps={{ "aria-label": "Code book or schema as a file" }}
          onChange={(file) => {
            setFault(undefined);
            if (file !== null) void fill(file);
          }}
        >
          {(properties) => (
            <Button {...properties} size="xs" variant="default">
              Read it from a file …
            </Button>
          )}
        </FileButton>
      </div>
    </FormDialog>
  );
}
