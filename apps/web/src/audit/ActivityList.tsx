import { type AuditLine, roleWords } from "@dosimeter/client";
import { Link } from "@tanstack/react-router";
import { formatCost } from "../parts/Amount.tsx";
import { momentText } from "../parts/time.ts";
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
export function saidIn(detail: unknown): readonly string[] {
  if (typeof detail !== "object" || detail === null) return [];
  const { role, epsilon } = detail as Readonly<Record<string, unknown>>;
  return [
    ...(typeof role === "string" && role in roleWords ? [roleWords[role as keyof typeof roleWords]] : []),
    ...(typeof epsilon === "string" ? [`ε ${formatCost(epsilon)}`] : []),
  ];
}
