import { type Account, newKey } from "@dosimeter/client";
import type { Declaration } from "@dosimeter/query/declaration";
import { type ReactNode, Suspense, useState } from "react";
import { lazy } from "../api/part.ts";
import { digitsFrom } from "../parts/Amount.tsx";
import { epsilonLeft, lessOf, sweptOf } from "../sums.ts";
import { blockedBy, leftText, type Reviewed, reviewedOf } from "./reviewed.ts";
import type { Planner } from "./use-planner.ts";
import type { Quoted } from "./use-quoted.ts";

const Review = lazy(async () => ({ default: (await import("./Review.tsx")).Review }));

/** What a plan leaves of an account, why it cannot be reviewed, and the review once it is open. */
export function useReview({
  planner,
  quoted,
  account,
  declaration,
  isRefused,
  onReleased,
  onClose,
}: {
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
  const dialog: ReactNode =
    key === null || request === null ? null : (
      <Suspense fallback={null}>
        <Review
          {...{ request, draft, declaration, before, onReleased }}
          rows={ready}
          cost={charged}
          ownedOf={quoted.ownedOf}
          reused={quoted.free.map(({ label }) => label)}
          left={leftText(after, digits)}
          leftOut={planner.rows.length - ready.length}
          submissionKey={key}
          onClose={() => {
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
    open: quoted.isAdmitted && blocked === null ? () => setKey((open) => open ?? newKey()) : undefined,
  };
}
