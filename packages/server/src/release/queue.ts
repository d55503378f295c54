import { PrivacyError } from "@dosimeter/core";
import type { Charge, ChargeId } from "@dosimeter/ledger";
import { errorFields, type Log } from "../instance/log.ts";
import { unanswered } from "../reuse/pending.ts";
import { LEASE_SECONDS, type ReleaseDeps } from "./deps.ts";
import { settledAfter } from "./duration-class.ts";
import { finishCharge } from "./release.ts";
import { originsOf } from "./request.ts";

/** What anyone may know about a charge that is being worked on. */
export interface Progress {
  readonly stage: "queued" | "measuring" | "done";
  /** The engine failed `TRIES` times; the same key, or a restart, runs it again at no cost. */
  readonly failed: boolean;
}

/** Works off charges in the background, a few at a time, and tells their public stages. */
export interface ReleaseQueue {
  /** RATE_LIMITED when too many wait already: asked before anything is charged. */
  admit(): void;
  /** Takes a durable charge for work; one that is finished or at hand is left alone. */
  submit(charge: Charge): Promise<void>;
  progress(charge: Charge): Progress;
  /** Resolves when the stage may have changed, when the time is up, or when the signal aborts. */
  changed(charge: ChargeId, options: { readonly seconds: number; readonly signal: AbortSignal }): Promise<void>;
  /** Takes up what an earlier process left charged and unreleased; answers how many. */
  recover(): Promise<number>;
  /** How many wait and how many run, here. */
  load(): { readonly queued: number; readonly measuring: number };
  /** The server stops: nobody should go on waiting. */
  closing(): boolean;
  /** Finishes what is being measured; what waits in the queue is taken up by the next start. */
  close(): Promise<void>;
}

/** Public constants: how often a failing measurement is run, how many run at once, how many may wait. */
export const TRIES = 3;
export const AT_ONCE = 2;
export const MAX_WAITING = 1000;
const RECOVER_EVERY_MS = 10_000;
const LOOK_AGAIN_SECONDS = 0.5;

interface Job {
  charge: Charge;
  stage: "queued" | "measuring";
}

export function openReleaseQueue(deps: ReleaseDeps, log: Log): ReleaseQueue {
  const { books, owner } = deps;
  const lease = { owner, seconds: LEASE_SECONDS };
  const jobs = new Map<ChargeId, Job>();
  const queue: Job[] = [];
  const failed = new Set<ChargeId>();
  const waiting = new Map<ChargeId, Set<() => void>>();
  const running = new Set<Promise<void>>();
  const held = new Set<Promise<void>>();
  let closed = false;

  const renewing = setInterval(() => void renewAll(), (LEASE_SECONDS * 1000) / 3);
  const recovering = setInterval(() => void takePending(TRIES), RECOVER_EVERY_MS);
  renewing.unref();
  recovering.unref();

  function tell(id: ChargeId): void {
    for (const wake of waiting.get(id) ?? []) wake();
  }

  function enqueue(charge: Charge): void {
    if (closed || jobs.has(charge.id)) return;
    const job: Job = { charge, stage: "queued" };
    failed.delete(charge.id);
    jobs.set(charge.id, job);
    if (originsOf(charge).length === 0) ready(job);
    else {
      const hold: Promise<void> = holdBack(job).finally(() => held.delete(hold));
      held.add(hold);
    }
  }

  function ready(job: Job): void {
    queue.push(job);
    startNext();
  }

  /** Until the answers it draws on are there: the charges that pay for them may still be at work, in other processes too. */
  async function holdBack(job: Job): Promise<void> {
    const { id } = job.charge;
    try {
      while (!closed) {
        const [first, ...others] = await unanswered(originsOf(job.charge), books);
        if (first === undefined) {
          ready(job);
          return;
        }
        if ([first, ...others].some(isGivenUp)) {
          failed.add(id);
          break;
        }
        await changed(first.id, { seconds: LOOK_AGAIN_SECONDS, signal: new AbortController().signal });
      }
    } catch (error) {
      log.error("waiting for an answer failed", errorFields(error));
    }
    jobs.delete(id);
    tell(id);
  }

  const isGivenUp = ({ id, tries, leaseUntil }: Charge): boolean =>
    failed.has(id) || (!jobs.has(id) && tries >= TRIES && leaseUntil < new Date().toISOString());

  function startNext(): void {
    while (!closed && running.size < AT_ONCE) {
      const job = queue.shift();
      if (job === undefined) return;
      const run: Promise<void> = work(job).finally(() => {
        running.delete(run);
        startNext();
      });
      running.add(run);
    }
  }

  async function work(job: Job): Promise<void> {
    const { id } = job.charge;
    job.stage = "measuring";
    tell(id);
    try {
      for (let attempt = 1; !(await tried(job)); attempt += 1) {
        if (closed) return;
        if (attempt === TRIES) {
          failed.add(id);
          log.error("release failed", { code: "ENGINE_FAILED", count: TRIES });
          return;
        }
      }
    } finally {
      jobs.delete(id);
      tell(id);
    }
  }

  /** One measurement; false when the engine failed, after the same classes of durations. */
  async function tried(job: Job): Promise<boolean> {
    const started = performance.now();
    const settled = () => settledAfter(performance.now() - started);
    try {
      await finishCharge(deps, job.charge, { settled });
      return true;
    } catch (error) {
      log.error("measurement failed", errorFields(error));
      await settled();
      return false;
    }
  }

  async function submit(charge: Charge): Promise<void> {
    if (charge.status === "released" || jobs.has(charge.id)) return;
    // What it waits for is taken up again too, at no cost, if it failed or nobody works on it.
    for (const origin of await unanswered(originsOf(charge), books)) await submit(origin);
    if (!failed.has(charge.id) && charge.leaseOwner === owner) return enqueue(charge);
    const claimed = await books.releases.claim({ charge: charge.id, lease });
    if (claimed !== null) enqueue(claimed);
  }

  function changed(
    id: ChargeId,
    { seconds, signal }: { readonly seconds: number; readonly signal: AbortSignal },
  ): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const wakers = waiting.get(id) ?? new Set();
    waiting.set(id, wakers.add(resolve));
    // What another process works on wakes nobody here: its charge is looked at again and again.
    const timer = setTimeout(resolve, (jobs.has(id) ? seconds : Math.min(seconds, LOOK_AGAIN_SECONDS)) * 1000);
    signal.addEventListener("abort", () => resolve(), { once: true });
    return promise.finally(() => {
      clearTimeout(timer);
      wakers.delete(resolve);
      if (wakers.size === 0) waiting.delete(id);
    });
  }

  async function renewAll(): Promise<void> {
    for (const { charge } of jobs.values()) {
      try {
        await books.releases.renew({ charge: charge.id, lease });
      } catch (error) {
        log.error("lease lost", errorFields(error));
      }
    }
  }

  async function takePending(fewerTriesThan: number): Promise<number> {
    let taken = 0;
    try {
      for (const pending of await books.releases.pending()) {
        if (closed || jobs.has(pending.id) || pending.tries >= fewerTriesThan || failed.has(pending.id)) continue;
        const charge = await books.releases.claim({ charge: pending.id, lease });
        if (charge === null) continue;
        enqueue(charge);
        taken += 1;
      }
    } catch (error) {
      log.error("recovery failed", errorFields(error));
    }
    return taken;
  }

  return {
    admit() {
      if (closed || queue.length + held.size >= MAX_WAITING)
        throw new PrivacyError(
          "RATE_LIMITED",
          {},
          "too many releases are waiting; nothing was charged, try again soon",
        );
    },
    submit,
    progress({ id, status }) {
      if (status === "released") return { stage: "done", failed: false };
      return { stage: jobs.get(id)?.stage ?? "queued", failed: failed.has(id) };
    },
    changed,
    load: () => ({ queued: queue.length + held.size, measuring: running.size }),
    closing: () => closed,
    recover: () => takePending(Number.POSITIVE_INFINITY),
    async close() {
      closed = true;
      clearInterval(renewing);
      clearInterval(recovering);
      await Promise.all(running);
      for (const id of waiting.keys()) tell(id);
      await Promise.all(held);
    },
  };
}
