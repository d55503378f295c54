import { statSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { PrivacyError } from "@dosimeter/core";
import type { Log } from "../telemetry/log.ts";
import { openThread } from "../threads/thread.ts";
import { within } from "../threads/within.ts";
import type { ShipAnswer, ShipAsked } from "./ship.worker.ts";
import type { ShipTo } from "./shipper.ts";

/** Ships what the ledger database commits to a second place, and says when what was committed may be shown. [M428] */
export interface Ship {
  /** After each commit; the store's next transaction waits for what it returns. */
  readonly committed: (fold: () => void) => Promise<void> | undefined;
  /** Begins; resolves when the first copy is there, or could not be written in time. */
  start(): Promise<void>;
  /** Waits until all that was committed by now is in the second place. False where that fails and too long has passed. */
  mayShow(): Promise<boolean>;
  /** NOT_READY where `mayShow` says no, or what the place lacks is not `told`. */
  shown(told: () => Promise<boolean>): Promise<void>;
  /** NOT_READY when the place has been away for too long: nothing may be charged then. */
  refuseStopped(): void;
  /** Waits until charges are taken again. */
  taken(signal: AbortSignal): Promise<void>;
  /** Ships an upload before anyone knows its id. NOT_READY as `shown`. */
  upload(): Promise<void>;
  /** Deletes an upload in the place. NOT_READY where it cannot. */
  erase(id: string): Promise<void>;
  /** Seconds since the oldest commit that is not there. */
  lag(): number;
  /** Ships what is left; called before the database closes. */
  end(): Promise<void>;
  /** Ends the process; called when the database is closed. */
  close(): Promise<void>;
}

export interface ShipOptions extends ShipTo {
  /** How long the server goes on when the place does not take anything. */
  readonly graceSeconds: number;
  readonly log: Log;
}

/** 16 MB, as the store folds its log without shipping. */
const LOG_BYTES = 16 * 2 ** 20;
/** Commits between two folds of the log while nothing is shipped. */
const FOLD_AFTER = 4096;
/** A place that takes longer is away. */
const SLOW_MS = 5000;
const MAX_PAUSE_MS = 15_000;
const END_MS = 20_000;
/** A process that waits for a disk that hangs may not end. */
const CLOSE_MS = 5000;
/** What hangs for so long is ended: a segment, a first copy, which is as long as the file. */
const HUNG_MS = 30_000;
const HUNG_COPY_MS = 600_000;
/** A megabyte a second. */
const SLOW_BYTES_PER_MS = 1000;
const UPLOAD_MS = 300_000;
/** How often a generation is looked at whose age may end it, when nothing is committed. */
const LOOK_MS = 3_600_000;
const SLOW = { problem: "SLOW" } as const satisfies ShipAnswer;

// long: one queue, and what follows from how far it is
export function openShip({ graceSeconds, log, ...to }: ShipOptions): Ship {
  const child = openThread<ShipAsked, ShipAnswer>("ship.worker", import.meta.url, { most: 10_000, isProcess: true });
  const [slow, grace] = [Math.min(SLOW_MS, 1000 * graceSeconds || SLOW_MS), 1000 * graceSeconds];
  let [committed, shipped, folds, logBytes, foldedAt] = [0, 0, 0, 0, 0];
  /** Bytes of the log that has grown enough to be folded; a reader may keep it from starting again after that. */
  let foldBytes = LOG_BYTES;
  /** When the oldest commit that is not in the place was made; null where all are. */
  let since: number | null = null;
  let [isLive, isCopying, isTaken, isClosed, isStuck] = [false, false, false, false, false];
  let failures = 0;
  let isSlow = false;
  let pumping: Promise<void> | null = null;
  let progress = Promise.withResolvers<void>();
  const closing = new AbortController();

  const ask = async (what: ShipAsked["what"]): Promise<ShipAnswer> =>
    child.ask({ to, what }).catch(() => ({ problem: "ENDED" }));
  /** The process that hangs is killed; another one is asked when it is gone. */
  const hung = (): ShipAnswer => {
    isStuck = true;
    void child.close().finally(() => {
      isStuck = false;
    });
    return SLOW;
  };
  const moved = () => {
    progress.resolve();
    progress = Promise.withResolvers();
  };
  const isFailing = (): boolean => failures > 0 || (since !== null && performance.now() - since > slow);
  const isStopped = (): boolean => isTaken || (isFailing() && since !== null && performance.now() - since >= grace);

  async function shipNow(): Promise<void> {
    const [target, began] = [committed, performance.now()];
    isCopying = !isLive;
    const {
      shipped: now,
      problem,
      isTaken: byAnother = false,
    }: ShipAnswer = isStuck ? SLOW : await within(isLive ? HUNG_MS : copyMs(to.ledger), ask({ ship: folds }), hung);
    isCopying = false;
    isLive = now !== undefined;
    if (now !== undefined) {
      if (failures > 0 || isSlow) log.error("SHIPPED_AGAIN");
      failures = 0;
      isSlow = false;
      logBytes = now.logBytes;
      if (logBytes < LOG_BYTES) foldBytes = LOG_BYTES;
      shipped = target;
      since = committed > target ? began : null;
    } else {
      if (failures === 0) log.error("NOT_SHIPPED", { cause: problem ?? "OTHER" });
      failures += 1;
      isTaken ||= byAnother;
    }
    moved();
  }

  const pause = (milliseconds: number): Promise<void> =>
    sleep(milliseconds, undefined, { signal: closing.signal, ref: false }).catch(() => undefined);

  async function pump(): Promise<void> {
    while (shipped < committed && !isTaken) {
      await shipNow();
      if (failures > 0 && isClosed) return;
      if (failures > 0) await pause(Math.min(MAX_PAUSE_MS, 250 * 2 ** failures));
    }
  }

  const wake = (): Promise<void> => {
    pumping ??= pump().finally(() => {
      pumping = null;
      if (shipped < committed && !isTaken && !isClosed) void wake();
    });
    return pumping;
  };

  /** Until the place has this commit, or is away. */
  async function until(commit: number): Promise<boolean> {
    while (shipped < commit && !isFailing()) {
      const over = new AbortController();
      const left = slow - (performance.now() - (since ?? performance.now()));
      await Promise.race([
        progress.promise,
        sleep(Math.max(1, left), undefined, { signal: over.signal, ref: false }).catch(() => undefined),
      ]);
      over.abort();
    }
    if (shipped < commit && failures === 0 && !isSlow) {
      isSlow = true;
      log.error("NOT_SHIPPED", { cause: SLOW.problem });
    }
    return shipped >= commit;
  }

  const look = (): void => {
    committed += 1;
    since ??= performance.now();
    void wake();
  };
  const looking = setInterval(look, LOOK_MS).unref();

  const folded = (fold: () => void): void => {
    try {
      fold();
    } catch {} // tried again later; the commit stands
  };

  const ship: Ship = {
    committed(fold) {
      committed += 1;
      since ??= performance.now();
      if (pumping === null) setImmediate(() => void wake()); // commits of one turn are shipped together
      if (isCopying) return;
      if (!isLive) {
        if (committed - foldedAt < FOLD_AFTER) return;
        foldedAt = committed;
        return folded(fold) as undefined;
      }
      if (logBytes < foldBytes) return;
      return until(committed).then((isThere) => {
        if (!isThere || !isLive || isCopying) return;
        folded(fold);
        folds += 1;
        foldBytes = logBytes + LOG_BYTES;
      });
    },
    async start() {
      const first = progress.promise;
      look();
      await within(END_MS, first, () => undefined);
    },
    async mayShow() {
      return (await until(committed)) || (!isTaken && grace > 0);
    },
    async shown(told) {
      if (await until(committed)) return;
      if (isTaken || grace === 0 || !(await told())) throw stopped();
    },
    refuseStopped() {
      if (isStopped()) throw stopped();
    },
    async taken(signal) {
      while (isStopped()) {
        signal.throwIfAborted();
        await Promise.race([progress.promise, sleep(1000, undefined, { ref: false })]);
      }
    },
    async upload() {
      if (isTaken) throw stopped(); // what is there is another server's
      const { problem } = await within(UPLOAD_MS, ask({ files: true }), () => SLOW);
      if (problem !== undefined && (grace === 0 || isStopped())) throw stopped();
    },
    async erase(id) {
      if (isTaken) throw stopped();
      const { problem } = await within(END_MS, ask({ erase: id }), () => SLOW);
      if (problem !== undefined) throw stopped();
    },
    lag: () => (since === null ? 0 : (performance.now() - since) / 1000),
    async end() {
      isClosed = true;
      clearInterval(looking);
      closing.abort();
      await within(END_MS, wake(), () => undefined);
      if (shipped < committed) log.error("NOT_SHIPPED", { cause: SLOW.problem });
      else await within(CLOSE_MS, ask({ end: true }), () => undefined);
    },
    close: () => within(CLOSE_MS, child.close(), () => log.error("NOT_SHIPPED", { cause: SLOW.problem })),
  };
  return ship;
}

const copyMs = (ledger: string): number =>
  HUNG_COPY_MS + (statSync(ledger, { throwIfNoEntry: false })?.size ?? 0) / SLOW_BYTES_PER_MS;

const stopped = (): PrivacyError =>
  new PrivacyError(
    "NOT_READY",
    { name: "DOSIMETER_SHIP" },
    "the second place of the ledger does not take its changes, so nothing is charged or answered that could be forgotten; who runs the server reads why in its log",
  );
