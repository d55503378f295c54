import { PAGE, type RouteTable } from "../route.ts";

export const notificationsRoutes = {
  listNotifications: {
    method: "GET",
    path: "/v1/notifications",
    who: "signedIn",
    scope: "read",
    query: PAGE,
    status: 200,
    summary: "My notifications, newest first, and how many are unread",
  },
  readNotifications: {
    method: "POST",
    path: "/v1/notifications/read",
    who: "signedIn",
    scope: "read",
    status: 204,
    summary: "Mark one as read, or all of them",
  },
  notificationSettings: {
    method: "GET",
    path: "/v1/notifications/settings",
    who: "signedIn",
    scope: "read",
    status: 200,
    summary: "Which notifications I get, and where",
  },
  setNotification: {
    method: "POST",
    path: "/v1/notifications/settings",
    who: "signedIn",
    scope: "admin",
    status: 200,
    summary: "Switch one kind on or off, on the page, by mail and by webhook",
  },
  setWebhook: {
    method: "POST",
    path: "/v1/notifications/webhook",
    who: "signedIn",
    scope: "admin",
    status: 200,
    summary: "Where my notifications are posted, signed; null stops it",
  },
} as const satisfies RouteTable;
