import { AskField, ofPlan, type Question } from "./ask/AskField.tsx";
import type { AskedOf } from "./plan-bench.ts";
import type { Planner } from "./use-planner.ts";
import { tableOf, withAsked } from "./workbench.ts";

/** The line above a plan: what is asked becomes rows of it, each at its first price, or at the one that it had on its card. */
export function PlanAsk({
  planner,
  start,
  onAdded,
}: {
  planner: Planner;
  start?: AskedOf | undefined;
  onAdded: (id: string) => void;
}) {
  const { bench } = planner;
  const add = async (asked: Question): Promise<string | undefined> => {
    const first = `s${bench.nextId}`;
    if (ofPlan(asked)) {
      const { draftOfSql } = await import("./sql/SqlDialog.tsx");
      return planner.replace("plan from SQL", draftOfSql(asked.text, bench.draft, bench.declaration).draft);
    }
    const fault = planner.attempt(`asked: ${asked.text.trim()}`, (before) =>
      withAsked(before, asked.rows, asked.text === start?.text ? start.prices : undefined),
    );
    if (fault === undefined) onAdded(first);
    return fault;
  };
  return (
    <AskField
      label={`Ask ${bench.declaration.name}`}
      declaration={tableOf(bench)}
      onAsk={add}
      begun={{ text: start?.text ?? "", isAsked: start !== undefined }}
    />
  );
}
