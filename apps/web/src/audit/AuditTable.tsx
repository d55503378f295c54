import type { AuditLine } from "@dosimeter/client";
import { Link } from "@tanstack/react-router";
import { DataTable } from "../parts/DataTable.tsx";
import { momentText } from "../parts/time.ts";
import { saidIn } from "./ActivityList.tsx";
import { actionText } from "./action-text.ts";

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
