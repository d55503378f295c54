import { peopleOf, planOf } from "@dosimeter/query";
import { useMemo, useRef, useState } from "react";
import { activeRuleText } from "../charts.ts";
import { Accountants } from "./Accountants.tsx";
import { BudgetCard } from "./BudgetCard.tsx";
import { DerivedColumns } from "./DerivedColumns.tsx";
import { GridPart } from "./GridPart.tsx";
import { ChangedType, ReleasedEdits } from "./PlanNotes.tsx";
import { Practice } from "./Practice.tsx";
import type { PlanBenchProperties } from "./plan-bench.ts";
import "./plan.css";
import { Risk } from "./Risk.tsx";
import { Scenarios } from "./Scenarios.tsx";
import { SelectedRow } from "./SelectedRow.tsx";
import { Shortcuts } from "./Shortcuts.tsx";
import { Tour } from "./Tour.tsx";
import { useOutcomes } from "./use-outcomes.ts";
import { usePlanKeys } from "./use-plan-keys.ts";

/** The whole planner, with or without an account behind it: budget, grid, ways out, the chosen row, practice. */
export function PlanBench(properties: PlanBenchProperties) {
  const { planner, budget, side, more, onReview, isReviewed = false, scope, delta } = properties;
  const { bench, rows, said, edit, actionsOf, nameOf } = planner;
  const { draft, declaration } = bench;
  const [selected, setSelected] = useState<string | null>(null);
  const [areKeysShown, setKeysShown] = useState(false);
  const chosen = rows.find(({ id }) => id === selected) ?? rows[0];
  const { settled, comparedAt, least, outcomes } = useOutcomes(bench, delta);
  const budgetPart = useRef<HTMLDivElement>(null);
  const gridPart = useRef<HTMLDivElement>(null);
  const rowPart = useRef<HTMLDivElement>(null);
  const sidePart = useRef<HTMLDivElement>(null);
  const parts = useMemo(() => [budgetPart, gridPart, rowPart, sidePart], []);
  const showKeys = useRef(() => setKeysShown(true)).current;
  usePlanKeys({ undo: planner.undo, redo: planner.redo, review: onReview, help: showKeys, parts });
  const plan = planOf(settled.draft);

  return (
    <div className="plan-layout">
      <div className="stack">
        <Tour state={{ draft, hasUseless: rows.some((row) => row.fitness?.grade === "useless"), isReviewed }} />
        <div ref={budgetPart}>
          <BudgetCard planner={planner}>{budget}</BudgetCard>
        </div>
        <ReleasedEdits planner={planner} />
        <ChangedType planner={planner} />
        <GridPart
          {...properties}
          part={gridPart}
          selected={chosen?.id ?? null}
          onSelect={setSelected}
          onKeys={showKeys}
          least={least}
        />
        <DerivedColumns draft={draft} declaration={declaration} onEdit={edit} />
        {more}
        {rows.length === 0 ? null : (
          <div className="plan-pair">
            <Practice
              plan={plan.statistics.length === 0 ? null : plan}
              declaration={settled.declaration}
              people={peopleOf(settled.draft, settled.declaration)}
            />
            <Scenarios
              draft={draft}
              declaration={declaration}
              nameOf={nameOf}
              onAdopt={(name, kept) => planner.replace(`scenario ${name} adopted`, kept)}
            />
          </div>
        )}
        <p className="visually-hidden" role="status">
          {said}
        </p>
      </div>
      <div className="plan-side">
        <div ref={rowPart}>
          {chosen === undefined ? null : (
            <SelectedRow
              row={chosen}
              draft={settled.draft}
              declaration={settled.declaration}
              outcomes={outcomes}
              actions={actionsOf(chosen)}
              onShare={(units) => planner.setShare(chosen, units)}
            />
          )}
        </div>
        <div ref={sidePart} className="stack">
          {side}
          <Accountants
            outcomes={outcomes}
            delta={draft.rows.some((row) => row.isComplete) ? comparedAt : null}
            inForce={draft.headroom === null ? null : activeRuleText(draft.headroom)}
          />
          <Risk {...scope} scope={scope.words} />
        </div>
      </div>
      {areKeysShown ? <Shortcuts onClose={() => setKeysShown(false)} /> : null}
    </div>
  );
}
