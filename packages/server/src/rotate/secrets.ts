import { stat } from "node:fs/promises";
import { join } from "node:path";
import type { KnownSecret } from "@dosimeter/client";
import { keepsPassword } from "@dosimeter/engines";
import type { LedgerDatabase } from "@dosimeter/ledger";
import { SEALING } from "../access/sealing.ts";
import type { InstanceOptions } from "../instance/options.ts";
import { operatorFile } from "../instance/running.ts";
import { SIGNING, SIGNING_FILE } from "../instance/signer.ts";
import type { ConnectionHosts } from "../sources/connection-hosts.ts";
import { type Connections, passwordFileOf } from "../sources/connections.ts";

type Options = Pick<
  InstanceOptions,
  "folder" | "database" | "uploads" | "sources" | "oidc" | "mail" | "keySecret" | "witness" | "secretFiles"
>;

interface Given {
  readonly options: Options;
  readonly connections: Connections;
  readonly hosts: Pick<ConnectionHosts, "files">;
  readonly database: LedgerDatabase;
}

/** Every secret of this installation that the server knows of, when it was last replaced, and what replaces it. Never a value. */
export async function secretsOf(given: Given): Promise<readonly KnownSecret[]> {
  const { options, database } = given;
  const { folder, keySecret = null, mail, oidc = [], witness, secretFiles = {} } = options;
  const signing = options.database === undefined ? null : await database.shared.known(SIGNING);
  const sealing = await database.shared.known(SEALING);
  return [
    {
      name: "Key that signs exports",
      replacedAt: signing?.madeAt ?? (await changedAt(join(folder, SIGNING_FILE))),
      command: "dosimeter rotate signing-key",
      servers: "stopped",
    },
    {
      name: keySecret === null ? "DOSIMETER_KEY_SECRET, not set" : "DOSIMETER_KEY_SECRET",
      replacedAt: sealing?.madeAt ?? null,
      command: "DOSIMETER_NEW_KEY_SECRET_FILE=<file> dosimeter rotate key-secret",
      servers: options.database === undefined ? "stopped" : "running",
    },
    ...(options.database === undefined ? [] : [await passwordOfDatabase(secretFiles.DATABASE_URL)]),
    ...(await passwordsOfSources(given)),
    ...(await Promise.all(given.hosts.files.map(secretOfHost))),
    ...(await Promise.all(oidc.map(secretOfProvider))),
    ...(mail === undefined ? [] : [await inSetting("Mail server", "DOSIMETER_MAIL_URL", secretFiles)]),
    ...(witness === undefined ? [] : [await inSetting("Witness", "DOSIMETER_WITNESS", secretFiles)]),
    {
      name: "Operator's token",
      replacedAt: await changedAt(operatorFile(options)),
      command: "dosimeter token rotate",
      servers: "running",
    },
    { name: "Key of backups", replacedAt: null, command: "dosimeter backup --new-key <file>", servers: "running" },
  ];
}

/** When a file was written; null where it cannot be read. */
const changedAt = (path: string | null | undefined): Promise<string | null> =>
  path === null || path === undefined
    ? Promise.resolve(null)
    : stat(path).then(
        ({ mtime }) => mtime.toISOString(),
        () => null,
      );

async function passwordOfDatabase(path: string | undefined): Promise<KnownSecret> {
  const command =
    path === undefined
      ? "ALTER ROLE … PASSWORD '…' in PostgreSQL, then DATABASE_URL; with DATABASE_URL_FILE, dosimeter rotate database"
      : "dosimeter rotate database";
  return { name: "Password of DATABASE_URL", replacedAt: await changedAt(path), command, servers: "restarted" };
}

const passwordsOfSources = ({ options: { sources }, connections }: Given): Promise<readonly KnownSecret[]> =>
  Promise.all(
    Object.entries(connections).map(async ([name, settings]) => {
      const path = sources === undefined ? null : await passwordFileOf(sources, name);
      const isOurs = path !== null && keepsPassword(name, settings);
      const command = isOurs
        ? `dosimeter rotate source ${name}`
        : "change it where the users of that database are kept, then in DOSIMETER_SOURCES";
      return {
        name: `Password of the connection ${name}`,
        replacedAt: await changedAt(path),
        command,
        servers: "restarted" as const,
      };
    }),
  );

async function secretOfHost({ host, secret, path }: ConnectionHosts["files"][number]): Promise<KnownSecret> {
  return {
    name: `Secret ${secret} of ${host}`,
    replacedAt: await changedAt(path),
    command: "change it where the users of that database are kept, then where DOSIMETER_CONNECTION_HOSTS says",
    servers: path === null ? "restarted" : "running",
  };
}

async function secretOfProvider({ id, name, secretFile }: NonNullable<Options["oidc"]>[number]): Promise<KnownSecret> {
  const command =
    secretFile === undefined
      ? `issue a new one at ${name}, then set it in DOSIMETER_OIDC; with clientSecretFile, dosimeter rotate provider ${id} --secret <file>`
      : `dosimeter rotate provider ${id} --secret <file>`;
  return { name: `Secret of ${name}`, replacedAt: await changedAt(secretFile), command, servers: "restarted" };
}

async function inSetting(
  what: string,
  setting: string,
  files: NonNullable<Options["secretFiles"]>,
): Promise<KnownSecret> {
  const path = files[setting];
  return {
    name: `${what} (${setting})`,
    replacedAt: await changedAt(path),
    command: path === undefined ? `set ${setting}` : `replace the file of ${setting}_FILE`,
    servers: "restarted",
  };
}
