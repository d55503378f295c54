import type { Me, Release } from "@dosimeter/client";
import { IconPencil } from "@tabler/icons-react";
import { useState } from "react";
import { useLabelRelease } from "../api/releases.ts";
import { FormDialog } from "../parts/Dialog.tsx";
import { LongText, TextField } from "../parts/fields.tsx";

const MAX_TITLE = 200;
const MAX_NOTE = 2000;

export const administers = (me: Me | undefined, { dataset }: Release): boolean =>
  me?.roles.some(({ role, object }) => role === "datasetAdmin" && object.id === dataset) === true;

/** Who released it, and admins of its dataset, may rename it and measure it again. */
export const keepsRelease = (me: Me | undefined, release: Release): boolean =>
  me?.person.id === release.by || administers(me, release);

/** Opens the words that people gave this release. */
export function EditLabel({ release }: { release: Release }) {
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <button type="button" className="tool" onClick={() => setOpen(true)}>
        <IconPencil size={16} aria-hidden /> Rename
      </button>
      {isOpen ? <LabelDialog release={release} onClose={() => setOpen(false)} /> : null}
    </>
  );
}

function LabelDialog({ release, onClose }: { release: Release; onClose: () => void }) {
  const label = useLabelRelease();
  const [title, setTitle] = useState(release.title);
  const [note, setNote] = useState(release.note ?? "");
  const isSame = title === release.title;
  return (
    <FormDialog
      title="Title and note"
      action="Save"
      change={label}
      keeps={{ of: `title ${release.id}` }}
      onClose={onClose}
      onSubmit={() =>
        label.mutate(
          {
            release: release.id,
            ...(isSame ? {} : { title: title.trim() === "" ? null : title }),
            note: note.trim() === "" ? null : note,
          },
          { onSuccess: onClose },
        )
      }
    >
      <TextField
        label="Title"
        description="Empty it to have what the release asks and costs."
        maxLength={MAX_TITLE}
        value={title}
        onChange={setTitle}
      />
      <LongText
        label="Note"
        description="Everyone who may read the release reads it. Answers, receipt and hash stay as they are."
        maxLength={MAX_NOTE}
        minRows={3}
        maxRows={10}
        value={note}
        onChange={setNote}
      />
    </FormDialog>
  );
}
