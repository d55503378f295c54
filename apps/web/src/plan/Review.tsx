import type { PlanRequest } from "@dosimeter/client";
import type { PlanDraft } from "@dosimeter/planner";
import { capital } from "@dosimeter/plot/report";
import { errorUnit } from "@dosimeter/query/answer";
import type { Declaration } from "@dosimeter/query/declaration";
import { lostText } from "@dosimeter/query/quote";
import { Button } from "@mantine/core";
import { useNavigate } from "@tanstack/react-router";
import { useRef, useState } from "react";
import { useCreateRelease } from "../api/releases.ts";
import { activeRuleText } from "../charts.ts";
import { Amount } from "../parts/Amount.tsx";
import { DataTable } from "../parts/DataTable.tsx";
import { Dialog } from "../parts/Dialog.tsx";
import { Check, TextField } from "../parts/fields.tsx";
import { Notice } from "../parts/Notice.tsx";
import { Fault } from "../parts/Pending.tsx";
import { isMore } from "../sums.ts";
import { gradeText, textOf } from "./grid/cells.ts";
import type { OwnedAnswer } from "./plan-bench.ts";
import { asksForValues, fingerprint, type Reviewed, releaseWords } from "./reviewed.ts";
import type { WorkRow } from "./workbench.ts";

/** The review before paying. The key belongs to this plan, so sending it twice spends once. */
export function Review({
  request,
  rows,
  draft,
  declaration,
  cost,
  left,
  leftOut,
  reused = [],
  ownedOf,
  before,
  submissionKey,
  onReleased,
  onClose,
}: {
  request: PlanRequest;
  rows: readonly WorkRow[];
  draft: PlanDraft;
  declaration: Declaration;
  cost: string;
  /** What stays in the account afterwards, in words; null where the plan empties it. */
  left: string | null;
  leftOut: number;
  /** Rows that come from earlier answers, by their labels. */
  reused?: readonly string[];
  ownedOf: (id: string) => OwnedAnswer | undefined;
  /** Null at the first review. */
  before: Reviewed | null;
  submissionKey: string;
  onReleased: () => void;
  onClose: () => void;
}) {
  const navigate = useNavigate();
  const create = useCreateRelease();
  const [isAttested, setAttested] = useState(false);
  const isFree = !isMore(cost, "0");
  const isAsked = asksForValues(rows, draft, declaration);
  const [typed, setTyped] = useState("");
  const isSent = useRef(false);
  const usedBy = (row: WorkRow): OwnedAnswer | undefined => {
    const owned = ownedOf(row.id);
    return owned?.isUsed ? owned : undefined;
  };
  const unmet = rows.filter((row) => row.fitness?.grade === "missed" && usedBy(row) === undefined);
  const [taken, setTaken] = useState<readonly string[]>([]);
  const lost = rows.flatMap((row) =>
    row.quote === null || usedBy(row) !== undefined ? [] : (lostText(row.quote) ?? []),
  );
  const mayEmpty = left !== null || typed.trim() === EMPTY_WORD;
  const ruleText = draft.headroom === null ? "addition" : activeRuleText(draft.headroom.activeRule);
  const submit = (): void => {
    if (isSent.current) return;
    isSent.current = true;
    create.mutate(
      { request, key: submissionKey },
      {
        onSuccess: ({ id }) => {
          onReleased();
          void navigate({ to: "/releases/$release", params: { release: id } });
        },
        onError: () => {
          isSent.current = false;
        },
      },
    );
  };
  return (
    <Dialog onClose={onClose} title="Review and release" size="xl">
      <div className="stack">
        <Rows rows={rows} declaration={declaration} usedBy={usedBy} before={before} />
        {reused.length === 0 ? null : (
          <Notice tone="good" title="From earlier answers">
            <p>
              {reused.join(", ")}: {isFree ? "already paid for" : "only what they add to the price is paid"}.
            </p>
          </Notice>
        )}
        {leftOut === 0 ? null : (
          <Notice tone="warn">
            <p>
              {leftOut === 1 ? "One unfinished row is" : `${leftOut} unfinished rows are`} left out and cost nothing.
            </p>
          </Notice>
        )}
        {unmet.length === 0 ? null : (
          <Notice tone="warn" title="Targets that are not met">
            <p>{unmet.map((row) => `${row.quote?.label} (×${(row.fitness?.ratio ?? 1).toPrecision(3)})`).join(", ")}</p>
          </Notice>
        )}
        {lost.length === 0 ? null : (
          <Notice tone="danger" title="Paid for in vain">
            <p>They cost as much as answers that say something.</p>
            {lost.map((each) => (
              <Check
                key={each}
                checked={taken.includes(each)}
                onChange={(isChecked) =>
                  setTaken(isChecked ? [...taken, each] : taken.filter((other) => other !== each))
                }
                label={`${capital(each)}. Release it all the same.`}
              />
            ))}
          </Notice>
        )}
        <p className="flush">
          {isFree ? (
            "This spends nothing: every answer was paid for before. "
          ) : (
            <>
              This spends{" "}
              <strong>
                <Amount unit="ε" of={cost} />
              </strong>
              , for good, added up by {ruleText}: there is no refund, no matter what the answers are.{" "}
            </>
          )}
          Reading them again is free. {left === null ? "" : `Afterwards ${left} is left.`}
        </p>
        {draft.reason === "" ? null : <p className="soft small">Reason: {draft.reason}</p>}
        {isAsked ? (
          <Check
            checked={isAttested}
            onChange={setAttested}
            label="The bounds, bins and filters were not read from the data."
          />
        ) : null}
        {left !== null ? null : (
          <Notice tone="warn" title="This empties the budget">
            <p>After this nothing more can be released from it.</p>
            <TextField mt="sm" label={`Type ${EMPTY_WORD} to go on`} value={typed} onChange={setTyped} />
          </Notice>
        )}
        <Fault error={create.error} />
        <div className="page-actions to-end">
          <Button variant="default" onClick={onClose} disabled={create.isPending}>
            Back to the plan
          </Button>
          <Button
            disabled={(isAsked && !isAttested) || !mayEmpty || lost.some((each) => !taken.includes(each))}
            loading={create.isPending}
            onClick={submit}
          >
            {releaseWords(cost)}
          </Button>
        </div>
      </div>
    </Dialog>
  );
}

function Rows({
  rows,
  declaration,
  usedBy,
  before,
}: {
  rows: readonly WorkRow[];
  declaration: Declaration;
  usedBy: (row: WorkRow) => OwnedAnswer | undefined;
  before: Reviewed | null;
}) {
  const changeOf = (row: WorkRow): string =>
    before?.[row.id] === undefined ? "new" : before[row.id] === fingerprint(row) ? "" : "changed";
  return (
    <DataTable
      caption="What you are about to ask"
      isCaptionHidden
      isStacking
      rows={rows}
      keyOf={(row) => row.id}
      columns={[
        { name: "Statistic", isHead: true, cell: (row) => row.quote?.label ?? "" },
        { name: "Settings", cell: (row) => textOf("settings", row, declaration) },
        { name: "Error", cell: (row) => usedBy(row)?.sentence ?? row.quote?.sentence ?? "" },
        {
          name: "Fitness",
          cell: (row) =>
            usedBy(row) === undefined ? (gradeText(row, errorUnit(row.settings, declaration)) ?? "–") : "owned",
        },
        {
          name: "Price",
          isNumber: true,
          cell: (row) =>
            usedBy(row) !== undefined ? (
              <Amount unit="ε" of="0" />
            ) : row.rho === null ? (
              <Amount unit="ε" of={row.epsilon} />
            ) : (
              <>
                ρ <Amount of={row.rho} />
              </>
            ),
        },
        ...(before === null ? [] : [{ name: "Since last review", cell: changeOf }]),
      ]}
    />
  );
}

const EMPTY_WORD = "empty";
