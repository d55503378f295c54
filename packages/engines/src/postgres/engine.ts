import { randomBytes } from "node:crypto";
import { Exact, PrivacyError } from "@dosimeter/core";
import type { Declaration } from "@dosimeter/query/declaration";
import type {
  BoundedPlan,
  CheckedTable,
  Engine,
  Listing,
  Measured,
  RunOptions,
  SourceColumn,
  TableVersion,
} from "@dosimeter/query/plan";
import {
  type ConnectionSettings,
  isOfKind,
  type PostgresSource,
  type Source,
  wrongSecret,
} from "@dosimeter/query/source";
import type pg from "pg";
import { LISTING_MS, listingSignal } from "../sql/listing.ts";
import { measurePlan } from "../sql/measure-plan.ts";
import type { Table } from "../sql/sql.ts";
import { checkTable, refuseAppend, refuseFit, unreadable } from "../sql/table-check.ts";
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
 * The engine over tables and views of PostgreSQL 14 or later: the data stay where they are, in databases of UTF8, read by a
 * role that can only read. Every plan sees one snapshot. Close it: it holds connections.
 */
// long: the operations of one engine, over the connections that it holds
export async function postgresEngine({ connections }: PostgresOptions): Promise<Engine> {
  const known = new Map(
    Object.entries(connections).map(
      ([name, settings]) => [name, { settings, pool: openPool(name, settings) }] as const,
    ),
  );

  async function inSnapshot<T>(
    source: Source,
    signal: AbortSignal | undefined,
    job: (client: pg.PoolClient, source: PostgresSource, settings: ConnectionSettings) => Promise<T>,
    longest = Number.POSITIVE_INFINITY,
  ): Promise<T> {
    if (!isOfKind(source, "postgres")) throw unreadable("source", "this engine reads PostgreSQL only");
    const { connection } = source.postgres;
    const found = known.get(connection);
    if (found === undefined)
      throw unreadable("source.postgres.connection", `this server knows no connection "${connection}"`);
    const { pool, settings } = found;
    const timeout = Math.min(settings.timeout ?? MAX_LENGTH, longest);
    return withSnapshot(pool, timeout, signal, (client) => job(client, source, settings));
  }

  return {
    describe: (source: Source, signal?: AbortSignal): Promise<readonly SourceColumn[]> =>
      inWords(source, () =>
        inSnapshot(
          source,
          listingSignal(signal),
          async (client, at, settings) => (await findTable(client, at, settings, "")).columns,
        ),
      ),

    list: (source: Source, signal?: AbortSignal): Promise<Listing> =>
      inWords(source, () => inSnapshot(source, listingSignal(signal), listTables, LISTING_MS)),

    check: (
      declaration: Declaration,
      { salt, signal }: { readonly salt: string; readonly signal?: AbortSignal },
    ): Promise<CheckedTable> =>
      inWords(declaration.source, () =>
        inSnapshot(declaration.source, signal, async (client, at, settings) => {
          const { from, types, version } = await findTable(client, at, settings, salt);
          await checkTable(declaration, {
            table: { dialect: postgresDialect, from, types },
            noun: "table",
            records: null,
            refusal,
            faulty,
            query: (statement) => query(client, statement),
          });
          return { version, salt, lineage: await findLineage(client, at) };
        }),
      ),

    async run(plan: BoundedPlan, { signal, ...at }: RunOptions): Promise<Exact<Measured>> {
      try {
        const { declaration } = plan;
        const measured = await inSnapshot(declaration.source, signal, async (client, source, settings) => {
          const table = await tableAt(client, source, { settings, known: at });
          const theirs = declaration.joined?.declaration.source;
          const other = theirs === undefined ? null : await tableAt(client, theirs, { settings, known: at.joined });
          const joined = other === null ? null : { table: other, salt: at.joined?.salt ?? "" };
          return measurePlan(plan, { table, salt: at.salt, other: joined, sampleKey }, (statement) => {
            signal?.throwIfAborted(); // a cancellation between two statements has no effect
            return query(client, postgresDialect.compile(statement));
          });
        });
        return new Exact<Measured>(measured);
      } catch {
        // One constant answer: a database's words may quote a row.
        throw new PrivacyError("ENGINE_FAILED");
      }
    },

    fit: refuseFit,
    append: refuseAppend,
    checkSize: () => undefined,
    async probe() {
      const problems = [...known].map(async ([name, { pool }]) => [name, await problemOf(pool)] as const);
      return Object.fromEntries(await Promise.all(problems));
    },

    async close(): Promise<void> {
      await Promise.all([...known.values()].map(({ pool }) => pool.end()));
    },
  };
}

/** Hexadecimal, never stored: no one can tell which rows a sample has. */
const sampleKey = (): string => randomBytes(32).toString("hex");

/** The rows of a source at a version; fails when the table is another one now. */
async function tableAt(
  client: pg.PoolClient,
  source: Source,
  { settings, known }: { readonly settings: ConnectionSettings; readonly known: TableVersion | undefined },
): Promise<Table> {
  if (known === undefined || !isOfKind(source, "postgres")) throw unreadable("source", "no version");
  const { from, types, version } = await findTable(client, source, settings, known.salt);
  if (version !== known.version) throw unreadable("source", "another table");
  return { dialect: postgresDialect, from, types };
}

/** The message when a database cannot be used; the driver's own could contain a password or a row. */
async function inWords<T>(source: Source, job: () => Promise<T>): Promise<T> {
  try {
    return await job();
  } catch (error) {
    if (error instanceof PrivacyError) throw error;
    const name = isOfKind(source, "postgres") ? source.postgres.connection : "";
    throw unreadable("source.postgres", `connection "${name}" cannot be used: ${reasonOf(error)}`);
  }
}

/** By a connection of its own, because those of the pool may all be in use for long. */
async function problemOf(pool: pg.Pool): Promise<string | null> {
  const client = openClient(pool);
  try {
    await client.connect();
    return null;
  } catch (error) {
    return reasonOf(error);
  } finally {
    await client.end().catch(() => undefined);
  }
}

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
