import { createHash, randomBytes } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { invalid } from "@dosimeter/core";

/** A place with an address: names and what they hold, nothing of which is written twice. [M424] */
export interface Objects {
  /** Resolves when it was read back as it was sent. Taken by another is false. */
  put(name: string, bytes: Uint8Array): Promise<boolean>;
  get(name: string): Promise<Buffer | null>;
  /** All that begin so. */
  names(prefix: string): Promise<readonly string[]>;
  remove(names: readonly string[]): Promise<void>;
}

/** `https://host/path` of `dosimeter witness`, and `s3+https://host/bucket/path`. Without TLS this machine alone. */
const ADDRESS = /^(s3\+)?(https:\/\/[\w.-]+|http:\/\/(localhost|127\.0\.0\.1))(:\d+)?(\/[\w./-]*)?(\?region=[\w-]+)?$/;
const TRIES = 3;
const PAUSE_MS = 250;
/** Of one request, and a megabyte a second more. */
const TIMEOUT_MS = 10_000;
const BYTES_PER_MS = 1000;
const AT_ONCE = 16;
const MAX_PAGES = 100_000;
const MAX_BYTES = 2 ** 29;
/** Of an answer that says why, too. */
const MIN_BYTES = 2 ** 16;

export const isAddress = (place: string): boolean => /^[\w+]+:\/\//.test(place);

/** INVALID_PARAMETER for what is no such address, or lacks its secret. */
export function checkAddress(place: string, secret: string | undefined): void {
  const [name, key] = partsOf(secret);
  if (!ADDRESS.test(place) || !URL.canParse(place) || (place.startsWith("s3+") && bucketOf(place) === ""))
    invalid(
      "DOSIMETER_SHIP",
      "not of this form",
      "a folder, https://host/…, or s3+https://host/bucket/… with ?region=… where it has one",
    );
  if (name === "" || key === "")
    invalid(
      "DOSIMETER_SHIP_SECRET",
      "not of this form",
      "name:secret, or the id and the secret of a key of S3 as id:secret",
    );
}

const partsOf = (secret = ""): readonly [string, string] => {
  const at = secret.indexOf(":");
  return [secret.slice(0, Math.max(0, at)), secret.slice(at + 1).trim()];
};
const bucketOf = (place: string): string => new URL(place.slice("s3+".length)).pathname.split("/")[1] ?? "";

export const coded = (code: string): Error => Object.assign(new Error(code), { code });
const refused = (status: number, bytes: Buffer = Buffer.alloc(0)): Error =>
  coded(bytes.includes("<Code>RequestTimeTooSkewed<") ? "CLOCK" : `HTTP_${status}`);
/** What fetch says has no code, or the number of a DOMException. */
const asCoded = (error: unknown): Error => {
  const { code, name, cause } = error as Error & { readonly code?: unknown; readonly cause?: NodeJS.ErrnoException };
  return coded(typeof code === "string" ? code : name === "TimeoutError" ? "TIMEOUT" : (cause?.code ?? "UNREACHABLE"));
};

/** A place that goes on sending takes no more memory than this. */
async function bytesOf({ body }: Response, most: number): Promise<Buffer> {
  const parts: Uint8Array[] = [];
  let size = 0;
  for await (const part of body ?? []) {
    size += part.byteLength;
    if (size > most) throw coded("TOO_LONG");
    parts.push(part);
  }
  return Buffer.concat(parts);
}

type Send = (url: URL, init: RequestInit) => Promise<Response>;

interface Answered {
  readonly status: number;
  readonly bytes: Buffer;
}
/** Too many at once; and, of S3, that a request for the same name is under way. */
const PASSING: ReadonlySet<number> = new Set([409, 429]);
/** Names that lead nowhere else, also as paths. */
const NAME = /^(\w[\w.-]*\/)*\w[\w.-]*$/;

/** Signs with what is loaded for S3 alone. */
async function sender(place: string, secret: string | undefined, url: URL): Promise<Send> {
  const [name, key] = partsOf(secret);
  const usual = { redirect: "error" } as const;
  if (!place.startsWith("s3+")) {
    const authorization = `Basic ${Buffer.from(`${name}:${key}`).toString("base64")}`;
    return (to, init) => fetch(to, { ...init, ...usual, headers: { ...init.headers, authorization } });
  }
  const { AwsClient } = await import("aws4fetch");
  const region = url.searchParams.get("region") ?? "us-east-1";
  const client = new AwsClient({ accessKeyId: name, secretAccessKey: key, service: "s3", region, retries: 0 });
  return async (to, init) => fetch(await client.sign(to, init), usual);
}

// long: operations over one address
export async function objectsAt(place: string, secret: string | undefined): Promise<Objects> {
  checkAddress(place, secret);
  const isS3 = place.startsWith("s3+");
  const url = new URL(isS3 ? place.slice("s3+".length) : place);
  const send = await sender(place, secret, url);
  const [root = "", ...below] = url.pathname.split("/").filter(Boolean);
  const base = `${url.origin}/${root}`;
  const under = below.map((part) => `${part}/`).join("");
  const at = (name: string) => new URL(`${base}/${under}${name}`);

  async function ask(
    to: URL,
    init: RequestInit,
    { body, most = MAX_BYTES }: { readonly body?: Uint8Array; readonly most?: number } = {},
  ): Promise<Answered> {
    const headers = {
      ...init.headers,
      "x-amz-content-sha256": createHash("sha256")
        .update(body ?? "")
        .digest("hex"),
    };
    const milliseconds = TIMEOUT_MS + Math.ceil((body?.byteLength ?? 0) / BYTES_PER_MS);
    for (let tries = 1; ; tries += 1)
      try {
        const answer = await send(to, {
          ...init,
          headers,
          cache: "no-store",
          ...(body === undefined ? {} : { body: Buffer.from(body) }),
          signal: AbortSignal.timeout(milliseconds),
        });
        const bytes = await bytesOf(answer, Math.max(MIN_BYTES, most));
        if (answer.status < 500 && !PASSING.has(answer.status)) return { status: answer.status, bytes };
        throw refused(answer.status);
      } catch (error) {
        if (tries === TRIES) throw asCoded(error);
        await sleep(PAUSE_MS * tries);
      }
  }
  const mustBe = ({ status, bytes }: Answered, ...wanted: readonly number[]): void => {
    if (!wanted.includes(status)) throw refused(status, bytes);
  };

  async function get(name: string, most = MAX_BYTES): Promise<Buffer | null> {
    const answer = await ask(at(name), { method: "GET" }, { most });
    mustBe(answer, 200, 404);
    return answer.status === 404 ? null : answer.bytes;
  }

  return {
    get: (name) => get(name),
    async put(name, bytes) {
      const answer = await ask(at(name), { method: "PUT", headers: { "if-none-match": "*" } }, { body: bytes });
      // 412 is another's, or what was sent before and not acknowledged.
      mustBe(answer, 200, 201, 204, 412);
      for (let tries = 1; ; tries += 1) {
        const there = await get(name, bytes.byteLength);
        if (there?.equals(bytes) === true) return true;
        if (there !== null && answer.status === 412) return false;
        if (tries === TRIES) throw coded("NOT_KEPT");
        await sleep(PAUSE_MS * tries);
      }
    },
    async names(prefix) {
      const found: string[] = [];
      let more: string | undefined;
      for (let page = 0; page < MAX_PAGES; page += 1) {
        const to = new URL(base);
        to.searchParams.set("list-type", "2");
        to.searchParams.set("prefix", under + prefix);
        if (more !== undefined) to.searchParams.set("continuation-token", more);
        const answer = await ask(to, { method: "GET" });
        mustBe(answer, 200);
        const text = answer.bytes.toString();
        if (!text.includes("<ListBucketResult")) throw coded("NO_LIST");
        for (const [, key = ""] of text.matchAll(/<Key>([\w./-]+)<\/Key>/g)) {
          const name = key.slice(under.length);
          if (key.startsWith(under + prefix) && NAME.test(name)) found.push(name);
        }
        const next = /<NextContinuationToken>([^<]+)</.exec(text)?.[1]?.replaceAll("&amp;", "&");
        if (!/<IsTruncated>true</.test(text)) return found.sort();
        if (next === undefined || next === more) throw coded("NO_LIST");
        more = next;
      }
      throw coded("NO_LIST");
    },
    async remove(names) {
      await inTurns(names, async (name) => {
        mustBe(await ask(at(name), { method: "DELETE" }), 200, 204, 404);
        if ((await get(name)) !== null) throw coded("NOT_REMOVED");
      });
    },
  };
}

/** Several at a time, in their order. */
export async function inTurns<T, R>(all: readonly T[], each: (one: T) => Promise<R>): Promise<R[]> {
  const done: R[] = [];
  for (let at = 0; at < all.length; at += AT_ONCE)
    done.push(...(await Promise.all(all.slice(at, at + AT_ONCE).map(each))));
  return done;
}

/** What is wrong with an address, for people. */
export function problemAt(error: unknown): string {
  const { code = "UNREACHABLE" } = error as NodeJS.ErrnoException;
  return problems[code] ?? `cannot be used (${code}): look at address, bucket, region and secret`;
}

/** Tries an address as a shipper uses it, and leaves nothing there. */
export async function tryAddress(place: string, secret: string | undefined): Promise<string | null> {
  const objects = await objectsAt(place, secret);
  const name = `doctor/${randomBytes(8).toString("hex")}`;
  try {
    if (!(await objects.put(name, Buffer.from("1")))) return "keeps another object than was sent";
    if (await objects.put(name, Buffer.from("2"))) return problemAt(coded("OVERWRITES"));
    if (!(await objects.names("doctor/")).includes(name)) return "does not list what it has. Name another one";
    await objects.remove([name]);
    return null;
  } catch (error) {
    return problemAt(error);
  } finally {
    await objects.remove([name]).catch(() => undefined);
  }
}

const problems: Readonly<Record<string, string>> = {
  HTTP_401: "refuses the secret: set DOSIMETER_SHIP_SECRET",
  HTTP_403: "refuses the secret or a right: it needs to read, write, list and delete objects",
  HTTP_404: "has no such bucket: make it",
  HTTP_501: "does not know If-None-Match: two servers could write there at once. Name another one",
  HTTP_507: "is full",
  CLOCK: "finds the clock of this machine wrong: set it",
  OVERWRITES: "writes over what is there (If-None-Match: *): two servers could write there at once. Name another one",
  NOT_KEPT: "does not keep what it acknowledges. Name another one",
  NOT_REMOVED: "does not delete what it acknowledges as deleted. Name another one",
};
