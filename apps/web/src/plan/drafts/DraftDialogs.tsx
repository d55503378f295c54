import type { Draft } from "@dosimeter/client";
import { useState } from "react";
import { useChangeDraft, useDeleteDraft } from "../../api/releases.ts";
import { Confirm, FormDialog } from "../../parts/Dialog.tsx";
import { TextField } from "../../parts/fields.tsx";

export function RenameDraft({ draft }: { draft: Draft }) {
  const [isOpen, setOpen] = useState(false);
  const [name, setName] = useState(draft.name);
  const change = useChangeDraft();
  return (
    <>
      <button type="button" className="tool" onClick={() => setOpen(true)}>
        Rename
      </button>
      {isOpen ? (
        <FormDialog
          title="Rename the draft"
          action="Save"
          isReady={name.trim() !== ""}
          change={change}
          onClose={() => setOpen(false)}
          onSubmit={() => change.mutate({ draft: draft.id, name }, { onSuccess: () => setOpen(false) })}
        >
          <TextField label="Name" maxLength={200} value={name} onChange={setName} />
        </FormDialog>
      ) : null}
    </>
  );
}

export function DeleteDraft({ draft, onDeleted }: { draft: Draft; onDeleted: () => void }) {
  const [isOpen, setOpen] = useState(false);
  const remove = useDeleteDraft();
  return (
    <>
      <button type="button" className="tool" onClick={() => setOpen(true)}>
        Delete
      </button>
      {isOpen ? (
        <Confirm
          title={`Delete ${draft.name}?`}
          action="Delete the draft"
          change={remove}
          onClose={() => setOpen(false)}
          onConfirm={() => remove.mutate(draft.id, { onSuccess: onDeleted })}
        >
          <p>The draft and its comments are gone for everyone. The plan on this page stays.</p>
        </Confirm>
      ) : null}
    </>
  );
}
