import { entries, type Fields, own, record, text } from "../input/check.ts";

/**
 * One kind of place where a table can be: a row of `sourceKinds`. Rows load no driver, so that pages read them too; the engine
 * that reads a kind is in `open.ts`.
 */
export interface SourceKind<S extends object> {
  /** Fields of a `source` that name this kind, each with the fields that may stand next to it. */
  readonly fields: Readonly<Record<string, readonly string[]>>;
  /** What a `source` of this kind looks like, for refusals. */
  readonly shape: string;
  /** A source from outside with every default filled in; `field` is the one that named this kind. Throws INVALID_PARAMETER. */
  parse(given: Fields, field: string): S;
  /** Whether its rows may change at any time and nothing tells. */
  readonly isLive: boolean;
  /** Whether its databases read statements up to a length only: a plan is measured for that before it is charged. */
  readonly limitsStatements: boolean;
  /** What stands for the bytes of a table that stays where it is; null where the bytes themselves are hashed. */
  identity(source: S): string | null;
  /** How a server reaches tables that stay where they are; null for files, which are uploaded. */
  readonly connection: Connection<S> | null;
  readonly words: {
    /** "A file on this computer", to choose from. */
    readonly place: string;
    /** One sentence or two under that choice. */
    readonly hint: string;
  };
}

/** Connections have names; an operator gives each its address, which is never part of a declaration. */
interface Connection<S extends object> {
  /** What an address looks like, for refusals. */
  readonly address: string;
  /** The scheme of an address, as `URL.protocol` has it. */
  readonly schemes: readonly string[];
  /** The schema of a table that names none. */
  readonly schema: string;
  source(table: ConnectedTable): S;
  nameOf(source: S): string;
}

/** A table or view that a connection of the server reaches. */
export interface ConnectedTable {
  readonly connection: string;
  /** The kind's own default when absent. */
  readonly schema?: string | undefined;
  readonly table: string;
}

/** The table that the field of a kind names, from outside. Throws INVALID_PARAMETER. */
export function connectedTable(given: Fields, kind: string): ConnectedTable {
  const path = `source.${kind}`;
  const at = record(own(given, kind), path);
  entries(at, path, ["connection", "schema", "table"]);
  const name = (key: string): string => text(own(at, key), `${path}.${key}`, 200);
  const schema = own(at, "schema") === undefined ? undefined : name("schema");
  return { connection: name("connection"), schema, table: name("table") };
}
