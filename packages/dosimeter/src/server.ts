/**
 * A server in your own process: the HTTP interface and the pages over a data folder.
 *
 * @module
 */

import { type Listening, type ServeOptions, serve as serveFolder } from "@dosimeter/server";
import { pages } from "./pages.ts";

export { type Configuration, closedOnSignal, createLog, readConfiguration, type ServeOptions } from "@dosimeter/server";

export interface Serving extends Listening {
  /** A token for everything that `operatorScopes` names. */
  readonly operatorToken: string;
  /** What the first admin signs in with, once; null when there is one. */
  readonly firstAdminCode: () => Promise<string | null>;
}

/** Opens the data folder and serves it. ALREADY_RUNNING, with the URL, when another process does. */
export async function serve(options: ServeOptions): Promise<Serving> {
  const { instance, ...listening } = await serveFolder({ ...pages, ...options });
  const { operatorToken, firstAdminCode } = instance;
  return { ...listening, operatorToken, firstAdminCode };
}
