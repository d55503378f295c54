import { invalid } from "@dosimeter/core";
import { type NotificationKind, notificationKinds } from "@dosimeter/ledger";
import type { Caller } from "../access/credentials.ts";
import { sealedFor } from "../access/sealing.ts";
import type { HandlersOf } from "../http/call.ts";
import type { Deps } from "../http/deps.ts";
import { PAGE_SIZE } from "../http/page.ts";
import { whyNoWebhook } from "../outbox/webhook.ts";
import { wordsOf } from "../outbox/words.ts";

export const notifications = {
  async listNotifications({ deps, caller, input }) {
    const { outbox } = deps.database;
    const principal = caller.principal.id;
    const { items, next } = await outbox.notifications({
      principal,
      after: input.cursor,
      limit: input.limit ?? PAGE_SIZE,
    });
    return {
      items: items.map((one) => ({ ...one, ...wordsOf(one.kind, one.facts, principal) })),
      next,
      unread: await outbox.unread(principal),
    };
  },
  async readNotifications({ deps, caller, input }) {
    const notification = input.notification ?? null;
    await deps.database.outbox.markRead({ principal: caller.principal.id, notification });
    return undefined;
  },
  async notificationSettings({ deps, caller }) {
    return settingsOf(caller, deps);
  },
  async setNotification({ deps, caller, input }) {
    await deps.database.outbox.setPreference({ ...input, principal: caller.principal.id });
    return settingsOf(caller, deps);
  },
  async setWebhook({ deps, caller, input }) {
    const { url } = input;
    const want = url === null ? null : whyNoWebhook(url, { allowInside: deps.webhooksInside });
    if (want !== null) invalid("body.url", url, want);
    const { id: principal } = caller.principal;
    const seal = (secret: string) => deps.sealer.seal(secret, sealedFor.webhook(principal));
    const set = await deps.database.outbox.setWebhook({ principal, url, seal });
    return { url, secret: set?.secret ?? null };
  },
} satisfies HandlersOf<"notifications">;

async function settingsOf({ principal }: Caller, { database, sendsMail }: Deps) {
  const said = await database.outbox.preferences(principal.id);
  const kinds = Object.entries(notificationKinds) as [NotificationKind, string][];
  return {
    kinds: kinds.map(([kind, means]) => ({ kind, means, ...said[kind] })),
    mail: sendsMail && principal.email !== null,
    webhook: (await database.outbox.webhook(principal.id))?.url ?? null,
  };
}
