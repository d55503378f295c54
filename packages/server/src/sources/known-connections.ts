import { PrivacyError } from "@dosimeter/core";
import { type AddedConnection, type LedgerDatabase, sameDatabase } from "@dosimeter/ledger";
import { type ConnectionSettings, connectionKindOf, connectionOf, type Source } from "@dosimeter/query";
import { checkConnections } from "@dosimeter/query/engines";
import type { Measurer } from "../measuring/measurer.ts";
import { type AskedConnection, type ConnectionHosts, databaseOf } from "./connection-hosts.ts";
import { type Connections, type NamedConnection, namesOf } from "./connections.ts";

interface KnownConnection extends NamedConnection {
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
  /** As they are now, with secrets as they are now. A name of the operator's file is theirs. */
  all(): Promise<readonly KnownConnection[]>;
  /**
   * The address of a new one as it is kept. CONFLICT for a name or a database of the operator's file, INVALID_PARAMETER naming what is wrong.
   * Connects to nothing.
   */
  check(asked: AskedConnection): Promise<string>;
  /** CONFLICT for a name of the operator's file. */
  refuseOperators(name: string): void;
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
  /** What was checked last of each, because a check loads its driver. */
  const checked = new Map<string, string>();

  async function settingsOf(asked: AskedConnection): Promise<ConnectionSettings> {
    const settings = await hosts.settingsOf(asked);
    const text = JSON.stringify(settings);
    if (checked.get(asked.name) !== text) await checkConnections({ [asked.name]: settings });
    checked.set(asked.name, text);
    return settings;
  }

  async function known(added: AddedConnection): Promise<KnownConnection> {
    const one = { name: added.name, kind: connectionKindOf(added.url, "url"), added };
    try {
      return { ...one, settings: await settingsOf(added), problem: null };
    } catch (error) {
      if (!(error instanceof PrivacyError)) throw error;
      return { ...one, settings: null, problem: error.message };
    }
  }

  const refuseOperators = (name: string): void => {
    if (Object.hasOwn(operators, name))
      throw new PrivacyError(
        "CONFLICT",
        { name: "connection", got: name },
        "the operator of this server named this connection",
      );
  };

  return {
    choices: hosts.choices,
    async all() {
      const added = (await database.shared.connections()).filter(({ name }) => !Object.hasOwn(operators, name));
      const theirs = namesOf(operators).map((one) => ({
        ...one,
        settings: operators[one.name] ?? null,
        problem: null,
        added: null,
      }));
      return [...theirs, ...(await Promise.all(added.map(known)))];
    },
    async check(asked) {
      refuseOperators(asked.name);
      const url = hosts.addressOf(asked.url);
      const same = Object.entries(operators).find(([, theirs]) => databaseOf(theirs.url) === databaseOf(url));
      if (same !== undefined) throw sameDatabase(same[0]);
      await settingsOf({ ...asked, url });
      return url;
    },
    refuseOperators,
  };
}

/** A measurer whose jobs over connections read through those that are known when they begin. */
export const measuringThrough = (measurer: Measurer, { all }: Pick<KnownConnections, "all">): Measurer => ({
  ...measurer,
  async run(name, given, signal) {
    if (isConnected(given)) measurer.use(usable(await all()));
    return measurer.run(name, given, signal);
  },
});

const usable = (known: readonly KnownConnection[]): Connections =>
  Object.fromEntries(known.flatMap(({ name, settings }) => (settings === null ? [] : [[name, settings] as const])));

type Given = null | { readonly source: Source } | { readonly declaration: { readonly source: Source } };

/** A probe, which is given nothing, looks at all of them. */
const isConnected = (given: Given): boolean =>
  given === null || connectionOf("source" in given ? given.source : given.declaration.source) !== null;
