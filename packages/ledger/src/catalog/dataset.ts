import { PrivacyError } from "@dosimeter/core";
import { sql } from "kysely";
import { change } from "../audit/change.ts";
import type { Context } from "../context.ts";
import { notify } from "../outbox/notify.ts";
import { nameOf, platformReaders } from "../outbox/recipients.ts";
import { record, rowsWith, rowWith } from "../stores/row.ts";
import type { Tx } from "../stores/store.ts";
import type { Tables } from "../stores/tables.ts";
import { checkName, found } from "../values/check.ts";
import { type By, type DatasetId, newId, newSecret, type PopulationId, type PrincipalId } from "../values/id.ts";
import type { Json } from "../values/json.ts";
import { newlyClosed, refuseOtherBlocks } from "./blocks.ts";
import { type CheckedThrough, refuseOtherConnection } from "./connection.ts";
import { populationRow } from "./population.ts";
import { refuseErasedBase, refuseErasedUpload, wasChecked } from "./upload.ts";

/** A declared table, at its newest version. The owner states the declaration and the source; nothing here was read from rows. */
export interface Dataset {
  readonly id: DatasetId;
  readonly population: PopulationId;
  readonly name: string;
  readonly version: number;
  readonly declaration: Json;
  /** Where the rows are, for the engine: a file of the data folder, an allowed path. */
  readonly source: Json;
  /** Whether its owner saw how rows fit before this version, or an earlier one, was declared. [M341] */
  readonly isFitted: boolean;
  /** 160 random bits, drawn once: the key that decides which rows are kept when contributions are bounded. Never sent to clients. */
  readonly salt: string;
  readonly createdAt: string;
  readonly createdBy: PrincipalId;
}

interface NewDataset extends By {
  readonly population: PopulationId;
  readonly name: string;
  readonly declaration: Json;
  readonly source: Json;
  /** Datasets about other people that had the same bytes in any version. Only the admins and auditors of the platform are notified. */
  readonly sameBytes?: readonly DatasetId[];
  readonly through?: CheckedThrough | null;
}

/**
 * Names need not be unique: a conflict would reveal the datasets of others. CONFLICT for an upload that is being erased, and for a connection that
 * was changed since. Later versions are read through the same one, which stays as long as there is a version.
 */
export function createDataset(
  context: Context,
  { population, name, declaration, source, sameBytes = [], through = null, by }: NewDataset,
): Promise<Dataset> {
  const at = context.store.now();
  const row: Tables["dataset"] = {
    id: newId("dataset"),
    population_id: population,
    name: checkName(name, "name"),
    salt: newSecret("salt"),
    version: 1n,
    created_at: at,
    created_by: by,
  };
  return change(context, async (tx, chain) => {
    await populationRow(tx, population);
    if (through !== null) await refuseOtherConnection(tx, through);
    await refuseOtherBlocks(tx, population, { dataset: null, declaration });
    await tx.db.insertInto("dataset").values(row).execute();
    chain.append({ actor: by, action: "dataset.create", subject: row.id, detail: { population }, image: row });
    const first = await versionOf(tx, row, { declaration, source, by, at, isFitted: false });
    await refuseErasedUpload(tx, first);
    await tx.db.insertInto("dataset_version").values(first).execute();
    chain.append({
      actor: by,
      action: "dataset.declare",
      subject: first.id,
      detail: { version: 1 },
      image: first,
    });
    await tellSameBytes(context, tx, row, sameBytes);
    return toDataset(row, first);
  });
}

type NewVersion = Pick<NewDataset, "declaration" | "source" | "sameBytes" | "by"> & {
  readonly dataset: DatasetId;
  /** The version whose rows it has, with more: CONFLICT where another one has come, or its upload was erased. */
  readonly base?: number | undefined;
};

/**
 * Two ledgers about the same rows give their people's budget twice, so the platform's admins and auditors must know.
 * The admins of the other dataset are not notified: otherwise anyone could declare guesses and learn who has which file.
 */
async function tellSameBytes(
  context: Context,
  tx: Tx,
  { id, name }: Tables["dataset"],
  sameBytes: readonly DatasetId[],
): Promise<void> {
  if (sameBytes.length === 0) return;
  const to = await platformReaders(tx);
  for (const twin of sameBytes) {
    const facts = { dataset: await nameOf(tx, twin), twin: name };
    await notify(context, tx, { to, kind: "guarantee", subject: id, facts, once: `twin ${id} ${twin}` });
  }
}

/** A new declaration or source of the same people: the dataset and its ledger stay, with everything ever spent. */
export function addVersion(
  context: Context,
  { dataset, declaration, source, sameBytes = [], base, by }: NewVersion,
): Promise<Dataset> {
  return change(context, async (tx, chain) => {
    const before = await datasetRow(tx, dataset);
    if (base !== undefined && before.version !== BigInt(base))
      throw new PrivacyError("CONFLICT", { name: "dataset.version", got: Number(before.version), want: String(base) });
    if (base !== undefined) await refuseErasedBase(tx, before);
    await refuseOtherBlocks(tx, before.population_id, { dataset, declaration });
    const closed = await newlyClosed(tx, dataset, declaration);
    const row = { ...before, version: before.version + 1n };
    await tx.db.updateTable("dataset").set({ version: row.version }).where("id", "=", dataset).execute();
    chain.append({ actor: by, action: "dataset.update", subject: dataset, image: row });
    const { isFitted } = await withVersion(tx.db, before);
    const next = await versionOf(tx, row, { declaration, source, by, at: context.store.now(), isFitted });
    await refuseErasedUpload(tx, next);
    await tx.db.insertInto("dataset_version").values(next).execute();
    const detail = { version: Number(row.version), ...(closed === null ? {} : { closed }) };
    chain.append({ actor: by, action: "dataset.declare", subject: next.id, detail, image: next });
    await tellSameBytes(context, tx, row, sameBytes);
    return toDataset(row, next);
  });
}

export async function datasetRow({ db }: Pick<Tx, "db">, id: string): Promise<Tables["dataset"]> {
  return found(await rowWith(db, "dataset", { id }), "dataset", id);
}

export async function dataset({ store: { read } }: Context, id: string): Promise<Dataset> {
  return withVersion(read, await datasetRow({ db: read }, id));
}

const newestVersions = (read: Tx["db"]) =>
  read
    .selectFrom("dataset")
    .innerJoin("dataset_version", (join) =>
      join
        .onRef("dataset_version.dataset_id", "=", "dataset.id")
        .onRef("dataset_version.version", "=", "dataset.version"),
    )
    .selectAll("dataset")
    .select(["dataset_version.declaration", "dataset_version.source", "dataset_version.is_fitted"])
    .orderBy("dataset.name");

/** By name. */
export async function datasets({ store: { read } }: Context): Promise<readonly Dataset[]> {
  return (await newestVersions(read).execute()).map((row) => toDataset(row, row));
}

export async function datasetsOf({ store: { read } }: Context, population: PopulationId): Promise<readonly Dataset[]> {
  const rows = await newestVersions(read).where("population_id", "=", population).execute();
  return rows.map((row) => toDataset(row, row));
}

export type DatasetSource = Pick<Dataset, "id" | "name" | "population" | "source">;

/** The sources of all versions, also replaced ones, in which this text stands, by dataset and version. Letters may differ in case. */
export async function sourcesWith({ store: { read } }: Context, text: string): Promise<readonly DatasetSource[]> {
  const pattern = `%${JSON.stringify(text).replace(/[%_!]/g, "!$&")}%`;
  const rows = await read
    .selectFrom("dataset_version")
    .innerJoin("dataset", "dataset.id", "dataset_version.dataset_id")
    .select(["dataset.id", "dataset.name", "dataset.population_id", "dataset_version.source"])
    .where(sql<boolean>`dataset_version.source LIKE ${pattern} ESCAPE '!'`)
    .orderBy("dataset.name")
    .orderBy("dataset.id")
    .orderBy("dataset_version.version")
    .execute();
  return rows.map(({ id, name, population_id, source }) => ({
    id: id,
    name,
    population: population_id,
    source: JSON.parse(source) as Json,
  }));
}

/** The most datasets that a search reads. */
const MAX_SEARCHED = 50;
/** The most ids of one statement. */
const MAX_AMONG = 5000;

/** Those of `among` whose newest declaration has this text somewhere, by name. Letters may differ in case. */
export async function datasetsWith(
  { store: { read } }: Context,
  { text, among }: { readonly text: string; readonly among: readonly DatasetId[] },
): Promise<readonly Dataset[]> {
  if (among.length === 0) return [];
  const pattern = `%${JSON.stringify(text).slice(1, -1).replace(/[%_!]/g, "!$&")}%`;
  const rows = await newestVersions(read)
    .where("dataset.id", "in", among.slice(0, MAX_AMONG))
    .where(sql<boolean>`lower(dataset_version.declaration) LIKE lower(${pattern}) ESCAPE '!'`)
    .limit(MAX_SEARCHED)
    .execute();
  return rows.map((row) => toDataset(row, row));
}

/** A dataset without its declaration, for lists. */
export type NamedDataset = Pick<Dataset, "id" | "name" | "population" | "createdAt">;

/** By name. */
export async function names({ store: { read } }: Context): Promise<readonly NamedDataset[]> {
  const columns = ["id", "name", "population_id", "created_at"] as const;
  const rows = await read.selectFrom("dataset").select(columns).orderBy("name").execute();
  return rows.map(({ id, name, population_id, created_at }) => ({
    id: id,
    name,
    population: population_id,
    createdAt: created_at,
  }));
}

export async function datasetAt({ store: { read } }: Context, id: string, version: number): Promise<Dataset> {
  const row = await datasetRow({ db: read }, id);
  const then = await rowWith(read, "dataset_version", { dataset_id: row.id, version: BigInt(version) });
  return toDataset({ ...row, version: BigInt(version) }, found(then, "version", String(version)));
}

export interface DatasetVersion {
  readonly version: number;
  readonly declaration: Json;
  readonly createdAt: string;
  readonly createdBy: PrincipalId;
}

/** Oldest first. */
export async function versions({ store: { read } }: Context, dataset: DatasetId): Promise<readonly DatasetVersion[]> {
  const rows = await rowsWith(read, "dataset_version", { dataset_id: dataset }, "version");
  return rows.map(({ version, declaration, created_at, created_by }) => ({
    version: Number(version),
    declaration: JSON.parse(declaration) as Json,
    createdAt: created_at,
    createdBy: created_by,
  }));
}

/** Facts of each version next to its declaration, oldest first. */
export async function sources(
  { store: { read } }: Context,
  dataset: DatasetId,
): Promise<readonly { readonly version: number; readonly source: Json; readonly createdAt: string }[]> {
  const rows = await read
    .selectFrom("dataset_version")
    .select(["version", "source", "created_at"])
    .where("dataset_id", "=", dataset)
    .orderBy("version")
    .execute();
  return rows.map(({ version, source, created_at: createdAt }) => ({
    version: Number(version),
    source: JSON.parse(source) as Json,
    createdAt,
  }));
}

async function withVersion(db: Tx["db"], row: Tables["dataset"]): Promise<Dataset> {
  const { id, version } = row;
  return toDataset(
    row,
    found(await rowWith(db, "dataset_version", { dataset_id: id, version }), "version", String(version)),
  );
}

/** `isFitted` of the version before: who fitted that knows what they saw. */
async function versionOf(
  tx: Tx,
  { id, version }: Tables["dataset"],
  given: { declaration: Json; source: Json; by: PrincipalId; at: string; isFitted: boolean },
): Promise<Tables["dataset_version"]> {
  const { by, at } = given;
  const source = JSON.stringify(given.source);
  return {
    id: `${id}.v${version}`,
    dataset_id: id,
    version,
    declaration: JSON.stringify(given.declaration),
    source,
    is_fitted: given.isFitted || (await wasChecked(tx, { dataset: id, source, by })) ? 1n : 0n,
    created_at: at,
    created_by: by,
  };
}

/** The most declarations that are kept parsed: each request about a dataset reads one, and it may name thousands of categories. */
const MAX_PARSED = 64;
const parsed = new Map<string, Json>();

/** A declaration of this text: the same object as long as it is kept. */
function declarationOf(text: string): Json {
  const declaration = parsed.get(text) ?? (JSON.parse(text) as Json);
  parsed.delete(text);
  parsed.set(text, declaration);
  const [oldest = text] = parsed.size > MAX_PARSED ? parsed.keys() : [];
  if (oldest !== text) parsed.delete(oldest);
  return declaration;
}

const toDataset = (
  row: Tables["dataset"],
  version: Pick<Tables["dataset_version"], "declaration" | "source" | "is_fitted">,
): Dataset => ({
  ...record(row, "id", "population_id", "name", "salt", "created_at", "created_by"),
  version: Number(row.version),
  declaration: declarationOf(version.declaration),
  source: JSON.parse(version.source) as Json,
  isFitted: version.is_fitted === 1n,
});
