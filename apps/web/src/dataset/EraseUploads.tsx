import { Button } from "@mantine/core";
import { useState } from "react";
import { useChange } from "../api/change.ts";
import { Confirm } from "../parts/Confirm.tsx";

/** Deletes the uploaded tables of a dataset permanently; for its admins. */
export function EraseUploads({ dataset, name }: { dataset: string; name: string }) {
  const [isAsking, setIsAsking] = useState(false);
  const erase = useChange((client) => client.eraseUploads({ dataset }));
  return (
    <div className="stack gap-8">
      <div>
        <Button variant="default" color="red" onClick={() => setIsAsking(true)}>
          Erase the uploads
        </Button>
      </div>
      {erase.data === undefined ? null : (
        <p className="flush" role="status">
          Deleted: {erase.data.files}.
        </p>
      )}
      {isAsking ? (
        <Confirm
          title={`Erase the uploads of ${name}`}
          action="Erase for good"
          isBusy={erase.isPending}
          error={erase.error}
          onClose={() => setIsAsking(false)}
          onConfirm={() => erase.mutate(undefined, { onSuccess: () => setIsAsking(false) })}
        >
          The uploaded tables of all its versions are deleted, and nothing can be released from them any more. The
          ledger, what was spent, and every answer stay. Backups keep the tables until they are deleted.
        </Confirm>
      ) : null}
    </div>
  );
}
