import { connect as connectPlain } from "node:net";
import { connect as connectTls } from "node:tls";
import { PrivacyError } from "@dosimeter/core";
import { connectionErrorCode } from "@dosimeter/ledger";
import type { Configuration } from "../instance/configuration.ts";
import { openMailer } from "../outbox/mail.ts";
import { signedIn } from "../outbox/signed-in.ts";
import { receiverAt } from "../outbox/syslog.ts";

const TIMEOUT_MS = 10_000;
/** Between the clock of a database and ours. */
const MAX_CLOCK_MS = 30_000;

/** A refusal in our own words; what others say may hold a secret. */
export const problemIn = (asking: Promise<unknown>, otherwise = "cannot be used"): Promise<string | null> =>
  asking.then(
    () => null,
    (error: unknown) => (error instanceof PrivacyError ? error.message : otherwise),
  );

/** Signs in, and asks for its time and whether the role may make the tables. */
export async function tryDatabase(url: string): Promise<string | null> {
  const { runOnce } = await import("@dosimeter/ledger/postgres");
  const asked =
    "SELECT extract(epoch FROM clock_timestamp())::float8 AS now, to_regnamespace('dosimeter') IS NOT NULL OR has_database_privilege(current_database(), 'CREATE') AS may";
  return runOnce(url, asked).then(
    (row) => {
      if (Math.abs(Number(row?.now) * 1000 - Date.now()) > MAX_CLOCK_MS)
        return "has another time than this machine: set the clocks by NTP";
      return row?.may === true ? null : "lets this role make no tables: GRANT CREATE ON DATABASE … TO the role";
    },
    (error: unknown) => {
      if (error instanceof PrivacyError) return error.message;
      const { code } = error as { readonly code?: string };
      if (code === "28P01" || code === "28000") return "does not take the user and the password of DATABASE_URL";
      if (code === "3D000") return "has no database of the name in DATABASE_URL";
      return connectionErrorCode(error) === null ? "cannot be used" : "cannot be reached: look at host and port";
    },
  );
}

export async function tryMail(mail: NonNullable<Configuration["mail"]>): Promise<string | null> {
  const mailer = await openMailer(mail);
  try {
    return await mailer.verify();
  } finally {
    mailer.close();
  }
}

/** Connects to where audit lines go, and sends none. */
export async function tryReceiver(address: URL): Promise<string | null> {
  if (address.protocol === "http:" || address.protocol === "https:") return tryEndpoint(address);
  const { isTls, ...at } = receiverAt(address);
  const { promise, resolve } = Promise.withResolvers<string | null>();
  const socket = isTls ? connectTls({ ...at, servername: at.host }) : connectPlain(at);
  socket.setTimeout(TIMEOUT_MS, () => resolve("does not answer: look at host, port and firewall"));
  socket.once(isTls ? "secureConnect" : "connect", () => resolve(null));
  socket.once("error", ({ code }: NodeJS.ErrnoException) =>
    resolve(`cannot be reached (${code}): look at host, port${isTls ? ", certificate" : ""} and firewall`),
  );
  return promise.finally(() => socket.destroy());
}

async function tryEndpoint(address: URL): Promise<string | null> {
  const { url, headers } = signedIn(address);
  const signal = AbortSignal.timeout(TIMEOUT_MS);
  const answer = await fetch(url, { method: "OPTIONS", headers, redirect: "manual", signal }).catch(() => null);
  await answer?.body?.cancel();
  if (answer === null) return "cannot be reached: look at host, port, certificate and firewall";
  if (answer.status === 401 || answer.status === 403) return "does not take the user and the password of its address";
  return answer.status === 404 ? "is not there (HTTP 404): look at the path" : null;
}
