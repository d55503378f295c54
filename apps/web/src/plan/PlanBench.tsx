import { formatNumber } from "@dosimeter/plot";
import { compareAccountants, leastTotal, type PlanDraft, peopleOf, planOf } from "@dosimeter/query";
import { Button } from "@mantine/core";
import { useDebouncedValue } from "@mantine/hooks";
import { type ReactNode, useDeferredValue, useMemo, useRef, useState } from "react";
import { Notice } from "../parts/Notice.tsx";
import { Card } from "../parts/Page.tsx";
import { Accountants } from "./Accountants.tsx";
import { BudgetStrip } from "./BudgetStrip.tsx";
import { suggestions } from "./columns.ts";
import type { CopyTarget } from "./copy-as.ts";
import { DerivedColumns } from "./DerivedColumns.tsx";
import { classicColumns, plainColumns } from "./grid/cells.ts";
import { PlanGrid, type Waiting } from "./grid/PlanGrid.tsx";
import { ImportDiff } from "./ImportDiff.tsx";
import { PlanBudget } from "./PlanBudget.tsx";
import { PlanToolbar } from "./PlanToolbar.tsx";
import { Practice } from "./Practice.tsx";
import "./plan.css";
import { RowSettings } from "./grid/RowSettings.tsx";
import { readPlanFile } from "./plan-file.ts";
import { Risk } from "./Risk.tsx";
import { Scenarios } from "./Scenarios.tsx";
import { SelectedRow } from "./SelectedRow.tsx";
import { Shortcuts } from "./Shortcuts.tsx";
import { Tour } from "./Tour.tsx";
import { CELL, usePlanKeys } from "./use-plan-keys.ts";
import type { usePlanner } from "./use-planner.ts";
import { WaysOut } from "./WaysOut.tsx";
import { faultOf, tableOf, withNewRow } from "./workbench.ts";

/** A typed error or share that does not fit stays in its cell. */
function waitingOf({ pending }: PlanDraft): Waiting | null {
  if (pending === null) return null;
  const { edit, needs, available } = pending;
  const reason = `Needs ${formatNumber(Number(needs), 4)}, ${formatNumber(Number(available), 4)} available.`;
  if (edit.kind === "accuracy") return { id: edit.id, key: "error", text: String(edit.accuracy), reason };
  if (edit.kind === "epsilon") return { id: edit.id, key: "share", text: String(edit.epsilon), reason };
  if (edit.kind === "rho") return { id: edit.id, key: "share", text: String(edit.rho), reason };
  return null;
}

const MANY_ROWS = 40;
const REST_MS = 400;

/** The whole planner, with or without an account behind it: budget, grid, ways out, the chosen row, practice. */
export function PlanBench({
  planner,
  budget,
  side,
  action,
  more,
  onReview,
  isReviewed = false,
  target = null,
  start,
  scope,
  askMore,
  delta,
}: {
  planner: ReturnType<typeof usePlanner>;
  /** More fields beside ε, confidence and people. */
  budget?: ReactNode;
  side?: ReactNode;
  action?: ReactNode;
  /** Below the grid. */
  more?: ReactNode;
  /** Undefined while there is nothing to review. */
  onReview?: (() => void) | undefined;
  isReviewed?: boolean;
  target?: CopyTarget | null;
  /** Beside the suggestions of an empty plan. */
  start?: ReactNode;
  /** What the ε of the risk is: the owner's promise, or this plan. */
  scope: { readonly epsilon: number; readonly delta: number; readonly words: string };
  /** A way to ask for more than there is. */
  askMore?: ReactNode;
  /** δ to compare ways of adding up at, where the plan has none of its own. */
  delta?: string | undefined;
}) {
  const { bench, rows, ways, said, attempt, edit, actionsOf } = planner;
  const { draft, declaration } = bench;
  const table = tableOf(bench);
  const [isClassic, setClassic] = useState(false);
  const [selected, setSelected] = useState<string | null>(null);
  const [fileFault, setFileFault] = useState<string>();
  const [imported, setImported] = useState<PlanDraft | null>(null);
  const [areKeysShown, setKeysShown] = useState(false);
  const chosen = rows.find(({ id }) => id === selected) ?? rows[0];
  // What stands beside the grid may follow a moment later than the grid itself; of a long plan, once typing rests.
  const soon = useDeferredValue(draft);
  const [rested] = useDebouncedValue(draft, REST_MS);
  const settled = draft.rows.length > MANY_ROWS ? rested : soon;
  const least = useMemo(() => leastTotal(settled, declaration), [settled, declaration]);
  const compared = delta ?? settled.delta;
  const outcomes = useMemo(
    () =>
      settled.rows.some((row) => row.isComplete) && Number(compared) > 0
        ? compareAccountants({ ...settled, delta: compared }, declaration)
        : [],
    [settled, compared, declaration],
  );
  const nameOf = (id: string): string => rows.find((row) => row.id === id)?.quote?.label ?? "this row";
  const [budgetPart, gridPart, rowPart, sidePart] = [
    useRef<HTMLDivElement>(null),
    useRef<HTMLDivElement>(null),
    useRef<HTMLDivElement>(null),
    useRef<HTMLDivElement>(null),
  ];
  const parts = useMemo(() => [budgetPart, gridPart, rowPart, sidePart], [budgetPart, gridPart, rowPart, sidePart]);
  const help = useRef(() => setKeysShown(true)).current;
  usePlanKeys({ undo: planner.undo, redo: planner.redo, review: onReview, help, parts });

  /** Where the typing was, once a question about it is answered. */
  const backToGrid = (): void => {
    requestAnimationFrame(() => gridPart.current?.querySelector<HTMLElement>(CELL)?.focus());
  };
  const openFile = async (picked: File): Promise<void> => {
    try {
      setImported(readPlanFile(await picked.text(), draft, declaration));
      setFileFault(undefined);
    } catch (error) {
      setFileFault(faultOf(error).message);
    }
  };
  const targets = rows.filter((row) => row.target !== null && row.fitness !== null);
  const met = targets.filter((row) => row.fitness?.grade === "met").length;
  const plan = planOf(settled);

  return (
    <div className="plan-layout">
      <div className="stack">
        <Tour
          state={{
            draft,
            hasUseless: rows.some((row) => row.fitness?.grade === "useless"),
            isReviewed,
          }}
        />
        <div ref={budgetPart}>
          <Card>
            <PlanBudget planner={planner}>{budget}</PlanBudget>
            {rows.length === 0 ? null : (
              <div style={{ marginTop: 16 }}>
                <BudgetStrip rows={rows} draft={draft} onShares={planner.setShares} />
              </div>
            )}
            {draft.policy === "strict" && Number(draft.over) > 0 ? (
              <p className="fault" role="alert">
                Over by ε {formatNumber(Number(draft.over), 4)}. Nothing is released until it fits.{" "}
                <button
                  type="button"
                  className="tool"
                  onClick={() => edit("made to fit", { kind: "policy", policy: "rebalance" })}
                >
                  Make it fit
                </button>
              </p>
            ) : null}
          </Card>
        </div>
        {draft.notices.map(({ id, from, to }) => (
          <Notice key={id} tone="warn">
            <p>
              Let go of your edit of {nameOf(id)} to make room: {formatNumber(Number(from), 4)} →{" "}
              {formatNumber(Number(to), 4)}.{" "}
              <button type="button" className="tool" onClick={planner.undo}>
                Undo
              </button>{" "}
              <button
                type="button"
                className="tool"
                onClick={() => edit(`hold of ${nameOf(id)}`, { kind: "mode", id, mode: "share" })}
              >
                Hold it
              </button>
            </p>
          </Notice>
        ))}
        <div ref={gridPart} className="stack">
          {rows.length === 0 ? (
            <Card title="Start with a statistic">
              <p className="soft" style={{ marginTop: 0 }}>
                These come from the declared columns. Pick one, see its error, change what you like.
              </p>
              <div className="page-actions">
                {suggestions(declaration).map(({ label, ...settings }) => (
                  <Button
                    key={label}
                    variant="light"
                    onClick={() => attempt(`${label} added`, (before) => withNewRow(before, settings))}
                  >
                    {label}
                  </Button>
                ))}
                {start}
              </div>
            </Card>
          ) : (
            <PlanGrid
              rows={rows}
              columns={isClassic ? classicColumns : plainColumns}
              declaration={table}
              actionsOf={actionsOf}
              selected={chosen?.id ?? null}
              onSelect={setSelected}
              people={peopleOf(draft, declaration)}
              waiting={waitingOf(draft)}
              onPaste={planner.paste}
              onReview={onReview}
              settingsOf={(row) => <RowSettings row={row} declaration={table} actions={actionsOf(row)} />}
            />
          )}
          <WaysOut
            draft={draft}
            ways={ways}
            nameOf={nameOf}
            askMore={askMore}
            onTake={(way) => {
              planner.takeWay(way);
              backToGrid();
            }}
            onForget={() => {
              planner.forget();
              backToGrid();
            }}
          />
          {least === null ? null : (
            <p className="soft small" style={{ margin: 0 }}>
              Targets met: {met} of {targets.length}. Least ε for your targets:{" "}
              <strong>
                {formatNumber(Math.min(...Object.values(least.totals).filter((each) => each !== null)), 4)}
              </strong>
              {least.missedBy > 1
                ? `; shared out in proportion to the targets, with what there is every target is missed by ×${formatNumber(least.missedBy, 3)}.`
                : "; there is enough, if rows without a target make room."}
            </p>
          )}
          {rows.length > 0 && rows.every((row) => row.mode === "share" || row.mode === "error") ? (
            <p className="soft small" style={{ margin: 0 }}>
              Every row is held: what is left of ε {draft.epsilon} stays unspent.
            </p>
          ) : null}
          <PlanToolbar
            planner={planner}
            isClassic={isClassic}
            onClassic={() => setClassic(!isClassic)}
            onKeys={help}
            onFile={(picked) => void openFile(picked)}
            target={target}
            action={action}
          />
        </div>
        {fileFault === undefined ? null : (
          <p className="fault" role="alert">
            {fileFault}
          </p>
        )}
        <DerivedColumns draft={draft} declaration={declaration} onEdit={edit} />
        {more}
        {rows.length === 0 ? null : (
          <div className="plan-pair">
            <Practice
              plan={plan.statistics.length === 0 ? null : plan}
              declaration={declaration}
              people={peopleOf(settled, declaration)}
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
              draft={settled}
              declaration={declaration}
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
            delta={draft.rows.some((row) => row.isComplete) ? compared : null}
            inForce={draft.headroom === null ? null : draft.headroom.lane === "tight" ? "the tight rule" : "addition"}
          />
          <Risk {...scope} scope={scope.words} />
        </div>
      </div>
      {areKeysShown ? <Shortcuts onClose={() => setKeysShown(false)} /> : null}
      {imported === null ? null : (
        <ImportDiff
          before={draft}
          after={imported}
          declaration={declaration}
          onClose={() => setImported(null)}
          onApply={() => {
            planner.replace("plan opened", imported);
            setImported(null);
          }}
        />
      )}
    </div>
  );
}
