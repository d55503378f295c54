import type { Account } from "@dosimeter/client";
import { burnDownChart, formatNumber } from "@dosimeter/plot";
import { useReport } from "../../api/ledgers.ts";
import { BalanceGauge } from "../../parts/Balance.tsx";
import { Figure } from "../../parts/Figure.tsx";
import { Pending } from "../../parts/Pending.tsx";

/** The reader's own account: what is left, its past, and for how many more of the last questions it has room. */
export function BurnDown({ account }: { account: Account }) {
  const report = useReport({ account: account.id });
  return (
    <div className="stack">
      <BalanceGauge
        title={`Budget of ${account.path.join(" › ")}`}
        balance={account.balance}
        free={account.free.epsilon}
      />
      <Pending of={report} lines={3}>
        {({ more, unit, left, charges }) => (
          <>
            <p style={{ margin: 0 }}>
              {more === null ? (
                "Nothing has been spent from it yet."
              ) : (
                <>
                  Room for{" "}
                  <strong>
                    {more.isAtLeast ? "at least" : "about"} {formatNumber(more.count)} more
                  </strong>{" "}
                  {more.like === 1 ? "query like your last one" : `queries like your last ${more.like}`}, by the active
                  rule.
                </>
              )}
            </p>
            {charges === 0 ? null : (
              <Figure chart={(size) => burnDownChart({ unit, left }, { ...size, height: 220 })} />
            )}
          </>
        )}
      </Pending>
    </div>
  );
}
