import { availableFor, type leastTotal, type PlanDraft, peopleOf, type WayOut } from "@dosimeter/planner";
import { type ReactNode, type RefObject, Suspense, useState } from "react";
import { lazy, loaded } from "../api/part.ts";
import { formatCost, formatRoom } from "../parts/Amount.tsx";
import { classicColumns, openClassicColumns, plainColumns } from "./grid/cells.ts";
import type { NewRow } from "./grid/PlanGrid.tsx";
import type { Waiting } from "./grid/use-drafts.ts";
import { TargetNotes } from "./PlanNotes.tsx";
import { PlanToolbar } from "./PlanToolbar.tsx";
import type { PlanBenchProperties } from "./plan-bench.ts";
import { readPlanFile } from "./plan-file.ts";
import { StartPlan } from "./StartPlan.tsx";
import { CELL } from "./use-plan-keys.ts";
import { WaysOut } from "./WaysOut.tsx";
import { faultOf, type RowSettings as RowTexts, tableOf, type Workbench, withNewRow } from "./workbench.ts";

const PlanGrid = lazy(async () => ({ default: (await import("./grid/PlanGrid.tsx")).PlanGrid }));
const RowSettings = lazy(async () => ({ default: (await import("./grid/RowSettings.tsx")).RowSettings }));
const ImportDiff = lazy(async () => ({ default: (await import("./ImportDiff.tsx")).ImportDiff }));
/** The statistics of the plan, with the ways out of an edit that does not fit and the tools. */
export function GridPart({
  planner,
  part,
  start,
  selected,
  onSelect,
  onReview,
  onRefused,
  askMore,
  onKeys,
  target = null,
  least,
  ownedOf = () => undefined,
  tools,
  details,
  isBegun = false,
}: Pick<
  PlanBenchProperties,
  "planner" | "isBegun" | "start" | "onReview" | "onRefused" | "askMore" | "target" | "ownedOf" | "tools"
> & {
  part: RefObject<HTMLDivElement | null>;
  selected: string | null;
  onSelect: (id: string) => void;
  onKeys: () => void;
  least: ReturnType<typeof leastTotal>;
  /** What the page knows about the chosen row, next to the table. */
  details: { readonly isOpen: boolean; readonly toggle: (isOpen?: boolean) => void };
}) {
  const { bench, rows, ways, actionsOf, nameOf } = planner;
  const { draft, declaration } = bench;
  const table = tableOf(bench);
  const [isClassic, setClassic] = useState(false);
  const [fileFault, setFileFault] = useState<string>();
  const [newRow, setNewRow] = useState<NewRow | null>(null);
  const [imported, setImported] = useState<PlanDraft | null>(null);

  const begin = (id: string, from = document.activeElement): void => {
    setNewRow({ id, from });
    onSelect(id);
  };
  /** One unfinished row at a time: a second one is the first again. */
  const add = (label: string, settings: RowTexts): void => {
    const blank = rows.find(({ settings: { statistic = "", column = "" } }) => statistic === "" && column === "");
    const isBlank = (settings.statistic ?? "") === "";
    const id = isBlank && blank !== undefined ? blank.id : `s${bench.nextId}`;
    if (id !== blank?.id) planner.attempt(label, (before) => withNewRow(before, settings));
    begin(id);
  };
  const summarise = async (): Promise<void> => {
    const from = document.activeElement;
    const { summarised } = await loaded(() => import("./summarise.ts"));
    const fault = planner.attempt("every column summarised", summarised);
    setFileFault(fault);
    if (fault === undefined) begin("s1", from);
  };
  /** The focused cell after a question about it is answered. */
  const backToGrid = (): void => {
    requestAnimationFrame(() => part.current?.querySelector<HTMLElement>(CELL)?.focus());
  };
  const openFile = async (picked: File): Promise<void> => {
    try {
      setImported(readPlanFile(await picked.text(), draft, declaration));
      setFileFault(undefined);
    } catch (error) {
      setFileFault(faultOf(error, planner.bench.declaration.unitNoun).message);
    }
  };
  const apply = (opened: PlanDraft): void => {
    setFileFault(planner.replace("plan opened", opened));
    setImported(null);
  };
  return (
    <>
      <div ref={part} className="stack">
        {rows.length === 0 ? (
          <StartPlan declaration={declaration} onAdd={add} onSummarise={() => void summarise()}>
            {start}
          </StartPlan>
        ) : (
          <WhileLoading isLeft={isBegun}>
            <PlanGrid
              rows={rows}
              columns={isClassic ? (draft.headroom === null ? openClassicColumns : classicColumns) : plainColumns}
              declaration={table}
              actionsOf={actionsOf}
              selected={selected}
              onSelect={onSelect}
              people={peopleOf(draft, declaration)}
              waiting={waitingOf(draft, ways)}
              onPaste={planner.paste}
              onReview={onReview}
              onRefused={onRefused}
              ownedOf={ownedOf}
              newRow={newRow}
              onDetails={(id) => {
                details.toggle(!(details.isOpen && id === selected));
                onSelect(id);
              }}
              settingsOf={(row) => (
                <Suspense fallback={null}>
                  <RowSettings row={row} dataset={target?.dataset.id} declaration={table} actions={actionsOf(row)} />
                </Suspense>
              )}
            />
          </WhileLoading>
        )}
        <WaysOut
          draft={draft}
          declaration={declaration}
          ways={ways}
          nameOf={nameOf}
          ownedOf={ownedOf}
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
        <TargetNotes planner={planner} least={least} />
        <PlanToolbar
          planner={planner}
          onAdd={() => add("statistic added", {})}
          details={details}
          isClassic={isClassic}
          onClassic={() => setClassic(!isClassic)}
          onKeys={onKeys}
          onFile={(picked) => void openFile(picked)}
          target={target}
          ownedOf={ownedOf}
        >
          {tools}
        </PlanToolbar>
      </div>
      {fileFault === undefined ? null : (
        <p className="fault" role="alert">
          {fileFault}
        </p>
      )}
      {imported === null ? null : (
        <Imported bench={bench} draft={imported} onClose={() => setImported(null)} onApply={apply} />
      )}
    </>
  );
}

/** Its place, or nothing of the page where that is left to what is around it. */
const WhileLoading = ({ isLeft, children }: { isLeft: boolean; children: ReactNode }) =>
  isLeft ? children : <Suspense fallback={<div className="grid-space" />}>{children}</Suspense>;

/** What a file would change, before it does. */
function Imported({
  bench,
  draft,
  onClose,
  onApply,
}: {
  bench: Workbench;
  draft: PlanDraft;
  onClose: () => void;
  onApply: (draft: PlanDraft) => void;
}) {
  return (
    <Suspense fallback={null}>
      <ImportDiff
        before={bench.draft}
        after={draft}
        declaration={bench.declaration}
        onClose={onClose}
        onApply={() => onApply(draft)}
      />
    </Suspense>
  );
}

/** A typed error or share that does not fit stays in its cell. */
function waitingOf(draft: PlanDraft, ways: readonly WayOut[]): Waiting | null {
  if (draft.pending === null) return null;
  const { edit, needs } = draft.pending;
  const reason = `Needs ${formatCost(needs)}, ${formatRoom(availableFor(draft, ways))} available.`;
  if (edit.kind === "accuracy") return { id: edit.id, key: "error", text: String(edit.accuracy), reason };
  if (edit.kind === "epsilon") return { id: edit.id, key: "share", text: String(edit.epsilon), reason };
  if (edit.kind === "rho") return { id: edit.id, key: "share", text: String(edit.rho), reason };
  return null;
}
