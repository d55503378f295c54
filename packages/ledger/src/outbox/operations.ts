// The public operations of this folder. `LedgerDatabase` passes the context, the first argument of each.
export { backlog, endDelivery, putMail, takeDue } from "./delivery.ts";
export { markRead, notifications, preferences, setPreference, setWebhook, unread, webhook } from "./notification.ts";
