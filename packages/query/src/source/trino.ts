import { present } from "@dosimeter/core/internal";
import type { Fields } from "../input/check.ts";
import { type ConnectedTable, connectedTable, type SourceKind } from "./kind.ts";

/** A table or view; `connection` names what the server knows how to reach, and its catalogue. */
export interface TrinoSource {
  readonly trino: {
    readonly connection: string;
    readonly schema: string;
    readonly table: string;
    /** Of Iceberg and other catalogues that keep them. */
    readonly snapshot?: string;
  };
}

const SCHEMA = "default";

const sourceOf = ({ connection, schema = SCHEMA, table, snapshot }: ConnectedTable): TrinoSource => ({
  trino: { connection, schema, table, ...present({ snapshot }) },
});

export const trinoKind = {
  fields: { trino: [] },
  shape: "{trino: {connection, schema, table, snapshot?}}",
  parse: (given: Fields): TrinoSource => sourceOf(connectedTable(given, "trino", { hasSnapshots: true })),
  isLive: ({ trino }: TrinoSource) => trino.snapshot === undefined,
  limitsStatements: true,
  // Trino keeps names in lower case: written otherwise it is the same table, with the same people, and so it is at any snapshot.
  identity: ({ trino: { connection, schema, table } }: TrinoSource) =>
    JSON.stringify(["trino", connection, schema.toLowerCase(), table.toLowerCase()]),
  connection: {
    address: "trino://user@host/catalog",
    schemes: ["trino:"],
    port: "443",
    noToken: null,
    schema: SCHEMA,
    source: sourceOf,
    snapshot: {
      label: "Snapshot (optional)",
      hint: "Of a table of Iceberg: its number. Every release then reads the rows as they were then.",
    },
    nameOf: ({ trino }: TrinoSource) => trino.connection,
  },
  words: {
    place: "A table or view of a cluster of Trino",
    hint: "It stays where it is. Every release reads it again, in a transaction that can only read.",
  },
} as const satisfies SourceKind<TrinoSource>;
