import { readFile } from "node:fs/promises";
import { PrivacyError } from "@dosimeter/core";
import { isThisMachine } from "@dosimeter/core/internal";
import { type ConnectionSettings, decodedPart, trinoKind } from "@dosimeter/query/source";
import { type Coordinator, TrinoError } from "./client.ts";

const MAX_LENGTH = 600_000;

/**
 * The coordinator of a named connection. Credentials are sent over TLS, or to this machine; elsewhere they are refused. Throws
 * INVALID_PARAMETER naming the setting, never its value.
 */
export function coordinatorOf(name: string, settings: ConnectionSettings): Coordinator {
  const { password, token, tokenFile, tls, ca, timeout = MAX_LENGTH } = settings;
  const refuse = (setting: string, want: string): never => {
    throw new PrivacyError("INVALID_PARAMETER", { name: `sources.${name}.${setting}`, want });
  };
  const { address, schemes } = trinoKind.connection;
  const url = URL.parse(settings.url) ?? refuse("url", address);
  const [user, given, catalog = "", ...more] = [url.username, url.password, ...url.pathname.slice(1).split("/")].map(
    (part) => decodedPart(part) ?? refuse("url", address),
  );
  const isWhole = url.hostname !== "" && user !== "" && catalog !== "" && more.length === 0;
  if (!(schemes as readonly string[]).includes(url.protocol) || !isWhole) return refuse("url", address);
  if (url.search !== "" || url.hash !== "")
    refuse("url", "without parameters: TLS and time-outs are settings of their own");
  const here = isThisMachine(url.hostname);
  const isVerified = tls === undefined ? !here : tls === "verify-full";
  const secret = password ?? (given || undefined);
  const hasToken = token !== undefined || tokenFile !== undefined;
  if (hasToken && secret !== undefined) refuse("token", "absent where a password is given");
  if ((hasToken || secret !== undefined) && !isVerified && !here)
    refuse("tls", '"verify-full": without it a password or token could be read on the way');
  return {
    origin: `${isVerified ? "https" : "http"}://${url.host || url.hostname}`,
    ca,
    user: user ?? "",
    catalog,
    timeout: Math.max(1, Math.floor(timeout)),
    authorization: authorizationOf(user ?? "", { token, secret }),
    tokenFile,
  };
}

/** The coordinator with the token that its file holds now. Throws TrinoError. */
export async function signedIn(at: Coordinator): Promise<Coordinator> {
  if (at.tokenFile === undefined) return at;
  const token = await readFile(at.tokenFile, "utf8").catch(() => {
    throw new TrinoError("unauthorized");
  });
  return { ...at, authorization: `Bearer ${token.trim()}` };
}

function authorizationOf(
  user: string,
  { token, secret }: { readonly token: string | undefined; readonly secret: string | undefined },
): string | null {
  if (token !== undefined) return `Bearer ${token}`;
  return secret === undefined ? null : `Basic ${Buffer.from(`${user}:${secret}`).toString("base64")}`;
}
