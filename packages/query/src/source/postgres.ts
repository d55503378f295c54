import { entries, type Fields, own, record, text } from "../input/check.ts";
import type { ConnectedTable, SourceKind } from "./kind.ts";

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
  parse(given: Fields): PostgresSource {
    const path = "source.postgres";
    const at = record(own(given, "postgres"), path);
    entries(at, path, ["connection", "schema", "table"]);
    const name = (key: string): string => text(own(at, key), `${path}.${key}`, 200);
    const schema = own(at, "schema") === undefined ? undefined : name("schema");
    return sourceOf({ connection: name("connection"), schema, table: name("table") });
  },
  isLive: true,
  identity: ({ postgres }: PostgresSource) => JSON.stringify(["postgres", ...Object.values(postgres)]),
  connection: {
    address: "postgres://role@host/database",
    schemes: ["postgres:", "postgresql:"],
    schema: SCHEMA,
    source: sourceOf,
    nameOf: ({ postgres }: PostgresSource) => postgres.connection,
  },
  words: {
    place: "A table or view of a database",
    hint: "It stays where it is. Every release reads it again, with a read-only role.",
  },
} as const satisfies SourceKind<PostgresSource>;
