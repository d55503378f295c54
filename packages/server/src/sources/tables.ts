import { invalid } from "@dosimeter/core";
import { isRecord } from "@dosimeter/core/internal";
import type { Dataset, Json } from "@dosimeter/ledger";
import { checkDeclaration, type Declaration, type Source, type TableVersion } from "@dosimeter/query";
import type { Files, StoredFile } from "./files.ts";

/** What the catalog keeps with the declaration so that the engine finds and recognises the rows. Never on the wire. */
interface StoredSource extends TableVersion {
  /** File name inside the data folder; absent where the declaration itself says where the table is. */
  readonly file?: string;
  /** What its owner calls it. */
  readonly name: string;
  /** As `StoredFile.digest`. */
  readonly digest: string;
}

/** A dataset as planner and engine need it. */
export interface Table {
  readonly declaration: Declaration;
  readonly version: TableVersion;
}

/** A declaration from outside over an uploaded file: the file decides the path, the declaration how to read it. */
export function declareOver(
  given: Readonly<Record<string, unknown>>,
  name: string,
  file: StoredFile,
  files: Files,
): Declaration {
  const { csv: _csv, parquet: _parquet, ...reading } = isRecord(given.source) ? given.source : {};
  const path = files.pathOf(`${file.id}.${file.format}`);
  return checkDeclaration({ ...given, name, source: { ...reading, [file.format]: path } });
}

/** The declaration as the catalog keeps it: its path is of no use elsewhere, so the file's own name stands there. */
export function storedDeclaration(declaration: Declaration, file: StoredFile): Json {
  return asJson({ ...declaration, source: { ...declaration.source, [file.format]: file.name } });
}

export function storedSource(file: StoredFile, { version, salt }: TableVersion): Json {
  return { file: `${file.id}.${file.format}`, name: file.name, digest: file.digest, version, salt };
}

/** A declaration over a table that a named connection reaches; null when it is not over one. */
export function declareAt(given: Readonly<Record<string, unknown>>, name: string): Declaration | null {
  return isRecord(given.source) && given.source.postgres !== undefined ? checkDeclaration({ ...given, name }) : null;
}

/** What stands for the bytes of a table that others change: where it is. */
export function placeOf({ source }: Declaration): string {
  return "postgres" in source ? JSON.stringify(["postgres", ...Object.values(source.postgres)]) : "";
}

export function storedPlace(declaration: Declaration, { version, salt }: TableVersion): Json {
  return { name: declaration.name, digest: placeOf(declaration), version, salt };
}

/** Of the bytes under a dataset; undefined where they are not a file of ours. */
export function digestOf({ source }: Pick<Dataset, "source">): string | undefined {
  return (source as Partial<StoredSource> | null)?.digest;
}

/** The table of a dataset, its source inside this data folder. */
export function tableOf(dataset: Dataset, files: Files): Table {
  const stored = dataset.source as unknown as StoredSource;
  const declaration = checkDeclaration(dataset.declaration);
  const version = { version: stored.version, salt: stored.salt };
  if (stored.file === undefined) return { declaration, version };
  return { declaration: { ...declaration, source: atPath(declaration.source, files.pathOf(stored.file)) }, version };
}

function atPath(source: Source, path: string): Source {
  return "csv" in source ? { ...source, csv: path } : { parquet: path };
}

/** Plain JSON; refuses what JSON cannot hold. */
export function asJson(value: unknown): Json {
  const text = JSON.stringify(value);
  if (text === undefined) invalid("body", undefined, "JSON");
  return JSON.parse(text) as Json;
}
