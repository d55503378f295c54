import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PrivacyError } from "@dosimeter/core";
import type { Analysed, Refused } from "./analyse.ts";
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
  readonly user: string;
  readonly database: string;
  /** Gives it back in the middle of a transaction that can be begun again; false where it cannot. */
  readonly giveBack: () => boolean;
}

export interface Lease {
  readonly run: (bytes: Buffer) => Promise<Buffer>;
  /** Ends what runs, and the process with it. */
  readonly end: (why: WireError) => void;
  readonly isOver: () => boolean;
  readonly release: () => void;
}

interface Slot {
  readonly postgres: Promise<Postgres>;
  running: Postgres | null;
  holder: Holder | null;
  isReady: boolean;
  key: string;
  named: string;
}

/** How long a statement waits for a process, and how many wait. */
const WAIT_MS = 20_000;
const MAX_WAITING = 200;

/** Processes that sessions share, each for a transaction at a time. The first one starts with the first statement. */
// long: operations over a few processes and who waits for them
export function openPool(options: PoolOptions) {
  const slots: Slot[] = [];
  const waiting: (() => void)[] = [];
  let snapshot = options.snapshot;
  let made: string | null = null;
  let isClosed = false;

  async function makeSnapshot(): Promise<string> {
    made = await mkdtemp(join(tmpdir(), "dosimeter-wire-"));
    return snapshotIn(made);
  }

  function start(): Slot {
    snapshot ??= makeSnapshot();
    const image = snapshot;
    const begin = async (): Promise<Postgres> => {
      const path = await image;
      const postgres = startPostgres(options);
      slot.running = postgres;
      await postgres.open(path);
      return postgres;
    };
    const slot: Slot = { postgres: begin(), running: null, holder: null, isReady: true, key: "", named: "" };
    slot.postgres.catch(() => drop(slot));
    slots.push(slot);
    return slot;
  }

  function drop(slot: Slot): void {
    const place = slots.indexOf(slot);
    if (place >= 0) slots.splice(place, 1);
    slot.running?.end(ended());
    waiting.shift()?.();
  }

  const isFree = (slot: Slot): boolean => slot.holder === null && slot.isReady;
  const free = (key: string): Slot | undefined => {
    const idle = slots.filter(isFree);
    const alike = idle.find((slot) => slot.key === key) ?? idle.find((slot) => slot.key === "");
    if (alike !== undefined) return alike;
    return slots.length < options.processes ? start() : idle[0];
  };

  async function slotFor(key: string, holder: Holder, signal: AbortSignal): Promise<Slot> {
    const until = performance.now() + WAIT_MS;
    for (;;) {
      if (isClosed) throw ended();
      const slot = free(key);
      if (slot !== undefined) {
        slot.holder = holder; // at once: nothing may come between finding it and having it
        return slot;
      }
      slots.some(({ holder }) => holder?.giveBack()); // then it is cleaned, and the wait ends
      if (waiting.length >= MAX_WAITING || performance.now() > until) throw busy();
      await turn(until, signal);
    }
  }

  async function turn(until: number, signal: AbortSignal): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    waiting.push(resolve);
    const timer = setTimeout(resolve, Math.min(200, Math.max(1, until - performance.now())));
    signal.addEventListener("abort", () => resolve(), { once: true });
    await promise;
    clearTimeout(timer);
    const place = waiting.indexOf(resolve);
    if (place >= 0) waiting.splice(place, 1);
    signal.throwIfAborted();
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
      waiting.shift()?.();
    };
    run().catch(() => drop(slot));
  }

  return {
    /** What a text asks for; read where a text that takes too long can be ended. */
    async analyse(text: string, names: readonly string[], signal: AbortSignal): Promise<readonly Analysed[] | Refused> {
      for (let left = 1; ; left -= 1) {
        signal.throwIfAborted();
        const idle = slots.find(isFree) ?? (slots.length < options.processes ? start() : slots[0]) ?? start();
        const postgres = await idle.postgres;
        try {
          return await postgres.analyse(text, names);
        } catch (error) {
          // Its process may have ended for a statement of someone else.
          if (!postgres.isOver()) throw error;
          drop(idle);
          if (left === 0) throw error;
        }
      }
    },
    async lease(tables: Dress, given: Holder, signal: AbortSignal): Promise<Lease> {
      const holder = {
        ...given,
        user: freeName(given.user, /^(?:postgres$|pg_)/),
        database: freeName(given.database, /^template[01]$/),
      };
      const slot = await slotFor(tables.key, holder, signal);
      let isReleased = false;
      try {
        const postgres = await slot.postgres;
        await dress(slot, postgres, tables, holder);
        return {
          isOver: () => isReleased || postgres.isOver(),
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
      for (const one of waiting.splice(0)) one();
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
