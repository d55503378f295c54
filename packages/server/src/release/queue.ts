import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { PrivacyError } from "@dosimeter/core";
import { present } from "@dosimeter/core/internal";
import type { Charge, ChargeId } from "@dosimeter/ledger";
import { boundSteps, plannedIntegers } from "@dosimeter/query/bind";
import { connectionOf } from "@dosimeter/query/source";
import { ProcessEnded } from "../measuring/measurer.ts";
import { betweenSlices, inSlices } from "../measuring/slices.ts";
import { unanswered } from "../reuse/pending.ts";
import type { Reach } from "../sources/reach.ts";
import { type Current, current, runAs, type Span, traced } from "../telemetry/current.ts";
import { errorFields, type Log } from "../telemetry/log.ts";
import { LEASE_SECONDS, type ReleaseDeps } from "./deps.ts";
import type { PreparedRelease } from "./prepare.ts";
import { finishCharge } from "./release.ts";
import { originsOf, requestOf } from "./request.ts";
import { nextOf, type Room, roomOf } from "./room.ts";
import { openStageChanges } from "./stage-changes.ts";
import { isFull, openTurns } from "./turns.ts";
import { aboutCharge } from "./work.ts";

/** What is public about an unfinished charge. */
export interface Progress {
  readonly stage: "queued" | "measuring" | "done";
  /**
   * The engine failed `TRIES` times, or as many processes ended while it ran: the same key runs it again at no cost. Or the answer is
   * lost and never drawn again.
   */
  readonly failed: boolean;
}

/** Releases charges in the background, as many at a time as the measuring processes have room for, and knows their public stages. */
export interface ReleaseQueue {
  /** RATE_LIMITED when too many wait already, of this person, on this ledger or in all; called before anything is charged. */
  admit(by: Pick<Charge, "principal" | "ledger">): void;
  /** Queues a durable charge, with what it paid for where that was prepared here; does nothing for one that is finished, queued or measured here. */
  submit(charge: Charge, prepared?: PreparedRelease | null): Promise<void>;
  progress(charge: Charge): Progress;
  /** Resolves when the stage may have changed, when the time is up, or when the signal aborts. */
  changed(charge: ChargeId, options: { readonly seconds: number; readonly signal: AbortSignal }): Promise<void>;
  /** Queues the charges that an earlier process left unfinished; returns how many. */
  recover(): Promise<number>;
  /** How many wait and how many run in this process, and how many were set aside. */
  load(): { readonly queued: number; readonly measuring: number; readonly setAside: number };
  /** Whether the server is stopping, so that callers stop waiting. */
  closing(): boolean;
  /** Finishes running measurements, for a while; the next start takes the rest. */
  close(): Promise<void>;
}

/** A public constant: how often a failing measurement is run. */
export const TRIES = 3;
/** A server that stops waits so long for running releases; the next start takes up the others. */
const GRACE_MS = 10_000;
const RECOVER_EVERY_MS = 10_000;
const LOOK_AGAIN_SECONDS = 0.5;
/** Between the first two tries over a connection; four times as long before each further one. */
const PAUSE_MS = 1_000;
const MAX_REMEMBERED = 10_000;
/** Integers of the plans that wait bound, in all or of the only one. Of any more the stored request waits alone. */
const MAX_WAITING_INTEGERS = 20_000;

interface Job {
  readonly charge: Charge;
  /** Null where it is made again from the stored request. */
  readonly prepared: PreparedRelease | null;
  /** How many its plan releases. */
  readonly integers: number;
  /** The charges whose answers it uses. */
  readonly origins: readonly ChargeId[];
  readonly isOverConnection: boolean;
  readonly room: Room;
  /** Left by a server or a measuring process that ended, perhaps because of it: it is taken when its turn comes, with no short one next to it. */
  isLeft: boolean;
  stage: "queued" | "measuring";
  /** Whether this process has its lease: of what others left, from its turn on. */
  isTaken: boolean;
  failures: number;
  /** The request that asked for it, and the span of its wait; of what was left by another process an id of its own. */
  readonly asked: Current;
  readonly wait: Span | undefined;
}

/** What is known of a charge before it is queued. */
type Facts = Pick<Job, "prepared" | "integers" | "origins" | "isOverConnection" | "room">;

export const openReleaseQueue = (deps: ReleaseDeps, log: Log): ReleaseQueue => new Queue(deps, log);

class Queue implements ReleaseQueue {
  readonly #deps: ReleaseDeps;
  readonly #log: Log;
  readonly #lease: { readonly owner: string; readonly seconds: number };
  /** Every charge that this process works on, also those that wait for others. */
  readonly #jobs = new Map<ChargeId, Job>();
  readonly #ready = openTurns<Job>();
  readonly #failed = new Set<ChargeId>();
  /** What was answered here of late: a database that calls it pending has lost the answer. */
  readonly #answered = new Set<ChargeId>();
  readonly #running = new Map<Promise<void>, Job>();
  readonly #stopping = new AbortController();
  readonly #held = new Set<Promise<void>>();
  readonly #changes = openStageChanges();
  readonly #timers: readonly NodeJS.Timeout[];
  #setAside = 0;
  #isAlone = false;
  #isClosed = false;

  constructor(deps: ReleaseDeps, log: Log) {
    this.#deps = deps;
    this.#log = log;
    this.#lease = { owner: deps.owner, seconds: LEASE_SECONDS };
    this.#timers = [
      setInterval(() => void this.#renewAll(), (LEASE_SECONDS * 1000) / 3),
      setInterval(() => void this.recover(), RECOVER_EVERY_MS),
    ];
    for (const timer of this.#timers) timer.unref();
  }

  admit(by: Pick<Charge, "principal" | "ledger">): void {
    const waiting = [...this.#jobs.values()].filter(({ stage }) => stage === "queued");
    if (this.#isClosed || isFull(waiting, by))
      throw new PrivacyError("RATE_LIMITED", {}, "too many releases are waiting; nothing was charged, try again soon");
  }

  async submit(charge: Charge, prepared: PreparedRelease | null = null): Promise<void> {
    const { database, owner } = this.#deps;
    if (charge.status === "released" || charge.isLost || this.#jobs.has(charge.id)) return;
    const found = await this.#reached(charge, prepared, this.#deps.reach.knows);
    if (found === null) return;
    // A charge that it waits for is queued again too, at no cost, if it failed or no process works on it.
    for (const origin of await unanswered(found.origins, database)) await this.submit(origin);
    const isOurs = !this.#failed.has(charge.id) && charge.leaseOwner === owner;
    const claimed = isOurs ? charge : await database.releases.claim({ charge: charge.id, lease: this.#lease });
    if (claimed !== null) await this.#enqueue(claimed, found, { isLeft: false });
  }

  /** What the queue has to know of a charge; null where it waits for a server that has the connection. */
  async #reached(charge: Charge, prepared: PreparedRelease | null, knows: Reach["knows"]): Promise<Facts | null> {
    const { declaration } = prepared?.about ?? (await aboutCharge(this.#deps, charge));
    const { source } = declaration;
    if (!(await knows(source))) return null;
    const { plan, ...request } = prepared ?? requestOf(charge);
    // A plan that cannot be bound any more fails when it runs.
    const bounded = prepared?.bounded ?? (await inSlices(boundSteps(plan, declaration)).catch(() => null));
    const drawn = prepared === null ? bounded : (prepared.drawn?.bounded ?? null);
    return {
      prepared,
      integers: bounded === null ? 0 : plannedIntegers(bounded),
      origins: originsOf(request),
      isOverConnection: connectionOf(source) !== null,
      room: roomOf(drawn, this.#deps),
    };
  }

  progress(charge: Charge): Progress {
    if (charge.status === "released") return { stage: "done", failed: false };
    return { stage: this.#jobs.get(charge.id)?.stage ?? "queued", failed: this.#isGivenUp(charge) };
  }

  changed(
    id: ChargeId,
    { seconds, signal }: { readonly seconds: number; readonly signal?: AbortSignal },
  ): Promise<void> {
    // There is no notice of a charge in another process, so it is polled.
    const longest = this.#jobs.has(id) ? seconds : Math.min(seconds, LOOK_AGAIN_SECONDS);
    return this.#changes.next(id, { seconds: longest, ...present({ signal }) });
  }

  load(): { readonly queued: number; readonly measuring: number; readonly setAside: number } {
    const queued = this.#ready.size() + this.#held.size;
    return { queued, measuring: this.#running.size, setAside: this.#setAside };
  }

  closing(): boolean {
    return this.#isClosed;
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    for (const timer of this.#timers) clearInterval(timer);
    const count = [...this.#jobs.values()].filter(({ stage }) => stage === "queued").length;
    if (count > 0) this.#log.info("releases left to the next start", { count });
    const grace = setTimeout(() => this.#stopping.abort(), GRACE_MS);
    await Promise.all(this.#running.keys());
    clearTimeout(grace);
    this.#changes.tellAll();
    await Promise.all(this.#held);
  }

  async #enqueue(charge: Charge, found: Facts, { isLeft }: Pick<Job, "isLeft">): Promise<void> {
    if (this.#isClosed || this.#jobs.has(charge.id)) return;
    if (this.#answered.has(charge.id)) return this.#noteLost(charge.id);
    const prepared = this.#hasRoomFor(found) ? found.prepared : null;
    const asked = isLeft ? { request: randomUUID() } : current();
    const wait = asked.span?.child("queue", { dataset: charge.dataset });
    const job: Job = {
      charge,
      ...found,
      prepared,
      isLeft,
      stage: "queued",
      isTaken: !isLeft,
      failures: 0,
      asked,
      wait,
    };
    this.#failed.delete(charge.id);
    this.#jobs.set(charge.id, job);
    if (job.origins.length === 0) this.#start(job);
    else {
      const hold: Promise<void> = runAs(asked, () => this.#holdBack(job)).finally(() => this.#held.delete(hold));
      this.#held.add(hold);
    }
  }

  #hasRoomFor({ integers }: Facts): boolean {
    const held = [...this.#jobs.values()].reduce((sum, job) => sum + (job.prepared === null ? 0 : job.integers), 0);
    return held === 0 || held + integers <= MAX_WAITING_INTEGERS;
  }

  /** Of what was answered here: the charge that was at hand may be from before. Only what is read from now on shows that its answer is gone. */
  async #noteLost(id: ChargeId): Promise<void> {
    if ((await this.#deps.database.releases.chargeOf(id)).status === "released") return;
    this.#failed.add(id);
    this.#log.error("ANSWER_LOST");
  }

  #start(job: Job): void {
    this.#ready.add(job);
    this.#startNext();
  }

  #startNext(): void {
    while (!this.#isClosed && !this.#isAlone) {
      const running = [...this.#running.values()];
      const job = nextOf(this.#ready.peek, running);
      if (job === undefined) return;
      const isAlone = job.isLeft && !job.room.isLong;
      if (isAlone && running.some(({ room }) => !room.isLong)) return;
      this.#ready.take(job);
      this.#isAlone = isAlone;
      const run: Promise<void> = runAs(job.asked, () => this.#work(job)).finally(() => {
        this.#running.delete(run);
        if (isAlone) this.#isAlone = false;
        this.#startNext();
      });
      this.#running.set(run, job);
    }
  }

  #leave(id: ChargeId): void {
    this.#jobs.delete(id);
    this.#changes.tell(id);
  }

  /** Waits for the charges, here or in other processes, whose answers a charge uses. */
  async #holdBack(job: Job): Promise<void> {
    const { id } = job.charge;
    try {
      while (!this.#isClosed) {
        const waits = await unanswered(job.origins, this.#deps.database);
        const [first] = waits;
        if (first === undefined) {
          this.#start(job);
          return;
        }
        if (waits.some((charge) => this.#isGivenUp(charge))) {
          this.#failed.add(id);
          break;
        }
        await this.changed(first.id, { seconds: LOOK_AGAIN_SECONDS });
      }
    } catch (error) {
      this.#log.error("WAITING_FAILED", errorFields(error));
    }
    this.#leave(id);
  }

  #isGivenUp(charge: Charge): boolean {
    const { id, tries, isLost } = charge;
    const hasFailed = this.#failed.has(id) || (!this.#jobs.has(id) && tries >= TRIES);
    return isLost || (hasFailed && this.#isFree(charge));
  }

  /** Whether no other process works on it. */
  #isFree({ leaseOwner, leaseUntil }: Charge): boolean {
    return leaseOwner === this.#deps.owner || leaseUntil < new Date().toISOString();
  }

  async #work(job: Job): Promise<void> {
    const { id } = job.charge;
    job.stage = "measuring";
    job.wait?.end();
    this.#changes.tell(id);
    try {
      // Counted when it begins: of many that wait, only the one that ends the process is counted again and again.
      job.isTaken =
        !job.isLeft || (await this.#deps.database.releases.claim({ charge: id, lease: this.#lease })) !== null;
      if (job.isTaken && !(await this.#isOver(job))) {
        job.stage = "queued";
        this.#ready.add(job);
        return;
      }
    } catch (error) {
      this.#log.error("RELEASE_NOT_TAKEN", errorFields(error));
    }
    this.#leave(id);
  }

  /** Measures until there is an answer, or no try is left; false when it must wait until it can run alone. */
  async #isOver(job: Job): Promise<boolean> {
    const { charge } = job;
    while (!this.#isClosed) {
      try {
        const finish = () => finishCharge(this.#deps, job, this.#stopping.signal);
        await traced("release", { dataset: charge.dataset }, finish);
        this.#remember(charge.id);
        return true;
      } catch (error) {
        if (this.#stopping.signal.aborted) return true;
        this.#log.error("MEASUREMENT_FAILED", errorFields(error));
        if (error instanceof ProcessEnded && error.isOfAnother) continue;
        job.failures += 1;
        if (job.failures === TRIES) {
          this.#failed.add(charge.id);
          this.#log.error("RELEASE_FAILED", { count: TRIES });
          return true;
        }
        if (error instanceof ProcessEnded && !job.isLeft) {
          job.isLeft = true;
          return false;
        }
        await this.#pause(job);
      }
    }
    return true;
  }

  /** A database may be out of reach for a moment, as while its password is changed. */
  async #pause({ isOverConnection, failures }: Job): Promise<void> {
    if (!isOverConnection) return;
    await sleep(PAUSE_MS * 4 ** (failures - 1), undefined, { signal: this.#stopping.signal }).catch(() => undefined);
  }

  #remember(id: ChargeId): void {
    this.#answered.add(id);
    const [oldest = id] = this.#answered.size > MAX_REMEMBERED ? this.#answered : [];
    if (oldest !== id) this.#answered.delete(oldest);
  }

  async #renewAll(): Promise<void> {
    const pause = betweenSlices();
    for (const job of this.#jobs.values()) {
      if (this.#isClosed) return;
      if (!job.isTaken) continue;
      await runAs(job.asked, () => this.#renew(job));
      await pause();
    }
  }

  async #renew({ charge }: Job): Promise<void> {
    try {
      const renewed = await this.#deps.database.releases.renew({ charge: charge.id, lease: this.#lease });
      if (renewed === null) this.#log.error("LEASE_LOST");
    } catch (error) {
      this.#log.error("LEASE_NOT_RENEWED", errorFields(error));
    }
  }

  async recover(): Promise<number> {
    let taken = 0;
    let setAside = 0;
    const knows = this.#deps.reach.knowing();
    try {
      for (const charge of await this.#deps.database.releases.pending()) {
        if (this.#isClosed || charge.isLost || this.#jobs.has(charge.id) || !this.#isFree(charge)) continue;
        if (this.#isGivenUp(charge)) {
          setAside += 1;
          continue;
        }
        const found = await this.#reached(charge, null, knows);
        if (found === null) continue;
        await this.#enqueue(charge, found, { isLeft: true });
        taken += 1;
      }
      if (setAside > this.#setAside) this.#log.error("RELEASES_SET_ASIDE", { count: setAside });
      this.#setAside = setAside;
    } catch (error) {
      this.#log.error("RECOVERY_FAILED", errorFields(error));
    }
    return taken;
  }
}
