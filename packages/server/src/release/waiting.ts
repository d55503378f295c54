import type { Charge, LedgerDatabase } from "@dosimeter/ledger";
import type { ReleaseQueue } from "./queue.ts";

/** How long a caller waits for a release. */
export interface Waiting {
  readonly seconds: number;
  readonly signal: AbortSignal;
}

/** The charge once it is done or failed, the time is up, or the caller has left. */
export async function finished(
  charge: Charge,
  { seconds, signal }: Waiting,
  { database, queue }: { readonly database: LedgerDatabase; readonly queue: ReleaseQueue },
): Promise<Charge> {
  const deadline = performance.now() + seconds * 1000;
  for (;;) {
    const over = new AbortController();
    const left = (deadline - performance.now()) / 1000;
    // Listen before looking: a change between the two must not be missed.
    const change = queue.changed(charge.id, {
      seconds: Math.max(0, left),
      signal: AbortSignal.any([signal, over.signal]),
    });
    const now = await database.releases.chargeOf(charge.id);
    const { stage, failed } = queue.progress(now);
    const waits = stage !== "done" && !failed && left > 0 && !signal.aborted && !queue.closing();
    if (!waits) over.abort();
    await change;
    if (!waits) return now;
  }
}
