import type { Account } from "@dosimeter/client";
import { Suspense } from "react";
import { lazy } from "../api/part.ts";
import type { Planner } from "./use-planner.ts";
import type { Quoted } from "./use-quoted.ts";

const QuoteAlerts = lazy(async () => ({ default: (await import("./QuoteAlerts.tsx")).QuoteAlerts }));

/** What the server says against a plan, once it does. */
export function Alerts({
  account,
  quoted: { charged, quoted, error, plan },
  planner,
}: {
  account: Account;
  quoted: Quoted;
  planner: Planner;
}) {
  return (
    <div aria-live="polite">
      {error || quoted?.refusal || quoted?.switches ? (
        <Suspense fallback={null}>
          <QuoteAlerts account={account} cost={charged} quote={quoted} error={error} plan={plan} planner={planner} />
        </Suspense>
      ) : null}
    </div>
  );
}
