import type { Person } from "@dosimeter/client";
import { useState } from "react";
import { useChange } from "../api/change.ts";
import { FormDialog } from "../parts/Dialog.tsx";
import { TextField } from "../parts/fields.tsx";

/** Another name or address. The history stays with the person. */
export function EditPerson({ person, onClose }: { person: Person; onClose: () => void }) {
  const [name, setName] = useState(person.name);
  const [email, setEmail] = useState(person.email ?? "");
  const set = useChange((client) =>
    client.setPerson({
      person: person.id,
      name: name.trim(),
      email: email.trim() === "" ? null : email.trim(),
    }),
  );
  return (
    <FormDialog
      title={`Edit ${person.name}`}
      action="Save"
      isReady={name.trim() !== ""}
      isBusy={set.isPending}
      error={set.error}
      onSubmit={() => set.mutate(undefined, { onSuccess: onClose })}
      onClose={onClose}
    >
      <TextField label="Name" maxLength={200} value={name} onChange={setName} />
      <TextField
        label="E-mail (optional)"
        description="For mail, and for signing in with a password."
        type="email"
        value={email}
        onChange={setEmail}
      />
    </FormDialog>
  );
}
