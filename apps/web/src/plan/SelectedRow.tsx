import {
  errorAt,
  helpsFor,
  type PlanDraft,
  type PlanRow,
  peopleOf,
  tableErrorsOf,
  wholeDeclaration,
} from "@dosimeter/planner";
import { formatNumber } from "@dosimeter/plot";
import { errorUnit } from "@dosimeter/query/answer";
import { type Declaration, unitNounOf } from "@dosimeter/query/declaration";
import type { QuotedStatistic } from "@dosimeter/query/quote";
import { statisticOf } from "@dosimeter/query/statistics";
import { SegmentedControl } from "@mantine/core";
import { IconX } from "@tabler/icons-react";
import { useMemo, useRef, useState } from "react";
import { DataTable } from "../parts/DataTable.tsx";
import { Card } from "../parts/Page.tsx";
import { shareOfRows } from "../parts/words.ts";
import { Clipping } from "./Clipping.tsx";
import { formatError, gradeText } from "./grid/cells.ts";
import type { RowActions } from "./row-actions.ts";
import { WhatComesOut } from "./WhatComesOut.tsx";
import type { WorkRow } from "./workbench.ts";

const views = [
  { value: "noise", label: "Noise" },
  { value: "bounds", label: "Bounds" },
] as const;
type View = (typeof views)[number]["value"];

/** The error that all bins or groups of a row keep together with the same confidence, where each has noise of its own. */
function allAtOnce(planned: PlanRow | undefined, { quote }: WorkRow, draft: PlanDraft, declaration: Declaration) {
  if (planned === undefined || quote === null || quote.cells < 2 || quote.noise === "selection") return null;
  if (quote.accuracy.tables !== undefined) return null;
  const { chart } = statisticOf(quote.statistic).shows;
  if (chart === "curve" || chart === "series" || chart === "slopes") return null;
  return errorAt(planned, { ...draft, confidence: draft.confidence ** (1 / quote.cells) }, declaration);
}

/** The chosen row: what could come out, and what its bounds cost. From noise only. */
export function SelectedRow({
  row,
  draft,
  declaration,
  actions,
  onClose,
}: {
  row: WorkRow;
  draft: PlanDraft;
  declaration: Declaration;
  actions: RowActions;
  onClose: () => void;
}) {
  const [view, setView] = useState<View>("noise");
  const panel = useRef<HTMLDivElement>(null);
  const planned = draft.rows.find(({ id }) => id === row.id);
  const helps = useMemo(
    () => (planned === undefined ? [] : helpsFor(planned, draft, declaration)),
    [planned, draft, declaration],
  );
  const together = useMemo(() => allAtOnce(planned, row, draft, declaration), [planned, row, draft, declaration]);
  if (planned === undefined || row.quote === null) return null;
  const { label } = row.quote;
  const units = unitNounOf(declaration).many;
  const unit = errorUnit(row.settings, wholeDeclaration(declaration, draft));
  const grade = gradeText(row, unit);
  return (
    <div ref={panel} tabIndex={-1} className="row-panel">
      <Card
        title={label}
        aside={
          <button type="button" className="tool" aria-label="Close the details" onClick={onClose}>
            <IconX size={16} aria-hidden />
          </button>
        }
      >
        <SegmentedControl
          fullWidth
          size="xs"
          mb="sm"
          aria-label="What to show of this row"
          value={view}
          data={[...views]}
          onChange={(value) => setView(value as View)}
        />
        {view === "noise" ? (
          <WhatComesOut
            quote={row.quote}
            target={row.target}
            people={peopleOf(draft, declaration)}
            {...{ units, unit }}
          />
        ) : (
          <Clipping
            key={row.id}
            row={row}
            declaration={wholeDeclaration(declaration, draft)}
            onUpper={(upper) => actions.change({ upper })}
          />
        )}
        {grade === null ? null : <p className="small flush below-8">{grade}</p>}
        {together === null ? null : (
          <p className="small flush below-8">
            ± is for one answer. All {row.quote.cells} at once stay within ± {formatError(together, unit)} as often.
          </p>
        )}
        <ExpectedErrors row={planned} draft={draft} declaration={declaration} />
        <TableErrors tables={row.quote.accuracy.tables} unit={row.settings.statistic === "tables" ? "rows" : unit} />
        {helps.length === 0 ? null : (
          <div className="small below-12">
            <strong>At this share it would help:</strong>
            <ul className="ways">
              {helps.map((help) =>
                help.kind === "people" ? (
                  <li key={help.kind}>
                    about {formatNumber(help.value)} {units} or more in the table
                  </li>
                ) : (
                  <li key={help.kind}>
                    <button
                      type="button"
                      className="tool"
                      onClick={() => {
                        actions.change({ granularity: String(help.value) });
                        // This button goes away with what it mends.
                        panel.current?.focus();
                      }}
                    >
                      Steps of {formatNumber(help.value)}: ± {formatError(help.error, unit)}
                    </button>
                  </li>
                ),
              )}
            </ul>
          </div>
        )}
      </Card>
    </div>
  );
}

/** The error of one cell of each table of a set, before it is paid. Nothing for other rows. */
function TableErrors({ tables, unit }: { tables: QuotedStatistic["accuracy"]["tables"]; unit: string | null }) {
  if (tables === undefined) return null;
  return (
    <details className="small below-12" open>
      <summary>Error of each table at this share</summary>
      <div style={{ maxHeight: 320, overflow: "auto" }}>
        <DataTable
          caption="Error of each table at this share"
          isCaptionHidden
          rows={tables}
          keyOf={({ table }) => table.join("\n")}
          columns={[
            { name: "Table", isHead: true, cell: ({ table }) => (table.length === 0 ? "all rows" : table.join(" × ")) },
            { name: "Cells", isNumber: true, cell: ({ cells }) => formatNumber(cells) },
            { name: `± ${unit ?? ""}`, isNumber: true, cell: ({ halfWidth }) => formatError(halfWidth, null) },
          ]}
        />
      </div>
    </details>
  );
}

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
        Rows that the noise alone misplaces. Only pairs that are worth their noise are measured; made-up rows take the
        others as independent.
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
