import type { Fields } from "../input/check.ts";
import { type ConnectedTable, connectedTable, type SourceKind } from "./kind.ts";

/** A table or view; `connection` names what the server knows how to reach, and its catalogue. */
export interface TrinoSource {
  readonly trino: { readonly connection: string; readonly schema: string; readonly table: string };
}

const SCHEMA = "default";

const sourceOf = ({ connection, schema = SCHEMA, table }: ConnectedTable): TrinoSource => ({
  trino: { connection, schema, table },
});

export const trinoKind = {
  fields: { trino: [] },
  shape: "{trino: {connection, schema, table}}",
  parse: (given: Fields): TrinoSource => sourceOf(connectedTable(given, "trino")),
  isLive: true,
  limitsStatements: true,
  // Trino keeps names in lower case: written otherwise it is the same table, with the same people.
  identity: ({ trino: { connection, schema, table } }: TrinoSource) =>
    JSON.stringify(["trino", connection, schema.toLowerCase(), table.toLowerCase()]),
  connection: {
    address: "trino://user@host/catalog",
    schemes: ["trino:"],
    schema: SCHEMA,
    source: sourceOf,
    nameOf: ({ trino }: TrinoSource) => trino.connection,
  },
  words: {
    place: "A table or view of a cluster of Trino",
    hint: "It stays where it is. Every release reads it again, in a transaction that can only read.",
  },
} as const satisfies SourceKind<TrinoSource>;
