import { compareAccountants, leastTotal } from "@dosimeter/planner";
import { useDebouncedValue } from "@mantine/hooks";
import { useDeferredValue, useMemo } from "react";
import type { Workbench } from "./workbench.ts";

/** A plan with more rows than this is computed after a pause in typing, not at every key. */
const MAX_ROWS_AT_ONCE = 40;
const REST_MS = 400;

/** What the parts around the grid show: they may follow a moment later than the grid itself. */
export function useOutcomes(bench: Workbench, delta: string | undefined) {
  const soon = useDeferredValue(bench);
  const [rested] = useDebouncedValue(bench, REST_MS);
  const settled = bench.draft.rows.length > MAX_ROWS_AT_ONCE ? rested : soon;
  const { draft, declaration } = settled;
  const comparedAt = delta ?? draft.delta;
  const least = useMemo(() => leastTotal(draft, declaration), [draft, declaration]);
  const outcomes = useMemo(
    () =>
      draft.rows.some((row) => row.isComplete) && Number(comparedAt) > 0
        ? compareAccountants({ ...draft, delta: comparedAt }, declaration)
        : [],
    [draft, comparedAt, declaration],
  );
  return { settled, comparedAt, least, outcomes };
}
