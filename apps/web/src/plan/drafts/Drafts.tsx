import type { Account, Dataset } from "@dosimeter/client";
import { IconNotebook } from "@tabler/icons-react";
import { getRouteApi } from "@tanstack/react-router";
import { type ReactNode, Suspense, useState } from "react";
import { lazy } from "../../api/part.ts";
import type { Planner } from "../use-planner.ts";

const DraftsDialog = lazy(async () => ({ default: (await import("./DraftsDialog.tsx")).DraftsDialog }));

function Drafts({
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

const DraftCard = lazy(async () => ({ default: (await import("./DraftCard.tsx")).DraftCard }));
const route = getRouteApi("/datasets/$dataset/plan");

/** The draft in the page's address: the tool that lists drafts, and the card of the one that is shown. */
export function useDraftParts(given: {
  readonly dataset: Dataset;
  readonly account: Account;
  readonly planner: Planner;
  /** What was typed before is here: no address takes its place. */
  readonly hasPlan: boolean;
}): { readonly tool: ReactNode; readonly card: ReactNode; readonly isSaved: boolean } {
  const { draft: id } = route.useSearch();
  const navigate = route.useNavigate();
  // A draft that the address names is read; one that was just saved from this plan is not.
  const [{ isRead, times }, setShown] = useState({ isRead: !given.hasPlan, times: 0 });
  const [isSaved, setSaved] = useState(false);
  const show = (draft: string | undefined): void =>
    void navigate({
      search: ({ draft: _, ...others }) => (draft === undefined ? others : { ...others, draft }),
      replace: true,
    });
  return {
    isSaved: isSaved && id !== undefined,
    tool: (
      <Drafts
        {...given}
        onOpen={(draft, reads) => {
          setShown({ isRead: reads, times: times + 1 });
          show(draft);
        }}
      />
    ),
    card:
      id === undefined ? null : (
        <Suspense fallback={<div className="card plan-practice-space" />}>
          <DraftCard
            key={`${id} ${times}`}
            id={id}
            isRead={isRead}
            planner={given.planner}
            onSaved={setSaved}
            onClose={() => show(undefined)}
          />
        </Suspense>
      ),
  };
}
