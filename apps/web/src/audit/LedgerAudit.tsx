import { useState } from "react";
import { useLedgerAudit } from "../api/audit.ts";
import { More } from "../parts/More.tsx";
import { Pending } from "../parts/Pending.tsx";
import { AuditTable } from "./AuditTable.tsx";

/** Every change and refusal on one ledger, loaded on request. */
export function LedgerAudit({ ledger }: { ledger: string }) {
  const [isOpen, setOpen] = useState(false);
  return (
    <details onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>Every change on this ledger and every refusal</summary>
      {isOpen ? <Lines ledger={ledger} /> : null}
    </details>
  );
}

function Lines({ ledger }: { ledger: string }) {
  const lines = useLedgerAudit(ledger);
  return (
    <Pending of={lines}>
      {({ pages }) => (
        <>
          <AuditTable items={pages.flatMap((page) => page.items)} />
          <More of={lines} />
        </>
      )}
    </Pending>
  );
}
