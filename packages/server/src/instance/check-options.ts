import { PrivacyError } from "@dosimeter/core";
import { checkConnections } from "@dosimeter/engines";
import { type AuditPlace, auditPlaceAt } from "../outbox/audit-places.ts";
import { type Certificate, readCertificate } from "../postgres-wire/certificate.ts";
import { type ConnectionHosts, readConnectionHosts } from "../sources/connection-hosts.ts";
import { type Connections, readSources } from "../sources/connections.ts";
import { serverFolders } from "../sources/server-folders.ts";
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

/** Reads everything that can be wrong in the options; makes and connects to nothing. INVALID_PARAMETER naming the setting. */
export async function checkOptions(
  {
    sources,
    connectionHosts,
    witness,
    auditStream,
    folders = [],
    postgresWire,
  }: Pick<InstanceOptions, "sources" | "connectionHosts" | "witness" | "auditStream" | "folders" | "postgresWire">,
  env: NodeJS.ProcessEnv,
): Promise<Named> {
  const place = witness === undefined ? null : placeAt(witness);
  // The address may hold a password, so it is not repeated.
  if (witness !== undefined && place === null)
    throw new PrivacyError("INVALID_PARAMETER", {}, "DOSIMETER_WITNESS names no file and no address");
  const auditPlace = auditStream === undefined ? null : auditPlaceAt(auditStream);
  if (auditStream !== undefined && auditPlace === null)
    throw new PrivacyError("INVALID_PARAMETER", {}, "DOSIMETER_AUDIT_STREAM names no file and no address");
  serverFolders(folders);
  const connections = sources === undefined ? {} : await readSources(sources, env);
  await checkConnections(connections);
  const hosts = await readConnectionHosts(connectionHosts, env);
  const certificate = postgresWire === undefined ? null : readCertificate(postgresWire);
  return { place, auditPlace, connections, hosts, certificate };
}
