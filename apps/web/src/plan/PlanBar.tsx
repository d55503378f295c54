import { needsReason } from "@dosimeter/query";
import { Button, TextInput } from "@mantine/core";
import { IconDice5 } from "@tabler/icons-react";
import { isMore, lessOf } from "../charts.ts";
import { Amount, formatCost } from "../parts/Amount.tsx";
import { CommitNumber } from "../parts/NumberField.tsx";
import { EPSILON } from "../parts/number-text.ts";
import { BudgetStrip } from "./BudgetStrip.tsx";
import { HelpCard } from "./HelpCard.tsx";
import { PlanSettings } from "./PlanSettings.tsx";
import type { PlanBenchProperties } from "./plan-bench.ts";
import type { Planner } from "./use-planner.ts";

/** One line that stays above the grid: the ε of the plan, what it costs and leaves, how many targets it meets, and what can be done. */
export function PlanBar({
  planner,
  budget,
  sums,
  action,
  isPractising,
  onPractise,
}: Pick<PlanBenchProperties, "planner" | "budget" | "sums" | "action"> & {
  isPractising: boolean;
  onPractise: () => void;
}) {
  const { bench, rows, edit } = planner;
  const { draft } = bench;
  const targets = rows.filter((row) => row.target !== null && row.fitness !== null);
  const met = targets.filter((row) => row.fitness?.grade === "met").length;
  return (
    <section className="plan-bar" aria-label="This plan">
      <div className="plan-sums">
        <div className="plan-epsilon">
          <span className="worded">
            This plan <HelpCard term="epsilon" />
          </span>
          <CommitNumber
            aria-label="ε for this plan"
            leftSection="ε"
            wish={EPSILON}
            value={draft.pending?.edit.kind === "total" ? String(draft.pending.edit.epsilon) : draft.epsilon}
            onCommit={(typed) => edit("ε for this plan", { kind: "total", epsilon: typed?.plain ?? "" })}
          />
        </div>
        <dl>
          {sums === undefined ? null : <Sums {...sums} />}
          {targets.length === 0 ? null : (
            <div>
              <dt>Targets met</dt>
              <dd data-tone={met === targets.length ? "good" : "bad"}>
                {met} of {targets.length}
              </dd>
            </div>
          )}
        </dl>
      </div>
      <div className="page-actions">
        <PlanSettings planner={planner}>{budget}</PlanSettings>
        <Button
          variant="default"
          leftSection={<IconDice5 size={16} aria-hidden />}
          aria-pressed={isPractising}
          disabled={rows.length === 0}
          onClick={onPractise}
        >
          Practise
        </Button>
        {action}
      </div>
    </section>
  );
}

/** What the account pays, and what it has afterwards. */
function Sums({ cost, left }: NonNullable<PlanBenchProperties["sums"]>) {
  const isOver = left !== null && isMore(cost, left);
  return (
    <>
      <div>
        <dt>Costs</dt>
        <dd>
          <Amount unit="ε" of={cost} />
        </dd>
      </div>
      {left === null ? null : (
        <div>
          <dt>{isOver ? "Lacking" : "Left after"}</dt>
          <dd data-tone={isOver ? "bad" : undefined}>
            {isOver ? <Amount unit="ε" of={lessOf(cost, left)} /> : <Amount unit="ε" isRoom of={lessOf(left, cost)} />}
          </dd>
        </div>
      )}
    </>
  );
}

/** How the plan's ε is divided, what is over, and the reason that a large ε or δ needs. */
export function PlanShares({ planner }: { planner: Planner }) {
  const { bench, rows, edit } = planner;
  const { draft, declaration } = bench;
  const reason = needsReason(draft, declaration);
  return (
    <>
      {rows.length === 0 ? null : <BudgetStrip rows={rows} draft={draft} onShares={planner.setShares} />}
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
      {reason === null ? null : (
        <TextInput
          label={reason === "epsilon" ? "Why is more than ε = 1 worth it?" : "Why is a δ above one over n² worth it?"}
          description="Kept in the plan; it cannot be released without."
          value={draft.reason}
          onChange={(event) => edit("reason", { kind: "reason", reason: event.currentTarget.value })}
        />
      )}
    </>
  );
}
