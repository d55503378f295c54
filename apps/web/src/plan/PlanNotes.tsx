import type { leastTotal, PlanDraft } from "@dosimeter/planner";
import { formatNumber } from "@dosimeter/plot";
import { formatCost, formatRoom } from "../parts/Amount.tsx";
import { Notice } from "../parts/Notice.tsx";
import { columnWords } from "./columns.ts";
import type { Planner } from "./use-planner.ts";

/** Without changes that three digits do not show. */
export const shownNotices = ({ notices }: PlanDraft): PlanDraft["notices"] =>
  notices.filter(({ from, to }) => formatCost(from) !== formatCost(to));

/** Edits that the planner changed to make room for a later one. */
export function ReleasedEdits({ planner }: { planner: Planner }) {
  const { bench, nameOf, edit, undo } = planner;
  return shownNotices(bench.draft).map(({ id, from, to }) => (
    <Notice key={id} tone="warn">
      <p>
        Your edit of {nameOf(id)} was changed to make room: {formatCost(from)} → {formatCost(to)}.{" "}
        <button type="button" className="tool" onClick={undo}>
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
  ));
}

/** A type that was just changed: what the variable is now, and which rows wait. */
export function ChangedType({ planner: { bench, rows, undo } }: { planner: Planner }) {
  const { retyping, declaration, draft } = bench;
  const column = declaration.columns[retyping?.name ?? ""];
  if (retyping === undefined || column === undefined || retyping.clock !== draft.clock) return null;
  const { name, was } = retyping;
  const waiting = rows.filter(({ settings, quote }) => settings.column === name && quote === null).length;
  return (
    <Notice tone={waiting === 0 ? "plain" : "warn"}>
      <p>
        <strong>{name}</strong> is {columnWords(column)} now; it was {columnWords(was)}.
        {waiting === 0
          ? ""
          : ` ${waiting === 1 ? "One row waits" : `${waiting} rows wait`} below, each with the reason and all that was typed in it.`}{" "}
        <button type="button" className="tool" onClick={undo}>
          Undo
        </button>
      </p>
    </Notice>
  );
}

/** What all targets would cost, and what stays unspent. */
export function TargetNotes({ planner, least }: { planner: Planner; least: ReturnType<typeof leastTotal> }) {
  const { bench, rows, edit } = planner;
  const { draft } = bench;
  const isAllHeld = rows.length > 0 && rows.every((row) => row.mode === "share" || row.mode === "error");
  return (
    <>
      {least === null ? null : (
        <p className="soft small flush">
          Least ε for your targets: <LeastForTargets least={least} draft={draft} onTake={edit} />
          {least.missedBy > 1
            ? ` With this budget, shared in proportion to the targets, every error is ${formatNumber(least.missedBy, 3)} times its target.`
            : " There is enough, if rows without a target make room."}
        </p>
      )}
      {isAllHeld && draft.follows !== true ? (
        <p className="soft small flush">
          Every row is held: what is left of ε {formatRoom(draft.epsilon)} stays unspent.
        </p>
      ) : null}
    </>
  );
}

/** The least ε of all targets, four digits, rounded up: that much always suffices. */
function LeastForTargets({
  least,
  draft,
  onTake,
}: {
  least: NonNullable<ReturnType<typeof leastTotal>>;
  draft: PlanDraft;
  onTake: Planner["edit"];
}) {
  const total = Math.min(...Object.values(least.totals).filter((each) => each !== null));
  const unit = 10 ** (Math.floor(Math.log10(total)) - 3);
  const epsilon = String(Number((Math.ceil(total / unit) * unit).toPrecision(4)));
  return (
    <>
      <strong>{epsilon}</strong>.{" "}
      {Number(draft.epsilon) === Number(epsilon) ? null : (
        <button type="button" className="tool" onClick={() => onTake("ε for this plan", { kind: "total", epsilon })}>
          Set ε to {epsilon}
        </button>
      )}
    </>
  );
}
