import { invalid, PrivacyError } from "@dosimeter/core";
import { isPrintable, present } from "@dosimeter/core/internal";
import { change } from "../audit/change.ts";
import { passUpload } from "../catalog/upload.ts";
import type { Context } from "../context.ts";
import { record, rowWith } from "../stores/row.ts";
import type { Tx } from "../stores/store.ts";
import type { Tables } from "../stores/tables.ts";
import { checkName, found } from "../values/check.ts";
import {
  type AccountId,
  type By,
  type DatasetId,
  type DraftId,
  newId,
  type PrincipalId,
  type TeamId,
} from "../values/id.ts";
import { checkLimit, type Page, type PageOptions } from "../values/page.ts";

/** A plan that someone keeps under a name, or what they have typed and not finished: a plan on a dataset, or a declaration. */
type DraftKind = "plan" | "unfinishedPlan" | "declaration";

export interface Draft {
  readonly id: DraftId;
  readonly kind: DraftKind;
  /** Null, as the account is, of a declaration: there is no dataset yet. */
  readonly dataset: DatasetId | null;
  readonly account: AccountId | null;
  readonly owner: PrincipalId;
  /** The team whose members read it too; null: only its owner does. */
  readonly team: TeamId | null;
  readonly name: string;
  /** JSON: of a plan in the one spelling that its hash is about, else what its page holds. */
  readonly content: string;
  /** What is declared; null for a plan, and for a table of a connection. */
  readonly upload: DraftUpload | null;
  readonly changedAt: string;
}

interface DraftUpload {
  readonly file: string;
  /** The keyed hash of its bytes. */
  readonly digest: string;
}

export interface ListedDraft extends Omit<Draft, "content"> {
  readonly comments: number;
}

/** Of one owner: plans on one dataset, the one that they type there, and declarations. */
const MAX_DRAFTS = { plan: 100, unfinishedPlan: 1, declaration: 20 } as const;
const MAX_LENGTH = { plan: 65_536, unfinishedPlan: 500_000, declaration: 500_000 } as const;
/** What is not finished is saved while it is typed: changes within this time of the last one share its audit line. */
const SAME_LINE_MS = 3_600_000;

const toDraft = (row: Tables["draft"]): Draft => ({
  ...record(row, "id", "kind", "dataset_id", "account_id", "owner_id", "team_id", "name", "content", "changed_at"),
  upload: row.file === null || row.digest === null ? null : { file: row.file, digest: row.digest },
});

/** A control character or half a letter, as JSON writes them. */
const ESCAPED = /(?<!\\)(?:\\\\)*\\u(?:00[01]|d[89a-f])/;

/** Its texts are shown to others. */
function checkContent(content: string, { kind }: Pick<Draft, "kind">): string {
  if (content.length > MAX_LENGTH[kind])
    invalid(kind, content.length, `at most ${MAX_LENGTH[kind]} characters of JSON`);
  if (!isPrintable(content) || ESCAPED.test(content)) invalid(kind, undefined, "of printable characters");
  return content;
}

/** NOT_FOUND. */
export async function draft({ store: { read } }: Context, id: string): Promise<Draft> {
  return toDraft(found(await rowWith(read, "draft", { id }), "draft", id));
}

/** Those of these kinds that a person made or that one of these teams reads, newest first: on a dataset, or on any. */
export async function drafts(
  { store: { read } }: Context,
  {
    kinds,
    dataset,
    owner,
    teams,
    after,
    limit,
  }: PageOptions & {
    readonly kinds: readonly DraftKind[];
    readonly dataset: DatasetId | undefined;
    readonly owner: PrincipalId;
    readonly teams: readonly TeamId[];
  },
): Promise<Page<ListedDraft>> {
  const rows = checkLimit(limit);
  let query = read
    .selectFrom("draft")
    .select((row) => [
      "id",
      "kind",
      "dataset_id",
      "account_id",
      "owner_id",
      "team_id",
      "name",
      "file",
      "digest",
      "changed_at",
      row
        .selectFrom("draft_comment")
        .whereRef("draft_comment.draft_id", "=", "draft.id")
        .select(({ fn }) => fn.countAll().as("count"))
        .as("comments"),
    ])
    .where("kind", "in", [...kinds])
    .where(({ eb, or }) =>
      or([eb("owner_id", "=", owner), ...(teams.length === 0 ? [] : [eb("team_id", "in", [...teams])])]),
    );
  if (dataset !== undefined) query = query.where("dataset_id", "=", dataset);
  if (after !== undefined) query = query.where("id", "<", after as DraftId);
  const found = await query.orderBy("id", "desc").limit(rows).execute();
  const items = found.map(({ comments, ...row }) => {
    const { content: _, ...listed } = toDraft({ ...row, content: "" });
    return { ...listed, comments: Number(comments) };
  });
  const last = items.at(-1);
  return { items, next: last === undefined || items.length < rows ? null : last.id };
}

async function refuseMany(
  { db }: Tx,
  { kind, dataset }: Pick<Draft, "kind" | "dataset">,
  owner: PrincipalId,
): Promise<void> {
  const { count } = await db
    .selectFrom("draft")
    .select(({ fn }) => fn.countAll().as("count"))
    .where("kind", "=", kind)
    .where("dataset_id", dataset === null ? "is" : "=", dataset)
    .where("owner_id", "=", owner)
    .executeTakeFirstOrThrow();
  const most = MAX_DRAFTS[kind];
  if (Number(count) >= most)
    throw new PrivacyError("CONFLICT", { name: "drafts", got: Number(count), want: `less than ${most}` });
}

export function createDraft(
  context: Context,
  { by, kind, dataset, account, name, content, team, upload }: By & Omit<Draft, "id" | "owner" | "changedAt">,
): Promise<Draft> {
  return change(context, async (tx, chain) => {
    const { db } = tx;
    await refuseMany(tx, { kind, dataset }, by);
    const row = {
      id: newId("draft"),
      kind,
      dataset_id: dataset,
      account_id: account,
      owner_id: by,
      team_id: team,
      name: checkName(name, "name"),
      content: checkContent(content, { kind }),
      file: upload?.file ?? null,
      digest: upload?.digest ?? null,
      changed_at: context.store.now(),
    };
    await db.insertInto("draft").values(row).execute();
    chain.append({ actor: by, action: "draft.create", subject: row.id, detail: { dataset, team } });
    return toDraft(row);
  });
}

type Changes = Partial<Pick<Draft, "name" | "content" | "team"> & { readonly upload: DraftUpload }>;

/**
 * What is absent stays. CONFLICT where it was changed since `seen`. Who is marked for the bytes of a declaration is so for those that take their
 * place [M383].
 */
export function changeDraft(
  context: Context,
  {
    draft: id,
    by,
    seen,
    ...changes
  }: By & { readonly draft: string; readonly seen?: string } & { [K in keyof Changes]: Changes[K] | undefined },
): Promise<Draft> {
  return change(context, async (tx, chain) => {
    const before = await rowIn(tx.db, id);
    if (seen !== undefined && seen !== before.changed_at)
      throw new PrivacyError(
        "CONFLICT",
        { name: "draft", got: seen, want: before.changed_at },
        "this draft was changed elsewhere meanwhile: open it again, or go on there",
      );
    const { name, content, team, upload } = changes;
    const row = {
      ...before,
      ...(name === undefined ? {} : { name: checkName(name, "name") }),
      ...(content === undefined ? {} : { content: checkContent(content, toDraft(before)) }),
      ...present({ team_id: team }),
      ...upload,
      changed_at: later(before.changed_at, context.store.now()),
    };
    await tx.db.updateTable("draft").set(row).where("id", "=", row.id).execute();
    await passUpload(tx, before, row);
    const isTyped = before.kind !== "plan" && Date.parse(row.changed_at) - Date.parse(before.changed_at) < SAME_LINE_MS;
    if (!isTyped) chain.append({ actor: by, action: "draft.change", subject: row.id, detail: { team: row.team_id } });
    return toDraft(row);
  });
}

/** Gives a declaration to someone else, with its upload and with the mark of who saw how that fits [M383]. CONFLICT where they have too many. */
export function handDraft(
  context: Context,
  { draft: id, by, to }: By & { readonly draft: string; readonly to: PrincipalId },
): Promise<void> {
  return change(context, async (tx, chain) => {
    const before = await rowIn(tx.db, id);
    await refuseMany(tx, toDraft(before), to);
    const row = { ...before, owner_id: to, changed_at: later(before.changed_at, context.store.now()) };
    await tx.db.updateTable("draft").set(row).where("id", "=", row.id).execute();
    await passUpload(tx, before, row);
    chain.append({ actor: by, action: "draft.hand", subject: row.id, detail: { to } });
  });
}

/** Two changes of one moment differ, so that who saw the first does not undo the second. */
const later = (before: string, now: string): string =>
  now > before ? now : new Date(Date.parse(before) + 1).toISOString();

/** Whether a person has a declaration over an upload: its uploader began it. */
export async function hasUpload(
  { store: { read } }: Context,
  { owner, file }: { readonly owner: PrincipalId; readonly file: string },
): Promise<boolean> {
  return (await rowWith(read, "draft", { owner_id: owner, file })) !== undefined;
}

/** With what was said about it. */
export function deleteDraft(context: Context, { draft: id, by }: By & { readonly draft: string }): Promise<void> {
  return change(context, async ({ db }, chain) => {
    const row = await rowIn(db, id);
    await db.deleteFrom("draft_comment").where("draft_id", "=", row.id).execute();
    await db.deleteFrom("draft").where("id", "=", row.id).execute();
    chain.append({ actor: by, action: "draft.delete", subject: row.id });
  });
}

/** NOT_FOUND. */
export const rowIn = async (db: Tx["db"], id: string): Promise<Tables["draft"]> =>
  found(await rowWith(db, "draft", { id }), "draft", id);
