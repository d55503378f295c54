// biome-ignore-all lint/a11y/noNoninteractiveElementToInteractiveRole: an editable table is an ARIA grid
// biome-ignore-all lint/a11y/noRedundantRoles: shown as cards on a phone, a table loses the roles of its parts
// biome-ignore-all lint/a11y/useSemanticElements: the same

import { errorUnit } from "@dosimeter/query/answer";
import { type Declaration, unitNounOf } from "@dosimeter/query/declaration";
import { type ReactNode, Suspense, useId } from "react";
import { lazy } from "../../api/part.ts";
import { formatCost } from "../../parts/Amount.tsx";
import type { OwnedAnswer } from "../plan-bench.ts";
import { boundIn, type WorkRow } from "../workbench.ts";
import { formatError, type GridColumn } from "./cells.ts";
import type { CellState } from "./use-drafts.ts";

const ErrorInContext = lazy(async () => ({ default: (await import("../ErrorInContext.tsx")).ErrorInContext }));
/** One statistic of the plan: its cells, and below them errors, questions and, when opened, its settings. */
export function GridRow({
  row,
  index,
  columns,
  declaration,
  people,
  states,
  isSelected,
  settings,
  owned,
  onDetails,
  measure,
  children,
}: {
  row: WorkRow;
  index: number;
  columns: readonly GridColumn[];
  declaration: Declaration;
  people: number | null;
  /** What each column shows. */
  states: readonly CellState[];
  isSelected: boolean;
  settings: ReactNode;
  owned: OwnedAnswer | undefined;
  /** Opens what the page knows about the row, next to the table. */
  onDetails: () => void;
  measure: (row: HTMLElement | null) => void;
  /** The cells; `aria-describedby` of each names the element with its error, by this id. */
  children: (reasonId: (column: GridColumn) => string) => ReactNode;
}) {
  const name = useId();
  const reasonId = ({ key }: GridColumn): string => `${name}${key}`;
  return (
    <tbody ref={measure} data-index={index} data-row={index} data-selected={isSelected ? true : undefined}>
      <tr
        role="row"
        aria-label={`Statistic ${index + 1}: ${row.quote?.label ?? "unfinished"}`}
        aria-rowindex={index + 2}
      >
        {children(reasonId)}
      </tr>
      <tr role="row" className="plan-note">
        <td role="gridcell" colSpan={columns.length} tabIndex={-1}>
          <div className="plan-foot">
            {columns.map((column, position) => {
              const reason = states[position]?.reason;
              return reason === undefined ? null : (
                <p key={column.key} className="fault" id={reasonId(column)}>
                  {reason}
                </p>
              );
            })}
            {row.fault !== null && states.every(({ reason }) => reason === undefined) ? (
              <p className={row.settings.statistic ? "fault" : ""}>{row.fault.message}</p>
            ) : null}
            {row.quote === null ? null : (
              <>
                {/* What an earlier answer makes needless keeps its room: the quote that tells it arrives later. */}
                <div className="plan-words" data-owned={owned?.isUsed ? true : undefined}>
                  {owned === undefined ? null : (
                    <OwnedLine owned={owned} price={newText(row, errorUnit(row.settings, declaration))} />
                  )}
                  <span className="plan-new">
                    {row.quote.sentence}
                    {row.isWideTarget ? " An answer that just meets this target says nothing." : ""}
                  </span>
                </div>
                <span className="plan-foot-end" data-owned={owned?.isUsed ? true : undefined}>
                  <Suspense fallback={<span className="error-range-space" />}>
                    <ErrorInContext
                      quote={row.quote}
                      {...boundsOf(row, declaration)}
                      people={people}
                      units={unitNounOf(declaration).many}
                      target={row.target}
                    />
                  </Suspense>
                  {/* The cell of the fitness opens the same by keyboard. */}
                  <button type="button" className="tool" tabIndex={-1} onClick={onDetails}>
                    Details
                  </button>
                </span>
              </>
            )}
          </div>
          {settings}
        </td>
      </tr>
    </tbody>
  );
}

/** What a new answer costs, and how far off it would be. */
function newText({ rho, epsilon, quote }: WorkRow, unit: string | null): string {
  const error = quote?.accuracy.halfWidth ?? null;
  const price = rho === null ? `ε ${formatCost(epsilon)}` : `ρ ${formatCost(rho)}`;
  return error === null ? price : `${price}, ± ${formatError(error, unit)}`;
}

/** The earlier answer that serves this row for nothing, and the other choice. */
function OwnedLine({
  owned: { error, sentence, isUsed, isBetter, use },
  price,
}: {
  owned: OwnedAnswer;
  price: string;
}) {
  return (
    <p className="plan-owned" title={sentence}>
      You already have {error}
      {isUsed ? ": free, from an earlier answer." : isBetter ? ", which is better than this." : "."}{" "}
      <button type="button" className="tool" onClick={() => use(!isUsed)}>
        {isUsed ? `Draw a new one for ${price}` : "Use it for free"}
      </button>
    </p>
  );
}

function boundsOf({ settings }: WorkRow, declaration: Declaration) {
  const column = declaration.columns[settings.column ?? ""];
  const bound = (end: "lower" | "upper"): number | null => {
    const value = boundIn(settings[end], column, end);
    return Number.isFinite(value) ? value : null;
  };
  return { lower: bound("lower"), upper: bound("upper"), calendar: column?.calendar, unit: column?.unit };
}
