import type { ReactNode } from "react";
import { formatCost } from "../parts/Amount.tsx";
import { Card } from "../parts/Page.tsx";
import { BudgetStrip } from "./BudgetStrip.tsx";
import { PlanBudget } from "./PlanBudget.tsx";
import type { Planner } from "./use-planner.ts";

/** The budget of the plan, its shares, and any excess. */
export function BudgetCard({ planner, children }: { planner: Planner; children: ReactNode }) {
  const { rows, edit } = planner;
  const { draft } = planner.bench;
  return (
    <Card>
      <PlanBudget planner={planner}>{children}</PlanBudget>
      {rows.length === 0 ? null : (
        <div style={{ marginTop: 16 }}>
          <BudgetStrip rows={rows} draft={draft} onShares={planner.setShares} />
        </div>
      )}
      {draft.policy === "strict" && Number(draft.over) > 0 ? (
        <p className="fault" role="alert">
          Over by ε {formatCost(draft.over)}. Nothing is released until it fits.{" "}
          <button
            type="button"
            className="tool"
            onClick={() => edit("made to fit", { kind: "policy", policy: "rebalance" })}
          >
            Make it fit
          </button>
        </p>
      ) : null}
    </Card>
  );
}
