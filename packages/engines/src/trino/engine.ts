import { randomBytes } from "node:crypto";
import type { Engine } from "@dosimeter/query/plan";
import { type ConnectionSettings, wrongSecret } from "@dosimeter/query/source";
import { type Ask, remoteEngine } from "../sql/remote.ts";
import { ask, TrinoError, type TrinoProblem, withTransaction } from "./client.ts";
import { coordinatorOf, signedIn } from "./connection.ts";
import { statementOf, trinoDialect } from "./dialect.ts";
import { checkSize } from "./statements.ts";
import { faulty, findTable, listTables, refusal } from "./table.ts";

export interface TrinoOptions {
  /** By the names that declarations use. */
  readonly connections: Readonly<Record<string, ConnectionSettings>>;
}

const PROBE_MS = 10_000;

/**
 * The engine over tables and views that a cluster of Trino reaches. Every plan is read in one transaction that can only read, which shows one
 * state where the connector has versions. It holds no connections.
 */
export async function trinoEngine({ connections }: TrinoOptions): Promise<Engine> {
  const known = Object.entries(connections).map(([name, settings]) => [name, coordinatorOf(name, settings)] as const);
  return remoteEngine({
    kind: "trino",
    ...{ name: "Trino", dialect: trinoDialect, connections: new Map(known) },
    ...{ refusal, faulty, sampleKey, reasonOf, checkSize },
    mayBeRow: (error) => reasonOf(error) === REASONS.failed,
    async read(at, { signal, longest }, job) {
      const { catalog } = at;
      const timeout = Math.min(at.timeout, longest);
      return withTransaction({ ...(await signedIn(at)), timeout }, signal, (query) => {
        const asking: Ask = (asked) => query(statementOf("text" in asked ? asked : trinoDialect.compile(asked)));
        return job({
          ask: asking,
          find: (source, salt) => findTable(asking, source, { catalog, salt }),
          list: (source) => listTables(asking, source),
        });
      });
    },
    /** Signs in, and starts nothing that a cluster has to plan. */
    async probe(at) {
      const signal = AbortSignal.timeout(PROBE_MS);
      await ask({ ...(await signedIn(at)), timeout: Math.min(at.timeout, PROBE_MS) }, "SELECT 1", { signal });
    },
    async close(): Promise<void> {},
  });
}

const sampleKey = (): string => randomBytes(32).toString("hex");

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
