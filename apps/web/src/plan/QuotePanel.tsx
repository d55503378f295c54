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

/** The server's quote: what the plan costs and what is left. Reads no data, changes nothing. */
export function QuotePanel({
  account,
  cost,
  quote,
  error,
  isFetching,
  onFit,
  plan,
}: {
  account: Account;
  cost: string;
  quote: Quote | undefined;
  error: unknown;
  isFetching: boolean;
  onFit: (epsilon: string) => void;
  plan?: Plan;
}) {
  return (
    <>
      <Card title="Your budget" aside={<span className="soft small">{account.path.join(" › ")}</span>}>
        {gaugeUnit(account.balance) === "ε" ? <Figure isBare chart={planBar(account.balance, cost)} /> : null}
        <dl className="facts" style={{ marginTop: 10 }}>
          <div>
            <dt>This plan</dt>
            <dd className="big-number">
              <Amount unit="ε" of={cost} />
            </dd>
          </div>
        </dl>
      </Card>
      <Card
        title="Quote"
        aside={isFetching ? <Tag>asking…</Tag> : quote?.admitted ? <Tag tone="good">fits</Tag> : null}
      >
        <div aria-live="polite" className="stack" style={{ gap: 14 }}>
          {error ? <Fault error={error} /> : null}
          {quote === undefined && !error ? (
            <p className="soft small" style={{ margin: 0 }}>
              Add a statistic: its cost and what would be left appear here. Quoting is free and reads no data.
            </p>
          ) : null}
          {quote?.refusal ? <Refused quote={quote} onFit={onFit} /> : null}
          {quote?.refusal && quote.refusal.code !== "PRICE_TOO_SMALL" && plan !== undefined ? (
            <p className="small" style={{ margin: 0 }}>
              <Link to="/requests/new" search={{ account: account.id, epsilon: cost }} state={{ plan }}>
                Ask for more
              </Link>
            </p>
          ) : null}
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
          ) : null}
          {quote?.switches ? (
            <Notice tone="warn" title="This switches the ledger">
              <p>Paying this switches the ledger to the tight rule permanently.</p>
            </Notice>
          ) : null}
        </div>
      </Card>
    </>
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

/** Why the plan does not fit, and the largest ε that would. */
function Refused({ quote, onFit }: { quote: Quote; onFit: (epsilon: string) => void }) {
  const { refusal } = quote;
  if (refusal === null) return null;
  const isTooSmall = refusal.code === "PRICE_TOO_SMALL";
  const canFit = !isTooSmall && isMore(refusal.largestEpsilon, "0");
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
        {canFit ? (
          <>
            The largest ε that fits is <Amount isRoom of={refusal.largestEpsilon} />.
          </>
        ) : isTooSmall ? (
          "Ask for more accuracy, or for several statistics together."
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
