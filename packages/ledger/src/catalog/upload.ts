import { PrivacyError } from "@dosimeter/core";
import { change } from "../audit/change.ts";
import type { Context } from "../context.ts";
import { rowWith } from "../stores/row.ts";
import type { Tx } from "../stores/store.ts";
import type { Tables } from "../stores/tables.ts";
import { found } from "../values/check.ts";
import type { By, DatasetId } from "../values/id.ts";

/** The upload that a version is read from; undefined where its table is elsewhere. */
export const uploadOf = ({ source }: Pick<Tables["dataset_version"], "source">): string | undefined =>
  (JSON.parse(source) as { readonly file?: string } | null)?.file;

/**
 * Marks bytes before their uploader is shown how they fit a declaration, with an audit line that they were: whatever this person declares over them
 * from now on is fitted. [M341]
 */
export function markChecked(
  context: Context,
  { file, digest, by }: By & { readonly file: string; readonly digest: string },
): Promise<void> {
  return change(context, async (tx, chain) => {
    await tx.db
      .insertInto("checked_upload")
      .values({ digest, principal_id: by, checked_at: context.store.now() })
      .onConflict((known) => known.columns(["digest", "principal_id"]).doNothing())
      .execute();
    chain.append({ actor: by, action: "upload.check", subject: file });
  });
}

type Place = Pick<Tables["checked_upload"], "digest" | "principal_id">;
type Draft = Pick<Tables["draft"], "digest" | "owner_id">;

/** Keeps where a declaration comes from whose owner or upload changed: marks follow it, also those that are made later. [M383] */
export async function passUpload({ db }: Tx, from: Draft, to: Draft): Promise<void> {
  if (from.digest === null || to.digest === null) return;
  if (from.digest === to.digest && from.owner_id === to.owner_id) return;
  const passed = { digest: to.digest, principal_id: to.owner_id };
  await db
    .insertInto("passed_upload")
    .values({ ...passed, from_digest: from.digest, from_principal_id: from.owner_id })
    .onConflict((known) => known.columns(["digest", "principal_id", "from_digest", "from_principal_id"]).doNothing())
    .execute();
}

/**
 * Whether a check was shown of the bytes of a new version, or of some of those that were appended into them: to who declares it, to who declared
 * an earlier version over the same ones, or to anyone from whom one of these has them. Not to someone else: their marks would say who has the same
 * bytes. [M341, M383]
 */
export async function wasChecked(
  { db }: Tx,
  { dataset, source, by }: By & { readonly dataset: DatasetId; readonly source: string },
): Promise<boolean> {
  const before = await db
    .selectFrom("dataset_version")
    .select(["source", "created_by"])
    .where("dataset_id", "=", dataset)
    .orderBy("version", "desc")
    .execute();
  const places: Place[] = [];
  for (const digest of digestsIn(source, before)) {
    places.push({ digest, principal_id: by });
    for (const version of before)
      if (digestsIn(version.source, []).has(digest)) places.push({ digest, principal_id: version.created_by });
  }
  const seen = new Set<string>();
  for (const place of places) {
    const { digest, principal_id } = place;
    if (seen.has(`${digest} ${principal_id}`)) continue;
    seen.add(`${digest} ${principal_id}`);
    if ((await rowWith(db, "checked_upload", place)) !== undefined) return true;
    const from = await db
      .selectFrom("passed_upload")
      .select(["from_digest as digest", "from_principal_id as principal_id"])
      .where("digest", "=", digest)
      .where("principal_id", "=", principal_id)
      .execute();
    places.push(...from);
  }
  return false;
}

/** Of the uploads whose rows a source has: where it was appended to the one before, also those of that one. Newest first. */
function digestsIn(source: string, before: readonly { readonly source: string }[]): ReadonlySet<string> {
  const digests = new Set<string>();
  let hasMore = true;
  for (const text of [source, ...before.map((version) => version.source)]) {
    const { digest, appended } = (JSON.parse(text) as UploadSource | null) ?? {};
    if (digest === undefined || !(hasMore || digests.has(digest))) break;
    digests.add(digest);
    if (appended !== undefined) digests.add(appended.digest);
    hasMore = appended !== undefined;
  }
  return digests;
}

interface UploadSource {
  readonly digest?: string;
  readonly appended?: { readonly digest: string };
}

/** Of a table whose upload was erased, in the same words for what is asked before a charge and in its transaction. */
export const uploadErased = (): PrivacyError =>
  new PrivacyError(
    "DATA_UNREADABLE",
    { name: "source" },
    "the upload of this table was erased; nothing was charged. Earlier answers stay",
  );

/** CONFLICT for a version that would read an upload which is erased, or being erased. */
export async function refuseErasedUpload({ db }: Tx, version: Tables["dataset_version"]): Promise<void> {
  const file = uploadOf(version);
  if (file === undefined) return;
  const erased = await rowWith(db, "erased_upload", { file });
  if (erased === undefined && (await rowWith(db, "discarded_upload", { file })) === undefined) return;
  throw new PrivacyError("CONFLICT", { name: "file" }, "this upload was erased meanwhile: upload the table again");
}

async function isRead({ db }: Tx, file: string): Promise<boolean> {
  const named = await db
    .selectFrom("dataset_version")
    .select("source")
    .where("source", "like", `%${file.replace(/[%_]/g, "_")}%`)
    .execute();
  return named.some((version) => uploadOf(version) === file);
}

/** Whether no version of any dataset reads an upload; then none can from now on, and the caller deletes it. */
export function discardUpload({ store }: Context, { file }: { readonly file: string }): Promise<boolean> {
  return store.transact(async (tx) => {
    if (await isRead(tx, file)) return false;
    await tx.db
      .insertInto("discarded_upload")
      .values({ file, discarded_at: store.now() })
      .onConflict((known) => known.column("file").doNothing())
      .execute();
    return true;
  });
}

/** Whether no version reads an upload that an append to this dataset was given or made; then none can from now on, and the caller deletes it. NOT_FOUND for a dataset that is not here. */
export function eraseUnread(
  { store }: Context,
  { file, dataset }: { readonly file: string; readonly dataset: DatasetId },
): Promise<boolean> {
  return store.transact(async (tx) => {
    found(await rowWith(tx.db, "dataset", { id: dataset }), "dataset", dataset);
    if (await isRead(tx, file)) return false;
    await tx.db
      .insertInto("erased_upload")
      .values({ file, dataset_id: dataset, erased_at: store.now() })
      .onConflict((known) => known.column("file").doNothing())
      .execute();
    return true;
  });
}

/** CONFLICT where the upload of the newest version was erased: a version that was made from it has its rows. */
export async function refuseErasedBase({ db }: Tx, { id, version }: Tables["dataset"]): Promise<void> {
  const base = await rowWith(db, "dataset_version", { dataset_id: id, version });
  const file = base && uploadOf(base);
  if (file === undefined || (await rowWith(db, "erased_upload", { file })) === undefined) return;
  throw new PrivacyError("CONFLICT", { name: "dataset.version" }, "the uploads of this dataset were erased meanwhile");
}
