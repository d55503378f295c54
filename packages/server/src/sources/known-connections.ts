import { createHash } from "node:crypto";
import { PrivacyError } from "@dosimeter/core";
import { checkConnections } from "@dosimeter/engines";
import { type AddedConnection, type LedgerDatabase, sameDatabase } from "@dosimeter/ledger";
import { type ConnectionSettings, connectionOf, type Source } from "@dosimeter/query/source";
import type { ConnectedMeasurer, Measurer } from "../measuring/measurer.ts";
import { type AskedConnection, type ConnectionHosts, databaseOf, kindIn } from "./connection-hosts.ts";
import { type Connections, type NamedConnection, namesOf } from "./connections.ts";

export interface KnownConnection extends NamedConnection {
  /** Null where it cannot be used. */
  readonly settings: ConnectionSettings | null;
  /** Why not. */
  readonly problem: string | null;
  /** Null for one of the operator's file. */
  readonly added: AddedConnection | null;
}

/** The connections of the operator's file, and those that admins added on any server of the database. */
export interface KnownConnections {
  readonly choices: ConnectionHosts["choices"];
  /**
   * As they are now, with secrets as they are now. A name that both gave to one database is the operator's; where they are two databases, none is
   * read: which was meant when a dataset was declared?
   */
  all(): Promise<readonly KnownConnection[]>;
  /**
   * The address of a new one as it is kept. CONFLICT for a name or a database of the operator's file, INVALID_PARAMETER naming what is wrong.
   * Connects to nothing.
   */
  check(asked: AskedConnection): Promise<string>;
}

export function openConnections({
  operators,
  hosts,
  database,
}: {
  readonly operators: Connections;
  readonly hosts: ConnectionHosts;
  readonly database: LedgerDatabase;
}): KnownConnections {
  /** What was checked last of each, as a hash since it holds its password; a check loads its driver. */
  const checked = new Map<string, string>();

  async function settingsOf(asked: AskedConnection): Promise<ConnectionSettings> {
    const settings = await hosts.settingsOf(asked);
    const digest = createHash("sha256").update(JSON.stringify(settings)).digest("hex");
    if (checked.get(asked.name) !== digest) await checkConnections({ [asked.name]: settings });
    checked.set(asked.name, digest);
    return settings;
  }

  async function knownOf(added: AddedConnection): Promise<readonly KnownConnection[]> {
    const { name, url } = added;
    const kind = kindIn(url);
    if (kind === null || isTheirs(added)) return [];
    const one = { name, kind, added };
    if (Object.hasOwn(operators, name)) return [{ ...one, settings: null, problem: TWO_DATABASES }];
    try {
      return [{ ...one, settings: await settingsOf(added), problem: null }];
    } catch (error) {
      if (!(error instanceof PrivacyError)) throw error;
      return [{ ...one, settings: null, problem: error.message }];
    }
  }

  /** Whether the operator gave the name to the same database. */
  const isTheirs = ({ name, url }: AddedConnection): boolean => {
    const theirs = Object.hasOwn(operators, name) ? operators[name] : undefined;
    return theirs !== undefined && databaseOf(theirs.url) === databaseOf(url);
  };

  return {
    choices: hosts.choices,
    async all() {
      const added = await database.shared.connections();
      for (const name of checked.keys()) if (!added.some((one) => one.name === name)) checked.delete(name);
      const known = (await Promise.all(added.map(knownOf))).flat();
      const theirs = namesOf(operators)
        .filter(({ name }) => !known.some((one) => one.name === name))
        .map((one) => ({ ...one, settings: operators[one.name] ?? null, problem: null, added: null }));
      return [...theirs, ...known];
    },
    async check(asked) {
      if (Object.hasOwn(operators, asked.name)) throw operatorsName(asked.name);
      const url = hosts.addressOf(asked.url);
      const same = Object.entries(operators).find(([, theirs]) => databaseOf(theirs.url) === databaseOf(url));
      if (same !== undefined) throw sameDatabase(same[0]);
      await settingsOf({ ...asked, url });
      return url;
    },
  };
}

const TWO_DATABASES =
  "the operator of this server and an admin gave this name to two databases: nothing is read through it until one of them has another";

export const operatorsName = (name: string): PrivacyError =>
  new PrivacyError("CONFLICT", { name: "connection", got: name }, "the operator of this server named this connection");

/**
 * Two processes: what people upload is read where no secret is, and a connection where no upload is. Jobs over connections read through those
 * that are known when they begin.
 */
export const measuringThrough = (
  { files, connected }: { readonly files: Measurer; readonly connected: ConnectedMeasurer },
  { all }: Pick<KnownConnections, "all">,
): Measurer => ({
  async run(name, given, signal) {
    if (!isConnected(given)) return files.run(name, given, signal);
    connected.use(usable(await all()));
    return connected.run(name, given, signal);
  },
  ready: (given) => (given !== null && isConnected(given) ? connected : files).ready(given),
  starts: () => files.starts() + connected.starts(),
  async close() {
    await Promise.all([files.close(), connected.close()]);
  },
});

const usable = (known: readonly KnownConnection[]): Connections =>
  Object.fromEntries(known.flatMap(({ name, settings }) => (settings === null ? [] : [[name, settings] as const])));

type Given =
  | null
  | { readonly source: Source }
  | { readonly declaration: { readonly source: Source } }
  | { readonly isWhole: boolean };

/** A probe, which is given nothing, looks at all of them. */
const isConnected = (given: Given): boolean =>
  given === null ||
  (!("isWhole" in given) && connectionOf("source" in given ? given.source : given.declaration.source) !== null);
