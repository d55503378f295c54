// The public operations of this room. Each function takes the context first; `LedgerDatabase` binds it.
export { endDelivery, nextDue, putMail, takeDue } from "./delivery.ts";
export { markRead, notifications, preferences, setPreference, setWebhook, unread, webhook } from "./notification.ts";
