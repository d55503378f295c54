import type { DraftSummary } from "@dosimeter/client";
import { Link } from "@tanstack/react-router";
import { useState } from "react";
import { copiesOf, dropCopy } from "../api/copies.ts";
import { useDeleteDraft } from "../api/releases.ts";
import { useMe } from "../api/session.ts";
import { useUnfinished } from "../api/unfinished.ts";
import { addressOf } from "../parts/browser.ts";
import { DataTable } from "../parts/DataTable.tsx";
import { Confirm } from "../parts/Dialog.tsx";
import { Card } from "../parts/Page.tsx";
import { Fault } from "../parts/Pending.tsx";
import { momentText } from "../parts/words.ts";

/** Something begun: where it goes on, and the draft or the copy in this browser that keeps it. */
interface Begun {
  readonly key: string;
  readonly name: string;
  readonly path: string;
  readonly changedAt: string;
  readonly draft?: DraftSummary;
}

const begunAt = (draft: DraftSummary): Begun => ({
  ...{ key: draft.id, name: draft.name, changedAt: draft.changedAt, draft },
  path: draft.dataset === null ? `/datasets/new?draft=${draft.id}` : `/datasets/${draft.dataset}/plan`,
});

/**
 * What a person began and did not finish, and the declarations that were handed to them: at the start of a new dataset these alone, at home
 * plans and requests too. Nothing where there are none.
 */
export function Unfinished({ isHome = false }: { isHome?: boolean }) {
  const drafts = useUnfinished();
  const person = useMe().data?.person.id ?? "";
  const remove = useDeleteDraft();
  const [leaving, setLeaving] = useState<Begun | null>(null);
  if (drafts.error !== null) return <Fault error={drafts.error} retry={() => void drafts.refetch()} />;
  const atServer = (drafts.data ?? []).filter(({ kind }) => isHome || kind === "declaration");
  const isThere = ({ of }: { of: string }) =>
    atServer.some(({ id, dataset }) => of === (dataset === null ? `declaration ${id}` : `plan ${dataset}`));
  const copies = isHome ? copiesOf(person).filter((copy) => copy.name !== "" && copy.form !== null) : [];
  const here = copies.filter((copy) => !isThere(copy) && !copy.of.startsWith("declaration "));
  const all: readonly Begun[] = [
    ...atServer.map(begunAt),
    ...here.map(({ of, name, path, at }) => ({ key: of, name, path, changedAt: at })),
  ];
  const forget = ({ key, draft }: Begun): void => {
    if (draft?.dataset != null) dropCopy({ person, of: `plan ${draft.dataset}` });
    if (draft !== undefined) remove.mutate(draft.id, { onSuccess: () => setLeaving(null) });
    else {
      dropCopy({ person, of: key });
      setLeaving(null);
    }
  };
  return (
    <>
      {all.length === 0 ? null : (
        <Card title="Not finished">
          <DataTable
            caption={isHome ? "What you began" : "Declarations that you began, and those that were handed to you"}
            isCaptionHidden={isHome}
            isStacking
            rows={all}
            keyOf={({ key }) => key}
            columns={[
              {
                name: isHome ? "What" : "Declaration",
                isHead: true,
                cell: ({ name, path }) => (
                  <Link {...addressOf(path)}>
                    <span className="visually-hidden">Go on with </span>
                    {name}
                  </Link>
                ),
              },
              { name: "Changed", cell: ({ changedAt }) => momentText(changedAt) },
              {
                name: "",
                cell: (begun) => (
                  <button type="button" className="tool" onClick={() => setLeaving(begun)}>
                    Delete<span className="visually-hidden"> {begun.name}</span>
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
          action={leaving.draft?.kind === "declaration" ? "Delete the declaration" : "Delete what was typed"}
          change={remove}
          onClose={() => setLeaving(null)}
          onConfirm={() => forget(leaving)}
        >
          <p>
            What was typed is gone.{" "}
            {leaving.draft?.kind === "declaration"
              ? "The upload stays until you delete it, or for seven days."
              : "Nothing was charged for it."}
          </p>
        </Confirm>
      )}
    </>
  );
}
