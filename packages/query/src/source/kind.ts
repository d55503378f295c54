import { invalid } from "@dosimeter/core";
import { entries, type Fields, own, record, text } from "../input/check.ts";

/**
 * One kind of place where a table can be: a row of `sourceKinds`. Rows load no driver, so that pages read them too;
 * `engine/engines.ts` opens the engine that reads a kind.
 */
export interface SourceKind<S extends object> {
  /** Fields of a `source` that name this kind, each with the fields that may stand next to it. */
  readonly fields: Readonly<Record<string, readonly string[]>>;
  /** What a `source` of this kind looks like, for refusals. */
  readonly shape: string;
  /** A source from outside with every default filled in; `field` is the one that named this kind. Throws INVALID_PARAMETER. */
  parse(given: Fields, field: string): S;
  /** Whether its rows may change at any time and nothing tells. */
  isLive(source: S): boolean;
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
  /** Where an address names none. */
  readonly port: string;
  /** Why a connection cannot sign in with a token; null where it can. */
  readonly noToken: string | null;
  /** The schema of a table that names none. */
  readonly schema: string;
  source(table: ConnectedTable): S;
  /** What a person reads of snapshots, which keep the rows of a table as they were; null where there are none. */
  readonly snapshot: { readonly label: string; readonly hint: string } | null;
  nameOf(source: S): string;
}

/** A table or view that a connection of the server reaches. */
export interface ConnectedTable {
  readonly connection: string;
  /** The kind's own default when absent. */
  readonly schema?: string | undefined;
  readonly table: string;
  /** The number of a snapshot, in digits: the rows as they were then, for ever. */
  readonly snapshot?: string | undefined;
}

/** The largest BIGINT. */
const MAX_SNAPSHOT = 2n ** 63n - 1n;

/** The table that the field of a kind names, from outside. Throws INVALID_PARAMETER. */
export function connectedTable(
  given: Fields,
  kind: string,
  { hasSnapshots = false }: { readonly hasSnapshots?: boolean } = {},
): ConnectedTable {
  const path = `source.${kind}`;
  const at = record(own(given, kind), path);
  entries(at, path, ["connection", "schema", "table", ...(hasSnapshots ? ["snapshot"] : [])]);
  const name = (key: string): string => text(own(at, key), `${path}.${key}`, 200);
  const optional = (key: string): string | undefined => (own(at, key) === undefined ? undefined : name(key));
  const snapshot = optional("snapshot");
  if (snapshot !== undefined && !(/^[1-9]\d{0,18}$/.test(snapshot) && BigInt(snapshot) <= MAX_SNAPSHOT))
    invalid(`${path}.snapshot`, snapshot, "the number of a snapshot, in digits within a text");
  return { connection: name("connection"), schema: optional("schema"), table: name("table"), snapshot };
}
