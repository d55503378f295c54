import { createHash, randomInt, randomUUID } from "node:crypto";
import { createServer, type Server, type Socket } from "node:net";
import { setTimeout as pause } from "node:timers/promises";
import { TLSSocket } from "node:tls";
import { createClient } from "@dosimeter/client";
import { PrivacyError } from "@dosimeter/core";
import { countOpen } from "../access/per-person.ts";
import { counted, openRates, usualRates } from "../access/rates.ts";
import { listen } from "../http/listen.ts";
import { runAs } from "../telemetry/current.ts";
import { errorFields, type Log } from "../telemetry/log.ts";
import { publicError } from "../view/problem.ts";
import { openBackend } from "./backend.ts";
import { openCatalogue } from "./catalogue.ts";
import type { Certificate } from "./certificate.ts";
import { partsOf } from "./decode.ts";
import * as encode from "./encode.ts";
import { openPool, type Pool, type PoolOptions } from "./pool.ts";
import { openQueries } from "./queries.ts";
import { runSession } from "./session.ts";
import { settingAs } from "./settings.ts";
import { WireError, wireError } from "./sqlstate.ts";
import { openStrangers } from "./strangers.ts";
import { countUnsent, Gone, hangUp, type Reader, readerOf, secured, send, takeMessage } from "./stream.ts";
import { isOurs, openVariables, reported } from "./variables.ts";

/** Where the protocol of PostgreSQL is spoken, and what encrypts it. */
export interface PostgresWireOptions {
  readonly port: number;
  readonly host: string;
  readonly certificate: Certificate;
  /** The HTTP interface of this process, which decides everything that is asked. */
  readonly fetch: (request: Request, socket: { readonly remoteAddress: string }) => Response | Promise<Response>;
  readonly log: Log;
  readonly processes: PoolOptions;
}

export interface PostgresWire {
  readonly port: number;
  /** Takes no more connections, and ends those that there are. */
  readonly close: () => Promise<void>;
}

/** Connections in all (those that have signed in, 40 strangers, and room for those that are ending), those that have signed in, and sessions of one person. */
const MAX_CONNECTIONS = 240;
const MAX_SIGNED_IN = 160;
const MAX_SESSIONS = 20;
/** The longest that signing in may take, from the first byte on. */
const SIGN_IN_MS = 15_000;
const MAX_STARTUP_BYTES = 10_000;
const MAX_PASSWORD_BYTES = 4096;

/** The numbers that stand in place of a version. */
const codes = { cancel: 80_877_102, tls: 80_877_103, gss: 80_877_104 } as const;
const TLS_HANDSHAKE = 0x16;
const ALPN = "postgresql";

/** What connections share. */
interface Door extends PostgresWireOptions {
  readonly pool: Pool;
  readonly rates: ReturnType<typeof openRates>;
  /** Begins one of a person. */
  readonly sessions: ReturnType<typeof countOpen<string>>;
  /** Bytes of answers that clients have not read yet. */
  readonly unsent: ReturnType<typeof countUnsent>;
  /** Running sessions by the number that a cancel request names. */
  readonly running: Map<number, Running>;
}

interface Running {
  readonly secret: number;
  cancel: () => void;
  /** When its last message came, or its last answer was there; null while a query runs. Milliseconds. */
  idleSince: number | null;
  /** Says why, and ends the connection. */
  readonly end: () => void;
}

/** Speaks the protocol of PostgreSQL over TLS, with the authority of the token that a client sends as its password. */
export async function openPostgresWire(options: PostgresWireOptions): Promise<PostgresWire> {
  const door: Door = {
    ...options,
    pool: openPool(options.processes),
    rates: openRates({ ...usualRates, request: MESSAGES }),
    sessions: countOpen(MAX_SESSIONS),
    unsent: countUnsent(),
    running: new Map(),
  };
  const sockets = new Set<Socket>();
  const strangers = openStrangers();
  const server: Server = createServer({ noDelay: true, keepAlive: true }, (socket) => {
    socket.on("error", () => socket.destroy());
    if (sockets.size >= MAX_CONNECTIONS) return void socket.destroy();
    sockets.add(socket);
    const leave = strangers.enter(counted(socket.remoteAddress ?? ""), socket);
    const giveUp = setTimeout(() => socket.destroy(), SIGN_IN_MS);
    const known = (): void => {
      clearTimeout(giveUp);
      leave();
    };
    // All that a connection asks is one request in the log.
    void runAs({ request: randomUUID() }, () => converse(socket, door, known))
      .catch((error: unknown) => {
        if (!(error instanceof Gone))
          door.log.error("REQUEST_FAILED", { route: "postgres-wire", ...errorFields(error) });
      })
      .finally(() => {
        known();
        sockets.delete(socket);
        socket.destroy();
      });
  });
  const port = await listen(server, options.host, { named: options.port, usual: options.port });
  return {
    port,
    async close() {
      const { promise, resolve } = Promise.withResolvers<void>();
      server.close(() => resolve());
      for (const { cancel } of door.running.values()) cancel();
      for (const socket of sockets) socket.destroy();
      await Promise.all([promise, door.pool.close()]);
    },
  };
}

/** Messages of one person: six are a query with values. */
const MESSAGES = { burst: 6000, perMinute: 30_000 } as const;

/** One connection, from its first byte to its last. */
async function converse(socket: Socket, door: Door, known: () => void): Promise<void> {
  const remoteAddress = socket.remoteAddress ?? "";
  const stream = await encrypted(socket, door);
  if (stream === null) return hangUp(socket);
  const reader = readerOf(stream);
  try {
    const startup = await startupOf(reader, door);
    if (startup === null) return;
    await serveClient({ stream, reader }, startup, { door, remoteAddress }, known);
  } catch (error) {
    if (error instanceof Gone) return;
    await send(stream, encode.errorResponse(fatal(publicOf(error, door.log))));
  } finally {
    await hangUp(stream);
  }
}

const fatal = ({ facts, message }: WireError): WireError => new WireError({ ...facts, severity: "FATAL" }, message);

function publicOf(error: unknown, log: Log): WireError {
  if (error instanceof Gone) throw error;
  if (error instanceof WireError) return error;
  const shown = publicError(error);
  if (shown !== error)
    log.error("REQUEST_FAILED", { route: "postgres-wire", cause: shown.code, ...errorFields(error) });
  return wireError(shown);
}

/** The connection under TLS; null where it was a cancel request, or is refused. */
async function encrypted(socket: Socket, door: Door): Promise<TLSSocket | null> {
  let hasDeclined = false;
  const reader = readerOf(socket);
  for (;;) {
    const first = await reader.take(1, SIGN_IN_MS);
    if (first[0] === TLS_HANDSHAKE && !hasDeclined) {
      await countTls(socket, door);
      socket.unshift(Buffer.concat([first, reader.rest()]));
      const stream = await underTls(socket, door);
      if (stream.alpnProtocol === ALPN) return stream;
      // Without the name of the protocol, what another protocol sends could be read as this one.
      await refused(stream, "direct TLS needs the ALPN protocol postgresql");
      await hangUp(stream);
      return null;
    }
    const rest = await reader.take(7, SIGN_IN_MS);
    const [length, code] = [Buffer.concat([first, rest]).readInt32BE(0), rest.readInt32BE(3)];
    if (code === codes.tls && length === 8) {
      if (!reader.isEmpty()) return null; // bytes from before the encryption are never taken for later ones
      await countTls(socket, door);
      await send(socket, Buffer.from("S"));
      return underTls(socket, door);
    }
    if (code === codes.gss && length === 8 && !hasDeclined) {
      hasDeclined = true;
      await send(socket, Buffer.from("N"));
      continue;
    }
    if (code === codes.cancel && length === 16) {
      cancel(await reader.take(8, SIGN_IN_MS), door);
      return null;
    }
    return refused(
      socket,
      "this server takes encrypted connections only",
      "Connect with sslmode=require, or verify-full.",
    );
  }
}

/** Before the work of TLS, and not at arrival: who says nothing takes no turn of others at its address. A refusal in plain words could be anyone's. */
const countTls = ({ remoteAddress }: Socket, { rates }: Door): Promise<void> =>
  rates.take("anonymous", counted(remoteAddress ?? "")).catch(() => Promise.reject(new Gone()));

async function refused(stream: Socket, message: string, hint?: string): Promise<null> {
  await send(stream, encode.errorResponse(new WireError({ severity: "FATAL", code: "28000", hint }, message)));
  return null;
}

async function underTls(socket: Socket, { certificate }: Door): Promise<TLSSocket> {
  const stream = new TLSSocket(socket, { isServer: true, secureContext: certificate, ALPNProtocols: [ALPN] });
  stream.on("error", () => stream.destroy());
  await secured(stream, SIGN_IN_MS);
  return stream;
}

function cancel(body: Buffer, { running }: Door): void {
  const one = running.get(body.readInt32BE(0));
  if (one?.secret === body.readInt32BE(4)) one.cancel();
}

interface Startup {
  readonly parameters: ReadonlyMap<string, string>;
  /** Options of the protocol itself that are not known here. */
  readonly unknown: readonly string[];
  readonly minor: number;
}

/** What a client says first; null for a cancel request. */
async function startupOf(reader: Reader, door: Door): Promise<Startup | null> {
  const length = (await reader.take(4, SIGN_IN_MS)).readInt32BE();
  if (length < 8 || length > MAX_STARTUP_BYTES)
    throw new WireError(
      { code: "08P01" },
      `the first message has ${length} bytes, must have 8 to ${MAX_STARTUP_BYTES}`,
    );
  const body = await reader.take(length - 4, SIGN_IN_MS);
  const code = body.readInt32BE();
  if (code === codes.cancel && length === 16) {
    cancel(body.subarray(4), door);
    return null;
  }
  const [major, minor] = [code >> 16, code & 0xffff];
  if (major !== 3)
    throw new WireError({ code: "0A000" }, `the client speaks version ${major}.${minor} of the protocol, must be 3`);
  const { text, isEnd } = partsOf(body.subarray(4));
  const parameters = new Map<string, string>();
  for (let name = text(); name !== ""; name = text()) parameters.set(name, text());
  if (!isEnd()) throw new WireError({ code: "08P01" }, "the first message goes on after its end");
  return { parameters, minor, unknown: [...parameters.keys()].filter((name) => name.startsWith("_pq_.")) };
}

async function serveClient(
  { stream, reader }: { readonly stream: TLSSocket; readonly reader: Reader },
  { parameters, minor, unknown }: Startup,
  { door, remoteAddress }: { readonly door: Door; readonly remoteAddress: string },
  known: () => void,
): Promise<void> {
  if (parameters.has("replication") && !/^(?:off|false|no|0)$/.test(parameters.get("replication") ?? ""))
    throw new WireError({ code: "0A000" }, "there is nothing to replicate");
  const { variables, settings } = settingsOf(parameters);
  if (minor > 0 || unknown.length > 0) await send(stream, encode.negotiateVersion(unknown));
  await send(stream, encode.askForPassword);
  const { type, body } = await takeMessage(reader, { idleMilliseconds: SIGN_IN_MS, bytes: MAX_PASSWORD_BYTES });
  if (type !== "p") throw new WireError({ code: "08P01" }, "the password is missing");
  const token = partsOf(body).text();
  // What no header can carry is no token of ours.
  if (!/^[\x21-\x7e]+$/.test(token)) refuseToken();
  const client = createClient({ url: INSIDE, token, fetch: (request) => door.fetch(request, { remoteAddress }) });
  const person = await personOf(client);
  const process = numberFor(door);
  const leave = enter(person, door);
  const secret = randomInt(-(2 ** 31), 2 ** 31);
  const entry: Running = { secret, cancel: () => {}, idleSince: performance.now(), end: () => endIdle(stream) };
  try {
    makeRoom(door);
    door.running.set(process, entry);
    known();
    variables.started();
    const user = parameters.get("user") ?? "";
    const catalogue = openCatalogue(client);
    const started = Object.fromEntries(settings.map(([name, value]) => [name.toLowerCase(), value]));
    const statuses = Object.entries({ ...reported, session_authorization: user }).map(([name, value]) =>
      encode.parameterStatus(name, isReportedAs.test(name) ? (started[name.toLowerCase()] ?? value) : value),
    );
    await send(
      stream,
      Buffer.concat([encode.signedIn, ...statuses, encode.backendKey(process, secret), encode.readyForQuery("I")]),
    );
    await runSession({
      stream,
      reader,
      variables,
      catalogue,
      backend: openBackend({
        ...{ pool: door.pool, catalogue, variables, settings, user },
        database: parameters.get("database") ?? user,
        ...{ person, token: createHash("sha256").update(token).digest("hex") },
        hold: (bytes) => door.unsent(person, bytes),
      }),
      queries: openQueries(client, variables),
      pace() {
        entry.idleSince = performance.now();
        return paced(person, door);
      },
      publicOf: (error) => publicOf(error, door.log),
      async cancellable(run) {
        const controller = new AbortController();
        Object.assign(entry, { cancel: () => controller.abort(), idleSince: null });
        return run(controller.signal).finally(() => {
          Object.assign(entry, { cancel: () => {}, idleSince: performance.now() });
        });
      },
    });
  } finally {
    door.running.delete(process);
    leave();
  }
}

/** An address that nothing listens on: its requests stay within this process. */
const INSIDE = "http://localhost";

async function personOf(client: ReturnType<typeof createClient>): Promise<string> {
  try {
    return (await client.me()).person.id;
  } catch (error) {
    if (!(error instanceof PrivacyError && error.code === "UNAUTHENTICATED")) throw error;
    return refuseToken();
  }
}

function refuseToken(): never {
  throw new WireError(
    { code: "28P01", hint: "The password is an API token: dosimeter token create, or the page Settings." },
    "the token is missing, wrong, expired or revoked",
  );
}

/** Where all sessions are taken, the one that has been idle for longest ends: only who signed in has it end. */
function makeRoom({ running }: Door): void {
  if (running.size < MAX_SIGNED_IN) return;
  let longest: { readonly process: number; readonly since: number; readonly end: () => void } | null = null;
  for (const [process, { idleSince: since, end }] of running)
    if (since !== null && (longest === null || since < longest.since)) longest = { process, since, end };
  if (longest === null)
    throw new WireError({ code: "53300" }, `${running.size} sessions run queries, must be at most ${MAX_SIGNED_IN}`);
  running.delete(longest.process);
  longest.end();
}

function endIdle(stream: TLSSocket): void {
  const why = new WireError(
    { severity: "FATAL", code: "57P05" },
    "the session was idle, and another one needed its place",
  );
  void send(stream, encode.errorResponse(why)).catch(() => undefined);
  void hangUp(stream);
}

/** What a client may have set as it signed in, and reads back. */
const isReportedAs = /^(?:application_name|DateStyle|TimeZone|IntervalStyle|search_path)$/;

/** Nothing is ever written: a session need not say so, and must not say otherwise. */
const MODES = /read_only$/i;

/** Settings that came with the connection, by name or as `options=-c name=value`; PostgreSQL has those that are not ours. */
function settingsOf(parameters: ReadonlyMap<string, string>) {
  const variables = openVariables();
  const settings: (readonly [string, string])[] = [];
  const set = (name: string, given: string): void => {
    const value = name.toLowerCase() === "client_encoding" ? given.replace(/^'(.*)'$/, "$1") : given;
    variables.set(name, value);
    if (isOurs(name)) return;
    if (MODES.test(name) && /^(?:on|true|yes|1)$/i.test(value)) return;
    const how = MODES.test(name) ? "is kept" : settingAs(name);
    if (how === "is kept")
      throw new WireError({ severity: "FATAL", code: "42501" }, `the setting ${JSON.stringify(name)} stays as it is`);
    if (how === "may") settings.push([name, value]);
  };
  for (const [, name = "", value = ""] of (parameters.get("options") ?? "").matchAll(
    /(?:-c\s*|--)([\w.-]+)=((?:\\.|\S)*)/g,
  ))
    set(name.replaceAll("-", "_"), value.replace(/\\(.)/g, "$1"));
  for (const [name, value] of parameters)
    if (!["user", "database", "options", "replication"].includes(name) && !name.startsWith("_pq_.")) set(name, value);
  return { variables, settings };
}

function numberFor({ running }: Door): number {
  for (;;) {
    const process = randomInt(1, 2 ** 31);
    if (!running.has(process)) return process;
  }
}

function enter(person: string, { sessions }: Door): () => void {
  const leave = sessions(person);
  if (leave !== null) return leave;
  throw new WireError({ code: "53300" }, `you have ${MAX_SESSIONS} sessions here, must be at most ${MAX_SESSIONS}`);
}

/** A client that sends too much is not read for a while: its own side of the line fills up. */
async function paced(person: string, { rates }: Door): Promise<void> {
  for (;;) {
    try {
      return await rates.take("request", person);
    } catch (error) {
      if (!(error instanceof PrivacyError && error.code === "RATE_LIMITED")) throw error;
      await pause(PAUSE_MS);
    }
  }
}
const PAUSE_MS = 100;
