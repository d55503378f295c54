import { formatNumber } from "@dosimeter/plot";
import { type AccountantOutcome, type Declaration, helpsFor, type PlanDraft, peopleOf } from "@dosimeter/query";
import { SegmentedControl } from "@mantine/core";
import { useMemo, useState } from "react";
import { Card } from "../parts/Page.tsx";
import { Clipping } from "./Clipping.tsx";
import type { RowActions } from "./row-actions.ts";
import { ShareCurve } from "./ShareCurve.tsx";
import { WhatComesOut } from "./WhatComesOut.tsx";
import type { WorkRow } from "./workbench.ts";

const views = [
  { value: "share", label: "Share" },
  { value: "noise", label: "Noise" },
  { value: "bounds", label: "Bounds" },
] as const;
type View = (typeof views)[number]["value"];

/** The chosen row: its error at every share, what could come out, and what its bounds cost. From noise only. */
export function SelectedRow({
  row,
  draft,
  declaration,
  outcomes,
  actions,
  onShare,
}: {
  row: WorkRow;
  draft: PlanDraft;
  declaration: Declaration;
  outcomes: readonly AccountantOutcome[];
  actions: RowActions;
  onShare: (units: bigint) => void;
}) {
  const [view, setView] = useState<View>("share");
  const planned = draft.rows.find(({ id }) => id === row.id);
  const helps = useMemo(
    () => (planned === undefined ? [] : helpsFor(planned, draft, declaration)),
    [planned, draft, declaration],
  );
  if (planned === undefined || row.quote === null) return null;
  const { label } = row.quote;
  return (
    <Card title={label}>
      <SegmentedControl
        fullWidth
        size="xs"
        mb="sm"
        aria-label="What to show of this row"
        value={view}
        data={[...views]}
        onChange={(value) => setView(value as View)}
      />
      {view === "share" ? (
        <ShareCurve
          row={planned}
          label={label}
          draft={draft}
          declaration={declaration}
          target={row.target}
          outcomes={outcomes}
          onShare={onShare}
        />
      ) : view === "noise" ? (
        <WhatComesOut quote={row.quote} target={row.target} people={peopleOf(draft, declaration)} />
      ) : (
        <Clipping key={row.id} row={row} declaration={declaration} onUpper={(upper) => actions.change({ upper })} />
      )}
      {helps.length === 0 ? null : (
        <div className="small" style={{ marginTop: 12 }}>
          <strong>At this share it would help:</strong>
          <ul className="ways">
            {helps.map((help) =>
              help.kind === "people" ? (
                <li key={help.kind}>about {formatNumber(help.value)} people or more in the table</li>
              ) : (
                <li key={help.kind}>
                  <button
                    type="button"
                    className="tool"
                    onClick={() => actions.change({ granularity: String(help.value) })}
                  >
                    Steps of {formatNumber(help.value)}: ±{formatNumber(help.error, 3)}
                  </button>
                </li>
              ),
            )}
          </ul>
        </div>
      )}
    </Card>
  );
}
