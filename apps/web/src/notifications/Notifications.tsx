import { Button } from "@mantine/core";
import { Link } from "@tanstack/react-router";
import { useChange } from "../api/change.ts";
import { useNotifications } from "../api/notifications.ts";
import { More } from "../parts/More.tsx";
import { Card, Page } from "../parts/Page.tsx";
import { Empty, Fault, Pending } from "../parts/Pending.tsx";
import { NotificationList } from "./NotificationList.tsx";

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
