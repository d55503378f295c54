import { leftBelow, needsReason } from "@dosimeter/planner";
import { formatCost, formatRoom } from "../parts/Amount.tsx";
import { TextField } from "../parts/fields.tsx";
import { FitWay } from "./FitWay.tsx";
import type { Planner } from "./use-planner.ts";

/** What a person must say or mend before the plan can be released: the reason of a high price, and an excess. */
export function PlanReason({ planner }: { planner: Planner }) {
  const { edit } = planner;
  const { draft, declaration } = planner.bench;
  // A reason is of no use for what cannot be paid.
  const left = leftBelow(draft);
  const reason = left === null ? needsReason(draft, declaration) : null;
  return (
    <>
      {reason === null ? null : (
        <TextField
          label={reason === "epsilon" ? "Why is more than ε = 1 worth it?" : "Why is a δ above one over n² worth it?"}
          description="Kept in the plan; it cannot be released without."
          value={draft.reason}
          onChange={(typed) => edit("reason", { kind: "reason", reason: typed })}
        />
      )}
      {left === null ? null : (
        <div>
          <p className="fault" role="alert">
            ε of this plan is {formatCost(draft.epsilon)}, and you have {formatRoom(left)} left: it cannot be released.
          </p>
          {Number(left) > 0 ? <FitWay epsilon={left} planner={planner} /> : null}
        </div>
      )}
      {draft.policy === "strict" && Number(draft.over) > 0 ? (
        <p className="fault" role="alert">
          Over by ε {formatCost(draft.over)}. Nothing is released until it fits.{" "}
          <button
            type="button"
            className="tool"
            onClick={() => edit("made to fit", { kind: "policy", policy: "rebalance" })}
          >
            Make it fit
          </button>
        </p>
      ) : null}
    </>
  );
}
