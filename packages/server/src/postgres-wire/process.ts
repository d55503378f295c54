import { PrivacyError } from "@dosimeter/core";
import { startChild } from "../children/start-child.ts";
import { WireError } from "./sqlstate.ts";

/** What the server asks of a process. */
export type Asking = { readonly id: number } & (
  | { readonly kind: "snapshot"; readonly path: string }
  | { readonly kind: "open"; readonly snapshot: string }
  | { readonly kind: "analyse"; readonly text: string; readonly names: readonly string[] }
  | { readonly kind: "run"; readonly bytes: Uint8Array }
);
export type Said = { readonly id: number } & ({ readonly result: unknown } | { readonly error: string });

/** The most bytes and messages of one answer, and how a process ends that would say more. */
export const MAX_BYTES = 2 ** 26;
export const MAX_MESSAGES = 100_000;
export const TOO_LARGE = 54;

export interface Limits {
  /** Seconds that one statement may take. */
  readonly seconds: number;
  /** Bytes that one process may take. */
  readonly memory: number;
}

type Given = Asking extends infer One ? (One extends Asking ? Omit<One, "id"> : never) : never;

/** Starting from an image, and making one, may be slow on a busy machine. */
const START_MS = 120_000;

/** One process with a PostgreSQL. Whatever takes too long ends it; its caller starts another. */
export function startPostgres({ seconds, memory }: Limits) {
  const waiting = new Map<number, PromiseWithResolvers<unknown>>();
  let last = 0;
  let why: WireError | null = null;
  const child = startChild(new URL(`./postgres.worker${ending}`, import.meta.url), { memory });
  child.on("message", (said: Said) => {
    const one = waiting.get(said.id);
    waiting.delete(said.id);
    if ("result" in said) one?.resolve(said.result);
    else one?.reject(new PrivacyError("INTERNAL", {}, `the PostgreSQL of the wire said: ${said.error}`));
  });
  const over = (code: number | null): void => {
    why ??=
      code === TOO_LARGE
        ? new WireError(
            { code: "54000", hint: "Ask for fewer rows." },
            `the answer has more than ${MAX_MESSAGES} rows, or takes more than ${MAX_BYTES} bytes`,
          )
        : new WireError({ code: "53200" }, "the statement took more memory than it may");
    for (const { reject } of waiting.values()) reject(why);
    waiting.clear();
  };
  child.once("exit", over);
  child.once("error", () => over(null));

  const end = (reason: WireError): void => {
    why ??= reason;
    child.kill("SIGKILL");
  };
  const ask = async <T>(given: Given, milliseconds: number): Promise<T> => {
    if (why !== null) throw why;
    const id = ++last;
    const result = Promise.withResolvers<unknown>();
    waiting.set(id, result);
    const timer = setTimeout(
      () => end(new WireError({ code: "57014" }, `the statement took longer than ${seconds} seconds`)),
      milliseconds,
    );
    child.send({ ...given, id }, () => undefined); // "exit" follows a failure
    return (await result.promise.finally(() => clearTimeout(timer))) as T;
  };
  return {
    isOver: () => why !== null,
    end,
    makeSnapshot: (path: string) => ask<void>({ kind: "snapshot", path }, START_MS),
    open: (snapshot: string) => ask<void>({ kind: "open", snapshot }, START_MS),
    analyse: <T>(text: string, names: readonly string[]) => ask<T>({ kind: "analyse", text, names }, seconds * 1000),
    run: (bytes: Buffer) =>
      ask<Uint8Array>({ kind: "run", bytes }, seconds * 1000).then((said) =>
        Buffer.from(said.buffer, said.byteOffset, said.byteLength),
      ),
  };
}

export type Postgres = ReturnType<typeof startPostgres>;

/** The source in a checkout, what was built of it in a package. */
const ending = import.meta.url.endsWith(".ts") ? ".ts" : ".js";
