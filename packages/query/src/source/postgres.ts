import type { Fields } from "../input/check.ts";
import { type ConnectedTable, connectedTable, type SourceKind } from "./kind.ts";

/** A table or view; `connection` names what the server knows how to reach. */
export interface PostgresSource {
  readonly postgres: { readonly connection: string; readonly schema: string; readonly table: string };
}

const SCHEMA = "public";

const sourceOf = ({ connection, schema = SCHEMA, table }: ConnectedTable): PostgresSource => ({
  postgres: { connection, schema, table },
});

export const postgresKind = {
  fields: { postgres: [] },
  shape: "{postgres: {connection, schema, table}}",
  parse: (given: Fields): PostgresSource => sourceOf(connectedTable(given, "postgres")),
  isLive: () => true,
  limitsStatements: false,
  identity: ({ postgres }: PostgresSource) => JSON.stringify(["postgres", ...Object.values(postgres)]),
  connection: {
    address: "postgres://role@host/database",
    schemes: ["postgres:", "postgresql:"],
    port: "5432",
    noToken: "PostgreSQL takes no token",
    schema: SCHEMA,
    source: sourceOf,
    snapshot: null,
    nameOf: ({ postgres }: PostgresSource) => postgres.connection,
  },
  words: {
    place: "A table or view of a database",
    hint: "It stays where it is. Every release reads it again, with a read-only role.",
  },
} as const satisfies SourceKind<PostgresSource>;
