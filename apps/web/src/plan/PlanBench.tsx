import { compareAccountants, leastTotal, leftBelow, needsReason, peopleOf, planOf } from "@dosimeter/planner";
import { useDebouncedValue } from "@mantine/hooks";
import { Suspense, useDeferredValue, useMemo, useRef, useState } from "react";
import { lazy } from "../api/part.ts";
import { GridPart } from "./GridPart.tsx";
import { TermNoun } from "./HelpCard.tsx";
import { PlanAsk } from "./PlanAsk.tsx";
import { PlanBar } from "./PlanBar.tsx";
import { ChangedType, ReleasedEdits } from "./PlanNotes.tsx";
import type { PlanBenchProperties } from "./plan-bench.ts";
import { usePlanKeys } from "./use-plan-keys.ts";
import type { Workbench } from "./workbench.ts";
import "./plan.css";
import { formatCost, formatRoom } from "../parts/Amount.tsx";
import { TextField } from "../parts/fields.tsx";
import { FitWay } from "./QuoteAlerts.tsx";
import type { Planner } from "./use-planner.ts";

/** What a person must say or mend before the plan can be released: the reason of a high price, and an excess. */
function PlanReason({ planner }: { planner: Planner }) {
  const { edit } = planner;
  const { draft, declaration } = planner.bench;
  // A reason is of no use for what cannot be paid.
  const left = leftBelow(draft);
  const reason = left === null ? needsReason(draft, declaration) : null;
  return (
    <>
      {reason === null ? null : (
        <TextField
          label={reason === "epsilon" ? "Why is more than ε = 1 worth it?" : "Why is a δ above one over n² worth it?"}
          description="Kept in the plan; it cannot be released without."
          value={draft.reason}
          onChange={(typed) => edit("reason", { kind: "reason", reason: typed })}
        />
      )}
      {left === null ? null : (
        <div>
          <p className="fault" role="alert">
            ε of this plan is {formatCost(draft.epsilon)}, and you have {formatRoom(left)} left: it cannot be released.
          </p>
          {Number(left) > 0 ? <FitWay epsilon={left} planner={planner} /> : null}
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
    </>
  );
}

/** A plan with more rows than this is computed after a pause in typing, not at every key. */
const MAX_ROWS_AT_ONCE = 40;
const REST_MS = 400;

/** What the parts around the grid show: they may follow a moment later than the grid itself. */
function useOutcomes(bench: Workbench, delta: string | undefined) {
  const soon = useDeferredValue(bench);
  const [rested] = useDebouncedValue(bench, REST_MS);
  const settled = bench.draft.rows.length > MAX_ROWS_AT_ONCE ? rested : soon;
  const { draft, declaration } = settled;
  const comparedAt = delta ?? draft.delta;
  const least = useMemo(() => leastTotal(draft, declaration), [draft, declaration]);
  const outcomes = useMemo(
    () =>
      draft.rows.some((row) => row.isComplete) && Number(comparedAt) > 0
        ? compareAccountants({ ...draft, delta: comparedAt }, declaration)
        : [],
    [draft, comparedAt, declaration],
  );
  return { settled, comparedAt, least, outcomes };
}

// The first view needs none of these.
const BudgetStrip = lazy(async () => ({ default: (await import("./BudgetStrip.tsx")).BudgetStrip }));
const SelectedRow = lazy(async () => ({ default: (await import("./SelectedRow.tsx")).SelectedRow }));
const Practice = lazy(async () => ({ default: (await import("./Practice.tsx")).Practice }));
const MoreOfPlan = lazy(async () => ({ default: (await import("./MoreOfPlan.tsx")).MoreOfPlan }));
const Shortcuts = lazy(async () => ({ default: (await import("./Shortcuts.tsx")).Shortcuts }));

/** The whole planner, with or without an account behind it: one line of numbers, the table, the chosen row next to it, practice. */
export function PlanBench(properties: PlanBenchProperties) {
  const { planner, settings, facts, brief, alerts, side, more, onReview, risk, delta, action } = properties;
  const { bench, rows, said, actionsOf } = planner;
  const { draft } = bench;
  const [selected, setSelected] = useState<string | null>(null);
  const [isBeside, setBeside] = useState(false);
  const [isPractising, setPractising] = useState(false);
  const [areKeysShown, setKeysShown] = useState(false);
  const chosen = rows.find(({ id }) => id === selected) ?? rows[0];
  const { settled, comparedAt, least, outcomes } = useOutcomes(bench, delta);
  const barPart = useRef<HTMLDivElement>(null);
  const gridPart = useRef<HTMLDivElement>(null);
  const rowPart = useRef<HTMLDivElement>(null);
  const sidePart = useRef<HTMLDivElement>(null);
  const parts = useMemo(() => [barPart, gridPart, rowPart, sidePart], []);
  const showKeys = useRef(() => setKeysShown(true)).current;
  usePlanKeys({ undo: planner.undo, redo: planner.redo, review: onReview, help: showKeys, parts });
  const plan = planOf(settled.draft);
  const served = new Set(draft.rows.filter(({ isOwned }) => isOwned === true).map(({ id }) => id));
  const paid = rows.filter(({ id }) => !served.has(id));
  const isShown = isBeside && chosen?.quote != null;

  return (
    <TermNoun value={bench.declaration.unitNoun}>
      <div className="stack">
        <PlanAsk planner={planner} onAdded={setSelected} start={properties.asked} />
        <PlanBar
          planner={planner}
          part={barPart}
          facts={facts}
          brief={brief}
          settings={settings}
          practise={
            plan.statistics.length === 0
              ? null
              : { isOn: isPractising, toggle: () => setPractising((before) => !before) }
          }
          action={action}
        />
        {alerts}
        <PlanReason planner={planner} />
        {rows.length === 0 ? null : paid.length === 0 ? (
          <p className="plan-strip-space soft small">Earlier answers serve every row: nothing is paid.</p>
        ) : (
          <Suspense fallback={<div className="plan-strip-space" />}>
            <BudgetStrip rows={paid} draft={draft} onShares={planner.setShares} />
          </Suspense>
        )}
        <ReleasedEdits planner={planner} />
        <ChangedType planner={planner} />
        <div className="plan-work" data-beside={isShown ? true : undefined}>
          <div className="stack">
            <GridPart
              {...properties}
              part={gridPart}
              selected={chosen?.id ?? null}
              onSelect={setSelected}
              details={{ isOpen: isBeside, toggle: (open) => setBeside((before) => open ?? !before) }}
              onKeys={showKeys}
              least={least}
            />
          </div>
          <div ref={rowPart} className="plan-side">
            {isShown ? (
              <Suspense fallback={<div className="card plan-side-space" />}>
                <SelectedRow
                  row={chosen}
                  draft={settled.draft}
                  declaration={settled.declaration}
                  actions={actionsOf(chosen)}
                  onClose={() => setBeside(false)}
                />
              </Suspense>
            ) : null}
          </div>
        </div>
        {isPractising && plan.statistics.length > 0 ? (
          <Suspense fallback={<div className="card plan-practice-space" />}>
            <Practice
              plan={plan}
              declaration={settled.declaration}
              people={peopleOf(settled.draft, settled.declaration)}
            />
          </Suspense>
        ) : null}
        <div ref={sidePart} className="stack">
          {side === undefined ? null : <div className="plan-pair">{side}</div>}
          {more}
          {rows.length === 0 ? null : (
            <Suspense fallback={null}>
              <MoreOfPlan planner={planner} outcomes={outcomes} comparedAt={comparedAt} risk={risk} />
            </Suspense>
          )}
        </div>
        <p className="visually-hidden" role="status">
          {said}
        </p>
        {areKeysShown ? (
          <Suspense fallback={null}>
            <Shortcuts onClose={() => setKeysShown(false)} />
          </Suspense>
        ) : null}
      </div>
    </TermNoun>
  );
}
