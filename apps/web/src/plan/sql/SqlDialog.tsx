import { Button } from "@mantine/core";
import { useId, useMemo, useState } from "react";
import { formatCost } from "../../parts/Amount.tsx";
import { toClipboard } from "../../parts/browser.ts";
import { Dialog } from "../../parts/Dialog.tsx";
import type { Planner } from "../use-planner.ts";
import { faultOf } from "../workbench.ts";
import { draftOfSql, type SqlDraft, sqlOfDraft } from "./read-sql.ts";
import "./sql.css";

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
