import { resolve } from "node:path";
import { invalid, PrivacyError } from "@dosimeter/core";
import {
  type ConnectionKind,
  type ConnectionSettings,
  connectionKindOf,
  decodedPart,
  sourceKinds,
} from "@dosimeter/query/source";
import {
  connectionSettings,
  type FileOrInline,
  fieldsOf,
  folderOf,
  jsonIn,
  refuseOtherKeys,
  SECRETS,
} from "./connections.ts";

/** A connection as an admin asks for it. */
export interface AskedConnection {
  readonly name: string;
  readonly url: string;
  /** The name of a password or token among those of its host. */
  readonly secret: string;
}

/**
 * The databases that admins may connect to. Its operator says with which passwords and tokens, and how each host is trusted, so that admins do not
 * decide what of this machine is read, or where it is sent.
 */
export interface ConnectionHosts {
  /** What an admin chooses from: names only. */
  readonly choices: readonly { readonly host: string; readonly secrets: readonly string[] }[];
  /** The file of each secret; null where a variable holds it. */
  readonly files: readonly { readonly host: string; readonly secret: string; readonly path: string | null }[];
  /** The address as it is kept, and as every driver reads it. INVALID_PARAMETER for one that holds more than kind, role, host, port and database. */
  addressOf(url: string): string;
  /** With the secret as it is now. INVALID_PARAMETER for a host or a secret that is not, or no longer, in the operator's list. */
  settingsOf(asked: AskedConnection): Promise<ConnectionSettings>;
}

const KEYS = ["tls", "caFile", "timeoutSeconds", "allowWritable", "secrets"];
const HOST = /^(\*\.)?[a-z0-9_-]+(\.[a-z0-9_-]+)*:\d{1,5}$|^\[[0-9a-f:.]+\]:\d{1,5}$/;
const SETTING = "DOSIMETER_CONNECTION_HOSTS";
const CONTROL = /\p{Cc}/u;

/** `{host:port: {tls, caFile, timeoutSeconds, allowWritable, secrets: {name: {passwordFile | passwordEnv | tokenFile | tokenEnv}}}}`, each of which is tried. */
export async function readConnectionHosts(
  from: FileOrInline | undefined,
  env: NodeJS.ProcessEnv,
): Promise<ConnectionHosts> {
  const json = from === undefined ? {} : fieldsOf(await jsonIn(from, SETTING), SETTING);
  const folder = from === undefined ? "" : folderOf(from);
  const hosts = new Map(
    Object.entries(json).map(([host, given]) => [host, fieldsOf(given, `connectionHosts.${host}`)]),
  );

  const secretsOf = (host: string) => fieldsOf(hosts.get(host)?.secrets ?? {}, `connectionHosts.${host}.secrets`);
  const settings = async (host: string, secret: string, url: string): Promise<ConnectionSettings> => {
    const name = `connectionHosts.${host}.secrets.${secret}`;
    const given = fieldsOf(secretsOf(host)[secret], name);
    refuseOtherKeys(given, name, SECRETS);
    const { secrets: _, ...ways } = hosts.get(host) ?? {};
    const read = await connectionSettings({ ...ways, ...given, url }, name, { folder, env });
    // Without one a driver would send what it finds in the server's environment.
    if (!(read.password || read.token || read.tokenFile)) invalid(name, undefined, "a password or token, not empty");
    return read;
  };

  for (const [host, given] of hosts) {
    // As addresses have it: another spelling would never be found.
    if (!HOST.test(host) || URL.parse(`postgres://${host}`)?.host !== host)
      invalid("connectionHosts", host, "hosts with a port, such as db.example.org:5432 or *.lake.example.org:8443");
    refuseOtherKeys(given, `connectionHosts.${host}`, KEYS);
    if (host.startsWith("*.") && given.tls === "off")
      invalid(`connectionHosts.${host}.tls`, "off", "verify-full for a host with a star: a name alone proves nothing");
    for (const secret of Object.keys(secretsOf(host))) await settings(host, secret, "postgres://role@host/database");
  }

  const starred = [...hosts.keys()].filter((one) => one.startsWith("*.")).sort((a, b) => b.length - a.length);
  /** The host of the list that an address is at: itself, else the longest one with a star that it ends with. */
  const hostOf = (url: string): string => {
    const { host } = new URL(url);
    const found = hosts.has(host) ? host : starred.find((one) => host.endsWith(one.slice(1)));
    if (found !== undefined) return found;
    throw new PrivacyError(
      "INVALID_PARAMETER",
      { name: "url" },
      `the operator of this server lists no host ${host} in ${SETTING}`,
    );
  };

  return {
    choices: [...hosts.keys()].map((host) => ({ host, secrets: Object.keys(secretsOf(host)) })),
    files: [...hosts.keys()].flatMap((host) =>
      Object.entries(secretsOf(host)).map(([secret, given]) => {
        const { passwordFile, tokenFile = passwordFile } = given as Readonly<Record<string, string>>;
        return { host, secret, path: tokenFile === undefined ? null : resolve(folder, tokenFile) };
      }),
    ),
    addressOf,
    async settingsOf({ url, secret }) {
      // Of a row that nothing of this version wrote.
      if (addressOf(url) !== url) refuse("as this server writes it");
      const host = hostOf(url);
      if (!Object.hasOwn(secretsOf(host), secret))
        refuse(`one that the operator of this server lists for ${host} in ${SETTING}`, "secret");
      const read = await settings(host, secret, url);
      const { noToken } = sourceKinds[connectionKindOf(url, "url")].connection;
      if (noToken !== null && !read.password) refuse(`a password: ${noToken}`, "secret");
      return read;
    },
  };
}

/** Null for one that this version does not know: a newer server may have added it. */
export function kindIn(url: string): ConnectionKind | null {
  try {
    return connectionKindOf(url, "url");
  } catch {
    return null;
  }
}

/** Put together again from its parts: two readers of one text might find different hosts in it. */
function addressOf(given: string): string {
  const kind = connectionKindOf(given, "url");
  const { username, password, hostname, port, pathname, search, hash } = new URL(given);
  const { address, schemes, port: usual } = sourceKinds[kind].connection;
  const host = hostname.toLowerCase();
  if (password !== "") refuse("without a password, which stays with the operator of this server");
  if (search !== "" || hash !== "") refuse("without parameters");
  if (host.startsWith("*")) refuse("without a star: the name of one host");
  if (username === "" || pathname.length < 2 || !HOST.test(`${host}:0`)) refuse(address);
  const [role, ...path] = [username, ...pathname.split("/")].map((part) => {
    const text = decodedPart(part) ?? refuse(address);
    // PostgreSQL reads what follows a NUL as settings of the session.
    return CONTROL.test(text) ? refuse("without control characters") : encodeURIComponent(text);
  });
  return `${schemes[0]}//${role}@${host}:${port || usual}${path.join("/")}`;
}

/** A name of a database as its server reads it: PostgreSQL its first 63 bytes, Trino without case. */
const readAs: { readonly [K in ConnectionKind]: (name: string) => string } = {
  postgres: (name) => Buffer.from(name).subarray(0, 63).toString("latin1"),
  trino: (name) => name.toLowerCase(),
};

/** Which database an address is of, as any role; null for a kind that this version does not know. Two names of one machine are two. */
export function databaseOf(url: string): string | null {
  const kind = kindIn(url);
  if (kind === null) return null;
  const { hostname, port, pathname, searchParams } = new URL(url);
  const host = (searchParams.get("host") ?? (hostname || "localhost")).toLowerCase();
  const name = readAs[kind](decodedPart(pathname.slice(1)) ?? "");
  return JSON.stringify([kind, host, port || sourceKinds[kind].connection.port, name]);
}

/** Without what was given: a password that was typed there by mistake is repeated nowhere. */
function refuse(want: string, name = "url"): never {
  throw new PrivacyError("INVALID_PARAMETER", { name, want }, `${name} must be ${want}`);
}
