import { randomBytes } from "node:crypto";
import type { Engine } from "@dosimeter/query/plan";
import { type ConnectionSettings, wrongSecret } from "@dosimeter/query/source";
import { remoteEngine } from "../sql/remote.ts";
import { MAX_LENGTH, openClient, openPool, query, withSnapshot } from "./connection.ts";
import { postgresDialect } from "./dialect.ts";
import { findLineage } from "./lineage.ts";
import { faulty, findTable, listTables, refusal } from "./table.ts";

export type { ConnectionSettings as PostgresConnection } from "@dosimeter/query/source";

export interface PostgresOptions {
  /** By the names that declarations use. */
  readonly connections: Readonly<Record<string, ConnectionSettings>>;
}

/**
 * The engine over tables and views of PostgreSQL 14 or later, in databases of UTF8, read by a role that can only read. Every plan sees one
 * snapshot. Close it: it holds connections.
 */
export async function postgresEngine({ connections }: PostgresOptions): Promise<Engine> {
  const known = new Map(
    Object.entries(connections).map(
      ([name, settings]) => [name, { settings, pool: openPool(name, settings) }] as const,
    ),
  );
  return remoteEngine({
    kind: "postgres",
    ...{ name: "PostgreSQL", dialect: postgresDialect, connections: known },
    ...{ refusal, faulty, sampleKey, reasonOf, mayBeRow: () => true, checkSize: () => undefined },
    read: ({ pool, settings }, { signal, longest }, job) =>
      withSnapshot(pool, Math.min(settings.timeout ?? MAX_LENGTH, longest), signal, (client) =>
        job({
          ask: (asked) => query(client, "text" in asked ? asked : postgresDialect.compile(asked)),
          find: (source, salt) => findTable(client, source, settings, salt),
          list: (source) => listTables(client, source),
          lineage: (source) => findLineage(client, source),
        }),
      ),
    /** By a connection of its own, because those of the pool may all be in use for long. */
    async probe({ pool }) {
      const client = openClient(pool);
      try {
        await client.connect();
      } finally {
        await client.end().catch(() => undefined);
      }
    },
    async close() {
      await Promise.all([...known.values()].map(({ pool }) => pool.end()));
    },
  });
}

const sampleKey = (): string => randomBytes(32).toString("hex");

function reasonOf(error: unknown): string {
  const { code = "", message = "" } = error as { readonly code?: string; readonly message?: string };
  // The driver has no code for what it finds out before it sends anything.
  if (/^SASL: .*client password must be/.test(message)) return "its server asks for a password, and none is set";
  // A server may say any code, "constructor" too.
  return (Object.hasOwn(REASONS, code) ? REASONS[code] : undefined) ?? OTHER;
}

const OTHER = "the database could not be reached, or did not answer in time";
const TLS = "the certificate of its server is not trusted";
const REASONS: Readonly<Record<string, string>> = {
  "28P01": wrongSecret.postgres,
  "28000": "its role is not admitted",
  "3D000": "its database does not exist",
  "57014": "it took longer than the connection allows",
  ECONNREFUSED: "nothing listens at its address",
  ENOTFOUND: "its host is not known",
  SELF_SIGNED_CERT_IN_CHAIN: TLS,
  DEPTH_ZERO_SELF_SIGNED_CERT: TLS,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: TLS,
  ERR_TLS_CERT_ALTNAME_INVALID: "the certificate of its server is for another host",
};
