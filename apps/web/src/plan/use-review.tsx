import { type Account, newKey } from "@dosimeter/client";
import type { Declaration } from "@dosimeter/query/declaration";
import { type ReactNode, Suspense, useEffect, useRef, useState } from "react";
import { lazy } from "../api/part.ts";
import { useMe } from "../api/session.ts";
import { digitsFrom } from "../parts/Amount.tsx";
import { epsilonLeft, lessOf, sweptOf } from "../sums.ts";
import { keepReview, keyAgain, openReview } from "./open-review.ts";
import { blockedBy, leftText, type Reviewed, reviewedOf } from "./reviewed.ts";
import type { Planner } from "./use-planner.ts";
import type { Quoted } from "./use-quoted.ts";

const Review = lazy(async () => ({ default: (await import("./Review.tsx")).Review }));

/** What a plan leaves of an account, why it cannot be reviewed, and the review once it is open. */
export function useReview({
  of,
  planner,
  quoted,
  account,
  declaration,
  isRefused,
  onReleased,
  onClose,
}: {
  /** What is reviewed, by a name that finds it again. */
  of: string;
  planner: Planner;
  quoted: Quoted;
  account: Account;
  declaration: Declaration;
  /** A value of the table is not accepted. */
  isRefused: boolean;
  onReleased: () => void;
  onClose?: () => void;
}) {
  const { draft } = planner.bench;
  const { charged, request } = quoted;
  const ready = planner.rows.filter(({ quote }) => quote !== null);
  const left = epsilonLeft(account.balance);
  const after = left === null ? null : sweptOf(lessOf(left, charged), ready.length);
  const digits = digitsFrom(left, after);
  const blocked = blockedBy(draft, declaration, isRefused);
  const [key, setKey] = useState<string | null>(null);
  const [before, setBefore] = useState<Reviewed | null>(null);
  const person = useMe().data?.person.id ?? "";
  const mayOpen = quoted.isAdmitted && blocked === null;
  const was = useRef(useState(() => openReview(person, of))[0]);
  const begun = useRef(planner.typed);
  useEffect(() => {
    if (was.current === null || request === null) return;
    const again = mayOpen ? keyAgain(was.current, request, newKey) : null;
    if (again !== null) setKey(again);
    // What was changed since is not what was reviewed.
    if (again !== null || planner.typed !== begun.current) was.current = null;
  }, [mayOpen, request, planner.typed]);
  useEffect(() => {
    // When the session ends there is no person any more, before the page goes.
    if (key !== null && request !== null && person !== "") keepReview({ person, of, request, key });
  }, [key, request, person, of]);
  useEffect(() => {
    const { pathname } = location;
    // A page that is left by its person takes its review along; one whose session ended does not.
    return () => void (key !== null && ![pathname, "/sign-in"].includes(location.pathname) && keepReview(null));
  }, [key]);
  const dialog: ReactNode =
    key === null || request === null ? null : (
      <Suspense fallback={null}>
        <Review
          {...{ request, draft, declaration, before }}
          rows={ready}
          cost={charged}
          ownedOf={quoted.ownedOf}
          reused={quoted.free.map(({ label }) => label)}
          left={leftText(after, digits)}
          leftOut={planner.rows.length - ready.length}
          submissionKey={key}
          onReleased={() => {
            keepReview(null);
            onReleased();
          }}
          onClose={() => {
            keepReview(null);
            setKey(null);
            setBefore(reviewedOf(ready));
            onClose?.();
          }}
        />
      </Suspense>
    );
  return {
    ...{ ready, left, after, digits, blocked, dialog },
    /** Opens the review; undefined while there is none. */
    open: mayOpen ? () => setKey((open) => open ?? newKey()) : undefined,
  };
}
