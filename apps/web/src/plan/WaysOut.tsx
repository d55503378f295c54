import { formatNumber } from "@dosimeter/plot";
import { type Declaration, errorAt, type PlanDraft, type PlanRow, type WayOut } from "@dosimeter/query";
import { Button } from "@mantine/core";
import type { ReactNode } from "react";
import { formatCost, formatRoom } from "../parts/Amount.tsx";
import { Notice } from "../parts/Notice.tsx";
import { formatError } from "./grid/cells.ts";

/** The most changes that a card lists. */
const MAX_CHANGES = 4;

/** An edit that does not fit, the needed and the available amount, and every way to make room as a card with before and after. */
export function WaysOut({
  draft,
  declaration,
  ways,
  nameOf,
  askMore,
  onTake,
  onForget,
}: {
  draft: PlanDraft;
  declaration: Declaration;
  ways: readonly WayOut[];
  nameOf: (id: string) => string;
  /** A link that asks the owner for more, where there is one. */
  askMore?: ReactNode;
  onTake: (way: WayOut) => void;
  onForget: () => void;
}) {
  const { pending } = draft;
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
            <li key={`${way.kind}${way.id}`} className="way">
              <Changes of={changesOf(way, draft, declaration, nameOf)} />
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

interface Change {
  readonly name: string;
  readonly before: string;
  readonly after: string;
}

function Changes({ of: changes }: { of: readonly Change[] }) {
  const more = changes.length - MAX_CHANGES;
  return (
    <div>
      <dl>
        {changes.slice(0, MAX_CHANGES).map(({ name, before, after }) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>
              {before} <span aria-hidden="true">→</span>
              <span className="visually-hidden">becomes</span> <strong>{after}</strong>
            </dd>
          </div>
        ))}
      </dl>
      {more > 0 ? <p className="soft small">and {more} more</p> : null}
    </div>
  );
}

const amountOf = ({ epsilon, rho }: PlanRow): string =>
  rho === undefined ? `ε ${formatCost(epsilon)}` : `ρ ${formatCost(rho)}`;

/** What a way would change: the plan's own numbers first, then rows, the edited one before the others. */
function changesOf(
  { id, result, kind }: WayOut,
  draft: PlanDraft,
  declaration: Declaration,
  nameOf: (id: string) => string,
): readonly Change[] {
  const edited = draft.pending !== null && "id" in draft.pending.edit ? draft.pending.edit.id : id;
  const text = (plan: PlanDraft, row: PlanRow | undefined): string => {
    if (row === undefined) return "not asked";
    const error = errorAt(row, plan, declaration);
    return `${amountOf(row)}${error === null ? "" : `, ± ${formatError(error)}`}`;
  };
  const rows = draft.rows
    .map((row) => ({
      id: row.id,
      name: nameOf(row.id),
      before: text(draft, row),
      after: text(
        result,
        result.rows.find((other) => other.id === row.id),
      ),
    }))
    .filter(({ before, after }) => before !== after)
    .sort((a, b) => Number(b.id === edited) - Number(a.id === edited));
  const percent = (part: number): string => `${formatNumber(100 * part, 4)} %`;
  const whole: readonly Change[] = [
    ...(kind === "raise"
      ? [{ name: "ε of the plan", before: formatCost(draft.epsilon), after: formatCost(result.epsilon) }]
      : []),
    ...(draft.reserve === result.reserve
      ? []
      : [{ name: "Reserve", before: percent(Number(draft.reserve)), after: percent(Number(result.reserve)) }]),
    ...(draft.confidence === result.confidence
      ? []
      : [{ name: "Confidence", before: percent(draft.confidence), after: percent(result.confidence) }]),
  ];
  return [...whole, ...rows];
}

function wordsOf({ kind, id, value }: WayOut, nameOf: (id: string) => string): string {
  switch (kind) {
    case "best":
      return `Take the most there is, ε ${formatRoom(value ?? "0")}`;
    case "release":
      return `Release the hold on ${nameOf(id ?? "")}`;
    case "reserve":
      return `Keep only ${formatNumber(100 * Number(value), 3)} % in reserve`;
    case "bounds":
      return `Clamp above ${formatNumber(Number(value), 6)}`;
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
