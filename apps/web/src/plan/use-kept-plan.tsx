import type { Account, Dataset, Draft } from "@dosimeter/client";
import { isRecord } from "@dosimeter/core/internal";
import { Button } from "@mantine/core";
import { type ReactNode, useState } from "react";
import { type CopyOf, copyOf, dropCopy } from "../api/copies.ts";
import { useMe } from "../api/session.ts";
import { beginUnfinished, unfinishedPlan, useUnfinishedPlan } from "../api/unfinished.ts";
import { download } from "../parts/browser.ts";
import { KeptState, NotKept } from "../parts/Kept.tsx";
import { Notice } from "../parts/Notice.tsx";
import { useKept } from "../parts/use-kept.ts";
import { keptPlan, restoredPlan } from "./kept-plan.ts";
import type { Planner } from "./use-planner.ts";
import type { Workbench } from "./workbench.ts";

/** The plan that I typed on a dataset before: at the server, or in this browser where that is newer. */
export interface BegunPlan {
  readonly copy: CopyOf;
  readonly there: Draft | null;
  /** null: there is none, or it was cleared. */
  readonly form: unknown;
}

export function useBegunPlan(dataset: string) {
  const person = useMe().data?.person.id ?? "";
  const query = useUnfinishedPlan(dataset);
  const copy = { person, of: `plan ${dataset}` };
  return {
    ...query,
    /** Read once, when the planner opens. */
    begun: (there: Draft | null): BegunPlan => {
      const kept = copyOf(copy);
      return { copy, there, form: kept === null ? (there?.form ?? null) : kept.form };
    },
    drop: () => dropCopy(copy),
  };
}

/** The empty plan, or the one that was typed before. */
export const opensWith =
  ({ form }: BegunPlan) =>
  (opened: Workbench): Workbench =>
    form === null ? opened : (restoredPlan(form, opened) ?? opened);

/** Keeps the plan of the page while it is typed; gives what says so, and what there is to decide. */
export function useKeptPlan({
  planner,
  dataset,
  account,
  begun,
  fresh,
  isSaved,
  onReload,
}: {
  planner: Planner;
  dataset: Dataset;
  account: Account;
  begun: BegunPlan;
  /** Rows that are to be answered again, though an earlier answer would do. */
  fresh: readonly string[];
  /** It is a draft with a name, as that was saved. */
  isSaved: boolean;
  onReload: () => void;
}): { readonly tool: ReactNode; readonly notice: ReactNode; readonly end: () => Promise<void> } {
  const { rows } = planner;
  const typed = isSaved ? null : keptPlan(planner.typed, fresh);
  const [isUnreadable] = useState(() => begun.form !== null && typed === null);
  const isLost = isUnreadable && typed === null && !isSaved;
  const form = isLost && isRecord(begun.form) ? begun.form : typed;
  const [first, ...others] = rows.flatMap(({ quote }) => (quote === null ? [] : [quote.label]));
  const more = others.length === 0 ? "" : ` and ${others.length} more`;
  const name = `Plan on ${dataset.name}: ${first ?? "not complete"}`.slice(0, 180) + more;
  const keeping = useKept(form, {
    copy: begun.copy,
    name,
    there: begun.there,
    begin: {
      make: () => beginUnfinished({ dataset: dataset.id, account: account.id, name, form: { ...form } }),
      find: () => unfinishedPlan(dataset.id),
    },
  });
  return {
    tool:
      typed === null ? null : (
        <>
          <span className="soft small plan-kept">
            <KeptState state={keeping.state} />
          </span>
          <button type="button" className="tool" onClick={planner.clear}>
            Start over
          </button>
        </>
      ),
    notice: (
      <>
        <NotKept keeping={keeping} onReload={onReload} />
        {isLost ? (
          <Notice tone="warn" title="The plan that you typed here cannot be opened any more">
            <p>The table, or this page, has changed since. It stays until you begin another plan.</p>
            <Button
              size="xs"
              variant="default"
              onClick={() => download("typed-plan.json", "application/json", JSON.stringify(begun.form, null, 2))}
            >
              Download it
            </Button>
          </Notice>
        ) : null}
      </>
    ),
    end: keeping.end,
  };
}
