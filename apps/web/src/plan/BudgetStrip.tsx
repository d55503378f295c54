import { budgetBar } from "@dosimeter/plot";
import type { PlanDraft } from "@dosimeter/query";
import { isMore, lessOf, sumOf } from "../charts.ts";
import { Figure } from "../parts/Figure.tsx";
import type { WorkRow } from "./workbench.ts";

const MOST_NAMED = 12;

/** The plan's ε, one segment for each row, with what is kept in reserve and what is left. */
export function BudgetStrip({ rows, draft }: { rows: readonly WorkRow[]; draft: PlanDraft }) {
  const paid = rows.filter((row) => row.quote !== null && row.rho === null && Number(row.epsilon) > 0);
  const spent = sumOf(paid.map((row) => row.epsilon));
  const kept = draft.headroom === null ? (Number(draft.epsilon) * Number(draft.reserve)).toFixed(12) : "0";
  // Accountants other than addition may let the shares sum to more than ε.
  const isBeyond = isMore(spent, draft.epsilon);
  const left = isBeyond ? "0" : lessOf(draft.epsilon, spent);
  const free = isMore(left, kept) ? lessOf(left, kept) : "0";
  const isOver = isMore(draft.over, "0");
  const named = paid.slice(0, MOST_NAMED);
  const rest = paid.slice(MOST_NAMED);
  return (
    <Figure
      isBare
      chart={(size) =>
        budgetBar(
          {
            title: "How the plan’s ε is shared out",
            total: isBeyond && !isOver ? short(spent) : draft.epsilon,
            unit: "ε",
            segments: [
              ...named.map((row, index) => ({
                label: row.quote?.label ?? "",
                amount: short(row.epsilon),
                kind: "row" as const,
                row: index,
              })),
              ...(rest.length === 0
                ? []
                : [
                    {
                      label: `${rest.length} more`,
                      amount: short(sumOf(rest.map((row) => row.epsilon))),
                      kind: "allocated" as const,
                    },
                  ]),
              ...(Number(kept) > 0 ? [{ label: "Reserve", amount: short(kept), kind: "spent" as const }] : []),
              { label: "Left", amount: short(free), kind: "free" as const },
            ],
            ...(isBeyond && isOver ? { over: short(lessOf(spent, draft.epsilon)) } : {}),
          },
          size,
        )
      }
    />
  );
}

/** Four digits: the exact decimals stand in the table below. */
const short = (decimal: string): string => String(Number(Number(decimal).toPrecision(4)));
