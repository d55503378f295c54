import type { Person } from "@dosimeter/client";
import { useChange } from "../api/change.ts";
import { Confirm } from "../parts/Confirm.tsx";

/** Takes the name and address of a removed person away permanently. */
export function ErasePerson({ person, onClose }: { person: Person; onClose: () => void }) {
  const erase = useChange((client) => client.erasePerson({ person: person.id }));
  return (
    <Confirm
      title={`Erase ${person.name}`}
      action="Erase for good"
      isBusy={erase.isPending}
      error={erase.error}
      onClose={onClose}
      onConfirm={() => erase.mutate(undefined, { onSuccess: onClose })}
    >
      The name, the address and the names at providers go for good, here and in notifications. What was spent, asked and
      decided stays, under the id {person.id}. Backups keep the name until they are deleted.
    </Confirm>
  );
}
