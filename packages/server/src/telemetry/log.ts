import { present } from "@dosimeter/core/internal";
import { type DestinationStream, pino } from "pino";
import { type Current, current } from "./current.ts";
import { type LogCode, logCodes } from "./log-codes.ts";

/** All that a log line may contain: no parameter, body, name, row or secret. */
export interface LogFields {
  readonly route?: string;
  readonly method?: string;
  readonly status?: number;
  readonly code?: string;
  /** A code of what is used: of the database, of Node, of a library, of a refusal inside. */
  readonly cause?: string;
  /** Milliseconds, rounded up to a power of two, so that a duration reveals little about what was measured. */
  readonly atMost?: number;
  readonly port?: number;
  /** The name that the operator gave a connection. */
  readonly source?: string;
  readonly count?: number;
  /** Class of an unexpected error and where it was thrown; never its message, which may quote a row. */
  readonly error?: string;
  readonly at?: readonly string[];
}

export interface Log {
  readonly info: (event: string, fields?: LogFields) => void;
  readonly error: (code: LogCode, fields?: Omit<LogFields, "code">) => void;
}

export type LogLevel = "silent" | "info" | "error";

/**
 * Structured lines of the allow-list above, one JSON object each, to standard error or to `write`; what belongs to a request has the id that
 * its answer carries. A line that cannot be written is lost: it never changes what happens.
 */
export function createLog(level: LogLevel, write?: (line: string) => void): Log {
  const options = { level, base: null, timestamp: pino.stdTimeFunctions.isoTime };
  const logger = pino(options, write === undefined ? fileOf(2) : { write });
  return safely({
    info: (event, fields = {}) => logger.info(allowed(fields), event),
    error: (code, fields = {}) => logger.error(allowed({ ...fields, code }), logCodes[code][0]),
  });
}

/** A log that never throws. */
export function safely(log: Log): Log {
  const quietly =
    <Said extends readonly unknown[]>(say: (...said: Said) => void) =>
    (...said: Said): void => {
      try {
        say(...said);
      } catch {
        // There is nowhere to say so.
      }
    };
  return { info: quietly(log.info), error: quietly(log.error) };
}

/** A file by its number. A full disk, or a reader that has gone away, would end the process if no one listened. */
export function fileOf(descriptor: number): DestinationStream {
  const stream = pino.destination({ dest: descriptor, sync: true });
  stream.on("error", () => undefined);
  return stream;
}

export function errorFields(error: unknown): LogFields {
  if (!(error instanceof Error)) return { error: typeof error };
  const frames = framesOf(error)
    .slice(0, 8)
    .map((line) => line.trim());
  return { error: error.constructor.name, at: frames };
}

/**
 * The frames of a stack, without the message before them, whose lines may begin with "at" too. Where the message was changed since, its
 * end is not known, and only what has the form of a frame counts.
 */
function framesOf({ stack = "", message }: Error): readonly string[] {
  const start = stack.indexOf(message);
  const head = stack.slice(0, start);
  const isHead = start >= 0 && !head.includes("\n");
  return (isHead ? stack.slice(start + message.length) : stack).split("\n").filter((line) => FRAME.test(line));
}

/** `at name (file:///path:1:2)`, `at node:fs:1:2`: a place in code of this program or of Node. */
const FRAME = /^\s+at (?:[\w.$<>#[\] ]+ \()?(?:file:\/\/|node:|\/|[A-Z]:\\)[^\s()]*:\d+:\d+\)?$/;

/** Milliseconds rounded up to a power of two. */
export const bucket = (milliseconds: number): number =>
  2 ** Math.max(0, Math.ceil(Math.log2(Math.max(1, milliseconds))));

function allowed(given: LogFields): LogFields & Pick<Current, "request"> {
  const { route, method, status, code, cause, atMost, port, source, count, error, at } = given;
  const { request } = current();
  return present({ route, request, method, status, code, cause, atMost, port, source, count, error, at });
}
