import type { Person } from "@dosimeter/client";
import { useState } from "react";
import { useChange } from "../api/change.ts";
import { FormDialog } from "../parts/Dialog.tsx";
import { TextField } from "../parts/fields.tsx";

/** Ends the second factor of a person who lost their phone; the reason stays in the audit. */
export function RemoveFactor({ person, onClose }: { person: Person; onClose: () => void }) {
  const [reason, setReason] = useState("");
  const remove = useChange((client) => client.removeSecondFactor({ person: person.id, reason: reason.trim() }));
  return (
    <FormDialog
      title={`End the second factor of ${person.name}`}
      action="End it"
      isReady={reason.trim() !== ""}
      isBusy={remove.isPending}
      error={remove.error}
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
