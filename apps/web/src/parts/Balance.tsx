import type { Balance } from "@dosimeter/client";
import { activeRuleRow } from "@dosimeter/core";
import { balanceBar } from "../charts.ts";
import { Amount } from "./Amount.tsx";
import { Figure } from "./Figure.tsx";

/** A budget as a gauge under the active rule, and δ. */
export function BalanceGauge({ title, balance, free }: { title: string; balance: Balance; free: string | null }) {
  const { counting } = activeRuleRow(balance.activeRule);
  return (
    <div>
      <Figure isBare chart={balanceBar(title, balance, free)} />
      <p className="small soft flush below-8">
        δ for selections: spent <Amount of={balance.delta.spent} /> of <Amount isRoom of={balance.delta.cap} />
        {` · ${counting}`}
      </p>
    </div>
  );
}

/** A small bar of a share in [0, 1]. */
export function Meter({ label, used }: { label: string; used: number }) {
  const percent = Math.round(used * 1000) / 10;
  return (
    <div className="meter" role="img" aria-label={`${label}: ${percent} %`}>
      <span className="meter-spent" style={{ width: `${percent}%` }} />
    </div>
  );
}

export const percentText = (share: number): string => `${Math.round(share * 1000) / 10} %`;
