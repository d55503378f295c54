import { once } from "node:events";
import { connect as connectPlain, type Socket } from "node:net";
import { hostname } from "node:os";
import { setTimeout as sleep } from "node:timers/promises";
import { connect as connectTls } from "node:tls";

/** Facility 13 (log audit), severity 6 (informational), as RFC 5424 numbers them. */
const PRIORITY = 13 * 8 + 6;
const MAX_ID = 32;
const TIMEOUT_MS = 10_000;
/** In which a receiver that gives up while it is sent to, or reads nothing, has time to say so. */
const PAUSE_MS = 250;

/** The ports of RFC 6587 and RFC 5425. */
const syslogPorts = { "syslog+tcp:": 601, "syslog+tls:": 6514 } as const;

export interface SyslogReceiver {
  readonly host: string;
  readonly port: number;
  readonly isTls: boolean;
}

/** The receiver at syslog+tcp://host:port or syslog+tls://host:port, at the usual port without one. */
export const receiverAt = ({ protocol, hostname, port }: URL): SyslogReceiver => ({
  host: hostname.replace(/^\[|\]$/g, ""),
  port: port === "" ? syslogPorts[protocol as keyof typeof syslogPorts] : Number(port),
  isTls: protocol === "syslog+tls:",
});

/**
 * Sends audit lines, each a JSON text, as RFC 5424 messages that say their own length. Syslog confirms nothing, so a connection is for one
 * batch: it is ended a moment after the last byte has left, and resolves when the receiver closes its side after that. Rejects where the
 * receiver closes earlier, resets, or does not close.
 */
export async function sendSyslog({ host, port, isTls }: SyslogReceiver, lines: string): Promise<void> {
  const socket = isTls ? connectTls({ host, port, servername: host }) : connectPlain({ host, port });
  const timer = setTimeout(
    () => socket.destroy(Object.assign(new Error("no answer"), { code: "ETIMEDOUT" })),
    TIMEOUT_MS,
  );
  try {
    await once(socket, isTls ? "secureConnect" : "connect");
    await finish(socket, lines.trimEnd().split("\n").map(framed).join(""));
  } finally {
    clearTimeout(timer);
    socket.destroy();
  }
}

async function finish(socket: Socket, text: string): Promise<void> {
  const ended = once(socket, "end");
  const endedEarly = ended.then(() => {
    throw Object.assign(new Error("closed before the end of the batch"), { code: "ECONNRESET" });
  });
  socket.resume();
  await Promise.race([sent(socket, text), endedEarly]);
  socket.end();
  await ended;
}

async function sent(socket: Socket, text: string): Promise<void> {
  await new Promise<void>((resolve, reject) => socket.write(text, (error) => (error ? reject(error) : resolve())));
  await sleep(PAUSE_MS);
}

/** `LENGTH MESSAGE`: a line break inside ends nothing. */
function framed(line: string): string {
  const { at, action } = JSON.parse(line) as { at: string; action: string };
  const host = hostname().replace(/[^!-~]/g, "") || "-";
  const message = `<${PRIORITY}>1 ${at} ${host} dosimeter - ${action.slice(0, MAX_ID)} - ${line}`;
  return `${Buffer.byteLength(message)} ${message}`;
}
