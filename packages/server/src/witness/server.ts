import { createHash, randomBytes, timingSafeEqual } from "node:crypto";
import { readdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import type { Server } from "node:http";
import { join } from "node:path";
import { invalid, PrivacyError } from "@dosimeter/core";
import { type Context, Hono } from "hono";
import { basicAuth } from "hono/basic-auth";
import { bodyLimit } from "hono/body-limit";
import { HTTPException } from "hono/http-exception";
import { hostName, listen } from "../http/listen.ts";
import { apiHeaders } from "../http/security.ts";
import { type Kept, parseKept } from "../instance/checkpoint-text.ts";
import { takeLock } from "../instance/lock.ts";
import { NONCE, NONCE_HEADER, SIGNATURE_HEADER, signedBytes } from "../instance/signature.ts";
import { fingerprint, instanceSigner } from "../instance/signer.ts";
import { MAX_CHECKPOINT_BYTES } from "../instance/witness.ts";
import { makeFolder } from "../sources/make-folder.ts";
import { problemOf, publicError } from "../view/problem.ts";
import { objectsApp } from "./objects-app.ts";

export interface WitnessOptions {
  /** Keeps the signing key and, for each name, its secret and its newest checkpoint. */
  readonly folder: string;
  /** The servers that this one is the witness of: 1 to 1,000 names of letters, digits, `-` and `_`. */
  readonly names: readonly string[];
  /** Fails when it is taken; 8081, or the next free one, when absent. */
  readonly port?: number;
  /** 127.0.0.1 when absent, which only this machine can reach. */
  readonly host?: string;
}

export interface ServingWitness {
  readonly url: string;
  /** What each server is given as `DOSIMETER_WITNESS`: address, secret and the fingerprint of this witness's key. */
  readonly addresses: Readonly<Record<string, string>>;
  close(): Promise<void>;
}

const DEFAULT_PORT = 8081;
const MAX_NAMES = 1000;

/**
 * Keeps the newest checkpoint of other servers, signs it for whom it belongs to, and refuses an older one. An operator who winds
 * back a server's whole folder would need this machine too. INVALID_PARAMETER for a bad name, ALREADY_RUNNING for a folder in use.
 */
export async function serveWitness({
  folder,
  names,
  port,
  host = "127.0.0.1",
}: WitnessOptions): Promise<ServingWitness> {
  if (names.length === 0 || names.length > MAX_NAMES) invalid("names", names.length, `1 to ${MAX_NAMES} names`);
  for (const name of names)
    if (!/^[\w-]{1,64}$/.test(name) || name === "lock")
      invalid("name", name, "1 to 64 letters, digits, - and _, other than lock");
  await makeFolder(folder);
  const lock = await takeLock(folder);
  try {
    const signer = await instanceSigner(folder, null);
    const kept = await Promise.all(names.map(async (name) => openKept(folder, name)));
    const { createAdaptorServer } = await import("@hono/node-server");
    const server = createAdaptorServer({
      fetch: witnessApp(folder, new Map(kept.map((one) => [one.name, one])), signer).fetch,
    });
    const taken = await listen(server as Server, host, { named: port, usual: DEFAULT_PORT });
    const url = `http://${hostName(host)}:${taken}`;
    await lock.publish(url);
    const addressOf = ({ name, secret }: KeptForOne) => {
      const address = new URL(url);
      Object.assign(address, { username: name, password: secret, hash: fingerprint(signer) });
      return address.href;
    };
    return {
      url,
      addresses: Object.fromEntries(kept.map((one) => [one.name, addressOf(one)])),
      async close() {
        const closed = new Promise((resolve) => server.close(resolve));
        (server as Server).closeAllConnections();
        await closed;
        await lock.release();
      },
    };
  } catch (error) {
    await lock.release();
    throw error;
  }
}

interface KeptForOne {
  readonly name: string;
  readonly secret: string;
  /** What was kept last; null before the first, and after its file was deleted. */
  read(): Promise<string | null>;
  /** CONFLICT for an older state than the kept one, or one of another database. */
  keep(text: string): Promise<void>;
}

async function openKept(folder: string, name: string): Promise<KeptForOne> {
  const path = join(folder, `${name}.json`);
  const read = () => textOf(path);
  const shipped = join(folder, `${name}.ship`);
  const left = (await readdir(shipped).catch(() => [])).filter((one) => one.startsWith("."));
  for (const one of left) await rm(join(shipped, one)); // an object whose writer was killed
  let writing: Promise<unknown> = Promise.resolve();
  async function keep(text: string): Promise<void> {
    const before = await read();
    if (before !== null) mustNotGoBack(parseKept(before, path), parseKept(text, "body"));
    else parseKept(text, "body");
    await replace(path, text);
  }
  return {
    name,
    secret: await secretOf(join(folder, `${name}.secret`)),
    read,
    keep(text) {
      const kept = writing.then(() => keep(text));
      writing = kept.catch(() => {});
      return kept;
    },
  };
}

async function secretOf(path: string): Promise<string> {
  const known = await textOf(path);
  if (known !== null) return known.trim();
  const secret = randomBytes(32).toString("base64url");
  await replace(path, `${secret}\n`);
  return secret;
}

function mustNotGoBack(before: Kept, next: Kept): void {
  const isLater = BigInt(next.seq) > BigInt(before.seq);
  const isForgotten = Object.entries(before.ledgers).some(([id, sums]) => forgets(sums, next.ledgers[id]));
  if (next.database === before.database && ((isLater && !isForgotten) || stateOf(next) === stateOf(before))) return;
  throw new PrivacyError(
    "CONFLICT",
    { name: "checkpoint", got: `line ${next.seq}`, want: `line ${before.seq}, or a later one with all that was spent` },
    "this witness keeps a newer checkpoint, one that knows of more that was spent, or one of another database. Where a restored ledger database is to go on, the operator of the witness deletes the kept file",
  );
}

type Sums = Kept["ledgers"][string];

/**
 * What no ledger database lets happen to a ledger. The server's secret is on the machine of the operator, who could else have a line of their own
 * signed that forgets what was spent. Only a raise leaves more of μ², and `reopenLedger` opens nothing from before a raise.
 */
function forgets(before: Sums, next: Sums | undefined): boolean {
  if (next === undefined) return true;
  const [from, to] = [before, next].map(({ version }) => BigInt(version)) as [bigint, bigint];
  return (
    to < from ||
    (before.activeRule === "tight" && next.activeRule === "addition") ||
    (before.hasBlocks === true && next.hasBlocks !== true) ||
    next[next.activeRule === "addition" ? "epsilon" : "mu2"] === null ||
    BigInt(next.delta) < BigInt(before.delta) ||
    hasMore(minus(before.epsilon), minus(next.epsilon)) ||
    (to === from && hasMore(before.mu2, next.mu2))
  );
}

/** Whether more is left. A sum that is not counted any more stays so: the other one has the whole. */
const hasMore = (before: Units, next: Units): boolean =>
  next !== null && (before === null || BigInt(next) > BigInt(before));

type Units = string | bigint | null;

const minus = (spent: string | null): Units => (spent === null ? null : -BigInt(spent));

/** What does not depend on how the server ended, nor on the copy of the database. */
const stateOf = ({ copy: _, closed: __, witnessed: ___, ...state }: Kept): string => JSON.stringify(state);

type Signing = Awaited<ReturnType<typeof instanceSigner>>;

type Variables = { Variables: { one: KeptForOne } };

function witnessApp(folder: string, kept: ReadonlyMap<string, KeptForOne>, signer: Signing): Hono<Variables> {
  const app = new Hono<Variables>();
  app.use(apiHeaders);
  app.get("/health", (c) => c.json({ status: "ok" }));
  app.use(
    "*",
    basicAuth({
      realm: "witness",
      verifyUser(name, secret, c) {
        const one = kept.get(name);
        if (!isSame(one?.secret ?? "", secret)) return false;
        c.set("one", one);
        return one !== undefined;
      },
    }),
  );
  const signFor = (c: Context<Variables>, text: string | null): void => {
    const nonce = c.req.header(NONCE_HEADER) ?? "";
    if (!NONCE.test(nonce)) return;
    const bytes = signedBytes({ nonce, name: c.get("one").name, text });
    c.header(SIGNATURE_HEADER, `${signer.publicKey} ${signer.sign(bytes)}`);
  };
  app.get("/", async (c) => {
    const text = await c.get("one").read();
    signFor(c, text);
    return text === null ? c.body(null, 404) : c.body(text, 200, { "content-type": "application/json" });
  });
  app.put("/", bodyLimit({ maxSize: MAX_CHECKPOINT_BYTES }), async (c) => {
    const text = await c.req.text();
    await c.get("one").keep(text);
    signFor(c, text);
    return c.body(null, 204);
  });
  app.route(
    "/ship",
    objectsApp((c) => join(folder, `${(c as Context<Variables>).get("one").name}.ship`)),
  );
  app.onError(refused);
  return app;
}

function refused(error: Error, c: Context): Response {
  if (error instanceof HTTPException) return error.getResponse();
  const isNoJson = error instanceof SyntaxError;
  const problem = problemOf(
    isNoJson ? new PrivacyError("INVALID_PARAMETER", { name: "body", want: "a checkpoint" }) : publicError(error),
  );
  return c.json(problem, problem.status as 400, { "content-type": "application/problem+json" });
}

/** Takes the same time for every secret that was tried. */
function isSame(a: string, b: string): boolean {
  const [x, y] = [a, b].map((text) => createHash("sha256").update(text).digest());
  return a !== "" && x !== undefined && y !== undefined && timingSafeEqual(x, y);
}

const textOf = (path: string): Promise<string | null> =>
  readFile(path, "utf8").catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return null;
    throw error;
  });

async function replace(path: string, text: string): Promise<void> {
  await writeFile(`${path}.new`, text, { mode: 0o600, flush: true });
  await rename(`${path}.new`, path);
}
