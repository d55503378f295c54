import { hash } from "node:crypto";
import { setTimeout as pause } from "node:timers/promises";
import { deserialize, serialize } from "node:v8";
import { type ErrorCode, type ErrorDetails, PrivacyError } from "@dosimeter/core";
import pg from "pg";
import type { Relay, Settled } from "../store.ts";

/** Rows that are lost with the server are sent again by who waits for them: nothing here is ever the only trace of a charge. */
export const LETTERS = `CREATE UNLOGGED TABLE IF NOT EXISTS handed
  (id TEXT PRIMARY KEY, address TEXT NOT NULL, body BYTEA NOT NULL, at TIMESTAMPTZ NOT NULL DEFAULT now())`;
const SEND =
  "WITH sent AS (INSERT INTO handed (id, address, body) VALUES ($1, $2, $3) RETURNING address) SELECT pg_notify(address, '') FROM sent";
const TAKE = `DELETE FROM handed WHERE id IN (SELECT id FROM handed WHERE address = $1 FOR UPDATE SKIP LOCKED)
  RETURNING body, (extract(epoch FROM at) * 1000)::bigint AS at`;
const FORGET = "DELETE FROM handed WHERE at < now() - interval '1 minute'";
const LEAD = "SELECT pg_try_advisory_lock($1) AS leads";

/** Milliseconds: how long what is in a letter may be decided, how much longer its writer waits, and after how long it looks for who leads. */
const [VALID_MS, MARGIN, LOOK] = [1500, 500, 100];
/** Milliseconds for which a process decides by itself when no answer came, and does not ask for the lock when one did. */
const REST = 10_000;

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
}

export interface RelayOptions {
  readonly config: pg.ClientConfig;
  readonly schema: string;
  /** The copy of the database that this process writes to. */
  readonly known: () => string | null;
}

/** Elects by a lock that ends with its connection the process that decides for all; letters between them are rows. [M392] */
export function openRelay({ config, schema, known }: RelayOptions): Relay & { close(): Promise<void> } {
  const name = hash("sha256", schema).slice(0, 12);
  const leader = `handed_${name}`;
  const me = `${leader}_${crypto.randomUUID().replaceAll("-", "_")}`;
  const lock = String(BigInt(`0x${name}`));
  const runs = new Map<string, Parameters<Relay["serve"]>[1]>();
  const waiting = new Map<string, (told: Reply["told"]) => void>();
  let line: Promise<pg.Client> | null = null;
  let [leads, isClosed, heard, rests] = [false, false, 0, 0];

  const connected = (): Promise<pg.Client> => {
    line ??= connect();
    return line;
  };

  async function connect(): Promise<pg.Client> {
    const client = new pg.Client({ ...config, pipeline: true });
    const lost = () => {
      [line, leads] = [null, false];
    };
    client.on("error", lost);
    client.on("end", lost);
    client.on("notification", ({ channel }) => void collect(client, channel).catch(() => undefined));
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
    await collect(client, leader);
    return true;
  }

  async function collect(client: pg.Client, address: string): Promise<void> {
    const { rows } = await client.query(TAKE, [address]);
    for (const { body, at } of rows as { body: Buffer; at: bigint }[]) {
      const letter = deserialize(body) as Letter | Reply;
      if ("told" in letter) waiting.get(letter.id)?.(letter.told);
      else void answer(client, letter, Number(at) + VALID_MS).catch(() => undefined);
    }
  }

  async function answer(client: pg.Client, { id, from, name, copy, items }: Letter, until: number): Promise<void> {
    // what it wrote itself before it led: its turn waits for this answer
    const run = from === me || copy !== known() ? undefined : runs.get(name);
    const settled = await run?.(items, until);
    const told = items.map((_, index) => toldOf(settled?.[index] ?? null));
    await send(client, from, `${id} answer`, { id, told });
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
    const { promise: replied, resolve } = Promise.withResolvers<Reply["told"]>();
    waiting.set(id, resolve);
    try {
      await send(client, leader, id, { id, from: me, name, copy: known(), items });
      for (const end = performance.now() + VALID_MS + MARGIN; performance.now() < end; ) {
        const told = await Promise.race([replied, pause(LOOK, undefined, { ref: false })]);
        if (told !== undefined) {
          heard = Date.now();
          return told.map(settledOf);
        }
        if (!leads) await isLeading(client); // then it takes its own letter too, if no one did
      }
      return rest();
    } finally {
      waiting.delete(id);
    }
  }

  /** By itself for a while, as where there is no answer, no such table, or no connection. */
  function rest(): null {
    rests = Date.now() + REST;
    return null;
  }

  return {
    serve: (name, run) => void runs.set(name, run),
    hand: async (name, items) => (leads || isClosed || Date.now() < rests ? null : handOver(name, items).catch(rest)),
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
