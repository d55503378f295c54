import { entries, type Fields, own, record, text } from "../input/check.ts";
import type { ConnectedTable, SourceKind } from "./kind.ts";

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
  parse(given: Fields): TrinoSource {
    const path = "source.trino";
    const at = record(own(given, "trino"), path);
    entries(at, path, ["connection", "schema", "table"]);
    const name = (key: string): string => text(own(at, key), `${path}.${key}`, 200);
    const schema = own(at, "schema") === undefined ? undefined : name("schema");
    return sourceOf({ connection: name("connection"), schema, table: name("table") });
  },
  isLive: true,
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
