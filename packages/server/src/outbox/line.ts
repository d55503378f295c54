import type { Delivery, LedgerDatabase } from "@dosimeter/ledger";

/** The deliveries of one channel: several at once, and to each address one after another. */
interface Line {
  /** Sends what is due; resolves when nothing more is. */
  readonly flush: () => Promise<void>;
  /** Resolves when nothing is being sent. */
  readonly settled: () => Promise<void>;
}

interface LineOptions {
  readonly database: Pick<LedgerDatabase, "outbox">;
  readonly send: (delivery: Delivery) => Promise<void>;
  readonly isClosed: () => boolean;
}

/** The most addresses of a channel to which something is being sent. */
const AT_ONCE = 20;

export function openLine(channel: Delivery["channel"], { database, send, isClosed }: LineOptions): Line {
  const sending = new Map<string, Promise<void>>();
  let again = Promise.withResolvers<void>();
  let isWanted = false;
  let running: Promise<void> | null = null;

  async function sendDue(): Promise<void> {
    while (isWanted || sending.size > 0) {
      isWanted = false;
      again = Promise.withResolvers<void>();
      const limit = AT_ONCE - sending.size;
      const except = [...sending.keys()];
      const due = isClosed() || limit === 0 ? [] : await database.outbox.takeDue({ channel, limit, except });
      for (const delivery of due) {
        const address = delivery.address ?? "";
        const sent = send(delivery).finally(() => sending.delete(address));
        sending.set(address, sent);
      }
      if (sending.size === 0) continue;
      await Promise.race([...sending.values(), again.promise]);
      isWanted = true;
    }
    running = null;
  }

  return {
    flush() {
      isWanted = true;
      again.resolve();
      running ??= sendDue().catch((error: unknown) => {
        running = null;
        throw error;
      });
      return running;
    },
    async settled() {
      await Promise.allSettled([...sending.values(), running]);
    },
  };
}
