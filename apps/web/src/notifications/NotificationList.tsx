import type { Notification } from "@dosimeter/client";
import { Link } from "@tanstack/react-router";
import { useChange } from "../api/change.ts";
import { Tag } from "../parts/Page.tsx";
import { momentText } from "../parts/time.ts";
import "./notifications.css";

/** The router takes path and search apart. */
function addressOf(path: string) {
  const { pathname, searchParams } = new URL(path, location.origin);
  return { to: pathname, search: Object.fromEntries(searchParams) as never };
}

/** Each notification links to its page and is marked as read when followed. */
export function NotificationList({ items }: { items: readonly Notification[] }) {
  const read = useChange((client, notification: string) => client.readNotifications({ notification }));
  return (
    <ul className="link-list">
      {items.map(({ id, title, text, path, createdAt, readAt }) => (
        <li key={id} data-unread={readAt === null ? true : undefined}>
          <div>
            <Link {...addressOf(path)} onClick={() => (readAt === null ? read.mutate(id) : undefined)}>
              {title}
            </Link>{" "}
            {readAt === null ? <Tag tone="good">new</Tag> : null}
            <p className="soft small">{text}</p>
          </div>
          <time className="soft small nowrap" dateTime={createdAt}>
            {momentText(createdAt)}
          </time>
        </li>
      ))}
    </ul>
  );
}
