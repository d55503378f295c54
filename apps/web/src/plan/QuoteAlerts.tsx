import type { Account, Plan, Quote } from "@dosimeter/client";
import { editPlan, leftBelow } from "@dosimeter/planner";
import { capital } from "@dosimeter/plot/report";
import { Button } from "@mantine/core";
import { Link } from "@tanstack/react-router";
import { Amount, formatRoom } from "../parts/Amount.tsx";
import { ErrorCode, Notice } from "../parts/Notice.tsx";
import { Fault } from "../parts/Pending.tsx";
import { isMore } from "../sums.ts";
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

/** Why the server refuses the plan, or could not be asked; and what paying it would switch permanently. */
export function QuoteAlerts({
  account,
  cost,
  quote,
  error,
  planner,
  plan,
}: {
  account: Account;
  cost: string;
  quote: Quote | undefined;
  error: unknown;
  planner: Planner;
  plan: Plan | null;
}) {
  return (
    <div className="stack">
      {error ? <Fault error={error} /> : null}
      {quote?.refusal ? <Refused quote={quote} planner={planner} /> : null}
      {quote?.refusal && quote.refusal.code !== "PRICE_TOO_SMALL" && plan !== null ? (
        <p className="small flush">
          <Link to="/requests/new" search={{ account: account.id, epsilon: cost }} state={{ plan }}>
            Ask for more
          </Link>
        </p>
      ) : null}
      {quote?.switches ? (
        <Notice tone="warn" title="This switches the ledger">
          <p>Paying this switches the ledger to the tight rule permanently.</p>
        </Notice>
      ) : null}
    </div>
  );
}

const dimensionWords = {
  epsilon: "ε",
  delta: "δ",
  mu2: "μ²",
  query: "ε for one release",
  unpriced: "a kind of noise that the active rule cannot price",
} as const;

/** Why the plan does not fit, and the largest ε or δ that would. */
function Refused({ quote, planner }: { quote: Quote; planner: Planner }) {
  const { refusal } = quote;
  if (refusal === null) return null;
  const isTooSmall = refusal.code === "PRICE_TOO_SMALL";
  const lacksDelta = refusal.reasons.filter(({ dimension }) => dimension === "delta");
  const isDeltaAlone = lacksDelta.length === refusal.reasons.length;
  const canFit = !isTooSmall && !isDeltaAlone && isMore(refusal.largestEpsilon, "0");
  return (
    <Notice tone="danger" title="This does not fit">
      <ul className="small">
        {refusal.reasons.map((reason) => (
          <li key={`${reason.account}${reason.dimension}`}>
            {reason.dimension === "unpriced" ? (
              `${capital(reason.name)}: ${dimensionWords.unpriced}.`
            ) : reason.dimension === "least" ? (
              <>
                One release takes at least <Amount isRoom of={reason.available} /> of {reason.name}; this one would take{" "}
                <Amount of={reason.requested} />.
              </>
            ) : (
              <>
                {capital(reason.name)} has {dimensionWords[reason.dimension]} <Amount isRoom of={reason.available} />{" "}
                left; the plan needs <Amount of={reason.requested} />.
              </>
            )}
          </li>
        ))}
      </ul>
      {refusal.blocks === undefined ? null : (
        <p className="small below-8">
          {refusal.blocks.first} is the first block without room.{" "}
          {refusal.blocks.fits.length === 0
            ? null
            : `The widest window of these with room is ${refusal.blocks.fits.join(", ")}.`}
        </p>
      )}
      <p className="small below-8">
        {lacksDelta.length === 0 ? null : (
          <>
            The largest δ that fits is <Amount isRoom of={leastOf(lacksDelta.map(({ available }) => available))} />.{" "}
          </>
        )}
        {canFit ? (
          <>
            The largest ε that fits is <Amount isRoom of={refusal.largestEpsilon} />.
          </>
        ) : isTooSmall ? (
          "Ask for more accuracy, or for several statistics together."
        ) : isDeltaAlone ? (
          "A smaller ε does not help: ask for a smaller δ, or for statistics without one."
        ) : (
          "Nothing fits any more. Ask the admin who gave you this budget for more."
        )}
      </p>
      <ErrorCode code={refusal.code} />
      {/* Above what is left, the plan has this card already. */}
      {canFit && leftBelow(planner.bench.draft) === null ? (
        <FitWay epsilon={refusal.largestEpsilon} planner={planner} />
      ) : null}
    </Notice>
  );
}

const leastOf = (amounts: readonly (string | null)[]): string | null =>
  amounts.reduce((least, each) => (least === null || (each !== null && isMore(least, each)) ? each : least), null);
