import { randomBytes } from "node:crypto";
import { Exact, PrivacyError } from "@dosimeter/core";
import type { Declaration } from "@dosimeter/query/declaration";
import type {
  BoundedPlan,
  Engine,
  Listing,
  Measured,
  Problems,
  RunOptions,
  SourceColumn,
  TableVersion,
} from "@dosimeter/query/plan";
import {
  type ConnectionSettings,
  connectionOf,
  isOfKind,
  type Source,
  type TrinoSource,
  wrongSecret,
} from "@dosimeter/query/source";
import { LISTING_MS, listingSignal } from "../sql/listing.ts";
import { measurePlan } from "../sql/measure-plan.ts";
import type { Table } from "../sql/sql.ts";
import { checkTable, refuseAppend, refuseFit, unreadable } from "../sql/table-check.ts";
import { ask, type Coordinator, TrinoError, type TrinoProblem, withTransaction } from "./client.ts";
import { coordinatorOf, signedIn } from "./connection.ts";
import { statementOf, trinoDialect } from "./dialect.ts";
import { checkSize } from "./statements.ts";
import { type Ask, faulty, findTable, listTables, refusal } from "./table.ts";

export interface TrinoOptions {
  /** By the names that declarations use. */
  readonly connections: Readonly<Record<string, ConnectionSettings>>;
}

/**
 * The engine over tables and views that a cluster of Trino reaches: the data stay where they are. Every plan is read in one
 * transaction that can only read, which shows one state where the connector has versions. It holds no connections.
 */
// long: the operations of one engine, over the connections that it holds
export async function trinoEngine({ connections }: TrinoOptions): Promise<Engine> {
  const known = new Map(
    Object.entries(connections).map(([name, settings]) => [name, coordinatorOf(name, settings)] as const),
  );

  async function reading<T>(
    source: Source,
    signal: AbortSignal | undefined,
    job: (query: Ask, source: TrinoSource, at: Coordinator) => Promise<T>,
    longest = Number.POSITIVE_INFINITY,
  ): Promise<T> {
    if (!isOfKind(source, "trino")) throw unreadable("source", "this engine reads tables of Trino only");
    const { connection } = source.trino;
    const at = known.get(connection);
    if (at === undefined)
      throw unreadable("source.trino.connection", `this server knows no connection "${connection}"`);
    const timeout = Math.min(at.timeout, longest);
    return withTransaction({ ...(await signedIn(at)), timeout }, signal, (query) =>
      job((asked) => query(statementOf("text" in asked ? asked : trinoDialect.compile(asked))), source, at),
    );
  }

  return {
    describe: (source: Source, signal?: AbortSignal): Promise<readonly SourceColumn[]> =>
      inWords(source, () =>
        reading(source, listingSignal(signal), async (query, table, { catalog }) => {
          const { columns } = await findTable(query, table, { catalog, salt: "" });
          return columns;
        }),
      ),

    list: (source: Source, signal?: AbortSignal): Promise<Listing> =>
      inWords(source, () => reading(source, listingSignal(signal), listTables, LISTING_MS)),

    check: (
      declaration: Declaration,
      { salt, signal }: { readonly salt: string; readonly signal?: AbortSignal },
    ): Promise<TableVersion> =>
      inWords(declaration.source, () =>
        reading(declaration.source, signal, async (query, source, { catalog }) => {
          const { from, types, version } = await findTable(query, source, { catalog, salt });
          await checkTable(declaration, {
            table: { dialect: trinoDialect, from, types },
            noun: "table",
            records: null,
            refusal,
            faulty,
            // A query that could not be run may be a row's fault, and any other reason is named.
            query: (statement) =>
              query(statement).catch((error: unknown) => {
                throw reasonOf(error) === REASONS.failed ? error : inOurWords(declaration.source, error);
              }),
          });
          return { version, salt };
        }),
      ),

    async run(plan: BoundedPlan, { signal, ...at }: RunOptions): Promise<Exact<Measured>> {
      try {
        const { declaration } = plan;
        const measured = await reading(declaration.source, signal, async (query, source, { catalog }) => {
          const table = await tableAt(query, source, { catalog, known: at });
          const theirs = declaration.joined?.declaration.source;
          // Another connection may show another table by the same name.
          if (theirs !== undefined && connectionOf(theirs) !== source.trino.connection)
            throw unreadable("source", "a table of another connection");
          const other = theirs === undefined ? null : await tableAt(query, theirs, { catalog, known: at.joined });
          const joined = other === null ? null : { table: other, salt: at.joined?.salt ?? "" };
          return measurePlan(plan, { table, salt: at.salt, other: joined, sampleKey }, query);
        });
        return new Exact<Measured>(measured);
      } catch {
        // One constant answer: Trino's words may quote a row.
        throw new PrivacyError("ENGINE_FAILED");
      }
    },

    fit: refuseFit,
    append: refuseAppend,
    checkSize,

    probe: () => problemsOf(known),

    async close(): Promise<void> {},
  };
}

/** Hexadecimal, never stored: no one can tell which rows a sample has. */
const sampleKey = (): string => randomBytes(32).toString("hex");

/** The rows of a source at a version; fails when the table is another one now. */
async function tableAt(
  query: Ask,
  source: Source,
  { catalog, known }: { readonly catalog: string; readonly known: TableVersion | undefined },
): Promise<Table> {
  if (known === undefined || !isOfKind(source, "trino")) throw unreadable("source", "no version");
  const { from, types, version } = await findTable(query, source, { catalog, salt: known.salt });
  if (version !== known.version) throw unreadable("source", "another table");
  return { dialect: trinoDialect, from, types };
}

/** The message when a cluster cannot be used; its own could contain a row. */
async function inWords<T>(source: Source, job: () => Promise<T>): Promise<T> {
  try {
    return await job();
  } catch (error) {
    throw error instanceof PrivacyError ? error : inOurWords(source, error);
  }
}

function inOurWords(source: Source, error: unknown): PrivacyError {
  const name = isOfKind(source, "trino") ? source.trino.connection : "";
  return unreadable("source.trino", `connection "${name}" cannot be used: ${reasonOf(error)}`);
}

async function problemsOf(known: ReadonlyMap<string, Coordinator>): Promise<Problems> {
  const problems = [...known].map(async ([name, at]) => [name, await problemOf(at)] as const);
  return Object.fromEntries(await Promise.all(problems));
}

const PROBE_MS = 10_000;

/** Signs in, and starts nothing that a cluster has to plan. */
async function problemOf(at: Coordinator): Promise<string | null> {
  try {
    const signal = AbortSignal.timeout(PROBE_MS);
    await ask({ ...(await signedIn(at)), timeout: Math.min(at.timeout, PROBE_MS) }, "SELECT 1", { signal });
    return null;
  } catch (error) {
    return reasonOf(error);
  }
}

const reasonOf = (error: unknown): string => REASONS[error instanceof TrinoError ? error.problem : "failed"];

const REASONS: Readonly<Record<TrinoProblem, string>> = {
  refused: "nothing listens at its address",
  unknownHost: "its host is not known",
  untrusted: "the certificate of its server is not trusted",
  unauthorized: wrongSecret.trino,
  forbidden: "its user is not admitted",
  denied: "its user has no right to read this table",
  killed: "the query was ended by an operator of the cluster",
  tooLong: "it took longer than the connection allows",
  tooLarge: "it needs more memory than the cluster allows",
  missing: "its catalogue, schema or table does not exist",
  unreachable: "the cluster could not be reached, or did not answer in time",
  failed: "the cluster could not run the query",
};
