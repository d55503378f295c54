import { editPlan } from "@dosimeter/planner";
import { Button } from "@mantine/core";
import { formatRoom } from "../parts/Amount.tsx";
import { Changes } from "./Changes.tsx";
import type { Planner } from "./use-planner.ts";

/** The plan at the most that fits, as a card with before and after. */
export function FitWay({ epsilon, planner }: { epsilon: string; planner: Planner }) {
  const { draft, declaration } = planner.bench;
  const edit = { kind: "total", epsilon } as const;
  const result = editPlan(draft, edit, declaration);
  return (
    <ul className="ways">
      <li className="way">
        {/* Where held rows take more, the edit waits and has cards of its own. */}
        {result.pending === null ? (
          <Changes
            draft={draft}
            result={result}
            edited={null}
            declaration={declaration}
            nameOf={planner.nameOf}
            ownedOf={() => undefined}
          />
        ) : null}
        <Button size="xs" variant="default" onClick={() => planner.edit("ε for this plan", edit)}>
          Take the most there is, ε {formatRoom(epsilon)}
        </Button>
      </li>
    </ul>
  );
}
