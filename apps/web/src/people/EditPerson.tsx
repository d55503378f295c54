import type { Person } from "@dosimeter/client";
import { TextInput } from "@mantine/core";
import { useState } from "react";
import { useChange } from "../api/change.ts";
import { FormDialog } from "../parts/Dialog.tsx";

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
      <TextInput label="Name" maxLength={200} value={name} onChange={(event) => setName(event.currentTarget.value)} />
      <TextInput
        label="E-mail (optional)"
        description="For mail, and for signing in with a password."
        type="email"
        value={email}
        onChange={(event) => setEmail(event.currentTarget.value)}
      />
    </FormDialog>
  );
}
