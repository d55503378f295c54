import type { LedgerDatabase, Store } from "@dosimeter/ledger";
import { oneAtATime } from "./one-at-a-time.ts";

/** The first of the answer and, after `milliseconds`, of `late`: a hung disk or host has no time-out of its own. */
export function within<T>(milliseconds: number, answer: Promise<T>, late: () => T): Promise<T> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, milliseconds);
  return Promise.race([answer, promise.then(late)]).finally(() => clearTimeout(timer));
}

/** How long an answer is waited for. */
const TIMEOUT_MS = 2000;
/** Until a write is tried again, after one that was taken and after one that was refused. */
const TAKEN_MS = 10_000;
const REFUSED_MS = 1000;

/**
 * Whether the database answers a read, and did not refuse the last write that was tried: its disk may be full, or only a read-only copy answers. One
 * read and one write at a time, however many ask, since probes have no rate. A write that waits for others is not refused.
 */
export function openReadiness(
  { store, shared }: { readonly store: Pick<Store, "read"> } & Pick<LedgerDatabase, "shared">,
  now = () => performance.now(),
): () => Promise<boolean> {
  let isRefused = false;
  let nextAt = 0;
  const write = oneAtATime(() =>
    shared.take({ id: "readiness", burst: 1e6, perMinute: 60_000 }).then(
      () => settled(false),
      () => settled(true),
    ),
  );
  const read = oneAtATime(() =>
    store.read
      .selectFrom("migration")
      .select("version")
      .limit(1)
      .execute()
      .then(
        () => true,
        () => false,
      ),
  );

  function settled(refused: boolean): void {
    isRefused = refused;
    nextAt = now() + (refused ? REFUSED_MS : TAKEN_MS);
  }

  return async () => {
    const written = now() >= nextAt ? within(TIMEOUT_MS, write(), () => undefined) : undefined;
    if (!(await within(TIMEOUT_MS, read(), () => false))) return false;
    await written;
    return !isRefused;
  };
}
