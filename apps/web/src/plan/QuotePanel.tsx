import type { Account, Plan, Quote } from "@dosimeter/client";
import { capital } from "@dosimeter/plot/report";
import { Button } from "@mantine/core";
import { Link } from "@tanstack/react-router";
import { gaugeOf, gaugeUnit, isMore, planBar } from "../charts.ts";
import { Amount } from "../parts/Amount.tsx";
import { DataTable } from "../parts/DataTable.tsx";
import { Figure } from "../parts/Figure.tsx";
import { Notice } from "../parts/Notice.tsx";
import { Card, Tag } from "../parts/Page.tsx";
import { Fault } from "../parts/Pending.tsx";
import { BarFact } from "./PlanBar.tsx";

/** Why the server refuses the plan, or could not be asked; and what paying it would switch permanently. */
export function QuoteAlerts({
  account,
  cost,
  quote,
  error,
  onFit,
  plan,
}: {
  account: Account;
  cost: string;
  quote: Quote | undefined;
  error: unknown;
  onFit: (epsilon: string) => void;
  plan: Plan | null;
}) {
  return (
    <div aria-live="polite" className="stack plan-alerts">
      {error ? <Fault error={error} /> : null}
      {quote?.refusal ? <Refused quote={quote} onFit={onFit} /> : null}
      {quote?.refusal && quote.refusal.code !== "PRICE_TOO_SMALL" && plan !== null ? (
        <p className="small" style={{ margin: 0 }}>
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

/** Numbers of the quote for the line above the table: what would be left, and whether the plan fits. */
export function QuoteFacts({
  cost,
  left,
  isLarge,
  quote,
  isFetching,
}: {
  /** What is paid, where it is not ε of the plan: rows that are owned already cost nothing. */
  cost: string | null;
  /** Exact ε afterwards; null where the account does not count it. */
  left: string | null;
  /** The plan takes more than half of what is left. */
  isLarge: boolean;
  quote: Quote | undefined;
  isFetching: boolean;
}) {
  return (
    <>
      {cost === null ? null : (
        <BarFact name="you pay">
          <Amount unit="ε" of={cost} />
        </BarFact>
      )}
      {left === null ? null : (
        <BarFact name="left after">
          <Amount unit="ε" isRoom of={left} />
        </BarFact>
      )}
      <span className="plan-bar-state">
        {isLarge ? (
          <span title="This plan takes more than half of what is left.">
            <Tag tone="warn">takes over half</Tag>
          </span>
        ) : null}
        {isFetching ? (
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

/** What the plan takes from the account, and what every holder on the way has before and after. */
export function QuotePanel({ account, cost, quote }: { account: Account; cost: string; quote: Quote | undefined }) {
  return (
    <Card title="Your budget" aside={<span className="soft small">{account.path.join(" › ")}</span>}>
      {gaugeUnit(account.balance) === "ε" ? <Figure isBare chart={planBar(account.balance, cost)} /> : null}
      {quote?.admitted ? (
        <DataTable
          caption="Left, before and after"
          rows={quote.path}
          keyOf={(node) => node.account ?? "ledger"}
          columns={[
            { name: "Account", isHead: true, cell: (node) => capital(node.name) },
            { name: "Before", isNumber: true, cell: (node) => <Left of={node.before} /> },
            {
              name: "After",
              isNumber: true,
              cell: (node) => (node.after === null ? "–" : <Left of={node.after} />),
            },
          ]}
        />
      ) : (
        <p className="soft small" style={{ margin: "8px 0 0" }}>
          Quoting is free and reads no data.
        </p>
      )}
    </Card>
  );
}

function Left({ of: balance }: { of: Quote["path"][number]["before"] }) {
  return <Amount unit={gaugeUnit(balance)} isRoom of={gaugeOf(balance).left} />;
}

const dimensionWords = {
  epsilon: "ε",
  delta: "δ",
  residue: "μ²",
  query: "ε for one release",
  unpriced: "a kind of noise that the active rule cannot price",
} as const;

/** Why the plan does not fit, and the largest ε or δ that would. */
function Refused({ quote, onFit }: { quote: Quote; onFit: (epsilon: string) => void }) {
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
      <p className="small" style={{ marginTop: 8 }}>
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
          "Nothing fits any more. Ask the admin who gave you this quota for more."
        )}
      </p>
      <p>
        <span className="code">{refusal.code}</span>
      </p>
      {canFit ? (
        <Button size="xs" mt="sm" variant="default" onClick={() => onFit(refusal.largestEpsilon)}>
          Make it fit
        </Button>
      ) : null}
    </Notice>
  );
}

const leastOf = (amounts: readonly (string | null)[]): string | null =>
  amounts.reduce((least, each) => (least === null || (each !== null && isMore(least, each)) ? each : least), null);
