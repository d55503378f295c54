import { Exact, PrivacyError } from "@dosimeter/core";
import { present } from "@dosimeter/core/internal";
import type { Dialect, Fragment, Sql } from "@dosimeter/query/dialect";
import type {
  BoundedPlan,
  CheckedTable,
  Engine,
  Listing,
  Measured,
  MeasuredVector,
  Problems,
  RunOptions,
  SourceColumn,
  TableVersion,
} from "@dosimeter/query/plan";
import { type ConnectionKind, connectionOf, isOfKind, type Source, type SourceOf } from "@dosimeter/query/source";
import { populationOf } from "@dosimeter/query/statistics";
import { type RawBuilder, sql } from "kysely";
import { LISTING_MS, listingSignal } from "./listing.ts";
import { type PlanTables, scansOf, statementOf } from "./scans.ts";
import type { Table } from "./sql.ts";
import { checkTable, refuseAppend, refuseFit, type TableToCheck, unreadable } from "./table-check.ts";

/** The integers of every statistic, one statement for each scan. Fails where a public number of rows is another one in the table. */
async function measurePlan(
  plan: BoundedPlan,
  tables: PlanTables,
  query: (statement: Fragment) => Promise<readonly (readonly unknown[])[]>,
): Promise<readonly MeasuredVector[]> {
  const population = populationOf(plan);
  if (population !== null) {
    const [[rows] = []] = await query(sql`SELECT count(*) FROM ${tables.table.from}`);
    // As public as the number itself: under replace-one all neighbours have as many rows.
    if (Number(rows) !== population) throw unreadable("source", "another number of rows");
  }
  const vectors: MeasuredVector[] = [];
  for (const scan of scansOf(plan, tables)) {
    const { statement, add, vectors: measured } = statementOf(tables.table.dialect, scan);
    add(await query(statement));
    for (const [at, vector] of measured()) vectors[at] = vector;
  }
  return vectors;
}

/** A table or view as the catalogue of its database describes it. */
export interface FoundTable {
  readonly columns: readonly SourceColumn[];
  readonly types: Readonly<Record<string, string>>;
  readonly from: RawBuilder<unknown>;
  /** Keyed hash of the table's identity and columns, not of its rows: they may change between releases. */
  readonly version: string;
}

/** Runs a statement and gives its rows. */
export type Ask = (statement: Fragment | Sql) => Promise<readonly (readonly unknown[])[]>;

/** One state of a database, that can only be read. */
interface Session<S> {
  readonly ask: Ask;
  readonly find: (source: S, salt: string) => Promise<FoundTable>;
  readonly list: (source: S) => Promise<Listing>;
  /** The tables that a table shows rows of, where the database tells. */
  readonly lineage?: (source: S) => Promise<NonNullable<CheckedTable["lineage"]>>;
}

/** A kind of database that keeps its tables where they are. */
export interface Remote<K extends ConnectionKind, Connection>
  extends Pick<TableToCheck, "refusal" | "faulty">,
    Pick<Engine, "checkSize" | "close"> {
  readonly kind: K;
  readonly name: string;
  readonly dialect: Dialect;
  /** By the names that declarations use. */
  readonly connections: ReadonlyMap<string, Connection>;
  readonly read: <T>(
    connection: Connection,
    limits: { readonly signal: AbortSignal | undefined; readonly longest: number },
    job: (session: Session<SourceOf<K>>) => Promise<T>,
  ) => Promise<T>;
  /** Fails where the connection cannot be signed in to. */
  readonly probe: (connection: Connection) => Promise<void>;
  /** Hexadecimal, never stored: no one can tell which rows a sample has. */
  readonly sampleKey: () => string;
  /** In our words: the driver's own could contain a password or a row. */
  readonly reasonOf: (error: unknown) => string;
  /** Whether a statement may have failed by what a row holds. */
  readonly mayBeRow: (error: unknown) => boolean;
}

/** The engine over tables and views of such databases: every plan sees one state of one of them. */
export function remoteEngine<K extends ConnectionKind, Connection>(remote: Remote<K, Connection>): Engine {
  const { kind, dialect, connections, refusal, faulty, reasonOf, checkSize, close } = remote;
  type Own = SourceOf<K>;

  function own(source: Source): Own {
    if (isOfKind(source, kind)) return source;
    throw unreadable("source", `this engine reads tables of ${remote.name} only`);
  }

  async function read<T>(
    source: Source,
    signal: AbortSignal | undefined,
    job: (session: Session<Own>, source: Own) => Promise<T>,
    longest = Number.POSITIVE_INFINITY,
  ): Promise<T> {
    const at = own(source);
    const name = connectionOf(source) ?? "";
    const connection = connections.get(name);
    if (connection === undefined)
      throw unreadable(`source.${kind}.connection`, `this server knows no connection "${name}"`);
    return remote.read(connection, { signal, longest }, (session) => job(session, at));
  }

  const inWords = (source: Source, error: unknown): PrivacyError =>
    error instanceof PrivacyError
      ? error
      : unreadable(`source.${kind}`, `connection "${connectionOf(source)}" cannot be used: ${reasonOf(error)}`);
  const shown: typeof read = (source, ...how) =>
    read(source, ...how).catch((error: unknown) => {
      throw inWords(source, error);
    });

  return {
    describe: (source, signal) =>
      shown(source, listingSignal(signal), async ({ find }, own) => (await find(own, "")).columns),

    list: (source, signal) => shown(source, listingSignal(signal), ({ list }, own) => list(own), LISTING_MS),

    check: (declaration, { salt, signal }) =>
      shown(declaration.source, signal, async ({ ask, find, lineage }, source) => {
        const { from, types, version } = await find(source, salt);
        await checkTable(declaration, {
          ...{ table: { dialect, from, types }, noun: "table", records: null, refusal, faulty },
          query: (statement) =>
            ask(statement).catch((error: unknown) => {
              throw remote.mayBeRow(error) ? error : inWords(source, error);
            }),
        });
        return { version, salt, ...present({ lineage: await lineage?.(source) }) };
      }),

    async run(plan, { signal, ...at }) {
      try {
        const measured = await read(plan.declaration.source, signal, ({ ask, find }) =>
          measureIn(remote, { plan, at, signal, ask, find: async (of, salt) => find(own(of), salt) }),
        );
        return new Exact<Measured>(measured);
      } catch {
        // One constant answer: a database's words may quote a row.
        throw new PrivacyError("ENGINE_FAILED");
      }
    },

    fit: refuseFit,
    append: refuseAppend,
    checkSize,
    async probe(): Promise<Problems> {
      const problems = [...connections].map(
        async ([name, one]) => [name, await remote.probe(one).then(() => null, reasonOf)] as const,
      );
      return Object.fromEntries(await Promise.all(problems));
    },
    close,
  };
}

interface Measuring extends Pick<Session<Source>, "ask" | "find"> {
  readonly plan: BoundedPlan;
  readonly at: Omit<RunOptions, "signal">;
  readonly signal: AbortSignal | undefined;
}

async function measureIn(
  { dialect, sampleKey }: Pick<Remote<ConnectionKind, never>, "dialect" | "sampleKey">,
  { plan, at, signal, ask, find }: Measuring,
): Promise<Measured> {
  /** The rows of a source at a version; fails when the table is another one now. */
  const tableAt = async (of: Source, known: TableVersion | undefined): Promise<Table> => {
    if (known === undefined) throw unreadable("source", "no version");
    const { from, types, version } = await find(of, known.salt);
    if (version !== known.version) throw unreadable("source", "another table");
    return { dialect, from, types };
  };
  const { source, ...declared } = plan.declaration;
  const table = await tableAt(source, at);
  const theirs = declared.joined?.declaration.source;
  // Another connection may show another table by the same name.
  if (theirs !== undefined && connectionOf(theirs) !== connectionOf(source))
    throw unreadable("source", "a table of another connection");
  const other = theirs === undefined ? null : await tableAt(theirs, at.joined);
  const joined = other === null ? null : { table: other, salt: at.joined?.salt ?? "" };
  return measurePlan(plan, { table, salt: at.salt, other: joined, sampleKey }, (statement) => {
    signal?.throwIfAborted(); // a cancellation between two statements has no effect
    return ask(statement);
  });
}
