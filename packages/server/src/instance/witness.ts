import { randomBytes } from "node:crypto";
import { readFile, rename, writeFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { PrivacyError } from "@dosimeter/core";
import type { Witnessed } from "@dosimeter/ledger";
import { signedIn } from "../outbox/signed-in.ts";
import { errorFields, type Log } from "../telemetry/log.ts";
import { oneThatMayHang, within } from "../threads/within.ts";
import { parseKept } from "./checkpoint-text.ts";
import { type Answered, isSigned, NONCE_HEADER, SIGNATURE_HEADER } from "./signature.ts";

/** A place outside the data folder that keeps the checkpoint too, so that a folder that is restored as a whole is noticed. */
export interface Place {
  /** What was written last; null when nothing ever was. */
  read(): Promise<string | null>;
  /** False where it keeps a newer state, or that of another database, and so does not take this one. */
  write(text: string): Promise<boolean>;
  /** The name that it signs for and its key's fingerprint, `hospital#c9f1…`, since one key signs for all names; null where anything could answer for it. */
  readonly signedBy: string | null;
}

interface WitnessKind {
  /** For errors and for the docs. */
  readonly words: string;
  /** The place that an address names; null for an address of another kind. */
  readonly parse: (address: URL) => Place | null;
}

const TIMEOUT_MS = 5000;
/** The most bytes of a checkpoint, which grows with the ledgers and the charges that wait. */
export const MAX_CHECKPOINT_BYTES = 16 * 2 ** 20;

export const witnessKinds = {
  file: {
    words: "file:///mnt/other/checkpoint.json, a file on another volume",
    parse: (address) => (address.protocol === "file:" ? fileAt(fileURLToPath(address)) : null),
  },
  http: {
    words: "https://user:password@host/checkpoint.json, which takes PUT and answers GET with it, or 404",
    parse: (address) => (isWeb(address) && address.hash === "" ? endpointAt(address, null) : null),
  },
  signed: {
    words: "what dosimeter witness printed, https://name:secret@host/#fingerprint",
    parse: (address) =>
      isWeb(address) && /^#[0-9a-f]{64}$/.test(address.hash) ? endpointAt(address, address.hash.slice(1)) : null,
  },
} as const satisfies Record<string, WitnessKind>;

const isWeb = ({ protocol }: URL): boolean => /^https?:$/.test(protocol);

const fileAt = (path: string): Place => ({
  read: oneThatMayHang(TIMEOUT_MS, () =>
    readFile(path, "utf8").catch((error: NodeJS.ErrnoException) => {
      if (error.code === "ENOENT") return null;
      throw error;
    }),
  ),
  write: oneThatMayHang(TIMEOUT_MS, async (text: string) => {
    await writeFile(`${path}.new`, text, { mode: 0o600, flush: true });
    await rename(`${path}.new`, path);
    return true;
  }),
  signedBy: null,
});

/** Signed by the key of this fingerprint, or not signed where it is null. */
function endpointAt(address: URL, by: string | null): Place {
  const { url, name, headers: authorization } = signedIn(address);
  const headers = { "content-type": "application/json", ...authorization };
  const ask = async (init: RequestInit): Promise<{ answer: Response; nonce: string }> => {
    const nonce = randomBytes(16).toString("hex");
    const answer = await fetch(url, {
      ...init,
      headers: { ...headers, ...(by === null ? {} : { [NONCE_HEADER]: nonce }) },
      redirect: "error",
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
    return { answer, nonce };
  };
  const mustBeSigned = ({ headers: given }: Response, answered: Omit<Answered, "name">): void => {
    if (by !== null && !isSigned(given.get(SIGNATURE_HEADER), { ...answered, name }, by))
      throw new Error("the key of its address did not sign what it sent");
  };
  return {
    async read() {
      const { answer, nonce } = await ask({ method: "GET" });
      const isNone = answer.status === 404;
      if (!(answer.ok || isNone) || Number(answer.headers.get("content-length") ?? 0) > MAX_CHECKPOINT_BYTES)
        throw new Error(`it answered ${answer.status}`);
      const body = await answer.text();
      const text = isNone ? null : body;
      mustBeSigned(answer, { nonce, text });
      return text;
    },
    async write(text) {
      const { answer, nonce } = await ask({ method: "PUT", body: text });
      await answer.body?.cancel();
      if (answer.status === 409) return false;
      if (!answer.ok) throw new Error(`it answered ${answer.status}`);
      mustBeSigned(answer, { nonce, text });
      return true;
    },
    signedBy: by === null ? null : `${name}#${by}`,
  };
}

/** The place that a setting names; null when it names none. */
export function placeAt(address: string): Place | null {
  if (!URL.canParse(address)) return null;
  for (const { parse } of Object.values<WitnessKind>(witnessKinds)) {
    const place = parse(new URL(address));
    if (place !== null) return place;
  }
  return null;
}

export interface Witness {
  /** NOT_READY when it cannot be read in time: then nothing shows whether the data folder is the newest. */
  read(): Promise<string | null>;
  /** What it says now, where a key signs for it; null where it keeps nothing, does not answer or is not signed. */
  witnessed(): Promise<Witnessed | null>;
  readonly signedBy: string | null;
  /** Takes this as the newest, and writes it at once or as soon as it can. */
  keep(text: string): void;
  /** Whether the last write failed. */
  isFailing(): boolean;
  /** Whether it keeps a newer state, or that of another database, and so refused the last write. */
  isRefused(): boolean;
  /** Waits for what is being written. */
  settled(): Promise<void>;
}

/** Writes one text at a time and only the newest. A failure is logged once, stops nothing, and is tried again with the next `keep`. */
export function openWitness(place: Place, log: Log, milliseconds = TIMEOUT_MS + 1000): Witness {
  let newest: string | null = null;
  let written: string | null = null;
  let isFailing = false;
  let isRefused = false;
  let writing: Promise<void> | null = null;

  const inTime = <T>(work: Promise<T>) =>
    within(milliseconds, work, () => {
      throw new Error("it did not answer in time");
    });

  function failed(why: ReturnType<typeof errorFields>): void {
    if (!isFailing) log.error("WITNESS_NOT_WRITTEN", why);
    isFailing = true;
  }

  async function write(): Promise<void> {
    try {
      while (newest !== null && newest !== written) {
        const text = newest;
        isRefused = !(await inTime(place.write(text)));
        if (isRefused) return failed({});
        written = text;
      }
      if (isFailing) log.info("witness written again");
      isFailing = isRefused = false;
    } catch (error) {
      failed(errorFields(error));
    } finally {
      writing = null;
    }
  }
  return {
    signedBy: place.signedBy,
    async witnessed() {
      if (place.signedBy === null) return null;
      try {
        const text = await inTime(place.read());
        return text === null ? null : { kept: parseKept(text, "DOSIMETER_WITNESS"), signedBy: place.signedBy };
      } catch (error) {
        log.error("WITNESS_NOT_READ", errorFields(error));
        return null;
      }
    },
    async read() {
      try {
        return await inTime(place.read());
      } catch {
        throw new PrivacyError(
          "NOT_READY",
          { name: "DOSIMETER_WITNESS" },
          "the witness (DOSIMETER_WITNESS) cannot be read, and nothing else shows whether the data folder is the newest: make it reachable, or start without it",
        );
      }
    },
    keep(text) {
      newest = text;
      if (text !== written) writing ??= write();
    },
    isFailing: () => isFailing,
    isRefused: () => isRefused,
    settled: async () => void (await writing),
  };
}
