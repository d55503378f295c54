/**
 * A server in your own process: the HTTP interface and the pages over a data folder.
 *
 * @module
 */

export {
  type Configuration,
  closedOnSignal,
  createLog,
  readConfiguration,
  type ServeOptions,
  type Serving,
  serve,
} from "@dosimeter/server";
