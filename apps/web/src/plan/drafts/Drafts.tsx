import type { Account, Dataset } from "@dosimeter/client";
import { IconNotebook } from "@tabler/icons-react";
import { lazy, Suspense, useState } from "react";
import type { Planner } from "../use-planner.ts";

const DraftsDialog = lazy(async () => ({ default: (await import("./DraftsDialog.tsx")).DraftsDialog }));

/** The tool that opens the list of drafts. */
export function Drafts({
  onOpen,
  ...given
}: {
  dataset: Dataset;
  account: Account;
  planner: Planner;
  /** The draft that the page shows from now on; `isRead`: its plan takes the place of the present one. */
  onOpen: (draft: string, isRead: boolean) => void;
}) {
  const [isListed, setListed] = useState(false);
  const take = (draft: string, isRead: boolean): void => {
    setListed(false);
    onOpen(draft, isRead);
  };
  return (
    <>
      <button type="button" className="tool" aria-haspopup="dialog" onClick={() => setListed(true)}>
        <IconNotebook size={16} aria-hidden /> Drafts
      </button>
      {isListed ? (
        <Suspense fallback={null}>
          <DraftsDialog
            {...given}
            onOpen={(draft) => take(draft, true)}
            onSaved={({ id }) => take(id, false)}
            onClose={() => setListed(false)}
          />
        </Suspense>
      ) : null}
    </>
  );
}
