import type { PlanRequest } from "@dosimeter/client";
import { Button, Checkbox, Modal } from "@mantine/core";
import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { useCreateRelease } from "../api.ts";
import { Amount } from "../parts/Amount.tsx";
import { DataTable } from "../parts/DataTable.tsx";
import { Notice } from "../parts/Notice.tsx";
import { Fault } from "../parts/Pending.tsx";
import type { WorkRow } from "./workbench.ts";

/** The last look before paying. The key belongs to this plan: sending it twice spends once. */
export function Review({
  request,
  rows,
  cost,
  leftOut,
  isLast,
  submissionKey,
  onClose,
}: {
  request: PlanRequest;
  rows: readonly WorkRow[];
  cost: string;
  leftOut: number;
  isLast: boolean;
  submissionKey: string;
  onClose: () => void;
}) {
  const navigate = useNavigate();
  const create = useCreateRelease();
  const [isAttested, setAttested] = useState(false);
  return (
    <Modal
      opened
      onClose={onClose}
      title="Review and release"
      size="xl"
      closeButtonProps={{ "aria-label": "Close" }}
      returnFocus
    >
      <div className="stack">
        <DataTable
          caption="What you are about to ask"
          isCaptionHidden
          isStacking
          rows={rows}
          keyOf={(row) => row.id}
          columns={[
            { name: "Statistic", isHead: true, cell: (row) => row.quote?.label ?? "" },
            { name: "How far off", cell: (row) => row.quote?.sentence ?? "" },
            { name: "ε", isNumber: true, cell: (row) => <Amount of={row.epsilon} /> },
          ]}
        />
        {leftOut === 0 ? null : (
          <Notice tone="warn">
            <p>
              {leftOut === 1 ? "One unfinished row is" : `${leftOut} unfinished rows are`} left out and cost nothing.
            </p>
          </Notice>
        )}
        {isLast ? (
          <Notice tone="warn" title="This empties the budget">
            <p>After this nothing more can be released from this account.</p>
          </Notice>
        ) : null}
        <p style={{ margin: 0 }}>
          This spends{" "}
          <strong>
            <Amount unit="ε" of={cost} />
          </strong>
          , for good: there is no refund, whatever the answers are. Reading them again is free.
        </p>
        <Checkbox
          checked={isAttested}
          onChange={(event) => setAttested(event.currentTarget.checked)}
          label="The bounds, bins and filters were not read from the data."
        />
        {create.error ? <Fault error={create.error} /> : null}
        <div className="page-actions" style={{ justifyContent: "flex-end" }}>
          <Button variant="default" onClick={onClose} disabled={create.isPending}>
            Back to the plan
          </Button>
          <Button
            disabled={!isAttested}
            loading={create.isPending}
            onClick={() =>
              create.mutate(
                { request, key: submissionKey },
                { onSuccess: ({ id }) => void navigate({ to: "/releases/$release", params: { release: id } }) },
              )
            }
          >
            Spend ε {cost} and release
          </Button>
        </div>
      </div>
    </Modal>
  );
}
