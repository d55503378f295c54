import { epsilonAmount, formatEpsilon } from "@dosimeter/core";
import { unlessRefused } from "@dosimeter/core/internal";
import { blocksOfDraft, openPlan, type PlanDraft, planOf } from "@dosimeter/planner";
import { boundPlan } from "@dosimeter/query/bind";
import type { Declaration } from "@dosimeter/query/declaration";
import type { Plan } from "@dosimeter/query/statistics";
import { planOfSql, readSqlAbout, sqlOfPlan } from "@dosimeter/sql-text";
import { Button } from "@mantine/core";
import { useId, useMemo, useState } from "react";
import { formatCost } from "../../parts/Amount.tsx";
import { toClipboard } from "../../parts/browser.ts";
import { Dialog } from "../../parts/Dialog.tsx";
import type { Planner } from "../use-planner.ts";
import { faultOf } from "../workbench.ts";
import "./sql.css";

export interface SqlDraft {
  readonly draft: PlanDraft;
  readonly count: number;
  /** What its aggregates cost together; null where the text states no ε, and the plan's budget is split instead. */
  readonly epsilon: string | null;
  /** What people must know of what was made of the text. */
  readonly notes: readonly string[];
}

const SHOWN = "HAVING, ORDER BY and LIMIT are of a printed table; this plan keeps every group.";

/** The table as SQL; a first query for an empty one, and for one that SQL cannot say. */
export function sqlOfDraft(draft: PlanDraft, declaration: Declaration): string {
  const first = `SELECT\n  COUNT(*)\nFROM ${JSON.stringify(declaration.name)}`;
  return unlessRefused(() => sqlOfPlan(planOf(draft), declaration) || first, first, "UNSUPPORTED_QUERY");
}

/** Throws a refusal with line and column; the draft's other settings stay. */
export function draftOfSql(text: string, draft: PlanDraft, declaration: Declaration): SqlDraft {
  // A plan must not lose what SQL cannot say of the other table.
  if (draft.join !== undefined) sqlOfPlan(planOf(draft), declaration);
  const { plan, tables, notes, atItsPlace } = planOfSql(readSqlAbout(text, declaration.name), declaration);
  try {
    const { window = draft.window } = plan;
    const blocks = blocksOfDraft(window === undefined ? {} : { window }, declaration);
    boundPlan({ ...plan, ...blocks, statistics: plan.statistics.map(priced) }, declaration);
  } catch (error) {
    return atItsPlace(error);
  }
  const epsilon = totalOf(plan.statistics);
  const budget = epsilon === null ? {} : { epsilon, reserve: "0" };
  const isShort = tables.some(
    ({ having, orderBy, limit, offset }) => having !== null || orderBy.length > 0 || limit !== null || offset > 0,
  );
  return {
    draft: openPlan(plan, { ...draft, ...budget }, declaration),
    count: plan.statistics.length,
    epsilon,
    notes: isShort ? [...notes, SHOWN] : notes,
  };
}

type Row = Plan["statistics"][number];

/** A row without a price is checked at any: it gets its own from the budget. */
const priced = (row: Row): Row => (row.epsilon === undefined && row.rho === undefined ? { ...row, epsilon: 1 } : row);

function totalOf(rows: readonly Row[]): string | null {
  if (rows.some(({ epsilon }) => epsilon === undefined)) return null;
  const units = rows.reduce((sum, { epsilon = 0 }) => sum + epsilonAmount(epsilon, "up"), 0n);
  return formatEpsilon(units);
}

type Read = { readonly is: SqlDraft } | { readonly fault: string };

/** Checked while it is typed; the table changes only on the button, and Undo brings it back. */
export function SqlDialog({ planner, onClose }: { planner: Planner; onClose: () => void }) {
  const { draft, declaration } = planner.bench;
  const [text, setText] = useState(() => sqlOfDraft(draft, declaration));
  const [isCopied, setCopied] = useState(false);
  const says = useId();
  const read = useMemo((): Read => {
    try {
      return { is: draftOfSql(text, draft, declaration) };
    } catch (error) {
      return { fault: faultOf(error).message };
    }
  }, [text, draft, declaration]);
  const change = (typed: string): void => {
    setText(typed);
    setCopied(false);
  };
  return (
    <Dialog onClose={onClose} title="This plan as SQL" size="xl">
      <div className="stack">
        <textarea
          className="copy-text sql-text"
          rows={14}
          aria-label="SQL"
          aria-describedby={says}
          aria-invalid={"fault" in read}
          spellCheck={false}
          autoCapitalize="off"
          value={text}
          onChange={(event) => change(event.currentTarget.value)}
        />
        <p id={says} role="status" className={"fault" in read ? "fault sql-says" : "soft sql-says"}>
          {"fault" in read ? read.fault : isCopied ? "Copied." : wordsOf(read.is, draft.epsilon)}
        </p>
        <div className="page-actions to-end">
          <Button variant="default" onClick={() => void toClipboard(text).then(setCopied)}>
            Copy
          </Button>
          <Button
            disabled={"fault" in read}
            onClick={() => {
              if ("fault" in read) return;
              if (planner.replace("SQL read", read.is.draft) === undefined) onClose();
            }}
          >
            Use this SQL
          </Button>
        </div>
      </div>
    </Dialog>
  );
}

const wordsOf = ({ count, epsilon, notes }: SqlDraft, budget: string): string => {
  const rows = count === 1 ? "One statistic" : `${count} statistics`;
  const price =
    epsilon === null
      ? `${rows}. The query states no ε: the plan's ${formatCost(budget)} is split between them.`
      : `${rows}, ε ${formatCost(epsilon)} in all.`;
  return [price, ...notes].join(" ");
};
