import type { Account } from "@dosimeter/client";
import { burnDownChart, moreText } from "@dosimeter/plot";
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
      {account.more === null ? null : (
        <p className="flush">
          <strong>{moreText(account.more)}</strong>, by the active rule.
        </p>
      )}
      <Pending of={report} lines={3}>
        {({ unit, left, charges }) => (
          <>
            {charges === 0 ? (
              <p className="flush">Nothing has been spent from it yet.</p>
            ) : (
              <Figure chart={(size) => burnDownChart({ unit, left }, { ...size, height: 220 })} />
            )}
          </>
        )}
      </Pending>
    </div>
  );
}
