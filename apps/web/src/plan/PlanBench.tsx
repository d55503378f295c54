import { formatNumber } from "@dosimeter/plot";
import { leastTotal, planOf } from "@dosimeter/query";
import { Button, NativeSelect } from "@mantine/core";
import { IconArrowBackUp, IconArrowForwardUp, IconDownload, IconPlus, IconUpload } from "@tabler/icons-react";
import { type ReactNode, useEffect, useMemo, useRef, useState } from "react";
import { download } from "../parts/download.ts";
import { Notice } from "../parts/Notice.tsx";
import { Card } from "../parts/Page.tsx";
import { CommitInput } from "./CommitInput.tsx";
import { classicColumns, plainColumns, reads } from "./cells.ts";
import { sizeText, suggestions } from "./columns.ts";
import { PlanGrid } from "./PlanGrid.tsx";
import { planFile, readPlanFile } from "./plan-file.ts";
import { RowSettings } from "./RowSettings.tsx";
import { SelectedRow } from "./SelectedRow.tsx";
import type { usePlanner } from "./use-planner.ts";
import { WaysOut } from "./WaysOut.tsx";
import { withNewRow, withRows } from "./workbench.ts";

const allocations = [
  { value: "ratio", label: "Keep ratios" },
  { value: "even", label: "Evenly" },
  { value: "targets", label: "In proportion to targets" },
  { value: "total", label: "Least total error" },
] as const;

/** The whole planner, with or without an account behind it: budget, grid, ways out, the chosen row. */
export function PlanBench({
  planner,
  budget,
  side,
  action,
}: {
  planner: ReturnType<typeof usePlanner>;
  /** More fields beside ε, confidence and people. */
  budget?: ReactNode;
  side?: ReactNode;
  action?: ReactNode;
}) {
  const { bench, rows, ways, said, attempt, edit, actionsOf } = planner;
  const { draft, declaration } = bench;
  const [isClassic, setClassic] = useState(false);
  const [selected, setSelected] = useState<string | null>(null);
  const [fileFault, setFileFault] = useState<string>();
  const file = useRef<HTMLInputElement>(null);
  const openPlan = async (picked: File): Promise<void> => {
    const text = await picked.text();
    setFileFault(
      attempt("plan opened", (before) => withRows(before, readPlanFile(text, before.draft, before.declaration))),
    );
  };
  const chosen = rows.find(({ id }) => id === selected) ?? rows[0];
  const least = useMemo(() => leastTotal(draft, declaration), [draft, declaration]);
  const nameOf = (id: string): string => rows.find((row) => row.id === id)?.quote?.label ?? "this row";
  const { undo, redo } = planner;

  useEffect(() => {
    const onKey = (event: KeyboardEvent): void => {
      if (!(event.ctrlKey || event.metaKey) || event.key.toLowerCase() !== "z") return;
      const isTyping = event.target instanceof HTMLInputElement || event.target instanceof HTMLTextAreaElement;
      const step = event.shiftKey ? redo : undo;
      if (isTyping || step === undefined) return;
      event.preventDefault();
      step();
    };
    document.addEventListener("keydown", onKey);
    return () => document.removeEventListener("keydown", onKey);
  }, [undo, redo]);

  return (
    <div className="plan-layout">
      <div className="stack">
        <Card>
          <div className="plan-budget">
            <CommitInput
              label="ε for this plan"
              inputMode="decimal"
              value={draft.epsilon}
              onCommit={(epsilon) => edit("ε for this plan", { kind: "total", epsilon })}
            />
            <NativeSelect
              label="Errors hold with"
              value={String(draft.confidence)}
              onChange={(event) =>
                edit("confidence", { kind: "confidence", confidence: Number(event.currentTarget.value) })
              }
              data={[0.8, 0.9, 0.95, 0.99, 0.999].map((value) => ({
                value: String(value),
                label: `${Number((value * 100).toPrecision(4))} %`,
              }))}
            />
            <CommitInput
              label="Assume people"
              inputMode="numeric"
              placeholder={sizeText(declaration)}
              value={draft.people === null ? "" : String(draft.people)}
              onCommit={(text) => {
                const people = text === "" ? null : Number(text.replaceAll(",", ""));
                if (people !== null && !(Number.isSafeInteger(people) && people > 0))
                  return "Must be a whole number above 0.";
                return edit("number of people", { kind: "people", people });
              }}
            />
            <NativeSelect
              label="Share out"
              value={draft.allocate}
              onChange={(event) => {
                const found = allocations.find(({ value }) => value === event.currentTarget.value);
                if (found !== undefined) edit("sharing", { kind: "allocate", allocate: found.value });
              }}
              data={[...allocations]}
            />
            <CommitInput
              label="Keep in reserve (%)"
              inputMode="decimal"
              value={String(Number((Number(draft.reserve) * 100).toPrecision(10)))}
              onCommit={(text) =>
                Number(text) >= 0 && Number(text) <= 100
                  ? edit("reserve", { kind: "reserve", reserve: Number((Number(text) / 100).toPrecision(10)) })
                  : "Must be from 0 to 100."
              }
            />
            {budget}
          </div>
        </Card>
        <WaysOut draft={draft} ways={ways} nameOf={nameOf} onTake={planner.takeWay} onForget={planner.forget} />
        {draft.notices.map(({ id, from, to }) => (
          <Notice key={id} tone="warn">
            <p>
              Let go of your edit of {nameOf(id)} to make room: {formatNumber(Number(from), 4)} →{" "}
              {formatNumber(Number(to), 4)}. Undo, or hold it.
            </p>
          </Notice>
        ))}
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
            </div>
          </Card>
        ) : (
          <PlanGrid
            rows={rows}
            columns={isClassic ? classicColumns : plainColumns}
            declaration={declaration}
            actionsOf={actionsOf}
            selected={chosen?.id ?? null}
            onSelect={setSelected}
            settingsOf={(row) => (
              <RowSettings row={row} declaration={declaration} reads={reads(row)} actions={actionsOf(row)} />
            )}
          />
        )}
        {least === null ? null : (
          <p className="soft small" style={{ margin: 0 }}>
            Least ε for your targets:{" "}
            <strong>{formatNumber(Math.min(...Object.values(least.totals).filter((each) => each !== null)), 4)}</strong>
            {least.missedBy > 1
              ? `; with what there is, every target is missed by ×${formatNumber(least.missedBy, 3)}.`
              : "; it is there."}
          </p>
        )}
        <div className="page-actions" style={{ justifyContent: "space-between" }}>
          <div className="page-actions">
            <Button
              variant="default"
              leftSection={<IconPlus size={17} aria-hidden />}
              onClick={() => attempt("statistic added", (before) => withNewRow(before, {}))}
            >
              Add a statistic
            </Button>
            <button type="button" className="tool" disabled={undo === undefined} onClick={undo}>
              <IconArrowBackUp size={16} aria-hidden /> Undo
            </button>
            <button type="button" className="tool" disabled={redo === undefined} onClick={redo}>
              <IconArrowForwardUp size={16} aria-hidden /> Redo
            </button>
            <button type="button" className="tool" aria-pressed={isClassic} onClick={() => setClassic(!isClassic)}>
              Classic columns
            </button>
            <button
              type="button"
              className="tool"
              onClick={() => download("plan.json", "application/json", planFile(planOf(draft)))}
            >
              <IconDownload size={16} aria-hidden /> Save plan
            </button>
            <button type="button" className="tool" onClick={() => file.current?.click()}>
              <IconUpload size={16} aria-hidden /> Open plan
            </button>
            <input
              ref={file}
              type="file"
              accept=".json,application/json"
              aria-label="Plan file"
              hidden
              onChange={(event) => {
                const [picked] = event.currentTarget.files ?? [];
                event.currentTarget.value = "";
                if (picked !== undefined) void openPlan(picked);
              }}
            />
          </div>
          {action}
        </div>
        {fileFault === undefined ? null : (
          <p className="fault" role="alert">
            {fileFault}
          </p>
        )}
        <p className="visually-hidden" role="status">
          {said}
        </p>
      </div>
      <div className="plan-side">
        {chosen === undefined ? null : (
          <SelectedRow
            row={chosen}
            draft={draft}
            declaration={declaration}
            onShare={(units) => planner.setShare(chosen, units)}
          />
        )}
        {side}
      </div>
    </div>
  );
}
