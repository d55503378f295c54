import type { Dataset } from "@dosimeter/client";
import type { Exposure } from "../parts/calculus.ts";
import type { PlanRisk } from "./Risk.tsx";
import type { WorkRow } from "./workbench.ts";

/** The risk of the rows that are paid for, and with what the ledger released before. */
export function riskOf(
  ledger: Dataset["ledger"],
  paid: readonly Pick<WorkRow, "rho" | "quote">[],
  epsilon: string,
): PlanRisk {
  const sum = (of: (row: (typeof paid)[number]) => string | null | undefined): number =>
    paid.reduce((total, row) => total + Number(of(row) ?? 0), 0);
  const plan: Exposure = {
    epsilon: Number(epsilon),
    mu2: 2 * sum(({ rho }) => rho),
    delta: sum(({ quote }) => quote?.cost.delta),
  };
  return {
    plan,
    whole: ledger === null ? null : afterAll(ledger.balance, plan),
    promised: ledger === null ? null : Number(ledger.epsilon),
  };
}

/** Where earlier answers have no sum in ε, all that the lifetime allows: by either rule they stay below it. */
function afterAll({ epsilon, mu2, delta }: NonNullable<Dataset["ledger"]>["balance"], plan: Exposure): Exposure {
  return epsilon.spent === null
    ? { epsilon: 0, mu2: Number(mu2.cap), delta: Number(delta.cap) }
    : {
        epsilon: Number(epsilon.spent) + plan.epsilon,
        mu2: plan.mu2,
        delta: Number(delta.spent ?? delta.cap) + plan.delta,
      };
}
