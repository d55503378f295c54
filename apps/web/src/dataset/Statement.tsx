import type { Ledger } from "@dosimeter/client";
import { useReport } from "../api/ledgers.ts";
import { Pending } from "../parts/Pending.tsx";
import { Publication } from "./Publication.tsx";

/** The ledger's promise, and one sentence on what has been spent, each with its certificate. */
export function Statement({ ledger }: { ledger: Ledger }) {
  const report = useReport({ ledger: ledger.id });
  return (
    <section className="card guarantee" aria-label="The guarantee">
      <div className="card-head">
        <h2>What is promised, and what was spent</h2>
        <span className="soft small">version {ledger.guarantee.version}</span>
      </div>
      <blockquote>{ledger.guarantee.sentence}</blockquote>
      <Pending of={report} lines={2}>
        {({ statement }) => (
          <>
            <p style={{ margin: "14px 0 0" }}>{statement.sentence}</p>
            <details className="small" style={{ marginTop: 10 }}>
              <summary>Certificate</summary>
              <dl className="facts" style={{ marginTop: 10 }}>
                <div>
                  <dt>Promised: {statement.promised.claim}</dt>
                  <dd>{statement.promised.certificate}</dd>
                </div>
                <div>
                  <dt>Spent: {statement.spent.claim}</dt>
                  <dd>{statement.spent.certificate}</dd>
                </div>
              </dl>
              <p className="soft">M13 and M51 are claims with their proofs in docs/math.md.</p>
            </details>
          </>
        )}
      </Pending>
      <Publication ledger={ledger} />
    </section>
  );
}
