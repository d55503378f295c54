import type { LedgerDatabase, Store } from "@dosimeter/ledger";
import { within } from "../threads/within.ts";
import { oneAtATime } from "./one-at-a-time.ts";

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
