import { compareAccountants, leastTotal, type PlanDraft } from "@dosimeter/query";
import { useDebouncedValue } from "@mantine/hooks";
import { useDeferredValue, useMemo } from "react";
import type { Workbench } from "./workbench.ts";

/** A plan with more rows than this is computed after a pause in typing, not at every key. */
const MAX_ROWS_AT_ONCE = 40;
const REST_MS = 400;

/** What the parts around the grid show: they may follow a moment later than the grid itself. */
export function useOutcomes({ draft, declaration }: Workbench, delta: string | undefined) {
  const soon = useDeferredValue(draft);
  const [rested] = useDebouncedValue(draft, REST_MS);
  const settled: PlanDraft = draft.rows.length > MAX_ROWS_AT_ONCE ? rested : soon;
  const comparedAt = delta ?? settled.delta;
  const least = useMemo(() => leastTotal(settled, declaration), [settled, declaration]);
  const outcomes = useMemo(
    () =>
      settled.rows.some((row) => row.isComplete) && Number(comparedAt) > 0
        ? compareAccountants({ ...settled, delta: comparedAt }, declaration)
        : [],
    [settled, comparedAt, declaration],
  );
  return { settled, comparedAt, least, outcomes };
}
