import { type PlanDraft, type PlanRow, tableErrorsOf } from "@dosimeter/planner";
import type { Declaration } from "@dosimeter/query/declaration";
import { useMemo } from "react";
import { DataTable } from "../parts/DataTable.tsx";
import { shareOfRows } from "../parts/share-of-rows.ts";

/** What the noise would do to each column and pair of a synthetic table, before it is paid. Nothing for other rows. */
export function ExpectedErrors({
  row,
  draft,
  declaration,
}: {
  row: PlanRow;
  draft: PlanDraft;
  declaration: Declaration;
}) {
  const errors = useMemo(() => tableErrorsOf(row, draft, declaration), [row, draft, declaration]);
  if (errors === null) return null;
  const pairs = errors.pairs.map(({ columns, error }) => ({ name: columns.join(" with "), error }));
  const lines = [...errors.columns, ...pairs.toSorted((a, b) => a.error - b.error)];
  return (
    <details className="small below-12">
      <summary>Error of each column and pair at this share</summary>
      <p className="soft">
        Rows in a wrong cell by the noise alone. Only pairs that are worth their noise are measured; made-up rows take
        the others as independent.
      </p>
      <div style={{ maxHeight: 320, overflow: "auto" }}>
        <DataTable
          caption="Error of each column and pair at this share"
          isCaptionHidden
          rows={lines}
          keyOf={({ name }) => name}
          columns={[
            { name: "Column or pair", isHead: true, cell: ({ name }) => name },
            { name: "Of all rows", isNumber: true, cell: ({ error }) => shareOfRows(error) },
          ]}
        />
      </div>
    </details>
  );
}
