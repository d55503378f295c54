import type { Person } from "@dosimeter/client";
import { useState } from "react";
import { useChange } from "../api/connection.ts";
import { Confirm, FormDialog } from "../parts/Dialog.tsx";
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
      change={set}
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

/** Takes the name and address of a removed person away permanently. */
export function ErasePerson({ person, onClose }: { person: Person; onClose: () => void }) {
  const erase = useChange((client) => client.erasePerson({ person: person.id }));
  return (
    <Confirm
      title={`Erase ${person.name}`}
      action="Erase for good"
      change={erase}
      onClose={onClose}
      onConfirm={() => erase.mutate(undefined, { onSuccess: onClose })}
    >
      The name, the address and the names at providers go for good, here and in notifications. What was spent, asked and
      decided stays, under the id {person.id}. Backups keep the name until they are deleted.
    </Confirm>
  );
}

/** Ends the second factor of a person who lost their phone; the reason stays in the audit. */
export function RemoveFactor({ person, onClose }: { person: Person; onClose: () => void }) {
  const [reason, setReason] = useState("");
  const remove = useChange((client) => client.removeSecondFactor({ person: person.id, reason: reason.trim() }));
  return (
    <FormDialog
      title={`End the second factor of ${person.name}`}
      action="End it"
      isReady={reason.trim() !== ""}
      change={remove}
      onSubmit={() => remove.mutate(undefined, { onSuccess: onClose })}
      onClose={onClose}
    >
      <p className="flush">
        Their password alone is enough then, until they set up another app. Be sure that it is they who ask.
      </p>
      <TextField
        label="Reason"
        description="It stays in the audit."
        maxLength={200}
        value={reason}
        onChange={setReason}
      />
    </FormDialog>
  );
}
