import { stat } from "node:fs/promises";
import { Worker } from "node:worker_threads";
import { PrivacyError } from "@dosimeter/core";
import { type CsvShape, hashOf, inspectCsv, type WholeReading } from "./csv.ts";

/** Reads whole files: small ones at once, others in a thread, so that a server goes on answering. */
export interface FileReader {
  csv(reading: WholeReading, signal?: AbortSignal): Promise<CsvShape>;
  /** A keyed hash of the bytes. */
  hash(reading: WholeReading, signal?: AbortSignal): Promise<string>;
  close(): Promise<void>;
}

interface Job {
  readonly kind: "csv" | "hash";
  readonly reading: WholeReading;
}
export type Question = { readonly id: number } & (Job | { readonly kind: "stop" });
export interface Reply {
  readonly id: number;
  readonly result?: CsvShape | string;
  /** A refusal with its facts; null: anything else. */
  readonly refusal?: { readonly details: Readonly<Record<string, string>>; readonly message: string } | null;
}

/** A file of at most this size is read in a few milliseconds. */
const SMALL_BYTES = 2 ** 16;

export const readWhole = ({ kind, reading }: Job, signal?: AbortSignal): Promise<CsvShape | string> =>
  kind === "csv" ? inspectCsv(reading, signal) : hashOf(reading, signal);

export function openFileReader(): FileReader {
  const waiting = new Map<number, PromiseWithResolvers<CsvShape | string>>();
  let worker: Worker | null = null;
  let last = 0;

  function fail(error: unknown): void {
    worker = null;
    for (const one of waiting.values()) one.reject(error);
    waiting.clear();
  }

  function start(): Worker {
    const started = new Worker(new URL(`./file-reader.worker${ending}`, import.meta.url));
    started.unref();
    started.on("message", ({ id, result, refusal }: Reply) => {
      const one = waiting.get(id);
      waiting.delete(id);
      if (result !== undefined) one?.resolve(result);
      else one?.reject(refusal ? new PrivacyError("DATA_UNREADABLE", refusal.details, refusal.message) : unread());
    });
    started.on("error", fail);
    started.on("exit", () => started === worker && fail(unread()));
    return started;
  }

  async function read(job: Job, signal: AbortSignal | undefined): Promise<CsvShape | string> {
    signal?.throwIfAborted();
    if ((await stat(job.reading.path)).size <= SMALL_BYTES) return readWhole(job, signal);
    worker ??= start();
    const thread = worker;
    const id = ++last;
    const answer = Promise.withResolvers<CsvShape | string>();
    waiting.set(id, answer);
    thread.postMessage({ id, ...job } satisfies Question);
    const stop = () => {
      waiting.delete(id);
      thread.postMessage({ id, kind: "stop" } satisfies Question);
      answer.reject(signal?.reason);
    };
    signal?.addEventListener("abort", stop, { once: true });
    return answer.promise.finally(() => signal?.removeEventListener("abort", stop));
  }

  return {
    csv: (reading, signal) => read({ kind: "csv", reading }, signal) as Promise<CsvShape>,
    hash: (reading, signal) => read({ kind: "hash", reading }, signal) as Promise<string>,
    async close() {
      await worker?.terminate();
    },
  };
}

const unread = (): PrivacyError => new PrivacyError("INTERNAL");

/** The source in a checkout, what was built of it in a package. */
const ending = import.meta.url.endsWith(".ts") ? ".ts" : ".js";
