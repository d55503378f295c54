import { PrivacyError } from "@dosimeter/core";
import { checkConnections } from "@dosimeter/engines";
import { type AuditPlace, auditPlaceAt } from "../outbox/audit-places.ts";
import { type Certificate, readCertificate } from "../postgres-wire/certificate.ts";
import { checkRecipients } from "../ship/age.ts";
import { checkAddress, isAddress } from "../ship/objects.ts";
import { type ConnectionHosts, readConnectionHosts } from "../sources/connection-hosts.ts";
import { type Connections, readSources } from "../sources/connections.ts";
import { serverFolders } from "../sources/server-folders.ts";
import { orProblem } from "./configuration.ts";
import type { InstanceOptions } from "./options.ts";
import { type Place, placeAt } from "./witness.ts";

/** What the options name outside of the ledger database. */
export interface Named {
  readonly place: Place | null;
  readonly auditPlace: AuditPlace | null;
  readonly connections: Connections;
  readonly hosts: ConnectionHosts;
  readonly certificate: Certificate | null;
}

type Options = Pick<
  InstanceOptions,
  | "sources"
  | "connectionHosts"
  | "witness"
  | "auditStream"
  | "folders"
  | "postgresWire"
  | "database"
  | "ship"
  | "shipSecret"
>;

/** Reads everything that can be wrong in the options, to its end; makes and connects to nothing. */
export async function checkOptions(
  { sources, connectionHosts, witness, auditStream, folders = [], postgresWire, database, ship, shipSecret }: Options,
  env: NodeJS.ProcessEnv,
): Promise<{ readonly named: Named | undefined; readonly problems: readonly string[] }> {
  const problems: string[] = [];
  const place = witness === undefined ? null : placeAt(witness);
  // The address may hold a password, so it is not repeated.
  if (witness !== undefined && place === null) problems.push("DOSIMETER_WITNESS names no file and no address");
  const auditPlace = auditStream === undefined ? null : auditPlaceAt(auditStream);
  if (auditStream !== undefined && auditPlace === null)
    problems.push("DOSIMETER_AUDIT_STREAM names no file and no address");
  if (ship !== undefined && database !== undefined)
    problems.push("DOSIMETER_SHIP is for a ledger database in SQLite; PostgreSQL ships its own log (archive_command)");
  if (ship !== undefined) orProblem(() => checkRecipients(ship.recipients), problems);
  if (ship !== undefined && isAddress(ship.place)) orProblem(() => checkAddress(ship.place, shipSecret), problems);
  orProblem(() => serverFolders(folders), problems);
  const connections = await orRejected(async () => {
    const found = sources === undefined ? {} : await readSources(sources, env);
    await checkConnections(found);
    return found;
  }, problems);
  const hosts = await orRejected(() => readConnectionHosts(connectionHosts, env), problems);
  const certificate =
    postgresWire === undefined ? null : (orProblem(() => readCertificate(postgresWire), problems) ?? null);
  const isWhole = problems.length === 0 && connections !== undefined && hosts !== undefined;
  return { named: isWhole ? { place, auditPlace, connections, hosts, certificate } : undefined, problems };
}

/** The same, for an instance that opens. INVALID_PARAMETER naming every setting that is wrong. */
export async function readOptions(options: Options, env: NodeJS.ProcessEnv): Promise<Named> {
  const { named, problems } = await checkOptions(options, env);
  if (named === undefined) throw new PrivacyError("INVALID_PARAMETER", {}, problems.join("; "));
  return named;
}

const orRejected = <T>(reading: () => Promise<T>, problems: string[]): Promise<T | undefined> =>
  reading().catch((error: unknown) => orProblem<T | undefined>(() => throwing(error), problems));

function throwing(error: unknown): never {
  throw error;
}
