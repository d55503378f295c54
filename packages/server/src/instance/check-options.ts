import { PrivacyError } from "@dosimeter/core";
import { checkConnections } from "@dosimeter/query/engines";
import { type Connections, readSources } from "../sources/connections.ts";
import { serverFolders } from "../sources/server-folders.ts";
import { type Place, placeAt } from "../witness/witness.ts";
import type { InstanceOptions } from "./options.ts";

/** What the options name outside of the ledger database. */
export interface Named {
  readonly place: Place | null;
  readonly connections: Connections;
}

/** Reads everything that can be wrong in the options; makes and connects to nothing. INVALID_PARAMETER naming the setting. */
export async function checkOptions(
  { sources, witness, folders = [] }: Pick<InstanceOptions, "sources" | "witness" | "folders">,
  env: NodeJS.ProcessEnv,
): Promise<Named> {
  const place = witness === undefined ? null : placeAt(witness);
  // The address may hold a password, so it is not repeated.
  if (witness !== undefined && place === null)
    throw new PrivacyError("INVALID_PARAMETER", {}, "DOSIMETER_WITNESS names no file and no address");
  serverFolders(folders);
  const connections = sources === undefined ? {} : await readSources(sources, env);
  await checkConnections(connections);
  return { place, connections };
}
