import type { Account, Dataset } from "@dosimeter/client";
import { getRouteApi } from "@tanstack/react-router";
import { lazy, type ReactNode, Suspense, useState } from "react";
import type { Planner } from "../use-planner.ts";
import { Drafts } from "./Drafts.tsx";

const DraftCard = lazy(async () => ({ default: (await import("./DraftCard.tsx")).DraftCard }));
const route = getRouteApi("/datasets/$dataset/plan");

/** The draft in the page's address: the tool that lists drafts, and the card of the one that is shown. */
export function useDraftParts(given: {
  readonly dataset: Dataset;
  readonly account: Account;
  readonly planner: Planner;
}): { readonly tool: ReactNode; readonly card: ReactNode } {
  const { draft: id } = route.useSearch();
  const navigate = route.useNavigate();
  // A draft that the address names is read; one that was just saved from this plan is not.
  const [{ isRead, times }, setShown] = useState({ isRead: true, times: 0 });
  const show = (draft: string | undefined): void =>
    void navigate({
      search: ({ draft: _, ...others }) => (draft === undefined ? others : { ...others, draft }),
      replace: true,
    });
  return {
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
            onClose={() => show(undefined)}
          />
        </Suspense>
      ),
  };
}
