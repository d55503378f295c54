import type { AccountantOutcome } from "@dosimeter/planner";
import { activeRuleText } from "../charts.ts";
import { Accountants } from "./Accountants.tsx";
import { DerivedColumns } from "./DerivedColumns.tsx";
import { JoinedColumns } from "./JoinedColumns.tsx";
import type { PlanBenchProperties } from "./plan-bench.ts";
import { Risk } from "./Risk.tsx";

/** Below the table: ways of adding up, risk, and columns made from others. */
export function MoreOfPlan({
  planner,
  outcomes,
  comparedAt,
  risk,
}: Pick<PlanBenchProperties, "planner" | "risk"> & {
  outcomes: readonly AccountantOutcome[];
  comparedAt: string;
}) {
  const { bench, edit } = planner;
  const { draft, declaration } = bench;
  return (
    <>
      <div className="plan-pair">
        <Accountants
          outcomes={outcomes}
          delta={draft.rows.some((row) => row.isComplete) ? comparedAt : null}
          inForce={draft.headroom === null ? null : activeRuleText(draft.headroom.activeRule)}
        />
        <Risk {...risk} />
      </div>
      {declaration.joinable === undefined ? null : (
        <JoinedColumns draft={draft} declaration={declaration} joinable={declaration.joinable} onEdit={edit} />
      )}
      <DerivedColumns draft={draft} declaration={declaration} onEdit={edit} />
    </>
  );
}
