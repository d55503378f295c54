import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PrivacyError } from "@dosimeter/core";
import type { Analysed } from "./analysis/analyse.ts";
import type { Refused } from "./analysis/reading.ts";
import { messagesIn, query } from "./encode.ts";
import { type Limits, type Postgres, startPostgres } from "./process.ts";
import { quotedName, quotedText } from "./sql-words.ts";
import { WireError } from "./sqlstate.ts";

export interface PoolOptions extends Limits {
  /** How many processes there are at most. */
  readonly processes: number;
  /** Where the image is that they start from; made when it is first needed where absent. */
  readonly snapshot?: Promise<string>;
}

/** Tables that someone may see, as statements that make them. */
export interface Dress {
  readonly key: string;
  readonly statements: string;
}

/** Who has a process, and whether it could do without for now. */
export interface Holder {
  /** Whose the process is, for as long as it lives: no one else ever has it. */
  readonly token: string;
  readonly person: string;
  readonly user: string;
  readonly database: string;
  /** Gives it back in the middle of a transaction that can be begun again, or, forced, of any where no statement runs; else false. */
  readonly giveBack: (isForced: boolean) => boolean;
}

export interface Lease {
  readonly run: (bytes: Buffer) => Promise<Buffer>;
  /** What a text asks for; read where a text that takes too long can be ended. */
  readonly analyse: (text: string, names: readonly string[]) => Promise<readonly Analysed[] | Refused>;
  /** Ends what runs, and the process with it. */
  readonly end: (why: WireError) => void;
  readonly isOver: () => boolean;
  readonly release: () => void;
}

interface Slot {
  readonly postgres: Promise<Postgres>;
  readonly token: string;
  readonly person: string;
  running: Postgres | null;
  holder: Holder | null;
  isReady: boolean;
  key: string;
  named: string;
}

interface Waiter {
  readonly holder: Holder;
  readonly since: number;
  readonly given: PromiseWithResolvers<Slot>;
}

/** How long a statement waits for a process, and how many wait. */
const WAIT_MS = 20_000;
const MAX_WAITING = 200;
/** How long others wait before an idle transaction loses its cursors. */
const CURSORS_KEPT_MS = 5000;
const MAX_SERVED = 10_000;

/**
 * Processes, each of one token until it ends: whatever was done to its PostgreSQL meets no one else. Sessions of a token share it, each for a
 * transaction at a time. Where others wait, one that is idle ends, and another starts.
 */
// long: operations over a few processes and who waits for them
export function openPool(options: PoolOptions) {
  const slots: Slot[] = [];
  const waiting: Waiter[] = [];
  /** When each person who has a process or waits was served last, by a count. */
  const served = new Map<string, number>();
  let turns = 0;
  let snapshot = options.snapshot;
  let made: string | null = null;
  let isClosed = false;

  async function makeSnapshot(): Promise<string> {
    made = await mkdtemp(join(tmpdir(), "dosimeter-wire-"));
    return snapshotIn(made);
  }

  function start({ token, person }: Holder): Slot {
    snapshot ??= makeSnapshot();
    const image = snapshot;
    const begin = async (): Promise<Postgres> => {
      const path = await image;
      if (!slots.includes(slot)) throw ended();
      const postgres = startPostgres(options);
      slot.running = postgres;
      await postgres.open(path);
      return postgres;
    };
    const slot: Slot = {
      ...{ postgres: begin(), token, person, running: null, holder: null, isReady: true, key: "", named: "" },
    };
    slot.postgres.catch(() => drop(slot));
    slots.push(slot);
    return slot;
  }

  function drop(slot: Slot): void {
    const place = slots.indexOf(slot);
    if (place >= 0) slots.splice(place, 1);
    slot.running?.end(ended());
    serve();
  }

  const isFree = ({ holder, isReady }: Slot): boolean => holder === null && isReady;
  /** One person never has all of several. */
  const share = Math.max(1, options.processes - 1);

  /** One of the token's own; else a new one, for which an idle one of others ends; null where none can be had now. */
  function slotOf({ holder, since }: Waiter): Slot | null {
    const { token, person } = holder;
    for (const dead of slots.filter((slot) => slot.holder === null && slot.running?.isOver() === true))
      slots.splice(slots.indexOf(dead), 1);
    const own = slots.filter((slot) => slot.token === token);
    const free = own.find(isFree);
    if (free !== undefined) return free;
    const ofPerson = slots.filter((slot) => slot.person === person);
    const isAlone = waiting.every(({ holder: other }) => other.token === token);
    if (own.length === 0 || isAlone) {
      const isFull = ofPerson.length >= share;
      const candidates = isFull ? ofPerson : slots;
      if (!isFull && slots.length < options.processes) return start(holder);
      const idle = candidates.find((slot) => isFree(slot) && slot.token !== token);
      if (idle !== undefined) {
        slots.splice(slots.indexOf(idle), 1);
        idle.running?.end(ended());
        return start(holder);
      }
      if (candidates.every(({ isReady }) => isReady)) askBack(candidates, since);
    } else if (own.every(({ isReady }) => isReady)) askBack(own, since);
    return null;
  }

  /** One that is idle in a transaction is cleaned, and then serves. */
  const askBack = (candidates: readonly Slot[], since: number): boolean =>
    candidates.some(({ holder }) => holder?.giveBack(false) === true) ||
    (performance.now() - since > CURSORS_KEPT_MS && candidates.some(({ holder }) => holder?.giveBack(true) === true));

  /** Whose person was served longest ago comes first; of one person, who came first. */
  function serve(): void {
    if (isClosed) return;
    const inTurn = waiting.toSorted(
      ({ holder: a }, { holder: b }) => (served.get(a.person) ?? 0) - (served.get(b.person) ?? 0),
    );
    for (const waiter of inTurn) {
      const place = waiting.indexOf(waiter);
      const slot = place < 0 ? null : slotOf(waiter);
      if (slot === null) continue;
      waiting.splice(waiting.indexOf(waiter), 1);
      slot.holder = waiter.holder; // at once: nothing may come between finding it and having it
      if (served.size > MAX_SERVED) served.clear();
      served.set(waiter.holder.person, ++turns);
      waiter.given.resolve(slot);
    }
  }

  async function slotFor(holder: Holder, signal: AbortSignal): Promise<Slot> {
    signal.throwIfAborted();
    if (isClosed) throw ended();
    if (waiting.length >= MAX_WAITING) throw busy();
    const waiter: Waiter = { holder, since: performance.now(), given: Promise.withResolvers<Slot>() };
    const refuse = (why: unknown): void => {
      const place = waiting.indexOf(waiter);
      if (place >= 0) waiting.splice(place, 1);
      waiter.given.reject(why);
    };
    const cancel = (): void => refuse(signal.reason);
    const timer = setTimeout(() => refuse(busy()), WAIT_MS);
    const again = setInterval(serve, 200); // transactions become idle without a word
    signal.addEventListener("abort", cancel, { once: true });
    waiting.push(waiter);
    serve();
    return waiter.given.promise.finally(() => {
      clearTimeout(timer);
      clearInterval(again);
      signal.removeEventListener("abort", cancel);
    });
  }

  async function dress(slot: Slot, postgres: Postgres, { key, statements }: Dress, holder: Holder): Promise<void> {
    const named = JSON.stringify([holder.user, holder.database]);
    if (slot.key !== key || slot.named !== named) {
      await setUp(postgres, `SET SESSION AUTHORIZATION ${OWNER}; SET default_transaction_read_only = off`);
      if (slot.key !== key) {
        slot.key = "";
        await setUp(postgres, `DROP SCHEMA IF EXISTS public CASCADE; CREATE SCHEMA public; ${statements}`);
        await setUp(
          postgres,
          "GRANT USAGE ON SCHEMA public TO PUBLIC; GRANT SELECT ON ALL TABLES IN SCHEMA public TO PUBLIC",
        );
        slot.key = key;
      }
      if (slot.named !== named)
        await setUp(
          postgres,
          `UPDATE pg_database SET datname = ${quotedText(holder.database)} WHERE oid = (SELECT oid FROM pg_database WHERE datname = current_database()); UPDATE pg_authid SET rolname = ${quotedText(holder.user)} WHERE oid >= 16384`,
        );
      slot.named = named;
    }
    await setUp(postgres, `RESET default_transaction_read_only; SET SESSION AUTHORIZATION ${quotedName(holder.user)}`);
  }

  /** Nothing of a session stays. */
  function clean(slot: Slot, postgres: Postgres): void {
    slot.holder = null;
    slot.isReady = false;
    const run = async (): Promise<void> => {
      await setUp(postgres, "ROLLBACK");
      await setUp(postgres, `SET SESSION AUTHORIZATION ${OWNER}`);
      await setUp(postgres, "DISCARD ALL");
      slot.isReady = true;
      serve();
    };
    run().catch(() => drop(slot));
  }

  return {
    async lease(tables: Dress, given: Holder, signal: AbortSignal): Promise<Lease> {
      const holder = {
        ...given,
        user: freeName(given.user, /^(?:postgres$|pg_)/),
        database: freeName(given.database, /^template[01]$/),
      };
      const slot = await slotFor(holder, signal);
      let isReleased = false;
      try {
        const postgres = await slot.postgres;
        await dress(slot, postgres, tables, holder);
        return {
          isOver: () => isReleased || postgres.isOver(),
          analyse: (text, names) => postgres.analyse(text, names),
          end(why) {
            postgres.end(why);
            drop(slot);
          },
          async run(bytes) {
            try {
              return await postgres.run(bytes);
            } catch (error) {
              drop(slot);
              throw error;
            }
          },
          release() {
            if (isReleased) return;
            isReleased = true;
            if (postgres.isOver()) drop(slot);
            else clean(slot, postgres);
          },
        };
      } catch (error) {
        drop(slot);
        throw error;
      }
    },
    async close(): Promise<void> {
      isClosed = true;
      for (const slot of [...slots]) drop(slot);
      for (const { given } of waiting.splice(0)) given.reject(ended());
      if (made !== null) await rm(made, { recursive: true, force: true });
    },
  };
}

export type Pool = ReturnType<typeof openPool>;

/** An image of a PostgreSQL that has no table yet; its first process makes it. */
export async function snapshotIn(folder: string): Promise<string> {
  const path = join(folder, "postgres.tar");
  const maker = startPostgres({ seconds: 60, memory: 2 ** 32 });
  try {
    await maker.makeSnapshot(path);
  } finally {
    maker.end(ended());
  }
  return path;
}

/** The owner of everything, as PGlite starts. Everyone is another role, the only one that was made. */
const OWNER = "postgres";

/** Names of PostgreSQL's own roles and databases are not given away. */
const freeName = (name: string, isTaken: RegExp): string =>
  name === "" ? "anyone" : isTaken.test(name) ? `${name}_` : name;

const ended = (): WireError => new WireError({ code: "57P01" }, "the server is closing");
const busy = (): WireError =>
  new WireError(
    { code: "53300", hint: "End transactions that are idle, or ask again." },
    "too many statements run at once",
  );

async function setUp(postgres: Postgres, text: string): Promise<void> {
  const said = messagesIn(await postgres.run(query(text)));
  const refused = said.find(({ type }) => type === "E");
  if (refused !== undefined)
    throw new PrivacyError(
      "INTERNAL",
      {},
      `the PostgreSQL of the wire refused: ${refused.body.toString("latin1").replaceAll("\0", " ")}`,
    );
}
