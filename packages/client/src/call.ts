/** What a client needs to know of a route in order to ask it: its row without schemas, which a page does not load. */
export interface Call {
  readonly method: "GET" | "POST" | "DELETE";
  readonly path: string;
  /** Names of the query parameters; all other fields of an input are path parameters or body. */
  readonly query?: readonly string[];
  readonly body?: "json" | "stream";
  readonly answer?: "events" | "bytes";
  readonly idempotent?: true;
}
