import type { Dataset } from "@dosimeter/client";
import { useEntries, useLedger } from "../../api/ledgers.ts";
import { LedgerAudit } from "../../audit/AuditTable.tsx";
import { CheckLedger } from "../../audit/CheckLedger.tsx";
import { Programs } from "../../outside/Programs.tsx";
import { Card } from "../../parts/Page.tsx";
import { Pending, Together } from "../../parts/Pending.tsx";
import { Entries } from "../Entries.tsx";
import { Reports } from "../reports/Reports.tsx";

/** Every line of the ledger, their totals by every accountant, and the means to check both. */
export function LedgerTab({ dataset }: { dataset: Dataset }) {
  const { id = "" } = dataset.ledger ?? {};
  const ledger = useLedger(id, id !== "");
  return (
    <Together of={[ledger, useEntries(id)]}>
      <Pending of={ledger}>
        {(open) => (
          <div className="stack">
            <Card title="Ledger">
              <div className="stack">
                <Entries ledger={id} mayAudit={open.mine.mayAudit} />
                {open.mine.mayAudit ? <LedgerAudit ledger={id} /> : null}
              </div>
            </Card>
            <Programs ledger={open} dataset={dataset} />
            {open.mine.mayAudit ? <CheckLedger ledger={id} /> : null}
            <Card title="Totals by accountant">
              <Reports ledger={open} />
            </Card>
          </div>
        )}
      </Pending>
    </Together>
  );
}
