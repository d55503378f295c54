import type { DraftSummary } from "@dosimeter/client";
import { Link } from "@tanstack/react-router";
import { useState } from "react";
import { useDeclarations } from "../api/declarations.ts";
import { useDeleteDraft } from "../api/releases.ts";
import { DataTable } from "../parts/DataTable.tsx";
import { Confirm } from "../parts/Dialog.tsx";
import { Card } from "../parts/Page.tsx";
import { Fault } from "../parts/Pending.tsx";
import { momentText } from "../parts/words.ts";

/** The declarations that a person began and did not finish, and those that were handed to them. Nothing where there are none. */
export function Unfinished() {
  const drafts = useDeclarations();
  const remove = useDeleteDraft();
  const [leaving, setLeaving] = useState<DraftSummary | null>(null);
  if (drafts.error !== null) return <Fault error={drafts.error} retry={() => void drafts.refetch()} />;
  const all = drafts.data ?? [];
  return (
    <>
      {all.length === 0 ? null : (
        <Card title="Not finished">
          <DataTable
            caption="Declarations that you began, and those that were handed to you"
            isStacking
            rows={all}
            keyOf={({ id }) => id}
            columns={[
              {
                name: "Declaration",
                isHead: true,
                cell: ({ id, name }) => (
                  <Link to="/datasets/new" search={{ draft: id }}>
                    <span className="visually-hidden">Go on with </span>
                    {name}
                  </Link>
                ),
              },
              { name: "Changed", cell: ({ changedAt }) => momentText(changedAt) },
              {
                name: "",
                cell: (draft) => (
                  <button type="button" className="tool" onClick={() => setLeaving(draft)}>
                    Delete<span className="visually-hidden"> {draft.name}</span>
                  </button>
                ),
              },
            ]}
          />
        </Card>
      )}
      {leaving === null ? null : (
        <Confirm
          title={`Delete ${leaving.name}?`}
          action="Delete the declaration"
          change={remove}
          onClose={() => setLeaving(null)}
          onConfirm={() => remove.mutate(leaving.id, { onSuccess: () => setLeaving(null) })}
        >
          <p>What was typed is gone. The upload stays until you delete it, or for seven days.</p>
        </Confirm>
      )}
    </>
  );
}
