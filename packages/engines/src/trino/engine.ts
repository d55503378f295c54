import { randomBytes } from "node:crypto";
import { readFile } from "node:fs/promises";
import { invalid, PrivacyError } from "@dosimeter/core";
import { isThisMachine } from "@dosimeter/core/internal";
import type { Column, Declaration } from "@dosimeter/query/declaration";
import type { BoundedPlan, Engine } from "@dosimeter/query/plan";
import { type ConnectionSettings, decodedPart, trinoKind, wrongSecret } from "@dosimeter/query/source";
import { sql } from "kysely";
import { type Ask, remoteEngine } from "../sql/remote.ts";
import { type PlanTables, scansOf, statementOf as statementOfScan } from "../sql/scans.ts";
import type { Table } from "../sql/sql.ts";
import { ask, type Coordinator, TrinoError, type TrinoProblem, withTransaction } from "./client.ts";
import { statementOf, trinoDialect } from "./dialect.ts";
import { faulty, findTable, listTables, refusal, tableSql } from "./table.ts";
import { STORAGES } from "./types.ts";

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
async function signedIn(at: Coordinator): Promise<Coordinator> {
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

/** Letters of the longest statement that Trino reads unless it is set otherwise: `query.max-length`. */
const MAX_LETTERS = 1_000_000;
const SALT = "0".repeat(64);
/** Letters of the longest name of a catalogue, schema or table; the declaration names only some. */
const NAME = "n".repeat(200);

/**
 * Refuses a plan with a statement that Trino would not read, however the declared columns are stored: INVALID_PARAMETER with the path of
 * the row. Connects to nothing.
 */
function checkSize(plan: BoundedPlan): void {
  const { declaration } = plan;
  const joined = declaration.joined?.declaration;
  const tables: PlanTables = {
    table: longestTable(declaration),
    salt: SALT,
    other: joined === undefined ? null : { table: longestTable(joined), salt: SALT },
    sampleKey: () => SALT,
  };
  for (const scan of scansOf(plan, tables)) {
    const { length } = statementOf(trinoDialect.compile(statementOfScan(trinoDialect, scan).statement));
    if (length > MAX_LETTERS)
      invalid(
        scan.members[0]?.statistic.path ?? "statistics",
        length,
        `at most ${MAX_LETTERS} letters of SQL, the most that Trino reads: fewer groups, bins or categories`,
      );
  }
}

/** The table of a declaration, every column stored as the type whose reading takes the most letters. */
function longestTable(declaration: Declaration): Table {
  const { columns, privacyUnit } = declaration;
  const types: Record<string, string> = Object.create(null);
  for (const [name, column] of Object.entries(columns))
    if (column.derived === undefined && column.joined === undefined)
      types[name] = longestStorage(column, privacyUnit !== "row" && privacyUnit.column === name);
  return { dialect: trinoDialect, from: tableSql([NAME, NAME, NAME], String(2n ** 63n - 1n)), types };
}

function longestStorage(column: Column, isUnit: boolean): string {
  const lettersAs = (storage: string): number =>
    statementOf(trinoDialect.compile(sql`${trinoDialect.typed(sql`x`, column, storage)}`)).length;
  const [longest = { storage: "varchar" }] = STORAGES.filter((storage) => refusal(column, storage, isUnit) === null)
    .map((storage) => ({ storage, letters: lettersAs(storage) }))
    .toSorted((a, b) => b.letters - a.letters);
  return longest.storage;
}

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
