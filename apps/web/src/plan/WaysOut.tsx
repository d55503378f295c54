import { availableFor, type PlanDraft, type WayOut } from "@dosimeter/planner";
import { formatNumber } from "@dosimeter/plot";
import type { Declaration } from "@dosimeter/query/declaration";
import { Button } from "@mantine/core";
import { type ReactNode, useEffect } from "react";
import { formatCost, formatRoom } from "../parts/Amount.tsx";
import { Notice } from "../parts/Notice.tsx";
import { Changes } from "./Changes.tsx";
import { formatError } from "./grid/cells.ts";
import type { OwnedAnswer } from "./plan-bench.ts";

/** An edit that does not fit, the needed and the available amount, and every way to make room as a card with before and after. */
export function WaysOut({
  draft,
  declaration,
  ways,
  nameOf,
  ownedOf,
  askMore,
  onTake,
  onForget,
}: {
  draft: PlanDraft;
  declaration: Declaration;
  ways: readonly WayOut[];
  nameOf: (id: string) => string;
  ownedOf: (id: string) => OwnedAnswer | undefined;
  /** A link that asks the owner for more, where there is one. */
  askMore?: ReactNode;
  onTake: (way: WayOut) => void;
  onForget: () => void;
}) {
  const { pending } = draft;
  // The cell with what was typed, and why it is refused, stay above the sheet that covers the lower half.
  useEffect(() => {
    if (pending === null) return;
    const cell = document.activeElement?.closest("[role=gridcell]");
    for (const part of [cell?.closest("tbody")?.querySelector(".fault"), cell])
      part?.scrollIntoView({ block: "nearest" });
  }, [pending]);
  if (pending === null) return null;
  const unit = pending.edit.kind === "rho" ? "ρ" : "ε";
  const best = pending.edit.kind === "accuracy" ? ways.find(({ kind }) => kind === "best") : undefined;
  const id = "id" in pending.edit ? pending.edit.id : null;
  return (
    <div className="ways-out">
      <Notice tone="danger" title={id === null ? "This does not fit" : `${nameOf(id)} does not fit`} isAlert>
        <p>
          Needs {unit} {formatCost(pending.needs)}, {formatRoom(availableFor(draft, ways))} available. The plan is as it
          was; what you typed is kept in its cell until you choose.
          {best?.error == null ? "" : ` An error of ${formatError(best.error)} or more fits.`}
        </p>
        <ul className="ways">
          {ways.map((way) => (
            <li key={`${way.kind}${way.id}`} className="way" data-other-question={way.isOtherQuestion || undefined}>
              {way.isOtherQuestion ? <p className="way-kind">Changes the question</p> : null}
              <Changes
                draft={draft}
                result={way.result}
                edited={id ?? way.id}
                declaration={declaration}
                nameOf={nameOf}
                ownedOf={ownedOf}
              />
              <Button size="xs" variant="default" onClick={() => onTake(way)}>
                {wordsOf(way, nameOf)}
              </Button>
            </li>
          ))}
        </ul>
        <div className="page-actions">
          {askMore}
          <button type="button" className="tool" onClick={onForget}>
            Leave the plan as it is
          </button>
        </div>
      </Notice>
    </div>
  );
}

function wordsOf({ kind, id, value }: WayOut, nameOf: (id: string) => string): string {
  switch (kind) {
    case "best":
      return `Take the most there is, ε ${formatCost(value ?? "0")}`;
    case "release":
      return `Release the hold on ${nameOf(id ?? "")}`;
    case "reserve":
      return `Keep only ${formatNumber(100 * Number(value), 3)} % in reserve`;
    case "bestBounds":
      return `Bounds of ${value}: the least error in all`;
    case "bounds":
      return `Cap values at ${formatNumber(Number(value), 6)}`;
    case "confidence":
      return `Confidence ${formatNumber(100 * Number(value), 4)} %`;
    case "raise":
      return `ε ${formatCost(value ?? "0")} for this plan`;
    case "drop":
      return `Drop ${nameOf(id ?? "")}`;
    default:
      return kind satisfies never;
  }
}
