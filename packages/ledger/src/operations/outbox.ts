// The public operations. `LedgerDatabase` passes the context, the first argument of each.
export { backlog, endDelivery, forgetMessages, putMail, takeDue } from "../outbox/delivery.ts";
export {
  markRead,
  notifications,
  preferences,
  setPreference,
  setWebhook,
  unread,
  webhook,
} from "../people/notification.ts";
