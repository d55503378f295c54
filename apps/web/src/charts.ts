import type { Balance, Ledger } from "@dosimeter/client";
import { activeRuleRow } from "@dosimeter/core";
import type { BudgetBarSpec, BudgetSegment, GaugeDialSpec } from "@dosimeter/plot";
import { isMore, lessOf } from "./sums.ts";

export const gaugeUnit = ({ activeRule }: Balance): "ε" | "μ²" => activeRuleRow(activeRule).unit;

export const activeRuleText = (rule: Balance["activeRule"]): string => activeRuleRow(rule).words;

/** Cap, spent and left of what the active rule counts. */
export const gaugeOf = (balance: Balance) =>
  activeRuleRow(balance.activeRule).counts === "mu2" ? balance.mu2 : balance.epsilon;

/** Spent, promised and free under the active rule; `free` is the quota's ε that was not given to an account below. */
export function dialOf(
  title: string,
  balance: Balance,
  {
    free,
    more = null,
    outside,
  }: {
    readonly free: string | null;
    readonly more?: GaugeDialSpec["more"];
    readonly outside?: Ledger["outside"] | undefined;
  },
): GaugeDialSpec {
  const { cap: total, spent: known } = gaugeOf(balance);
  const spent = known ?? total;
  const left = lessOf(total, spent);
  const isSplit = gaugeUnit(balance) === "ε" && free !== null && isMore(left, free);
  const open = isSplit ? free : left;
  const declared = outside?.[gaugeUnit(balance) === "ε" ? "epsilon" : "mu2"] ?? "0";
  return { title, unit: gaugeUnit(balance), total, spent, declared, promised: lessOf(left, open), free: open, more };
}

/** Spent, promised and free under the active rule; `free` is the quota's ε that was not given to an account below. */
export function balanceBar(title: string, balance: Balance, free: string | null): BudgetBarSpec {
  const gauge = gaugeOf(balance);
  const spent = gauge.spent ?? gauge.cap;
  const left = lessOf(gauge.cap, spent);
  const isSplit = gaugeUnit(balance) === "ε" && free !== null && isMore(left, free);
  const segments: readonly BudgetSegment[] = [
    { label: "Spent", amount: spent, kind: "spent" },
    ...(isSplit && free !== null
      ? [
          { label: "Promised", amount: lessOf(left, free), kind: "pending" } as const,
          { label: "Free", amount: free, kind: "free" } as const,
        ]
      : [{ label: "Free", amount: left, kind: "free" } as const]),
  ];
  return { title, total: gauge.cap, unit: gaugeUnit(balance), segments };
}

/** What a plan would take from an account under addition: before, this plan, after. */
export function planBar(balance: Balance, cost: string): BudgetBarSpec {
  const { cap } = balance.epsilon;
  const spent = balance.epsilon.spent ?? cap;
  const left = lessOf(cap, spent);
  const over = lessOf(cost, left);
  const segments: readonly BudgetSegment[] = [
    { label: "Spent before", amount: spent, kind: "spent" },
    { label: "This plan", amount: cost, kind: "pending" },
    { label: "Left after", amount: lessOf(left, cost), kind: "free" },
  ];
  return { title: "This plan in your budget", total: cap, unit: "ε", segments, over };
}
