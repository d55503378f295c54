import { formatNumber } from "@dosimeter/plot";
import type { PlanDraft, WayOut } from "@dosimeter/query";
import { type ReactNode, useState } from "react";
import { formatCost, formatRoom } from "../parts/Amount.tsx";
import { Notice } from "../parts/Notice.tsx";
import { formatError } from "./grid/cells.ts";

/** An edit that does not fit, the needed and the available amount, and every way to make room with its result. */
export function WaysOut({
  draft,
  ways,
  nameOf,
  askMore,
  onTake,
  onForget,
}: {
  draft: PlanDraft;
  ways: readonly WayOut[];
  nameOf: (id: string) => string;
  /** A link that asks the owner for more, where there is one. */
  askMore?: ReactNode;
  onTake: (way: WayOut) => void;
  onForget: () => void;
}) {
  const { pending } = draft;
  const [looked, setLooked] = useState<WayOut | null>(null);
  if (pending === null) return null;
  const unit = pending.edit.kind === "rho" ? "ρ" : "ε";
  const best = pending.edit.kind === "accuracy" ? ways.find(({ kind }) => kind === "best") : undefined;
  const id = "id" in pending.edit ? pending.edit.id : null;
  return (
    <div className="ways-out">
      <Notice tone="danger" title={id === null ? "This does not fit" : `${nameOf(id)} does not fit`} isAlert>
        <p>
          Needs {unit} {formatCost(pending.needs)}, {formatRoom(pending.available)} available. The plan is as it was;
          what you typed is kept in its cell until you choose.
          {best?.error == null ? "" : ` An error of ${formatError(best.error)} or more fits.`}
        </p>
        <ul className="ways">
          {ways.map((way) => (
            <li key={`${way.kind}${way.id}`}>
              <button
                type="button"
                className="tool"
                onClick={() => onTake(way)}
                onFocus={() => setLooked(way)}
                onMouseEnter={() => setLooked(way)}
              >
                {wordsOf(way, nameOf)}
              </button>
            </li>
          ))}
          {askMore === undefined ? null : <li>{askMore}</li>}
          <li>
            <button type="button" className="tool" onClick={onForget}>
              Leave the plan as it is
            </button>
          </li>
        </ul>
        {looked === null || !ways.includes(looked) ? null : (
          <p className="small" aria-live="polite">
            Then: {looked.result.rows.map((row) => `${nameOf(row.id)} ${amountOf(row)}`).join(", ")}.
          </p>
        )}
      </Notice>
    </div>
  );
}

const amountOf = ({ epsilon, rho }: WayOut["result"]["rows"][number]): string =>
  rho === undefined ? `ε ${formatCost(epsilon)}` : `ρ ${formatCost(rho)}`;

function wordsOf({ kind, id, value, error }: WayOut, nameOf: (id: string) => string): string {
  const then = error === null ? "" : `: error ${formatError(error)}`;
  switch (kind) {
    case "best":
      return `The best this row can get, ε ${formatRoom(value ?? "0")}${then}`;
    case "release":
      return `Release the hold on ${nameOf(id ?? "")}${then}`;
    case "reserve":
      return `Keep only ${formatNumber(100 * Number(value), 3)} % in reserve${then}`;
    case "bounds":
      return `Upper bound ${formatNumber(Number(value), 6)}${then}; what lies above is clamped`;
    case "confidence":
      return `Confidence ${formatNumber(100 * Number(value), 4)} %${then}`;
    case "raise":
      return `ε ${formatCost(value ?? "0")} for this plan${then}`;
    case "drop":
      return `Drop ${nameOf(id ?? "")}`;
    default:
      return kind satisfies never;
  }
}
