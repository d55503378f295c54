import { comparePlans, type PlanDraft, type RowChange } from "@dosimeter/planner";
import type { Declaration } from "@dosimeter/query/declaration";
import { Button } from "@mantine/core";
import { formatCost } from "../parts/Amount.tsx";
import { DataTable } from "../parts/DataTable.tsx";
import { Dialog } from "../parts/Dialog.tsx";
import { formatError } from "./grid/cells.ts";

/** What opening a plan would change, before it does. */
export function ImportDiff({
  before,
  after,
  declaration,
  onApply,
  onClose,
}: {
  before: PlanDraft;
  after: PlanDraft;
  declaration: Declaration;
  onApply: () => void;
  onClose: () => void;
}) {
  const changes = comparePlans(before, after, declaration);
  const number = (value: number | null): string => (value === null ? "–" : formatError(value));
  return (
    <Dialog onClose={onClose} title="Open this plan?" size="xl">
      <div className="stack">
        <p className="flush">
          ε {formatCost(before.epsilon)} → {formatCost(after.epsilon)}
          {before.confidence === after.confidence ? "" : `; confidence ${before.confidence} → ${after.confidence}`}.
          Undo brings back what is here now.
        </p>
        <DataTable
          caption="Rows that come, go and change"
          isCaptionHidden
          isStacking
          rows={changes}
          keyOf={({ id }) => id}
          columns={[
            { name: "Row", isHead: true, cell: wordsOf },
            {
              name: "What happens",
              cell: ({ kind, fields }) => (fields.length === 0 ? kindWords[kind] : `changed: ${fields.join(", ")}`),
            },
            { name: "Error ± now", isNumber: true, cell: ({ errors }) => number(errors[0]) },
            { name: "Error ± then", isNumber: true, cell: ({ errors }) => number(errors[1]) },
          ]}
        />
        <div className="page-actions to-end">
          <Button variant="default" onClick={onClose}>
            Keep what is here
          </Button>
          <Button onClick={onApply}>Open</Button>
        </div>
      </div>
    </Dialog>
  );
}

const kindWords = { added: "added", removed: "removed", changed: "share changed", same: "stays" } as const;

function wordsOf({ id, before, after }: RowChange): string {
  const { statistic = id, column } = (after ?? before)?.request ?? {};
  return column === undefined ? statistic : `${statistic} of ${column}`;
}
