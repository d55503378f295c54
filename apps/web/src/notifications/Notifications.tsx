import type { Notification } from "@dosimeter/client";
import { Button } from "@mantine/core";
import { Link } from "@tanstack/react-router";
import { useChange } from "../api/connection.ts";
import { useNotifications } from "../api/service.ts";
import { addressOf } from "../parts/browser.ts";
import { More } from "../parts/buttons.tsx";
import { Card, Page, Tag } from "../parts/Page.tsx";
import { Empty, Fault, Pending } from "../parts/Pending.tsx";
import { momentText } from "../parts/words.ts";
import "./notifications.css";

/** My notifications, newest first. */
export function Notifications() {
  const notifications = useNotifications();
  const unread = notifications.data?.pages[0]?.unread ?? 0;
  const readAll = useChange((client) => client.readNotifications({}));
  return (
    <Page
      title="Notifications"
      lead={
        <>
          What happened that concerns you. <Link to="/settings">Notification settings</Link>
        </>
      }
      actions={
        unread > 0 ? (
          <Button variant="default" loading={readAll.isPending} onClick={() => readAll.mutate(undefined)}>
            Mark all as read
          </Button>
        ) : null
      }
    >
      <Card>
        <Fault error={readAll.error} />
        <Pending of={notifications}>
          {({ pages }) => {
            const items = pages.flatMap((page) => page.items);
            return items.length === 0 ? (
              <Empty title="Nothing has happened yet">
                Requests, decisions, budgets and thresholds at 50, 80 and 95 % arrive here.
              </Empty>
            ) : (
              <>
                <NotificationList items={items} />
                <More of={notifications} />
              </>
            );
          }}
        </Pending>
      </Card>
    </Page>
  );
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
