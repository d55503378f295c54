import type { Dataset, Ledger } from "@dosimeter/client";
import { IconRosetteDiscountCheck } from "@tabler/icons-react";
import { Link } from "@tanstack/react-router";
import { useState } from "react";
import { useReport } from "../../api/ledgers.ts";
import { Vouched } from "../../outside/Vouched.tsx";
import { Pending } from "../../parts/Pending.tsx";
import { PlainPromise } from "../PlainPromise.tsx";
import { protectionText } from "../words.ts";

/** The guarantee in one sentence under its seal; the exact statement, what was spent and who vouches for it on request. */
export function Certificate({ ledger, dataset }: { ledger: Ledger; dataset: Dataset }) {
  const [isOpen, setOpen] = useState(false);
  const { guarantee, privacyUnit, blocks, head } = ledger;
  return (
    <section className="certificate" aria-label="The guarantee">
      <IconRosetteDiscountCheck size={44} stroke={1.2} aria-hidden className="certificate-seal" />
      <div>
        <PlainPromise privacyUnit={privacyUnit} blocks={blocks} epsilon={guarantee.epsilon} delta={guarantee.delta} />
        {guarantee.fitted === null ? null : <p>{guarantee.fitted}</p>}
        <p className="soft small">
          It {protectionText(ledger)}. Version {guarantee.version}, sealed by line {head.number} of the ledger,{" "}
          <span className="code">{head.hash.slice(0, 10)}…</span>
        </p>
        <div className="certificate-more">
          <details onToggle={(event) => setOpen(event.currentTarget.open)}>
            <summary>Exact statement</summary>
            {isOpen ? <Exact ledger={ledger} /> : null}
          </details>
          <Link to="/datasets/$dataset" params={{ dataset: dataset.id }} search={{ tab: "ledger" }}>
            Verify
          </Link>
          {ledger.isPublic ? (
            <Link to="/public/$population" params={{ population: ledger.population }}>
              Public page
            </Link>
          ) : null}
        </div>
      </div>
    </section>
  );
}

function Exact({ ledger }: { ledger: Ledger }) {
  const report = useReport({ ledger: ledger.id });
  return (
    <>
      <p className="certificate-exact">{ledger.guarantee.sentence}</p>
      <Vouched outside={ledger.outside} />
      <Pending of={report} lines={4}>
        {({ statement }) => (
          <>
            <p>{statement.sentence}</p>
            <dl className="facts">
              <div>
                <dt>Promised: {statement.promised.claim}</dt>
                <dd>{statement.promised.certificate}</dd>
              </div>
              <div>
                <dt>Spent: {statement.spent.claim}</dt>
                <dd>{statement.spent.certificate}</dd>
              </div>
            </dl>
            <p className="soft">
              M13 and M51 are claims with their proofs in <a href="docs/math.html">the mathematics, claim by claim</a>.
            </p>
          </>
        )}
      </Pending>
    </>
  );
}
