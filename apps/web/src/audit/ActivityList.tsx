import type { Activity } from "@dosimeter/client";
import { momentText } from "../parts/time.ts";
import { actionText } from "./action-text.ts";
import "../notifications/notifications.css";

export function ActivityList({ items }: { items: readonly Activity[] }) {
  return (
    <ul className="told">
      {items.map(({ sequence, at, actorName, action, subjectName, detail }) => (
        <li key={sequence}>
          <div>
            <strong>{actorName}</strong> {actionText(action)}
            {subjectName === null ? null : <> {subjectName}</>}
            {amountOf(detail)}
          </div>
          <time className="soft small nowrap" dateTime={at}>
            {momentText(at)}
          </time>
        </li>
      ))}
    </ul>
  );
}

function amountOf(detail: unknown): string {
  const epsilon = typeof detail === "object" && detail !== null && "epsilon" in detail ? detail.epsilon : undefined;
  return typeof epsilon === "string" ? `: ε ${epsilon}` : "";
}
