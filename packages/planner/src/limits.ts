import { activeRuleRow, deltaAmount, type EpsilonAmount, epsilonAmount } from "@dosimeter/core";
import { functioningLoss } from "@dosimeter/core/accounting";
import {
  accountantNames,
  accountants,
  additionBudget,
  type Budget,
  bothBudgets,
  type Limit,
  ledgerBudget,
} from "./budget.ts";
import { type PlanDraft, parseUnits } from "./draft.ts";
import { UNITS } from "./shares.ts";

type Limits = Pick<PlanDraft, "epsilon" | "delta" | "accountant" | "headroom" | "sample" | "reserve">;

/** The (ε, δ) that the rows may spend: the plan's amounts, amplified by a secret sample, less the reserve. [M48] */
export function limitOf({ epsilon, delta, sample, reserve, headroom }: Limits): Limit {
  const given = { epsilon: parseUnits(epsilon), delta: deltaAmount(delta, "down") };
  const [total, slack] =
    sample === null || headroom !== null ? [given.epsilon, given.delta] : functioning(given, sample);
  const kept = UNITS - parseUnits(reserve, "reserve");
  // With an account, the reserve is a part of the account's amounts, not of this plan's.
  if (headroom !== null) return { epsilon: total as EpsilonAmount, delta: slack };
  return { epsilon: ((total * kept) / UNITS) as EpsilonAmount, delta: ((slack * kept) / UNITS) as typeof slack };
}

function functioning(
  { epsilon, delta }: { readonly epsilon: bigint; readonly delta: ReturnType<typeof deltaAmount> },
  sample: { readonly size: number; readonly population: number },
): readonly [bigint, typeof delta] {
  const loss = functioningLoss({ epsilon: Number(epsilon) / 1e12, delta: Number(delta) / 1e18 }, sample);
  return [epsilonAmount(loss.epsilon, "down"), deltaAmount(loss.delta, "down")];
}

/** The accountants that may decide: with an account the ledger's own rule, else the chosen one, or all. */
export function budgetsOf(draft: Limits): readonly Budget[] {
  const limit = limitOf(draft);
  if (draft.headroom !== null) {
    const ledger = ledgerBudget(draft.headroom, parseUnits(draft.reserve, "reserve"));
    // Where the rule counts ε, the plan's own ε is a second limit.
    return [
      activeRuleRow(draft.headroom.activeRule).counts === "epsilon"
        ? whereLaplace(additionBudget(limit), ledger)
        : ledger,
    ];
  }
  const names = draft.accountant === "auto" ? accountantNames : [draft.accountant];
  return names.map((name) => accountants[name].budget(limit));
}

/** ε limits the Laplace rows; the ledger's rule decides on the Gaussian rows. */
function whereLaplace(addition: Budget, ledger: Budget): Budget {
  const laplace: Budget = {
    name: "addition",
    margin: (shares) => addition.margin(shares.filter(({ noise }) => noise === "laplace")),
  };
  return bothBudgets(laplace, ledger);
}
