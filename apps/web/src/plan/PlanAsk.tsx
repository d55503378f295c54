import { textsOfRequest } from "@dosimeter/planner";
import { AskField, type Question } from "../ask/AskField.tsx";
import type { Planner } from "./use-planner.ts";
import { tableOf, withNewRow } from "./workbench.ts";

/** Settings of a plan that only SQL states; a question in words has rows alone. */
const ofPlan = ({ plan }: Question): boolean =>
  plan !== null &&
  (plan.statistics.some(({ epsilon, rho }) => (epsilon ?? rho) !== undefined) || Object.keys(plan).length > 1);

/** The line above a plan: what is asked becomes rows of it, each at its first price. */
export function PlanAsk({
  planner,
  start,
  onAdded,
}: {
  planner: Planner;
  start?: string;
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
      asked.rows.reduce((made, row) => withNewRow(made, withoutId(textsOfRequest(row))), before),
    );
    if (fault === undefined) onAdded(first);
    return fault;
  };
  return (
    <AskField
      label={`Ask ${bench.declaration.name}`}
      declaration={tableOf(bench)}
      onAsk={add}
      {...(start === undefined ? {} : { start })}
    />
  );
}

const withoutId = ({ id: _, ...texts }: Readonly<Record<string, string>>): Readonly<Record<string, string>> => texts;
