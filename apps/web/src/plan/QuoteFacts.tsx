import type { Quote } from "@dosimeter/client";
import { Amount } from "../parts/Amount.tsx";
import { Tag } from "../parts/Page.tsx";
import { BarFact } from "./PlanBar.tsx";

/** Numbers of the quote for the line above the table: what would be left, and whether the plan fits. */
export function QuoteFacts({
  cost,
  left,
  digits,
  isLarge,
  quote,
  isFetching,
  blocked,
}: {
  /** What is paid, where it is not ε of the plan: rows that are owned already cost nothing. */
  cost: string | null;
  /** Exact ε afterwards; null where the account does not count it. */
  left: string | null;
  /** As many as tell the price. */
  digits: number | undefined;
  /** The plan takes more than half of what is left. */
  isLarge: boolean;
  quote: Quote | undefined;
  isFetching: boolean;
  /** Why the plan as it is shown cannot be released, whatever the quote says; null where nothing is in the way. */
  blocked: string | null;
}) {
  return (
    <>
      {cost === null ? null : (
        <BarFact name="this plan costs">
          <Amount unit="ε" of={cost} />
        </BarFact>
      )}
      {left === null ? null : (
        <BarFact name="left after">
          <Amount unit="ε" isRoom of={left} digits={digits} />
        </BarFact>
      )}
      <span className="plan-bar-state">
        {isLarge && blocked === null ? (
          <span title="This plan takes more than half of what is left.">
            <Tag tone="warn">takes over half</Tag>
          </span>
        ) : null}
        {blocked !== null ? (
          <Tag tone="warn">{blocked}</Tag>
        ) : isFetching ? (
          <Tag>asking…</Tag>
        ) : quote?.admitted ? (
          <Tag tone="good">fits</Tag>
        ) : quote?.refusal ? (
          <Tag tone="warn">does not fit</Tag>
        ) : null}
      </span>
    </>
  );
}
