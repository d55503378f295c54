import { existsSync } from "node:fs";
import { basename } from "node:path";
import { invalid } from "@dosimeter/core";
import { isRecord } from "@dosimeter/core/internal";
import { type Dataset, type Json, uploadErased } from "@dosimeter/ledger";
import { checkDeclaration, type Declaration, declarationJson } from "@dosimeter/query/declaration";
import type { CheckedTable, Lineage, TableVersion } from "@dosimeter/query/plan";
import { identityOf, isConnected, movedTo, overFile, pathIn } from "@dosimeter/query/source";
import type { Plan } from "@dosimeter/query/statistics";
import type { Append } from "@dosimeter/reuse";
import { type Files, recordOf } from "./files.ts";
import type { StoredFile } from "./records.ts";

/** What the catalog keeps with the declaration so that the engine finds and recognises the rows. Never on the wire. */
export interface StoredSource extends TableVersion {
  /** File name inside the data folder; absent where the declaration itself says where the table is. */
  readonly file?: string;
  /** What its owner calls it. */
  readonly name: string;
  /** As `StoredFile.digest`. */
  readonly digest: string;
  /** The block whose rows this version brought, and nothing else; they were among the bytes of this digest. [M167, M341] */
  readonly appended?: { readonly block: number; readonly isLonger: boolean; readonly digest: string };
  /** This version closed blocks by hand, and did nothing else. [M167] */
  readonly isClosing?: true;
  /** Of a table of a connection, as its database's catalogue says. */
  readonly lineage?: Lineage;
  /** Why the people of these rows have another ledger too. */
  readonly secondLedger?: string;
}

/** The versions of a dataset that only brought rows of one block, or closed blocks. */
export const appendsAmong = (
  versions: readonly { readonly version: number; readonly source: Json }[],
): readonly Append[] =>
  versions.flatMap(({ version, source }): readonly Append[] => {
    const { appended, isClosing } = source as Partial<StoredSource>;
    if (isClosing) return [{ version, block: null, isLonger: false }];
    return appended === undefined ? [] : [{ version, block: appended.block, isLonger: appended.isLonger }];
  });

/**
 * When the newest file came that may hold rows of this block, in seconds of UTC. Versions oldest first; the same file declared again brings no
 * rows, nor does one that brought rows of an earlier block.
 */
export const broughtAt = (
  versions: readonly { readonly createdAt: string; readonly source: Json }[],
  block: number,
): number =>
  versions.reduce((latest, { createdAt, source }, at) => {
    const { digest, appended } = source as Partial<StoredSource>;
    const before = versions[at - 1]?.source as Partial<StoredSource> | undefined;
    const brings = digest !== before?.digest && (appended === undefined || appended.block >= block);
    return brings ? Date.parse(createdAt) / 1000 : latest;
  }, Number.NEGATIVE_INFINITY);

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
  const reading = isRecord(given.source) ? given.source : {};
  // Checked under the file's own name: a refusal may repeat what it refuses, and no caller learns the path on the server.
  const checked = checkDeclaration({ ...given, name, source: overFile(reading, file.format, file.name) });
  const path = files.pathOf(`${file.id}.${file.format}`);
  return { ...checked, source: movedTo(checked.source, path) };
}

/** The declaration as the catalog keeps it: its path is of no use elsewhere, so the file's own name stands there. */
export function storedDeclaration(declaration: Declaration, file: StoredFile): Json {
  return asJson({
    ...declarationJson(declaration),
    source: movedTo(declaration.source, file.name),
  });
}

export function storedSource(
  file: StoredFile,
  { version, salt }: TableVersion,
  appended?: StoredSource["appended"],
): Json {
  const stored = { file: `${file.id}.${file.format}`, name: file.name, digest: file.digest, version, salt };
  if (appended === undefined) return stored;
  const { block, isLonger, digest } = appended;
  return { ...stored, appended: { block, isLonger, digest } };
}

/** A declaration over a table that a named connection reaches; null when it is not over one. */
export function declareAt(given: Readonly<Record<string, unknown>>, name: string): Declaration | null {
  return isRecord(given.source) && isConnected(given.source) ? checkDeclaration({ ...given, name }) : null;
}

/** What stands for the bytes of a table that stays where it is. */
export const placeOf = ({ source }: Declaration): string => identityOf(source) ?? "";

export const storedPlace = (declaration: Declaration, checked: CheckedTable, secondLedger?: string): Json =>
  asJson({ name: declaration.name, digest: placeOf(declaration), ...checked, secondLedger });

/** What stands for the rows of a dataset: the hash of a file, or a table of a connection with those that it reads. */
export function placesOf({ source }: Pick<Dataset, "source">): readonly string[] {
  const { digest, lineage } = (source ?? {}) as Partial<StoredSource>;
  return [...(digest === undefined ? [] : [digest]), ...(lineage?.bases ?? [])];
}

export const lineageOf = ({ source }: Pick<Dataset, "source">): Pick<StoredSource, "lineage" | "secondLedger"> =>
  source as unknown as StoredSource;

/** Checked once for as long as the catalog keeps it parsed. */
const checked = new WeakMap<object, Declaration>();

export function declarationOf({ declaration }: Pick<Dataset, "declaration">): Declaration {
  if (!isRecord(declaration)) return checkDeclaration(declaration);
  const known = checked.get(declaration) ?? checkDeclaration(declaration);
  checked.set(declaration, known);
  return known;
}

/** The table of a dataset, its source inside this data folder. */
export function tableOf(dataset: Dataset, files: Files): Table {
  const stored = dataset.source as unknown as StoredSource;
  const declaration = declarationOf(dataset);
  const version = { version: stored.version, salt: stored.salt };
  if (stored.file === undefined) return { declaration, version };
  const source = movedTo(declaration.source, files.pathOf(stored.file));
  return { declaration: { ...declaration, source }, version };
}

/**
 * DATA_UNREADABLE, before anything is charged, where the upload of a table or of one that it joins was erased: its rows and its record. Rows that
 * alone are missing may come back, and a charge waits for them.
 */
export function refuseErased(declaration: Declaration): void {
  for (const path of pathsOf(declaration)) if (!existsSync(path) && !existsSync(recordOf(path))) throw uploadErased();
}

/** The stored files that a table and those that it joins are read from. */
export const uploadsOf = (declaration: Declaration): readonly string[] =>
  pathsOf(declaration).map((path) => basename(path));

const pathsOf = ({ source, joinable = {} }: Declaration): readonly string[] =>
  [source, ...Object.values(joinable).map(({ declaration }) => declaration.source)].flatMap((one) => {
    const path = pathIn({ ...one });
    return typeof path === "string" ? [path] : [];
  });

/** Plain JSON; refuses what JSON cannot hold. */
export function asJson(value: unknown): Json {
  const text = JSON.stringify(value);
  if (text === undefined) invalid("body", undefined, "JSON");
  return JSON.parse(text) as Json;
}

/** The dataset that a plan joins, by id; null without a join. */
export function joinedId({ join }: Pick<Plan, "join">): Dataset["id"] | null {
  const id = (join as { readonly dataset?: unknown } | null | undefined)?.dataset;
  return typeof id === "string" ? (id as Dataset["id"]) : null;
}
