import { formatNumber } from "@dosimeter/plot";
import type { leastTotal } from "@dosimeter/query";
import { formatCost, formatRoom } from "../parts/Amount.tsx";
import { Notice } from "../parts/Notice.tsx";
import { columnWords } from "./columns.ts";
import type { Planner } from "./use-planner.ts";

/** Edits that the planner changed to make room for a later one. */
export function ReleasedEdits({ planner }: { planner: Planner }) {
  const { bench, nameOf, edit, undo } = planner;
  return bench.draft.notices.map(({ id, from, to }) => (
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

/** How many targets are met, what all of them would cost, and what stays unspent. */
export function TargetNotes({ planner, least }: { planner: Planner; least: ReturnType<typeof leastTotal> }) {
  const { bench, rows } = planner;
  const targets = rows.filter((row) => row.target !== null && row.fitness !== null);
  const met = targets.filter((row) => row.fitness?.grade === "met").length;
  const isAllHeld = rows.length > 0 && rows.every((row) => row.mode === "share" || row.mode === "error");
  return (
    <>
      {least === null ? null : (
        <p className="soft small" style={{ margin: 0 }}>
          Targets met: {met} of {targets.length}. Smallest ε for your targets:{" "}
          <strong>{formatNumber(Math.min(...Object.values(least.totals).filter((each) => each !== null)), 4)}</strong>
          {least.missedBy > 1
            ? `; with this budget, shared in proportion to the targets, every error is ${formatNumber(least.missedBy, 3)} times its target.`
            : "; there is enough, if rows without a target make room."}
        </p>
      )}
      {isAllHeld ? (
        <p className="soft small" style={{ margin: 0 }}>
          Every row is held: what is left of ε {formatRoom(bench.draft.epsilon)} stays unspent.
        </p>
      ) : null}
    </>
  );
}
