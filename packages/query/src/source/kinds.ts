import { invalid } from "@dosimeter/core";
import { entries, type Fields, own, record } from "../input/check.ts";
import { fileKind } from "./file.ts";
import type { ConnectedTable, SourceKind } from "./kind.ts";
import { postgresKind } from "./postgres.ts";
import { trinoKind } from "./trino.ts";

/** Every kind of source: server, command line and pages read this table. */
export const sourceKinds = { file: fileKind, postgres: postgresKind, trino: trinoKind } as const;

export type SourceKindName = keyof typeof sourceKinds;
export type SourceOf<K extends SourceKindName> = ReturnType<(typeof sourceKinds)[K]["parse"]>;
/** Where the rows of a declared table are. */
export type Source = SourceOf<SourceKindName>;
/** Kinds whose tables stay where they are, reached by a connection of the server. */
export type ConnectionKind = {
  [K in SourceKindName]: (typeof sourceKinds)[K]["connection"] extends null ? never : K;
}[SourceKindName];

/** Why a connection cannot be used whose server refuses its secret, and may lock the account when it is tried again and again. */
export const wrongSecret = {
  postgres: "its password is wrong",
  trino: "its password or token is wrong, or has expired",
} as const satisfies Record<ConnectionKind, string>;

const names = Object.keys(sourceKinds) as readonly SourceKindName[];
const rowOf = (name: SourceKindName): SourceKind<Source> => sourceKinds[name];
const isConnectionKind = (name: SourceKindName): name is ConnectionKind => rowOf(name).connection !== null;

export const connectionKinds: readonly ConnectionKind[] = names.filter(isConnectionKind);

/** Kinds that the fields of a source from outside name: one, where it is valid. */
const named = (given: Fields): readonly SourceKindName[] =>
  names.filter((name) => Object.keys(rowOf(name).fields).some((field) => own(given, field) !== undefined));

export function kindOf(source: Source): SourceKindName {
  const [name] = named({ ...source });
  if (name === undefined) throw new RangeError("a source is of one kind");
  return name;
}

export const isOfKind = <K extends SourceKindName>(source: Source, name: K): source is SourceOf<K> =>
  kindOf(source) === name;

/** Whether the rows may change at any time and nothing tells. */
export const isLive = (source: Source): boolean => rowOf(kindOf(source)).isLive(source);

/** Whether a plan over it can be too long to be read. */
export const limitsStatements = (source: Source): boolean => rowOf(kindOf(source)).limitsStatements;

/** The connection that reaches a table; null for files. */
export const connectionOf = (source: Source): string | null => rowOf(kindOf(source)).connection?.nameOf(source) ?? null;

/** What stands for the bytes of a table that stays where it is; null for files. */
export const identityOf = (source: Source): string | null => rowOf(kindOf(source)).identity(source);

/** Whether a source from outside names a table that stays where it is. */
export const isConnected = (given: Fields): boolean => named(given).some(isConnectionKind);

export const connectedSource = (kind: ConnectionKind, table: ConnectedTable): Source =>
  sourceKinds[kind].connection.source(table);

/** The kind of connection that has this address. Throws INVALID_PARAMETER with the setting's name, never its value. */
export function connectionKindOf(address: string, setting: string): ConnectionKind {
  const scheme = URL.canParse(address) ? new URL(address).protocol : "";
  const found = connectionKinds.find((kind) => rowOf(kind).connection?.schemes.includes(scheme));
  const wanted = connectionKinds.map((kind) => sourceKinds[kind].connection.address);
  return found ?? invalid(setting, undefined, wanted.join(" or "));
}

/** Checks a source from outside. Throws INVALID_PARAMETER naming the path. */
export function parseSource(json: unknown): Source {
  const given = record(json, "source");
  const rows = names.map(rowOf);
  const fields = rows.flatMap((row) => Object.entries(row.fields).map(([name, more]) => ({ row, name, more })));
  entries(given, "source", [...fields.map(({ name }) => name), ...fields.flatMap(({ more }) => more)]);
  const [first, ...others] = fields.filter(({ name }) => own(given, name) !== undefined);
  if (first === undefined || others.length > 0)
    return invalid("source", json, `one of ${rows.map(({ shape }) => shape).join(", ")}`);
  entries(given, "source", [first.name, ...first.more]);
  return first.row.parse(given, first.name);
}
