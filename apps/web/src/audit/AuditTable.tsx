import { type AuditLine, roleWords } from "@dosimeter/client";
import { Link } from "@tanstack/react-router";
import { useState } from "react";
import { useLedgerAudit } from "../api/service.ts";
import { formatCost } from "../parts/Amount.tsx";
import { More } from "../parts/buttons.tsx";
import { DataTable } from "../parts/DataTable.tsx";
import { Pending } from "../parts/Pending.tsx";
import { momentText } from "../parts/words.ts";
import { actionText } from "./action-text.ts";
import "../notifications/notifications.css";

export function ActivityList({ items }: { items: readonly AuditLine[] }) {
  return (
    <ul className="link-list">
      {items.map(({ sequence, at, actorName, action, subjectName, page, detail }) => (
        <li key={sequence}>
          <div>
            <strong>{actorName}</strong> {actionText(action)}
            {subjectName === null || subjectName === actorName ? null : (
              <span className="soft">
                {" · "}
                {page === null ? subjectName : <Link to={page}>{subjectName}</Link>}
              </span>
            )}
            {saidIn(detail).map((said) => (
              <span key={said} className="soft">
                {" · "}
                {said}
              </span>
            ))}
          </div>
          <time className="soft small nowrap" dateTime={at}>
            {momentText(at)}
          </time>
        </li>
      ))}
    </ul>
  );
}

/** The role and the amount that a line names. */
function saidIn(detail: unknown): readonly string[] {
  if (typeof detail !== "object" || detail === null) return [];
  const { role, epsilon } = detail as Readonly<Record<string, unknown>>;
  return [
    ...(typeof role === "string" && role in roleWords ? [roleWords[role as keyof typeof roleWords]] : []),
    ...(typeof epsilon === "string" ? [`ε ${formatCost(epsilon)}`] : []),
  ];
}

/** Lines of the audit as they were chained, newest first. */
export function AuditTable({ items }: { items: readonly AuditLine[] }) {
  return (
    <DataTable
      caption="Audit lines, newest first"
      isCaptionHidden
      isStacking
      rows={items}
      keyOf={({ sequence }) => String(sequence)}
      columns={[
        { name: "Line", isHead: true, isNumber: true, cell: ({ sequence }) => sequence },
        { name: "When", cell: ({ at }) => <span className="nowrap">{momentText(at)}</span> },
        { name: "Who", cell: ({ actorName }) => actorName },
        { name: "What", cell: ({ action, detail }) => [actionText(action), ...saidIn(detail)].join(" · ") },
        { name: "On", cell: Subject },
        { name: "Hash", cell: ({ hash }) => <span className="code">{hash.slice(0, 12)}</span> },
      ]}
    />
  );
}

const Subject = ({ subject, subjectName, page }: AuditLine) => (
  <span>
    {subjectName === null ? null : (
      <>
        {page === null ? subjectName : <Link to={page}>{subjectName}</Link>}
        <br />
      </>
    )}
    <span className="code unbroken soft">{subject}</span>
  </span>
);

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
