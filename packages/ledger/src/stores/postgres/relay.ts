import { hash } from "node:crypto";
import { setTimeout as pause } from "node:timers/promises";
import { deserialize, serialize } from "node:v8";
import { type ErrorCode, type ErrorDetails, PrivacyError, VERSION } from "@dosimeter/core";
import pg from "pg";
import type { Relay, Settled } from "../store.ts";

/** Rows that are lost with the server are sent again by who waits for them: nothing here is ever the only trace of a charge. */
export const LETTERS = `CREATE UNLOGGED TABLE IF NOT EXISTS handed
  (id TEXT PRIMARY KEY, address TEXT NOT NULL, body BYTEA NOT NULL, at TIMESTAMPTZ NOT NULL DEFAULT now())`;
const SEND =
  "WITH sent AS (INSERT INTO handed (id, address, body) VALUES ($1, $2, $3) RETURNING *) SELECT pg_notify(address, id) FROM sent";
/** By its id: rows that were deleted stay in the table as long as anyone's snapshot, and to pass all of them would take ever longer. */
const take = (by: "id" | "address") =>
  `DELETE FROM handed WHERE ${by} = $1 RETURNING body, (extract(epoch FROM at) * 1000)::bigint AS at`;
const [TAKE, TAKE_ALL] = [take("id"), take("address")];
const FORGET = "DELETE FROM handed WHERE at < now() - interval '1 minute'";
const LEAD = "SELECT pg_try_advisory_lock($1) AS leads";

/** Milliseconds: how long what is in a letter may be decided, how much longer its writer waits, and after how long it looks for who leads. */
const [VALID_MS, MARGIN, LOOK] = [1500, 500, 100];
/** Milliseconds for which a process decides by itself when no answer came, and does not ask for the lock when one did. */
const REST = 10_000;
/** Milliseconds for which a process goes on handing over after it saw that many write. */
const CROWDED = 1000;
const MOMENT = 250;
/** Turns over which a process counts the others between its own, so many at most of each. */
const [TURNS, MAX_SEEN] = [6, 6];
/** The server gives up the lock of a machine that is gone, and not of a process that is slow, after this many seconds. */
const GONE = "-c tcp_keepalives_idle=5 -c tcp_keepalives_interval=2 -c tcp_keepalives_count=3";

interface Letter {
  readonly id: string;
  readonly from: string;
  readonly name: string;
  readonly copy: string | null;
  readonly items: readonly unknown[];
}

type Told = { readonly out: unknown } | { readonly refused: readonly [ErrorCode, ErrorDetails, string] } | null;

/** Its answer. */
interface Reply {
  readonly id: string;
  readonly told: readonly Told[];
  readonly isCrowded: boolean;
}

export interface RelayOptions {
  readonly config: pg.ClientConfig;
  readonly schema: string;
  /** The copy of the database that this process writes to. */
  readonly known: () => string | null;
  /** Of so many processes that write within a moment one writes for all: two are as fast one after the other, in half the time of a charge. */
  readonly crowd: number;
}

/** Elects by a lock that ends with its connection the process that decides for all; letters between them are rows. [M392] */
export function openRelay({ config, schema, known, crowd }: RelayOptions): Relay & {
  /** How many transactions of others there were between two of this process, in so many milliseconds. */
  saw(others: bigint, ms: number): void;
  close(): Promise<void>;
} {
  // a process of another version may decide by other rules
  const name = hash("sha256", `${VERSION} ${schema}`).slice(0, 12);
  const leader = `handed_${name}`;
  const me = `${leader}_${crypto.randomUUID().replaceAll("-", "_")}`;
  const lock = String(BigInt(`0x${name}`));
  const runs = new Map<string, Parameters<Relay["serve"]>[1]>();
  const waiting = new Map<string, (reply: Reply) => void>();
  let line: Promise<pg.Client> | null = null;
  let [leads, isClosed, heard, rests, mean, crowded] = [
    false,
    false,
    0,
    0,
    0,
    crowd < 2 ? Number.POSITIVE_INFINITY : 0,
  ];
  /** When each process had something decided here last, this one too. */
  const last = new Map<string, number>();

  const connected = (): Promise<pg.Client> => {
    line ??= connect();
    return line;
  };

  async function connect(): Promise<pg.Client> {
    const client = new pg.Client({ ...config, options: `${config.options} ${GONE}`, pipeline: true });
    const lost = () => {
      [line, leads] = [null, false];
    };
    client.on("error", lost);
    client.on("end", lost);
    client.on("notification", ({ payload = "" }) => void collect(client, TAKE, payload).catch(() => undefined));
    try {
      await client.connect();
      await client.query(`LISTEN ${me}`);
    } catch (error) {
      lost();
      throw error;
    }
    return client;
  }

  async function isLeading(client: pg.Client): Promise<boolean> {
    const { rows } = await client.query(LEAD, [lock]);
    if (!(rows[0] as { leads: boolean }).leads) return false;
    leads = true;
    await client.query(`LISTEN ${leader}`);
    await client.query(FORGET);
    await collect(client, TAKE_ALL, leader);
    return true;
  }

  async function collect(client: pg.Client, by: string, of: string): Promise<void> {
    const { rows } = await client.query(by, [of]);
    for (const { body, at } of rows as { body: Buffer; at: bigint }[]) {
      const letter = deserialize(body) as Letter | Reply;
      if ("told" in letter) waiting.get(letter.id)?.(letter);
      else void answer(client, letter, Number(at) + VALID_MS).catch(() => undefined);
    }
  }

  async function answer(client: pg.Client, { id, from, name, copy, items }: Letter, until: number): Promise<void> {
    // what it wrote itself before it led: its turn waits for this answer
    const run = from === me || copy !== known() ? undefined : runs.get(name);
    const settled = await run?.(items, until);
    const told = items.map((_, index) => toldOf(settled?.[index] ?? null));
    await send(client, from, `${id} answer`, { id, told, isCrowded: isCrowdedBy(from) });
  }

  function isCrowdedBy(from: string): boolean {
    const now = performance.now();
    last.set(from, now);
    for (const [one, at] of last) if (now - at > CROWDED) last.delete(one);
    return last.size >= crowd || Date.now() < crowded;
  }

  const send = (client: pg.Client, address: string, id: string, letter: Letter | Reply): Promise<unknown> =>
    client.query(SEND, [id, address, serialize(letter)]);

  async function handOver(
    name: string,
    items: readonly unknown[],
  ): Promise<readonly (Settled<unknown> | null)[] | null> {
    const client = await connected();
    if (leads || (Date.now() - heard > REST && (await isLeading(client)))) return null;
    const id = crypto.randomUUID();
    const { promise: replied, resolve } = Promise.withResolvers<Reply>();
    waiting.set(id, resolve);
    let end = Number.POSITIVE_INFINITY;
    try {
      await send(client, leader, id, { id, from: me, name, copy: known(), items });
      for (end = performance.now() + VALID_MS + MARGIN; performance.now() < end; ) {
        const reply = await Promise.race([replied, pause(LOOK, undefined, { ref: false })]);
        if (reply !== undefined) {
          heard = Date.now();
          if (reply.isCrowded) handsOver();
          else rest(CROWDED);
          return reply.told.map(settledOf);
        }
        if (!leads) await isLeading(client); // then it takes its own letter too, if no one did
      }
      return rest();
    } catch {
      // without a connection it cannot take back what may still be decided
      await pause(Math.max(0, Math.min(end - performance.now(), VALID_MS + MARGIN)));
      return rest();
    } finally {
      waiting.delete(id);
    }
  }

  function handsOver(): void {
    crowded = Math.max(crowded, Date.now() + CROWDED);
  }

  /** By itself for a while, as where there is no answer, no such table, or no connection. */
  function rest(ms = REST): null {
    rests = Date.now() + ms;
    return null;
  }

  return {
    serve: (name, run) => void runs.set(name, run),
    hand: async (name, items) => {
      if (leads) isCrowdedBy(me);
      const now = Date.now();
      return leads || isClosed || now < rests || now >= crowded ? null : handOver(name, items).catch(() => rest());
    },
    saw(others, ms) {
      mean = ms < MOMENT ? mean + (Math.min(Number(others), MAX_SEEN) - mean) / TURNS : 0;
      if (mean > crowd - 1.5) handsOver();
    },
    async close() {
      isClosed = true;
      await (await line?.catch(() => undefined))?.end().catch(() => undefined);
    },
  };
}

const toldOf = (settled: Settled<unknown> | null): Told => {
  if (settled === null || "out" in settled) return settled;
  const { error } = settled;
  return error instanceof PrivacyError ? { refused: [error.code, error.details, error.message] } : null;
};

const settledOf = (told: Told): Settled<unknown> | null =>
  told === null || "out" in told ? told : { error: new PrivacyError(...told.refused) };
