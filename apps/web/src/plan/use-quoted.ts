import type { Account, Dataset, PlanRequest } from "@dosimeter/client";
import { type Declaration, savedPlan } from "@dosimeter/query";
import { useDebouncedValue } from "@mantine/hooks";
import { useState } from "react";
import { useQuote } from "../api/releases.ts";
import type { Chosen } from "../reuse/Offers.tsx";
import type { Planner } from "./use-planner.ts";
import { costOf, readyPlan } from "./workbench.ts";

/** The pause in typing after which the server is asked. */
const QUOTE_AFTER_MS = 300;

/** The server's quote of the present plan. */
export function useQuoted(planner: Planner, dataset: Dataset, account: Account, declaration: Declaration) {
  const [chosen, setChosen] = useState<Chosen>({});
  const [asOf, setAsOf] = useState<number | null>(null);
  const plan = readyPlan(planner.bench, planner.rows);
  const cost = costOf(planner.rows);
  const saved = plan === null ? null : savedPlan(planner.bench.draft, declaration);
  const request: PlanRequest | null =
    saved === null
      ? null
      : {
          dataset: dataset.id,
          account: account.id,
          plan: saved as unknown as PlanRequest["plan"],
          ...(Object.keys(chosen).length === 0 ? {} : { reuse: chosen }),
          ...(asOf === null ? {} : { asOf }),
        };
  // Compared as text, because a plan is a new object at every keystroke.
  const question = JSON.stringify(request);
  const [asked] = useDebouncedValue(question, QUOTE_AFTER_MS, { leading: true });
  const isSettled = asked === question;
  const quote = useQuote(JSON.parse(asked) as PlanRequest | null);
  const quoted = request === null ? undefined : quote.data;
  const free = quoted?.statistics.filter(({ reuse }) => reuse.chosen !== null) ?? [];
  return {
    plan: plan as PlanRequest["plan"] | null,
    request,
    quoted,
    error: request === null ? null : quote.error,
    isFetching: request !== null && (quote.isFetching || !isSettled),
    isAdmitted: isSettled && quote.data?.admitted === true,
    /** Statistics that were paid for before. */
    free,
    cost,
    // Rows that were paid for before are not charged, so the quote has the charge, not the sum of the rows.
    charged: free.length === 0 ? cost : (quoted?.cost?.epsilon ?? cost),
    chosen,
    setChosen,
    asOf,
    setAsOf: (version: number | null) => {
      setChosen({});
      setAsOf(version);
    },
  };
}
